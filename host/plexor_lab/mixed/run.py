# SPDX-License-Identifier: Apache-2.0
"""Takes the runs of a schedule, one after the other: the device's, the host's, and both's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.errors import InstrumentError, LinkError, UsageError
from plexor.base.units import seconds_of, ticks_of
from plexor.library.parts.results import RunResult
from plexor.library.parts.run import (
    Codes,
    Device,
    Feature,
    Geometry,
    Identity,
    OnProgress,
    Port,
    Settings,
    Stimulus,
    Stop,
    Stream,
    Trigger,
    measure,
    refusal,
    versions,
)
from plexor_lab.mixed.collect import (
    TIMECODE_OUTPUT,
    contradictions,
    due_output,
    joined,
    struck_in,
)
from plexor_lab.mixed.drive import QUERY_STEPS, Drive, Executor, OnLook, Plan
from plexor_lab.mixed.model import (
    Entry,
    Heard,
    Limits,
    MixedResult,
    Mode,
    ModeRun,
    Order,
    Schedule,
    Served,
)
from plexor_lab.mixed.schedule import entries as entries_of
from plexor_lab.mixed.schedule import sequential
from plexor_lab.mixed.timecode import StepClock, Timecode

Which = tuple[Mode, int | None]
"""A mode, and the distance in steps where the mode has one."""
OnRun = Callable[[int, int, str], None]
"""Called at the start of each run: its number from 1, how many there are, and its name."""
MOST_VERIFY_STEPS = 255
"""Steps from one id to the next that a device can be told."""
MOST_WIDTH_S = Fraction(1, 10**5)
"""Greatest width of a strike."""
_COUNTS = ("schedule_past", "schedule_refused", "schedule_waiting")


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedGoal:
    """What to run. Times are exact seconds."""

    runs: tuple[Which, ...]
    timecode: Timecode
    schedule: Schedule
    limit_s: Fraction
    timeout_s: Fraction | None = None
    """None: half the time until a sequential id comes again, or else the time from one entry to the
    next; at least the limit. So a response that is missing does not shift the next with its id."""
    early_s: Fraction | None = None
    """Greatest time before its due time at which a response belongs to an entry. None: half of the
    time from one entry to the next."""
    spike_sds: Fraction = Fraction(3)


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What is called as the runs go."""

    on_run: OnRun | None = None
    on_progress: OnProgress | None = None
    on_look: OnLook | None = None
    """Called each time that the instrument's time was read."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The result, and the runs that it was taken from, in the same order."""

    result: MixedResult
    runs: tuple[RunResult, ...]


def run(
    device: Device,
    wanted: MixedGoal,
    executor: Executor | None = None,
    told: Callbacks | None = None,
    *,
    stop: Stop | None = None,
    description: Mapping[str, str] | None = None,
) -> Taken:
    """Take all runs; `executor` is the line to the device under test.

    `stop` and the first KeyboardInterrupt end the run that is under way; what was measured is kept.
    So are the runs before one that does not start: the result is then invalid, unless a stop was
    requested. Raises UsageError for what the instrument cannot do, LinkError or InstrumentError if
    the first run does not start.
    """
    told, stop = told or Callbacks(), stop or Stop()
    check(device.identity.geometry, wanted, executor)
    found: list[tuple[ModeRun, RunResult]] = []
    not_started = ""
    for number, which in enumerate(wanted.runs, 1):
        if told.on_run is not None:
            told.on_run(number, len(wanted.runs), _name(which))
        try:
            found.append(_one(device, wanted, which, executor, told, stop, description or {}))
        except (LinkError, InstrumentError) as error:
            if not found:
                raise
            not_started = "" if stop.asked else f"{_name(which)}: not started: {error}"
            break
        if found[-1][1].interrupted or stop.asked:
            break
    runs = tuple(entry for _, entry in found)
    result = MixedResult(
        tick_fs=device.identity.tick_fs,
        simulated=device.identity.simulated,
        timecode=wanted.timecode,
        schedule=wanted.schedule,
        limits=limits_of(wanted, device.identity.tick_fs),
        spike_sds=wanted.spike_sds,
        runs=tuple(entry for entry, _ in found),
        interrupted=len(found) < len(wanted.runs) or any(entry.interrupted for entry in runs),
        not_started=not_started,
        device=dict(description or {}),
        versions=versions(),
        started=runs[0].started,
    )
    return Taken(result, runs)


def check(geometry: Geometry, wanted: MixedGoal, executor: Executor | None) -> None:
    """Raise UsageError for runs that an instrument cannot take, with what to do instead."""
    modes = {mode for mode, _ in wanted.runs}
    for feature in (Feature.SCHEDULE, Feature.EVENTS):
        if feature not in geometry.features:
            raise UsageError(refusal(geometry, feature, "schedule"))
    if modes == {Mode.NORMAL}:
        return
    what = ", ".join(sorted(modes - {Mode.NORMAL}))
    if Feature.CODES not in geometry.features:
        text = refusal(geometry, Feature.CODES, f"mode {what}").partition(";")[0]
        raise UsageError(f"{text}; use mode normal, which needs no device")
    if geometry.timecode_bits < wanted.timecode.bits:
        raise UsageError(
            f"timecode: {counted(wanted.timecode.bits, 'bit')}; this instrument has "
            f"{geometry.timecode_bits} "
            "timecode pins"
        )
    if executor is None:
        raise UsageError(f"mode {what}: needs the serial line of the device; name it")
    spacing = wanted.schedule.spacing_steps
    if Mode.VERIFY in modes and spacing > MOST_VERIFY_STEPS:
        raise UsageError(
            f"rate: {counted(spacing, 'step')}; a device that schedules by itself takes at most "
            f"{MOST_VERIFY_STEPS}"
        )


