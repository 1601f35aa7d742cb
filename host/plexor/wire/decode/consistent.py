# SPDX-License-Identifier: Apache-2.0
"""Finds contradictions in a run's figures, once, when a run is received or loaded. Pure.

An instrument or a file may claim any counts. `consistent` removes impossible figures from a run and
says which. Code that uses the run later does not check again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plexor.base.constraints import MOST_TICKS
from plexor.base.counts import counted
from plexor.model.results import (
    Bins,
    ChannelResult,
    Counts,
    Kind,
    RunResult,
    SampleResult,
    Statistics,
    StepResult,
    Zoom,
)
from plexor.model.settings import NO_DEADLINE_TICKS, parse_reference
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import (
    UNBOUNDED_CLASSES,
    VALUE_MOST,
    ResponseClass,
    bin_bits,
    bin_count,
    bin_of,
    over_bin,
    under_bin,
)
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.wire.decode.bins import bin_numbers
from plexor.wire.decode.code_tables import wrong_tables
from plexor.wire.decode.derived import derived_contradictions

MOST_IN_BIN = 2 * ((1 << 32) - 1)
"""Maximum count of a bin: the sum of two full 32-bit banks."""
LEAST_VALUE = -VALUE_MOST - 1


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Bounds for all figures of a run."""

    start_ticks: int
    end_ticks: int
    events: int
    """Number of events. Every index is below it."""
    saturated: bool = False
    """Whether bins may have stopped counting."""
    deadline_ticks: int = NO_DEADLINE_TICKS
    """Greatest deadline."""

    @property
    def ticks(self) -> int:
        """Length of the run in ticks. A source has at most one edge in a tick."""
        return self.end_ticks - self.start_ticks


UNENDED = RunLimits(0, MOST_TICKS, MOST_TICKS, saturated=True)
"""Limits of a run whose end is not known."""


def limits_of(result: RunResult) -> RunLimits:
    """Return the limits of a run. They are wide if its end was never seen."""
    saturated = StatusFlag.BIN_SATURATED in result.flags
    if result.stop_reason == StopReason.NONE:
        return replace(UNENDED, saturated=saturated)
    events = min(result.accounting.generated, MOST_TICKS)
    # The host matches a capture, with more bits than an instrument has.
    deadline_ticks = NO_DEADLINE_TICKS if result.imported is None else MOST_TICKS - 1
    return RunLimits(result.start_ticks, result.end_ticks, events, saturated, deadline_ticks)


def contradictions_of(result: RunResult) -> tuple[str, ...]:
    """Return the contradictions in a run's channels and steps, one sentence each."""
    return _sifted(result)[1]


def consistent(result: RunResult) -> RunResult:
    """Return the run without impossible figures; its invalid reasons name each one.

    An impossible measurement is left out. A channel with impossible counts is left out. If one step
    is impossible, all steps are left out, and so are tables of codes. Counts that do not add up
    stay, because nobody can tell which of them is wrong.
    """
    sifted, contradictions = _sifted(result)
    new = [text for text in contradictions if text not in result.invalid_reasons]
    if not contradictions:
        return result
    return replace(sifted, invalid_reasons=(*result.invalid_reasons, *new))


