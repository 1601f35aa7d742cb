# SPDX-License-Identifier: Apache-2.0
"""The document of a sweep, and what rejects one that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from plexor.base.documents import Document
from plexor.experiments.criterion import parse_criterion
from plexor.experiments.step import of_step
from plexor.experiments.sweep.model import Bracket, SweepResult


def contradictions_of(result: SweepResult) -> Iterator[str]:
    """Yield each contradiction in a sweep, and what would be right."""
    yield from _of_result(result)
    for step in result.steps:
        yield from of_step(step)


def _of_result(result: SweepResult) -> Iterator[str]:
    low, high = result.low_hz, result.high_hz
    if low >= high:
        yield f"from {low} to {high} Hz; must rise"
    if any(step.tick_fs != result.tick_fs for step in result.steps):
        yield f"steps with other ticks than {result.tick_fs} fs; must be the same"
    for text in result.criteria:
        # Raises ValueError itself, which says what would be right.
        parse_criterion(text)
    if any(not low <= step.rate_hz <= high for step in result.steps):
        yield f"a step outside of {low} to {high} Hz"
    if not result.knees:
        yield "no knees; must be one for each channel and load"
    places = [(knee.load, knee.channel) for knee in result.knees]
    if len(set(places)) < len(places):
        yield "two knees of one channel under one load"
    for knee in result.knees:
        where = f"knee of {knee.channel!r} under {knee.load!r}"
        for bracket in (knee.bracket, knee.up, knee.down):
            if bracket is not None:
                yield from (f"{where}: {text}" for text in _of_bracket(bracket, low, high))
        for step in result.steps:
            shared = step.load == knee.load and step.for_channel in ("", knee.channel)
            if shared and knee.channel not in {entry.name for entry in step.channels}:
                yield f"{where}: no such channel at {step.rate_hz} Hz"


def _of_bracket(bracket: Bracket, low: Fraction, high: Fraction) -> Iterator[str]:
    passing, failing = bracket.passing_hz, bracket.failing_hz
    ends = [end for end in (passing, failing, bracket.instrument_hz) if end is not None]
    rates = (*ends, *bracket.undecided_hz, *bracket.passing_above_hz)
    if any(not low <= rate <= high for rate in rates):
        yield f"a rate outside of {low} to {high} Hz"
    if passing is not None and failing is not None and passing >= failing:
        yield f"passes {passing} Hz and fails {failing} Hz; must fail above"
    instrument = bracket.instrument_hz
    if instrument is not None and (failing is not None or (passing or 0) > instrument):
        yield (
            f"passes {passing} Hz, fails {failing} Hz, and the instrument ends at {instrument} Hz; "
            "its end must be above what passes, and nothing fails below it"
        )


SWEEP = Document("sweep", 2, SweepResult, contradictions_of, wrapped="sweep")
