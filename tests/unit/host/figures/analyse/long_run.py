# SPDX-License-Identifier: Apache-2.0
"""Long runs, made as arrays: strikes with both edges, and one channel that answers them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from plexor.model.results import EVENT_DTYPE, Accounting, Kind, RunResult, SourceAccounting
from plexor.model.settings import RegisterWrite, Stimulus
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.bins import measurement_of
from plexor.wire.decode.matched import Samples

from ...conftest import START, make_run

PERIOD = 4000


def long_run(
    strikes: int, missed: float = 0.0, *, first_missed: float = 0.0, dither: int = 0
) -> RunResult:
    """Return a run of four events for each strike, less the answers of the missed share.

    None is missed in the share of the run before `first_missed`. Strikes are up to `dither` ticks
    late, a power of two or 0.
    """
    random = np.random.default_rng(1)
    struck = START + np.arange(strikes) * PERIOD
    if dither:
        struck += random.integers(0, dither, strikes)
    up = struck + random.integers(200, 1200, strikes)
    down = up + random.integers(50, 400, strikes)
    answered = random.random(strikes) >= missed
    answered[: int(strikes * first_missed)] = True
    size = 2 * (strikes + int(answered.sum()))
    events = np.empty(size, EVENT_DTYPE)
    times = np.concatenate([struck, struck + PERIOD // 2, up[answered], down[answered]])
    order = np.argsort(times, kind="stable")
    events["time_ticks"] = times[order]
    events["index"] = np.arange(size)
    events["source"] = np.where(order < 2 * strikes, 8, 0)
    falls = (order >= strikes) & (order < 2 * strikes) | (order >= size - int(answered.sum()))
    events["polarity"] = ~falls
    place = np.empty(size, np.int64)
    place[order] = np.arange(size)
    ups, downs = np.split(place[2 * strikes :], 2)
    struck, up, down = struck[answered], up[answered], down[answered]
    measurements = (
        _measured(Kind.RISE, up - struck, up, ups),
        _measured(Kind.FALL, down - struck, down, downs),
        _measured(Kind.WIDTH, down - up, down, downs),
        _measured(Kind.PERIOD, np.diff(up), up[1:], ups[1:]),
    )
    base = make_run([[1000]])
    counts = dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.ANSWERED: len(up),
        ResponseClass.MISSED: strikes - len(up),
        ResponseClass.STRIKES: strikes,
    }
    edges = {0: 2 * len(up), 8: 2 * strikes}
    return replace(
        base,
        settings=replace(
            base.settings, strikes=(Stimulus(period_s=Fraction(PERIOD, 10**9), count=strikes),)
        ),
        registers=(
            RegisterWrite("matcher", 0, "timeout_ticks", PERIOD),
            RegisterWrite("stimulus", 0, "enable", 1),
            RegisterWrite("stimulus", 0, "dither_bits", dither.bit_length() - 1 if dither else 0),
        ),
        channels=(
            replace(
                base.channels[0], classes=counts, active_edges=len(up), measurements=measurements
            ),
        ),
        accounting=Accounting(
            size,
            size,
            0,
            0,
            tuple(SourceAccounting(source, n, 0, 0, n) for source, n in edges.items()),
        ),
        events=events,
        end_ticks=START + (strikes + 2) * PERIOD,
    )


def _measured(kind, values, times, places):
    return replace(measurement_of(kind, Samples(values, times, places, times), 6), on_chip=True)
