# SPDX-License-Identifier: Apache-2.0
"""Finds figures of a run that are not what others of its figures make them. Pure.

An instrument that answers out of turn, or an edited file, may have figures that are possible one by
one and contradict each other. Such contradictions are found here. Events are compared with
statistics and classes where they are matched again: `plexor.figures.analyse.disagreements`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from plexor.base.counts import counted
from plexor.base.units import format_seconds, format_ticks, ticks_of
from plexor.model.results import Kind, RunResult, SourceAccounting, cut_text
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_CODE, SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass, under_bin
from plexor.protocol.registers import StopOn, StopReason, Trigger

_STOP_ON = {
    StopReason.STRIKES: StopOn.STRIKES,
    StopReason.TIME: StopOn.TIME,
    StopReason.LATENCY: StopOn.LATENCY,
    StopReason.MISSED: StopOn.MISSED,
    StopReason.STALL: StopOn.STALL,
    StopReason.CODE: StopOn.CODE,
}
_TICK_PARTS = 10**6
"""An instrument reports its tick to one part in this many."""

RegisterValues = Mapping[tuple[str, int, str], int]
"""Values of registers by block, copy and name."""


def derived_contradictions(result: RunResult) -> Iterator[str]:
    """Yield the contradictions between figures of a run that has ended, one sentence each."""
    values = {(write.block, write.copy, write.name): write.value for write in result.registers}
    sources = {source.source: source for source in result.accounting.sources}
    yield from _of_books(result)
    yield from _of_edges(result, sources)
    yield from _of_early(result, values)
    if result.imported is None:
        yield from _of_stop(result, values, sources)
        yield from _of_tick(result, values)


def _of_books(result: RunResult) -> Iterator[str]:
    books = result.accounting
    sums = {
        "generated": (books.generated, sum(source.generated for source in books.sources)),
        "received": (books.received, sum(source.received for source in books.sources)),
        "dropped on chip": (
            books.dropped_on_chip,
            sum(source.dropped + source.upload_dropped for source in books.sources),
        ),
    }
    for name, (total, by_source) in sums.items():
        if total != by_source:
            yield f"accounting: {total} {name}, {by_source} by source"
    if result.events is None or cut_text(len(result.events), books.received) in result.omitted:
        return
    numbers, counts = np.unique(result.events["source"], return_counts=True)
    kept_counts = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    for source in books.sources:
        if source.source < SOURCE_CODE and source.received != kept_counts.get(source.source, 0):
            count = kept_counts.get(source.source, 0)
            yield (
                f"accounting: {counted(source.received, 'event')} of {source.name} received, "
                f"{count} kept"
            )


def _of_edges(result: RunResult, sources: Mapping[int, SourceAccounting]) -> Iterator[str]:
    """Yield sources whose edge count contradicts their channels. A source's edges alternate.

    With `either` each of a channel's edges is an active one, and so it is of `active_only` sources.
    """
    either = {channel.number for channel in result.settings.channels if channel.either}
    either |= result.active_only
    for channel in result.channels:
        reference, _ = parse_reference(channel.reference)
        for source, count, name in (
            (channel.number, channel.active_edges, "active edges"),
            (reference, channel.strikes, "strikes"),
        ):
            edges = sources.get(source)
            if edges is None or edges.dropped:
                continue
            if abs((1 if source in either else 2) * count - edges.generated) > (
                source not in either
            ):
                yield (
                    f"{channel.name}: {count} {name} in {counted(edges.generated, 'edge')} of "
                    f"{edges.name}"
                )


def _of_early(result: RunResult, values: RegisterValues) -> Iterator[str]:
    """Yield channels whose early answers are not those with a latency of 0 or less."""
    for channel in result.channels:
        rise = channel.measurement(Kind.RISE)
        early = channel.classes[ResponseClass.EARLY]
        if early and not values.get(("matcher", 0, "early_ticks"), 1):
            yield f"{channel.name}: {early} early answers, which were not asked for"
        if rise is None:
            continue
        below = int(rise.bins.counts[under_bin(rise.bins.mantissa_bits)])
        if not below <= early <= below + int(rise.bins.counts[0]):
            yield f"{channel.name}: {early} early answers, {counted(below, 'latency')} below 0"


def _of_stop(
    result: RunResult, values: RegisterValues, sources: Mapping[int, SourceAccounting]
) -> Iterator[str]:
    """Yield contradictions between a run's stop reason and its settings or counts."""
    reason, stop_on = result.stop_reason, values.get(("control", 0, "stop_on"))
    if reason not in _STOP_ON or stop_on is None:
        return
    if not stop_on & _STOP_ON[reason]:
        yield f"stopped by {reason.name.lower()}, which was not asked for"
    elif reason == StopReason.STRIKES:
        for output, count in _counts(result, values):
            accounting = sources.get(SOURCE_STRIKE + output)
            edges = 1 if SOURCE_STRIKE + output in result.active_only else 2
            struck = 0 if accounting is None else (accounting.generated + edges - 1) // edges
            if struck != count:
                yield (
                    f"stopped by its strike count, but strike{output} struck {struck} times; "
                    f"{count} were asked for"
                )
    elif reason == StopReason.TIME:
        samples = result.identity.geometry.samples
        ticks = -(-values.get(("control", 0, "run_time_ticks"), 0) // samples) * samples
        if result.end_ticks - result.start_ticks != ticks:
            yield (
                f"stopped by its time, after {result.end_ticks - result.start_ticks} ticks; "
                f"{ticks} were asked for"
            )


def _counts(result: RunResult, values: RegisterValues) -> Iterator[tuple[int, int]]:
    """Yield (output, strikes) of each output whose registers fix its number of strikes."""
    steps = values.get(("control", 0, "step_count"), 0)
    for output in range(result.identity.geometry.strikes):
        key = ("stimulus", output)
        count = values.get((*key, "strike_count"), 0)
        if output == 0 and steps:
            count = sum(values.get(("step", step, "strike_count"), 0) for step in range(steps))
        elif steps:
            continue  # goes on through all steps
        free = values.get((*key, "trigger"), Trigger.RUN) == Trigger.RUN
        if values.get((*key, "enable"), 0) and free and count:
            yield output, count


def _of_tick(result: RunResult, values: RegisterValues) -> Iterator[str]:
    """Yield outputs whose interval in ticks is not the period in the settings."""
    tick_fs = result.tick_fs
    if values.get(("control", 0, "step_count"), 0):
        return
    for stimulus in result.settings.strikes:
        key = ("stimulus", stimulus.output)
        interval = values.get((*key, "interval_ticks"))
        if stimulus.period_s is None or stimulus.poisson or not interval:
            continue
        ticks = interval + (stimulus.burst - 1) * values.get((*key, "spacing_ticks"), 0)
        asked_ticks, samples = (
            ticks_of(stimulus.period_s, tick_fs),
            result.identity.geometry.samples,
        )
        if asked_ticks < samples:
            continue  # drawn as a pattern
        tolerance_ticks = samples + (1 << values.get((*key, "dither_bits"), 0))
        if abs(asked_ticks - ticks) > tolerance_ticks + asked_ticks / _TICK_PARTS:
            yield (
                f"strike{stimulus.output}: {format_ticks(ticks, tick_fs)} from strike to strike, "
                f"{format_seconds(stimulus.period_s)} were asked for"
            )
