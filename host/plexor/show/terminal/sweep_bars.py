# SPDX-License-Identifier: Apache-2.0
"""A sweep in a terminal: latency and misses of each knee over the rate, as bars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from plexor.base.units import format_ticks
from plexor.experiments.step import DOWN, UP, RateFigures, RateStep
from plexor.experiments.sweep.model import Knee, SweepResult
from plexor.figures.judge.verdict import Outcome
from plexor.show.facts import load_word
from plexor.show.pictures.scale import Axis, rate_unit
from plexor.show.sweep_rows import own_steps
from plexor.show.terminal.blocks import EIGHTHS, MARGIN, axis_line, bars, columns_of
from plexor.show.terminal.columns import CHANNEL_COLOURS, Paint, wrapped

_EXPLAINED = (
    "p99 and missed strikes by strike rate, all logarithmic; + sustained, x not, ? undecided"
)
LINES = 3
"""Rows of the latency bars."""
LEAST_SHARE = 1e-4
"""Share of missed strikes that the lowest bar shows."""
_MARKS = {Outcome.FAIL: "x", Outcome.TOO_FEW: "?", Outcome.PASS: "+", Outcome.NOT_COMPARABLE: "|"}
"""The first of several in one column is shown."""


def sweep_bars(result: SweepResult, width: int, paint: Paint) -> Iterator[str]:
    """Draw each knee, the way down of a scan by itself; loads of a channel on the same axes."""
    yield ""
    verdicts = {figures.verdict for step in result.steps for figures in step.channels}
    beyond = ", | beyond the instrument" if Outcome.NOT_COMPARABLE in verdicts else ""
    yield from wrapped(f"{_EXPLAINED}{beyond}", width, paint, "muted")
    loads = list(dict.fromkeys(knee.load for knee in result.knees))
    for knee in result.knees:
        own = own_steps(result.steps, knee)
        together = [k for k in result.knees if k.channel == knee.channel]
        known = [
            ticks
            for each in together
            for step in own_steps(result.steps, each)
            for ticks in (step.of(knee.channel).p99_ticks,)
            if ticks is not None and ticks > 0
        ]
        colour = CHANNEL_COLOURS[loads.index(knee.load) % len(CHANNEL_COLOURS)]
        # Scans that agree with the search add nothing to its bars.
        for way in ("",) if knee.agrees else ("", UP, DOWN):
            steps = [step for step in own if step.direction == way]
            if steps and known:
                yield ""
                yield from _knee(result, knee, steps, known, width, paint, colour)


def _knee(
    result: SweepResult,
    knee: Knee,
    steps: Sequence[RateStep],
    known: Sequence[int],
    width: int,
    paint: Paint,
    colour: str,
) -> Iterator[str]:
    columns = columns_of(width)
    axis = Axis(float(result.low_hz), float(result.high_hz), 0, columns, True)
    found: list[list[RateFigures]] = [[] for _ in range(columns)]
    for step in steps:
        found[_column(axis, step.rate_hz, columns)].append(step.of(knee.channel))
    way = {UP: ", rate rises", DOWN: ", rate falls"}.get(steps[0].direction, "")
    title = f"{load_word(knee.load)}, {knee.channel}{way}"
    yield paint(title[:width], "bold")
    least, most = min(known), max(known)
    latencies = [max((f.p99_ticks or 0 for f in each), default=0) for each in found]
    low, high = (format_ticks(ticks, result.tick_fs, 3) for ticks in (least, most))
    values = [high, *[""] * (LINES - 2), low]
    heights = [_height(ticks, least, most, LINES * EIGHTHS) for ticks in latencies]
    yield from bars(heights, values, paint, colour)
    shares = [max((f.missed_share for f in each), default=0.0) for each in found]
    missed = [_height(share, LEAST_SHARE, 1.0, EIGHTHS) for share in shares]
    yield from bars(missed, ["missed"], paint, colour)
    marks = "".join(
        next((m for v, m in _MARKS.items() if any(f.verdict == v for f in each)), " ")
        for each in found
    )
    yield f"{paint('keeps'.rjust(MARGIN - 1), 'muted')} {marks.rstrip()}"
    yield axis_line(axis, *rate_unit(axis.high), paint)


def _column(axis: Axis, rate_hz: Fraction, columns: int) -> int:
    return min(int(axis.at(float(rate_hz))), columns - 1)


def _height(value: float, least: float, most: float, eighths: int) -> int:
    """Return a bar's height, logarithmic: at least an eighth, at most all of it."""
    if value <= 0:
        return 0
    if most <= least:
        return 1
    part = math.log(max(value, least) / least) / math.log(most / least)
    return 1 + round((eighths - 1) * part)
