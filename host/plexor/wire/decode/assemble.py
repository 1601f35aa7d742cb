# SPDX-License-Identifier: Apache-2.0
"""Assembles a run's result from everything that came over the link. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from plexor.base.constraints import MOST_TICKS
from plexor.base.counts import agreed, counted
from plexor.model.identity import Identity
from plexor.model.results import (
    Accounting,
    ChannelResult,
    EventArray,
    RunResult,
    StepResult,
    cut_text,
)
from plexor.model.settings import AppliedSetting, RegisterWrite, Settings
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import Space
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.wire.decode.accounting import account, account_partly
from plexor.wire.decode.channels import Channels, matching_of
from plexor.wire.decode.code_tables import code_tables_of
from plexor.wire.decode.collect import Collector
from plexor.wire.decode.consistent import consistent
from plexor.wire.decode.live import Found
from plexor.wire.decode.register_image import (
    RegisterImage,
    named,
    setup_registers,
    step_count_of,
)
from plexor.wire.decode.steps import steps_of

TRACE_EVENTS = 256
"""Events around a trigger that the host looked for; the depth of an ECP5's ring."""
NEVER_CAME = "results never came"
"""First words of an invalid reason for a missing dump."""
_FLAG_TEXTS = {
    StatusFlag.BIN_SATURATED: "a bin of a histogram is saturated",
    StatusFlag.COUNTER_SATURATED: "a counter is saturated",
    StatusFlag.GAP_SATURATED: "more edges were dropped at once than the stream can count",
    StatusFlag.CLOCK_LOST: "the instrument's PLL lost its lock: its clock stood or was wrong",
}


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The parts of a result that do not come over the link."""

    settings: Settings = field(default_factory=Settings)
    registers: tuple[RegisterWrite, ...] = ()
    echo: tuple[AppliedSetting, ...] = ()
    interrupted: bool = False
    wall_seconds: float = 0.0
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    device: Mapping[str, str] = field(default_factory=dict[str, str])
    device_load: str | None = None
    device_said: tuple[str, ...] = ()
    disorder: Mapping[str, int] = field(default_factory=dict[str, int])
    wrong: tuple[str, ...] = ()
    """Requests that the instrument could not carry out, one sentence each."""


def assemble(
    identity: Identity,
    image: RegisterImage,
    collector: Collector,
    frames: tuple[int, int],
    decode_faults: Mapping[str, int],
    circumstances: Circumstances,
    broken: str | None = None,
) -> RunResult:
    """Return the result of a run; `frames` are (received, lost).

    `broken` says why the run's end was not seen. The result then holds what came before, and is
    invalid.
    """
    memories = collector.memories
    events = collector.event_array()
    unknown = image.unknown(setup_registers(image, identity.geometry))
    reasons = (
        [f"the settings of the run are not known: {named(unknown)} never arrived"]
        if unknown
        else []
    )
    reasons += circumstances.wrong
    streamed = collector.received_total > 0
    if image.has("control", "stream"):
        streamed = bool(image.value("control", "stream"))
    if broken is None:
        accounting = account(image, collector, frames, decode_faults)
        start_ticks, end_ticks = (
            image.value("status", "start_ticks"),
            image.value("status", "end_ticks"),
        )
        reason_number = image.value("status", "stop_reason")
        raised = image.value("status", "flags")
        flags = StatusFlag(raised & sum(StatusFlag))
        if raised != flags:
            reasons.append(f"unknown flags {raised:#x}")
        missing = memories.missing(image.value("control", "final_spaces"))
        reasons += [f"{NEVER_CAME}: {space.name.lower()}" for space in missing]
    else:
        accounting = account_partly(collector, frames, decode_faults)
        start_ticks = collector.started_ticks or 0
        end_ticks = max(collector.last_ticks + 1, start_ticks)
        reason_number, flags = StopReason.NONE, StatusFlag(0)
        reasons.append(f"the end of the run was never seen: {broken}")
    accounting = replace(accounting, disorder=dict(circumstances.disorder))
    start_ticks, end_ticks, wrong = _ends(start_ticks, end_ticks, collector)
    reasons += wrong
    builder = Channels(identity, image, collector, circumstances.settings, end_ticks)
    missing = accounting.generated - accounting.received
    matching = None
    if (
        builder.lacking
        and streamed
        and (accounting.holds or (broken is not None and collector.in_order))
    ):
        matching = collector.matching(partial(matching_of, identity.geometry, image))
    known = None
    if matching is not None and matching.lost <= missing:
        known = matching.figures(end_ticks, missing - matching.lost)
    builder.ended = broken is None
    if collector.keep_events and collector.too_many:
        kept_events = 0 if events is None else len(events)
        builder.omitted.append(cut_text(kept_events, collector.received_total))
    channels = builder.build(known, streamed, whole=not missing)
    reasons += _unknown(channels, missing)
    reasons += _reasons(accounting, flags, broken is None)
    reasons += builder.idle() if broken is None else []
    table_steps = step_count_of(image)
    steps: tuple[StepResult, ...] = ()
    if broken is None and table_steps and memories.known(Space.STEPS):
        steps = steps_of(
            identity.geometry,
            memories.steps(image.value("status", "step")),
            {channel.number: channel.name for channel in channels},
            start_ticks,
        )
        ran_through = reason_number == StopReason.STRIKES
        if len(steps) > table_steps or (ran_through and len(steps) < table_steps):
            reasons.append(
                f"{counted(len(steps), 'step')} {agreed(len(steps), 'was', 'were')} recorded of a "
                f"table of {table_steps}"
            )
    if reason_number not in set(StopReason):
        reasons.append(f"unknown stop reason {reason_number}")
        reason_number = StopReason.NONE
    # Other builds say 0 of both.
    told = identity.geometry.features & (Feature.RING | Feature.CODES)
    triggered = collector.triggered if told else None
    if broken is None and told and StatusFlag.TRIGGERED in flags:
        triggered = (
            image.value("status", "trigger_index"),
            image.value("status", "trigger_ticks"),
        )
    by_host = None if matching is None else matching.found()
    if by_host is not None:
        triggered = (by_host.index, by_host.time_ticks)
        if reason_number != StopReason.NONE and not circumstances.interrupted:
            # The host's stop comes late: the run may have ended by itself.
            reason_number = by_host.reason
    if triggered is not None and max(triggered) >= MOST_TICKS:
        index, ticks = triggered
        reasons.append(f"the trigger is event {index} at {ticks} ticks, which no run reaches")
        triggered = None
    result = RunResult(
        identity=identity,
        settings=circumstances.settings,
        registers=circumstances.registers,
        echo=circumstances.echo,
        start_ticks=start_ticks,
        end_ticks=end_ticks,
        stop_reason=StopReason(reason_number),
        flags=flags,
        channels=channels,
        accounting=accounting,
        events=events if circumstances.settings.keep_events and streamed else None,
        codes=collector.code_array(),
        trace=collector.trace_array() if by_host is None else _around(events, by_host),
        trigger_index=triggered[0] if triggered else None,
        trigger_ticks=triggered[1] if triggered else None,
        invalid_reasons=tuple(reasons),
        computed_on_host=tuple(builder.computed),
        omitted=tuple(builder.omitted),
        interrupted=circumstances.interrupted,
        wall_seconds=circumstances.wall_seconds,
        started=circumstances.started,
        versions=dict(circumstances.versions),
        device=dict(circumstances.device),
        device_load=circumstances.device_load,
        device_said=circumstances.device_said,
        steps=steps,
        code_tables=None if broken is not None else code_tables_of(image, memories),
    )
    return consistent(result)


def _ends(start_ticks: int, end_ticks: int, collector: Collector) -> tuple[int, int, list[str]]:
    """Return start and end in ticks, and complaints; impossible ones are taken from the events."""
    if start_ticks <= end_ticks < MOST_TICKS:
        return start_ticks, end_ticks, []
    first = collector.first_ticks or 0
    reason = f"the run is from {start_ticks} to {end_ticks} ticks, which cannot be"
    return first, max(collector.last_ticks + 1, first), [reason]


def _around(events: EventArray | None, found: Found) -> EventArray | None:
    """Return the events around one, as many as a chip keeps; None if the host kept none."""
    if events is None:
        return None
    place = int(np.searchsorted(events["index"], found.index))
    return events[max(place - TRACE_EVENTS // 2, 0) : place + TRACE_EVENTS // 2]


def _unknown(channels: Sequence[ChannelResult], missing: int) -> list[str]:
    """Return which channels' figures are only of a part, because events are missing."""
    return [
        f"{channel.name}: what became of {channel.unknown_strikes} of "
        f"{counted(channel.strikes, 'strike')} is"
        f" not known, nor of {channel.unknown_edges} of {counted(channel.active_edges, 'edge')}, "
        "because"
        f" {counted(missing, 'event')} {agreed(missing, 'is', 'are')} missing; its figures are of "
        "the others"
        for channel in channels
        if channel.unknown_strikes or channel.unknown_edges
    ]


def _reasons(accounting: Accounting, flags: StatusFlag, ended: bool) -> list[str]:
    """Return the reasons why the figures cannot be trusted."""
    reasons = [f"accounting: {text}" for text in accounting.contradictions if ended]
    if not accounting.holds and not accounting.contradictions:
        reasons.append(
            f"accounting: {accounting.generated} generated, {accounting.received} received,"
            f" {accounting.dropped_on_chip} dropped on chip, {accounting.lost_on_link} lost"
        )
    reasons += [text for flag, text in _FLAG_TEXTS.items() if flag in flags]
    reasons += [
        f"{source.name}: {counted(source.dropped, 'edge')} "
        f"{agreed(source.dropped, 'was', 'were')} dropped before they could be "
        "matched"
        for source in accounting.sources
        if source.dropped
    ]
    return reasons