def statistics_contradictions(
    statistics: Statistics,
    limits: RunLimits,
    least_value: int = LEAST_VALUE,
    most_value: int = VALUE_MOST,
) -> list[str]:
    """Return why statistics are impossible for samples from `least_value` to `most_value` ticks."""
    s = statistics
    extremes = (s.min_index, s.max_index, s.min_time_ticks, s.max_time_ticks)
    if not 0 <= s.count <= limits.ticks:
        return [f"{counted(s.count, 'sample')} in {limits.ticks} ticks"]
    if not s.count:
        figures = (s.min_ticks, s.max_ticks, *extremes)
        empty = not s.sum_ticks and not s.sum_sq_ticks2 and figures == (None,) * len(figures)
        return [] if empty else ["figures without samples"]
    if s.min_ticks is None or s.max_ticks is None or s.sum_ticks is None:
        return [f"{counted(s.count, 'sample')} without their minimum, maximum and sum"]
    if not least_value <= s.min_ticks <= s.max_ticks <= most_value:
        return [f"samples from {s.min_ticks} to {s.max_ticks} ticks"]
    contradictions: list[str] = []
    spread = s.max_ticks - s.min_ticks
    # The sum is smallest if all samples but one are the minimum, largest if all but one are the
    # maximum.
    if not s.min_ticks * s.count + spread <= s.sum_ticks <= s.max_ticks * s.count - spread:
        contradictions.append(
            f"{counted(s.count, 'sample')} from {s.min_ticks} to {s.max_ticks} ticks with sum "
            f"{s.sum_ticks}"
        )
    elif s.sum_sq_ticks2 is not None:
        # The sum of squares is smallest if all samples are equal, largest if each is at one of the
        # ends (Bhatia and Davis 2000).
        most = (s.min_ticks + s.max_ticks) * s.sum_ticks - s.count * s.min_ticks * s.max_ticks
        if s.sum_sq_ticks2 > most or s.count * s.sum_sq_ticks2 < s.sum_ticks**2:
            contradictions.append(
                f"{counted(s.count, 'sample')} from {s.min_ticks} to {s.max_ticks} ticks with sum"
                f" {s.sum_ticks} and sum of squares {s.sum_sq_ticks2}"
            )
    if extremes == (None,) * len(extremes):
        return contradictions
    if s.min_index is None or s.max_index is None:
        return [*contradictions, "an extreme without its event"]
    if s.min_time_ticks is None or s.max_time_ticks is None:
        return [*contradictions, "an extreme without its time"]
    contradictions += [
        f"an extreme at event {index} of {limits.events}"
        for index in (s.min_index, s.max_index)
        if not 0 <= index < limits.events
    ]
    contradictions += [
        f"an extreme at {time} ticks in a run from {limits.start_ticks} to before"
        f" {limits.end_ticks} ticks"
        for time in (s.min_time_ticks, s.max_time_ticks)
        if not limits.start_ticks <= time < limits.end_ticks
    ]
    return contradictions


def measurement_contradictions(measurement: SampleResult, limits: RunLimits) -> list[str]:
    """Return why statistics, bins and window cannot describe the same samples."""
    least = LEAST_VALUE if measurement.kind == Kind.RISE else 0
    most = VALUE_MOST if measurement.on_chip else MOST_TICKS
    known = measurement.statistics
    # Each check relies on the one before, so only the first that fails is reported.
    return (
        statistics_contradictions(known, limits, least, most)
        or list(_bins_contradictions(measurement.bins, known, limits))
        or list(_zoom_contradictions(measurement.zoom, measurement.bins, known, limits))
    )


def channel_contradictions(
    channel: ChannelResult, limits: RunLimits, geometry: Geometry
) -> tuple[list[str], list[str]]:
    """Return why a channel's counts are impossible, and why they cannot all be right."""
    cannot = [
        f"{count} {name} in {limits.ticks} ticks"
        for name, count in (
            *((kind.name.lower(), channel.classes.get(kind, -1)) for kind in ResponseClass),
            ("pending", channel.pending),
            ("edges", channel.active_edges),
            ("unknown strikes", channel.unknown_strikes),
            ("unknown edges", channel.unknown_edges),
        )
        if not 0 <= count <= limits.ticks
    ]
    strikes = channel.classes.get(ResponseClass.STRIKES, 0)
    cannot += [
        f"{count} {kind.name.lower()} of {counted(strikes, 'strike')}"
        for kind, count in channel.classes.items()
        if kind not in UNBOUNDED_CLASSES and count > strikes
    ]
    if not 0 <= channel.number < geometry.channels:
        cannot.append(f"channel {channel.number} of {geometry.channels}")
    if not _has_source(channel.reference, geometry):
        cannot.append(f"its strike is {channel.reference}, which this instrument does not have")
    deadline = channel.deadline_ticks
    if deadline is not None and not -limits.deadline_ticks - 1 <= deadline <= limits.deadline_ticks:
        cannot.append(f"a deadline of {deadline} ticks")
    if cannot:
        return cannot, []
    count, contradictions = channel.classes, list[str]()
    matched = count[ResponseClass.ANSWERED] + count[ResponseClass.LATE]
    if not channel.conserved:
        contradictions.append("strikes or edges are not in exactly one class each")
    for part, whole_name, total in (
        (ResponseClass.EARLY, "matched", matched),
        (ResponseClass.QUEUE_FULL, "missed", count[ResponseClass.MISSED]),
    ):
        if count[part] > total:
            contradictions.append(f"{count[part]} {part.name.lower()} of {total} {whole_name}")
    rise, fall = channel.measurement(Kind.RISE), channel.measurement(Kind.FALL)
    if rise is not None and rise.statistics.count != matched:
        contradictions.append(
            f"{counted(rise.statistics.count, 'latency')} of {counted(matched, 'response')}"
        )
    if fall is not None and fall.statistics.count > matched:
        contradictions.append(
            f"{counted(fall.statistics.count, 'edge')} back of {counted(matched, 'response')}"
        )
    return [], contradictions