def limits_of(wanted: MixedGoal, tick_fs: int) -> Limits:
    """Return the limits in ticks. Raises UsageError for a time-out below the limit."""
    spacing_s = wanted.schedule.spacing_steps * wanted.timecode.period_s
    timeout_s = wanted.timeout_s
    if timeout_s is None:
        alone = wanted.schedule.ids // 2 if wanted.schedule.order is Order.SEQUENTIAL else 1
        timeout_s = max(max(alone, 1) * spacing_s, wanted.limit_s)
    early_s = spacing_s / 2 if wanted.early_s is None else wanted.early_s
    try:
        return Limits(*(ticks_of(each, tick_fs) for each in (wanted.limit_s, timeout_s, early_s)))
    except ValueError as error:
        raise UsageError(str(error)) from error


def lasts_s(wanted: MixedGoal) -> Fraction:
    """Return about how long all runs last, by the instrument's clock."""
    schedule = wanted.schedule
    steps = schedule.first_step + schedule.count * schedule.spacing_steps + QUERY_STEPS
    return len(wanted.runs) * steps * wanted.timecode.period_s


def _name(which: Which) -> str:
    mode, distance = which
    return str(mode) if distance is None else f"{mode}-{distance}"


def _one(
    device: Device,
    wanted: MixedGoal,
    which: Which,
    executor: Executor | None,
    told: Callbacks,
    stop: Stop,
    description: Mapping[str, str],
) -> tuple[ModeRun, RunResult]:
    (mode, distance), tick_fs = which, device.identity.tick_fs
    schedule = sequential(wanted.schedule) if mode is Mode.VERIFY else wanted.schedule
    entries = entries_of(schedule, distance if mode is Mode.MIXED else None)
    clock = wanted.timecode.clock(tick_fs)
    due = [clock.at(entry.due_step) for entry in entries]
    limits = limits_of(wanted, tick_fs)
    drive = Drive(
        Plan(
            mode=mode,
            entries=entries,
            due_ticks=due,
            clock=clock,
            gray=wanted.timecode.gray,
            ids=schedule.ids,
            spacing_steps=schedule.spacing_steps,
        ),
        None if mode is Mode.NORMAL else executor,
        told.on_look,
        stop,
    )
    result = measure(
        device,
        settings_of(device.identity, wanted.timecode, mode, entries, limits),
        told.on_progress,
        {**description, "mode": _name(which)},
        stop=stop,
        driver=drive,
    )
    if mode is Mode.MIXED:
        entries, due = _issued(entries, due, drive.issue_steps)
    served = _served(device, drive, result)
    fires = _with_rest(schedule, clock, limits) if mode is Mode.VERIFY else (entries, due)
    found = joined(result, mode, *fires, limits, len(entries))
    reasons = (*result.invalid_reasons, *contradictions(result, clock, due, served))
    reply = drive.reply
    made = ModeRun(
        mode,
        distance,
        found.rows,
        found.extras,
        served,
        reasons,
        result.interrupted,
        None if reply is None else Heard(reply.good, reply.damaged, reply.missing, reply.refused),
    )
    return made, result


def settings_of(
    identity: Identity,
    timecode: Timecode,
    mode: Mode,
    entries: Sequence[Entry],
    limits: Limits,
) -> Settings:
    """Return the settings of a run: it ends when the last entry's time-out has passed."""
    tick_fs = identity.tick_fs
    clock = timecode.clock(tick_fs)
    last = clock.at(entries[-1].due_step + QUERY_STEPS + 1) + math.ceil(limits.timeout_ticks)
    width_s = min(MOST_WIDTH_S, timecode.period_s / 4)
    return Settings(
        strikes=(
            Stimulus(
                TIMECODE_OUTPUT,
                timecode.period_s,
                width_s=width_s,
                phase_s=clock.first_s(tick_fs),
            ),
            Stimulus(due_output(identity.geometry), width_s=width_s, trigger=Trigger.DUE),
        ),
        codes=None if mode is Mode.NORMAL else Codes(port=Port()),
        time_s=seconds_of(last, tick_fs),
        timeout_s=min(seconds_of(limits.timeout_ticks, tick_fs), Fraction(1)),
        settle_s=Fraction(0),
        stream=Stream.LIVE,
    )


def _with_rest(
    schedule: Schedule, clock: StepClock, limits: Limits
) -> tuple[list[Entry], list[int]]:
    """Return the entries of a device that goes on by itself until the run ends, and due times."""
    rest_ticks = (
        (QUERY_STEPS + 1) * clock.interval_ticks + limits.timeout_ticks + limits.early_ticks
    )
    rest = math.ceil(rest_ticks / (schedule.spacing_steps * clock.interval_ticks))
    entries = entries_of(replace(schedule, count=schedule.count + rest))
    return entries, [clock.at(entry.due_step) for entry in entries]


def _issued(
    entries: Sequence[Entry], due_ticks: Sequence[int], steps: Sequence[int]
) -> tuple[list[Entry], list[int]]:
    """Return the entries that were issued, with the steps at which they were."""
    made = [replace(entry, issue_step=step) for entry, step in zip(entries, steps, strict=False)]
    return made, list(due_ticks[: len(made)])


def _served(device: Device, drive: Drive, result: RunResult) -> Served:
    try:
        counts = device.read_all([("status", 0, name) for name in _COUNTS])
    except (LinkError, InstrumentError):
        # The run says itself that its link broke.
        counts = [0] * len(_COUNTS)
    past, refused, waiting = counts
    return Served(drive.written, struck_in(result), past, refused, waiting)
