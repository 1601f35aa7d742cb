# SPDX-License-Identifier: Apache-2.0
"""Hand-made runs: events, bins and statistics from lists of latencies; kept scans."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from plexor.cli.measure import take
from plexor.library.run import Run
from plexor.model.results import (
    EVENT_DTYPE,
    Accounting,
    Bins,
    ChannelResult,
    Identity,
    Kind,
    RunResult,
    SampleResult,
    SourceAccounting,
    Statistics,
)
from plexor.model.settings import Channel, RegisterWrite, Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_MOST, ResponseClass, bin_of
from plexor.protocol.registers import StatusFlag, StopReason

from . import kept_scans

START = 1000


def measured(kind, values, times, indices, mantissa_bits=6):
    """Return what a chip says of these samples, by the declared bins and the declared limit."""
    values = [min(value, VALUE_MOST) for value in values]
    counts = np.zeros(1 << mantissa_bits + 5, np.uint64)
    for value, times_seen in Counter(values).items():
        counts[bin_of(value, mantissa_bits)] += times_seen
    low = values.index(min(values)) if values else None
    high = values.index(max(values)) if values else None
    statistics = Statistics(
        count=len(values),
        sum_ticks=sum(values),
        sum_sq_ticks2=sum(value * value for value in values),
        min_ticks=min(values, default=None),
        max_ticks=max(values, default=None),
        min_index=indices[low] if values else None,
        max_index=indices[high] if values else None,
        min_time_ticks=times[low] if values else None,
        max_time_ticks=times[high] if values else None,
    )
    return SampleResult(kind, statistics, Bins(mantissa_bits, counts))


def make_run(latencies, *, names=None, widths=100, period=50_000, keep_events=True, **other):
    """Return a run of strikes `period` apart; latencies[c][n] is channel c's to strike n, or None.

    Every strike is `period` // 5 wide. `widths` is one on-width, or lists like the latencies.
    """
    strikes = max((len(entry) for entry in latencies), default=0)
    rows = []
    for n in range(strikes):
        at = START + n * period
        rows += [(at, 8, 1), (at + period // 5, 8, 0)]
        for channel, values in enumerate(latencies):
            if values[n] is not None:
                width = widths if isinstance(widths, int) else widths[channel][n]
                rows += [(at + values[n], channel, 1), (at + values[n] + width, channel, 0)]
    rows.sort(key=lambda row: (row[0], row[1] < 8, row[1]))
    events = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(rows):
        events[index] = (time, index, source, polarity)
    index_of = {(row[0], row[1], row[2]): index for index, row in enumerate(rows)}
    channels = []
    for number, values in enumerate(latencies):
        rises, falls, on, at = [], [], [], []
        for n, value in enumerate(values):
            if value is not None:
                width = widths if isinstance(widths, int) else widths[number][n]
                rises.append(value)
                falls.append(value + width)
                on.append(width)
                at.append(START + n * period + value)
        ends = [time + width for time, width in zip(at, on, strict=True)]
        up = [index_of[time, number, 1] for time in at]
        down = [index_of[time, number, 0] for time in ends]
        periods = [b - a for a, b in itertools.pairwise(at)]
        counts = dict.fromkeys(ResponseClass, 0)
        counts |= {
            ResponseClass.ANSWERED: len(rises),
            ResponseClass.MISSED: strikes - len(rises),
            ResponseClass.STRIKES: strikes,
        }
        channels.append(
            ChannelResult(
                number=number,
                name=(names or ["ISR", "TASK", "ch2", "ch3"])[number],
                reference="strike0",
                deadline_ticks=None,
                classes=counts,
                pending=0,
                active_edges=len(rises),
                measurements=(
                    measured(Kind.RISE, rises, at, up),
                    measured(Kind.FALL, falls, ends, down),
                    measured(Kind.WIDTH, on, ends, down),
                    measured(Kind.PERIOD, periods, at[1:], up[1:]),
                ),
            )
        )
    edges = Counter(row[1] for row in rows)
    fields = {
        "identity": Identity(Geometry(), 0x1234_5678_9ABC_DEF0),
        "settings": Settings(
            strikes=(Stimulus(period_s=Fraction(period, 10**9), count=strikes),),
            channels=tuple(Channel(c.number, c.name) for c in channels),
        ),
        "registers": (RegisterWrite("matcher", 0, "timeout_ticks", min(period, VALUE_MOST)),),
        "echo": (),
        "start_ticks": START,
        "end_ticks": START + (strikes + 2) * period,
        "stop_reason": StopReason.STRIKES,
        "flags": StatusFlag(0),
        "channels": tuple(channels),
        "accounting": Accounting(
            generated=len(rows),
            received=len(rows),
            dropped_on_chip=0,
            lost_on_link=0,
            sources=tuple(
                SourceAccounting(source, edges[source], 0, 0, edges[source])
                for source in sorted(edges)
            ),
        ),
        "events": events if keep_events else None,
        "started": "2026-11-21T08:00:00Z",
        "device": {"board": "VexRiscv 50 MHz", "os": "FreeRTOS 11.2.0"},
    }
    return RunResult(**fields | other)


@pytest.fixture(scope="session")
def run_of():
    """Return `make_run`."""
    return make_run


@pytest.fixture
def bench(monkeypatch, run_of):
    """Return a function that sets the run which `plexor measure` will bring back."""
    asked = {}

    def set_run(result=None):
        def run(source, options, settings, *given, live, endless):
            asked.update(settings=settings, endless=endless)
            return Run(result if result is not None else run_of([[1000, 2000, 3000]]))

        monkeypatch.setattr(take, "take", run)
        return asked

    return set_run


@pytest.fixture(params=kept_scans.KINDS)
def folder(request, tmp_path):
    """Return a folder in which a scan was kept."""
    return kept_scans.keep(request.param, tmp_path)