def step_contradictions(
    steps: Sequence[StepResult], channels: Sequence[ChannelResult], limits: RunLimits
) -> list[str]:
    """Return why the figures of a run's steps are impossible."""
    if not steps:
        return []
    contradictions: list[str] = []
    start_ticks, end_ticks = steps[0].start_ticks, steps[-1].end_ticks
    if start_ticks < limits.start_ticks or end_ticks > limits.end_ticks:
        contradictions.append(
            f"steps from {start_ticks} to {end_ticks} ticks in a run from"
            f" {limits.start_ticks} to {limits.end_ticks} ticks"
        )
    numbers = [channel.number for channel in channels]
    for step in steps:
        if step.end_ticks < step.start_ticks:
            contradictions.append(f"step {step.number}: ends at {step.end_ticks}, before it starts")
        if [channel.number for channel in step.channels] != numbers:
            contradictions.append(f"step {step.number}: of other channels than the run")
            return contradictions
        own = RunLimits(step.start_ticks, step.end_ticks, limits.events)
        for step_channel in step.channels:
            name = f"step {step.number}, {step_channel.name}"
            counts = (
                *step_channel.classes.values(),
                step_channel.pending,
                step_channel.pending_before,
            )
            if len(step_channel.classes) != len(ResponseClass) or min(counts) < 0:
                contradictions.append(f"{name}: counts fewer than none")
            elif not step_channel.conserved:
                contradictions.append(f"{name}: strikes are not in exactly one class each")
            contradictions += [
                f"{name}: {text}" for text in statistics_contradictions(step_channel.rise, own)
            ]
    if contradictions:
        return contradictions
    for position, channel in enumerate(channels):
        for kind, total in channel.classes.items():
            steps_total = sum(step.channels[position].classes[kind] for step in steps)
            if steps_total != total:
                contradictions.append(
                    f"{channel.name}: {steps_total} {kind.name.lower()} in steps, {total} in all"
                )
    return contradictions


def consistent_channels(
    channels: Sequence[ChannelResult], limits: RunLimits, geometry: Geometry
) -> tuple[tuple[ChannelResult, ...], list[str]]:
    """Return the channels without impossible figures, and all that is wrong with them."""
    consistent: list[ChannelResult] = []
    contradictions: list[str] = []
    for channel in channels:
        cannot, wrong = channel_contradictions(channel, limits, geometry)
        contradictions += [f"{channel.name}: {text}; left out" for text in cannot]
        contradictions += [f"{channel.name}: {text}" for text in wrong]
        if cannot:
            continue
        sound: list[SampleResult] = []
        for measurement in channel.measurements:
            texts = measurement_contradictions(measurement, limits)
            contradictions += [
                f"{channel.name}.{measurement.kind}: {text}; left out" for text in texts
            ]
            if not texts:
                sound.append(measurement)
        complete = len(sound) == len(channel.measurements)
        consistent.append(channel if complete else replace(channel, measurements=tuple(sound)))
    return tuple(consistent), contradictions


def _sifted(result: RunResult) -> tuple[RunResult, tuple[str, ...]]:
    """Return the run without impossible figures, and all that is wrong with it."""
    limits = limits_of(result)
    channels, contradictions = consistent_channels(
        result.channels, limits, result.identity.geometry
    )
    texts = step_contradictions(result.steps, channels, limits)
    steps = () if texts else result.steps
    contradictions += texts
    tables = result.code_tables
    if tables is not None:
        texts = list(wrong_tables(tables, channels, result.identity.geometry, limits.ticks))
        tables = None if texts else tables
        contradictions += texts
    if not contradictions and result.valid and result.stop_reason != StopReason.NONE:
        contradictions += derived_contradictions(result)
    return replace(result, channels=channels, steps=steps, code_tables=tables), tuple(
        contradictions
    )


