"""Contradictions in a sweep, for every way in which one is read. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from plexor.decode.consistent import MOST_TICKS
from plexor.protocol.geometry import MOST_TICK_FS
from plexor.protocol.memory import ResponseClass
from plexor.sweep.criterion import parse_criterion
from plexor.sweep.model import DOWN, REST, UP, Bracket, Figures, Step, SweepResult

_DIRECTIONS = ("", UP, DOWN, REST)
_SETTLED = (ResponseClass.ANSWERED, ResponseClass.LATE, ResponseClass.MISSED)


def of_step(step: Step) -> Iterator[str]:
    """Yield each contradiction in a step, and what would be right."""
    for text in _of_step(step):
        yield f"{step.load!r} at {step.rate_hz} Hz: {text}"


def contradictions_of(result: SweepResult) -> Iterator[str]:
    """Yield each contradiction in a sweep, and what would be right."""
    yield from _of_result(result)
    for step in result.steps:
        yield from of_step(step)


def _of_result(result: SweepResult) -> Iterator[str]:
    low, high = result.low_hz, result.high_hz
    if not 0 < low < high:
        yield f"from {low} to {high} Hz; must rise and be above 0"
    if result.width <= 0:
        yield f"width: {result.width}; must be above 0"
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
        if knee.strikes < 0:
            yield f"{where}: {knee.strikes} strikes; must be 0 or more"
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


def _of_step(step: Step) -> Iterator[str]:
    if not 0 < step.tick_fs <= MOST_TICK_FS:
        yield f"tick: {step.tick_fs} fs; must be 1 to {MOST_TICK_FS}"
    if step.rate_hz <= 0:
        yield "rate: must be above 0"
    if step.direction not in _DIRECTIONS:
        yield f"direction: {step.direction!r}; must be one of {_DIRECTIONS}"
    if not 0 <= step.strikes < MOST_TICKS:
        yield f"{step.strikes} strikes; must be 0 or more"
    if step.ends_hz is not None and not 0 < step.ends_hz < step.rate_hz:
        yield f"the instrument ends at {step.ends_hz} Hz; must be below the step's rate"
    if step.recovery_s is not None and step.recovery_s < 0:
        yield f"recovery: {step.recovery_s} s; must be 0 or more"
    names = [entry.name for entry in step.channels]
    if len(set(names)) < len(names) or (step.for_channel and step.for_channel not in names):
        yield f"channels {names}, for {step.for_channel!r}; must be different and include it"
    for entry in step.channels:
        yield from (f"{entry.name!r}: {text}" for text in _of_figures(entry))


def _of_figures(entry: Figures) -> Iterator[str]:
    settled = sum(entry.classes[name] for name in _SETTLED)
    if entry.strikes != settled:
        yield f"{entry.strikes} strikes, {settled} answered, late or missed; both must be equal"
    if not 0 <= min(entry.classes.values()) <= max(entry.classes.values()) < MOST_TICKS:
        yield f"classes {[*entry.classes.values()]}; must be 0 or more"
    times = (entry.min_ticks, entry.p50_ticks, entry.p99_ticks, entry.max_ticks)
    if any(ticks is not None and abs(ticks) >= MOST_TICKS for ticks in times):
        yield f"latencies {times} ticks; must be below {MOST_TICKS}"
    span = entry.peak_to_peak_ticks
    for name, jitter in (
        ("peak-to-peak", span),
        ("rms", entry.rms_ticks),
        ("jitter128", entry.jitter128_ticks),
    ):
        if jitter is not None and not 0 <= jitter < MOST_TICKS:
            yield f"{name}: {jitter} ticks; must be 0 or more"
    if entry.behind < 0:
        yield f"behind by {entry.behind} strikes; must be 0 or more"
