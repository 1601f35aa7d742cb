# SPDX-License-Identifier: Apache-2.0
"""Makes a run of a capture: edges become events, which the host matches as an instrument would.

Times have 62 bits, so that a long period of a fine step is matched too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from plexor.base.units import format_seconds, seconds_of
from plexor.figures.analyse.rules import rules_of
from plexor.files.imports.capture import Capture, ReadRules
from plexor.files.imports.events import events_of, gaps_of, unordered
from plexor.files.imports.open import open_capture
from plexor.files.imports.rules import MatchingRules, matching, ticks_within
from plexor.files.imports.signals import ImportRules
from plexor.files.imports.span import within
from plexor.files.imports.timing import CaptureTiming, timing_of
from plexor.model.identity import Identity
from plexor.model.results import (
    Accounting,
    ChannelResult,
    EventArray,
    Imported,
    Kind,
    RunResult,
    SourceAccounting,
)
from plexor.model.settings import Channel, Settings
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.run.session.session import versions
from plexor.wire.decode.bins import measurement_of
from plexor.wire.decode.consistent import consistent
from plexor.wire.decode.rematch import rematch

_BITS = 8
"""Mantissa bits of bins: the finest that there are."""
_DEPTH = 4096
"""Outstanding strikes of a channel: as many as any instrument holds."""


def import_run(path: Path, rules: ImportRules, reading: ReadRules) -> RunResult:
    """Return the run in a capture. Its time 0 is the start of the capture, or of the part taken.

    Raises UsageError with the path for a file that cannot be read, and for times that do not fit
    its tick.
    """
    rules.check()
    file = open_capture(path, reading)
    signals = [signal.signal for signal in (*rules.strikes, *rules.channels)]
    chosen = {signal: file.chosen(signal) for signal in signals}
    capture = file.read(list(dict.fromkeys(chosen.values())))
    capture = within(path, capture, rules.from_s, rules.to_s)
    timing = timing_of(path, capture, rules.step_s)
    full_names = {signal: chosen_signal.name for signal, chosen_signal in chosen.items()}
    events, left_out = events_of(capture, timing, rules, full_names)
    names = {f"strike{n}": strike.signal for n, strike in enumerate(rules.strikes)}
    names |= {f"ch{n}": channel.signal for n, channel in enumerate(rules.channels)}
    gaps = gaps_of(capture, timing)
    imported = Imported(
        file=path.name,
        format=capture.format,
        step_fs=timing.step_fs,
        signals={source: full_names[signal] for source, signal in names.items()},
        unordered={
            channel.name: unordered(events, channel.reference, number)
            for number, channel in enumerate(rules.channels)
        },
        left_out=(*capture.notes, *_rounding(timing), *_unknown(capture, timing), *left_out),
        gaps_ticks=gaps,
    )
    # What is imported is matched with more bits than an instrument has.
    matching_rules = matching(rules, events, timing.tick_fs, gaps)
    result = replace(_unmatched(capture, timing, rules, events, matching_rules), imported=imported)
    channels = tuple(_channel(result, channel) for channel in result.settings.channels)
    return consistent(replace(result, channels=channels))


def _rounding(timing: CaptureTiming) -> tuple[str, ...]:
    step = format_seconds(seconds_of(1, timing.step_fs), 6)
    return (f"times of the file are rounded to {step}",) if timing.rounded else ()


def _unknown(capture: Capture, timing: CaptureTiming) -> tuple[str, ...]:
    """Return a sentence on each signal that is not known at times."""
    sentences: list[str] = []
    for name, edges in capture.edges.items():
        if not edges.gaps:
            continue
        first = seconds_of(max(edges.gaps[0][0], capture.start), 1) * capture.unit_fs
        count = len(edges.gaps)
        times = "once" if count == 1 else f"{count} times"
        sentences.append(
            f"{name}: its level is not known {times}, first at {format_seconds(first, 6)}; nothing "
            "is matched there (--unknown hold, 0 or 1 takes a level)"
        )
    return tuple(sentences)


def _unmatched(
    capture: Capture,
    timing: CaptureTiming,
    rules: ImportRules,
    events: EventArray,
    matching_rules: MatchingRules,
) -> RunResult:
    """Return the run without channels."""
    geometry = Geometry(
        channels=len(rules.channels),
        strikes=max(len(rules.strikes), 1),
        tick_fs=timing.tick_fs,
        latency_mantissa_bits=_BITS,
        interval_mantissa_bits=_BITS,
        queue_depth=_DEPTH,
        features=Feature.EVENTS | Feature.SIMULATED * capture.exported.simulated,
        board="",
    )
    end_ticks = int(timing.ticks(np.array([capture.end]))[0])
    if len(events) and int(events["time_ticks"][-1]) >= end_ticks:
        # The end of a dump is the time of its last change.
        end_ticks = int(events["time_ticks"][-1]) + timing.factor
    counts = [int(np.count_nonzero(events["source"] == source)) for source in geometry.sources]
    return RunResult(
        identity=Identity(geometry, 0),
        settings=Settings(
            channels=tuple(
                Channel(
                    number=number,
                    name=channel.name,
                    invert=channel.invert,
                    either=channel.either,
                    reference=channel.reference,
                    deadline_s=channel.deadline_s,
                )
                for number, channel in enumerate(rules.channels)
            ),
            policy=rules.policy,
            timeout_s=matching_rules.timeout_s,
            window_min_s=rules.window_min_s,
            early_s=rules.early_s,
        ),
        registers=matching_rules.registers,
        echo=matching_rules.echo,
        start_ticks=0,
        end_ticks=end_ticks,
        stop_reason=StopReason.TIME,
        flags=StatusFlag(0),
        channels=(),
        accounting=Accounting(
            generated=sum(counts),
            received=sum(counts),
            dropped_on_chip=0,
            lost_on_link=0,
            sources=tuple(
                SourceAccounting(source, count, 0, 0, count)
                for source, count in zip(geometry.sources, counts, strict=True)
            ),
        ),
        events=events,
        started=capture.exported.started,
        invalid_reasons=capture.exported.invalid_reasons,
        versions=versions(),
        device={**capture.exported.device, **rules.device},
    )


def _channel(result: RunResult, settings: Channel) -> ChannelResult:
    """Return a channel, matched by the run's rules."""
    deadline_ticks = None
    if settings.deadline_s is not None:
        label = f"{settings.label}.deadline"
        deadline_ticks = ticks_within(label, settings.deadline_s, result.tick_fs)
    bare = ChannelResult(
        settings.number, settings.label, settings.reference, deadline_ticks, {}, 0, 0, ()
    )
    assert result.events is not None
    matched = rematch(result.events, rules_of(result, bare), result.end_ticks)
    return replace(
        bare,
        classes=matched.classes,
        pending=matched.pending,
        active_edges=matched.active_edges,
        measurements=tuple(measurement_of(kind, matched.samples[kind], _BITS) for kind in Kind),
    )