def _bins_contradictions(bins: Bins, known: Statistics, limits: RunLimits) -> Iterator[str]:
    counts, bits = bins.counts, bins.mantissa_bits
    if not 0 <= bits <= 16 or len(counts) != 1 << bin_bits(bits):
        yield f"{counted(len(counts), 'bin')} of {bits} mantissa bits"
        return
    if not len(counts) or int(counts.max()) > MOST_IN_BIN:
        yield f"{counted(int(counts.max()), 'sample')} in one bin"
        return
    if counts[bin_count(bits) : over_bin(bits)].any():
        yield "samples in bins that no value has"
        return
    inside = int(counts.sum())
    if inside > known.count or (inside < known.count and not limits.saturated):
        yield f"{counted(known.count, 'sample')}, {inside} in bins"
    elif known.count:
        # The bin of values below 0 is the last one.
        size = len(counts)
        ends = [(bin_of(v, bits) + 1) % size for v in (known.min_ticks or 0, known.max_ticks or 0)]
        if _ends(np.roll(counts, 1)) != ends:
            yield f"samples from {known.min_ticks} to {known.max_ticks} ticks in other bins"


def _zoom_contradictions(
    zoom: Zoom | None, bins: Bins, known: Statistics, limits: RunLimits
) -> Iterator[str]:
    if zoom is None:
        return
    counts, first, most = zoom.counts, zoom.first_ticks, len(zoom.counts) - 1
    if most < 2 or most & (most + 1) or not LEAST_VALUE <= first <= VALUE_MOST:
        yield f"a window of {counted(len(counts), 'bin')} from {first} ticks"
        return
    if int(counts.max()) > MOST_IN_BIN:
        yield f"{counted(int(counts.max()), 'sample')} in one bin of the window"
        return
    inside = int(counts.sum())
    if inside > known.count or (inside < known.count and not limits.saturated):
        yield f"{counted(known.count, 'sample')}, {inside} in the window"
        return
    if not known.count:
        return
    ends = [min(max(v - first + 1, 0), most) for v in (known.min_ticks or 0, known.max_ticks or 0)]
    if _ends(counts) != ends:
        yield f"samples from {known.min_ticks} to {known.max_ticks} ticks elsewhere in the window"
    elif not limits.saturated and not _same_in_both(zoom, bins):
        yield "the window has other samples than the bins that it covers"


def _ends(counts: Counts) -> list[int]:
    """Return the index of the first and the last non-zero count; nothing if all are 0."""
    return np.flatnonzero(counts)[[0, -1]].tolist() if counts.any() else []


def _same_in_both(zoom: Zoom, bins: Bins) -> bool:
    """Return whether window and bins agree.

    Each bin holds at least the window's count of its values, exactly that if the window covers it.
    """
    bits = bins.mantissa_bits
    inner = zoom.counts[1:-1]
    ends = np.array([zoom.first_ticks - 1, zoom.first_ticks + len(inner)])
    ticks = np.arange(ends[0] + 1, ends[1], dtype=np.int64)
    numbers = bin_numbers(ticks, bits)
    # Float sums are exact: counts are far below 2**53.
    seen = np.bincount(numbers, inner.astype(np.float64), len(bins.counts)).astype(np.uint64)
    covered = np.zeros(len(seen), dtype=np.bool_)
    covered[numbers] = True
    covered[bin_numbers(ends, bits)] = False
    covered[[under_bin(bits), over_bin(bits)]] = False
    return bool(np.all(seen <= bins.counts) and np.all(seen[covered] == bins.counts[covered]))


def _has_source(reference: str, geometry: Geometry) -> bool:
    """Whether a reference names an edge of a source that an instrument has."""
    try:
        source, _ = parse_reference(reference)
    except ValueError:
        return False
    if source >= SOURCE_LOAD:
        return True
    if source >= SOURCE_STRIKE:
        return source - SOURCE_STRIKE < geometry.strikes
    return source - SOURCE_CHANNEL < geometry.channels
