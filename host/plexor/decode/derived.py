# SPDX-License-Identifier: Apache-2.0
"""Finds figures of a run that are not what others of its figures make them. Pure.

An instrument that answers out of turn, or a file that was edited, has figures each of which can be.
What one of them says of another is checked here. What events say of statistics and classes is
checked where the events are matched again: `plexor.analyse.disagreements`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from plexor.model.results import Kind, RunResult, SourceAccounting, cut_text
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_CODE, SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass, under_bin
from plexor.protocol.registers import StopOn, StopReason, Trigger
from plexor.units import format_seconds, format_ticks, ticks_of

_ASKED = {
    StopReason.STRIKES: StopOn.STRIKES,
    StopReason.TIME: StopOn.TIME,
    StopReason.LATENCY: StopOn.LATENCY,
    StopReason.MISSED: StopOn.MISSED,
    StopReason.STALL: StopOn.STALL,
    StopReason.CODE: StopOn.CODE,
}
_PART = 10**6
"""An instrument knows its tick to a part of this."""

Taken = Mapping[tuple[str, int, str], int]
"""Values of registers by block, copy and name."""


def derived_contradictions(result: RunResult) -> Iterator[str]:
    """Yield what other figures of a run that has ended say otherwise, one sentence each."""
    taken = {(entry.block, entry.copy, entry.name): entry.value for entry in result.registers}
    sources = {entry.source: entry for entry in result.accounting.sources}
    yield from _of_books(result)
    yield from _of_edges(result, sources)
    yield from _of_early(result, taken)
    if result.imported is None:
        yield from _of_stop(result, taken, sources)
        yield from _of_tick(result, taken)


def _of_books(result: RunResult) -> Iterator[str]:
    books = result.accounting
    sums = {
        "generated": (books.generated, sum(entry.generated for entry in books.sources)),
        "received": (books.received, sum(entry.received for entry in books.sources)),
        "dropped on chip": (
            books.dropped_on_chip,
            sum(entry.dropped + entry.upload_dropped for entry in books.sources),
        ),
    }
    for what, (total, parts) in sums.items():
        if total != parts:
            yield f"accounting: {total} {what}, {parts} by source"
    if result.events is None or cut_text(len(result.events), books.received) in result.omitted:
        return
    numbers, counts = np.unique(result.events["source"], return_counts=True)
    kept = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    for entry in books.sources:
        if entry.source < SOURCE_CODE and entry.received != kept.get(entry.source, 0):
            count = kept.get(entry.source, 0)
            yield f"accounting: {entry.received} events of {entry.name} received, {count} kept"


def _of_edges(result: RunResult, sources: Mapping[int, SourceAccounting]) -> Iterator[str]:
    """Yield where the edges of a source are not those of its channels. Its edges alternate."""
    for channel in result.channels:
        reference, _ = parse_reference(channel.reference)
        for source, count, what in (
            (channel.number, channel.active_edges, "active edges"),
            (reference, channel.strikes, "strikes"),
        ):
            entry = sources.get(source)
            if entry is not None and not entry.dropped and abs(2 * count - entry.generated) > 1:
                yield f"{channel.name}: {count} {what} in {entry.generated} edges of {entry.name}"


def _of_early(result: RunResult, taken: Taken) -> Iterator[str]:
    """Yield where early answers are not those whose latency is 0 or less."""
    for channel in result.channels:
        rise = channel.measurement(Kind.RISE)
        early = channel.classes[ResponseClass.EARLY]
        if early and not taken.get(("matcher", 0, "early_ticks"), 1):
            yield f"{channel.name}: {early} early answers, which were not asked for"
        if rise is None:
            continue
        below = int(rise.bins.counts[under_bin(rise.bins.mantissa_bits)])
        if not below <= early <= below + int(rise.bins.counts[0]):
            yield f"{channel.name}: {early} early answers, {below} latencies below 0"


def _of_stop(
    result: RunResult, taken: Taken, sources: Mapping[int, SourceAccounting]
) -> Iterator[str]:
    """Yield where a run did not end as it says."""
    reason, asked = result.stop_reason, taken.get(("control", 0, "stop_on"))
    if reason not in _ASKED or asked is None:
        return
    if not asked & _ASKED[reason]:
        yield f"stopped by {reason.name.lower()}, which was not asked for"
    elif reason == StopReason.STRIKES:
        for output, count in _counts(result, taken):
            entry = sources.get(SOURCE_STRIKE + output)
            struck = 0 if entry is None else (entry.generated + 1) // 2
            if struck != count:
                yield (
                    f"stopped by its strike count, but strike{output} struck {struck} times; "
                    f"{count} were asked for"
                )
    elif reason == StopReason.TIME:
        samples = result.identity.geometry.samples
        ticks = -(-taken.get(("control", 0, "run_time_ticks"), 0) // samples) * samples
        if result.end_ticks - result.start_ticks != ticks:
            yield (
                f"stopped by its time, after {result.end_ticks - result.start_ticks} ticks; "
                f"{ticks} were asked for"
            )


def _counts(result: RunResult, taken: Taken) -> Iterator[tuple[int, int]]:
    """Yield each output whose number of strikes is known beforehand, and that number."""
    steps = taken.get(("control", 0, "step_count"), 0)
    for output in range(result.identity.geometry.strikes):
        place = ("stimulus", output)
        count = taken.get((*place, "strike_count"), 0)
        if output == 0 and steps:
            count = sum(taken.get(("step", step, "strike_count"), 0) for step in range(steps))
        elif steps:
            continue  # goes on through all steps
        free = taken.get((*place, "trigger"), Trigger.RUN) == Trigger.RUN
        if taken.get((*place, "enable"), 0) and free and count:
            yield output, count


def _of_tick(result: RunResult, taken: Taken) -> Iterator[str]:
    """Yield where ticks between strikes are not the period that was asked for."""
    tick_fs = result.tick_fs
    if taken.get(("control", 0, "step_count"), 0):
        return
    for stimulus in result.settings.strikes:
        place = ("stimulus", stimulus.output)
        interval = taken.get((*place, "interval_ticks"))
        if stimulus.period_s is None or stimulus.poisson or not interval:
            continue
        ticks = interval + (stimulus.burst - 1) * taken.get((*place, "spacing_ticks"), 0)
        asked, samples = ticks_of(stimulus.period_s, tick_fs), result.identity.geometry.samples
        if asked < samples:
            continue  # drawn as a pattern
        apart = samples + (1 << taken.get((*place, "dither_bits"), 0))
        if abs(asked - ticks) > apart + asked / _PART:
            yield (
                f"strike{stimulus.output}: {format_ticks(ticks, tick_fs)} from strike to strike, "
                f"{format_seconds(stimulus.period_s)} were asked for"
            )
