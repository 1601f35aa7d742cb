# SPDX-License-Identifier: Apache-2.0
"""Systems side by side: latency, jitter and saturation of interrupt and task, idle and loaded.

Pure: takes reports of runs and results of sweeps, and returns rows. Latency and jitter come from a
run, or else from the lowest rate of a sweep. Saturation frequencies come from a sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from plexor.base.counts import counted
from plexor.base.errors import InvalidRunError, UsageError
from plexor.base.units import seconds_of
from plexor.library.parts.results import (
    RAISED,
    Bracket,
    ChannelFigures,
    Knee,
    Outcome,
    RateStep,
    Report,
    SweepResult,
    named_load,
)
from plexor_lab.study.reference import IDLE, Role
from plexor_lab.study.spec import Jitter

ROLES = (Role.INTERRUPT, Role.TASK)
"""Roles of a system's first and second response pin."""
_MEDIAN = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class PinTiming:
    """Latency and jitter of one pin, in seconds; None: too few samples, or not known."""

    median_s: Fraction | None
    jitter_s: Fraction | None
    rate_hz: Fraction | None
    """Mean strike rate; None if there is none."""
    source: str
    """`simulated`, `imported` or `measured`."""
    taken_from: str


@dataclass(frozen=True, slots=True)
class Saturation:
    """Saturation of one pin."""

    bracket: Bracket
    source: str
    taken_from: str


T = TypeVar("T", PinTiming, Saturation)


@dataclass(slots=True)
class SystemRow:
    """One system under one load."""

    system: str
    load: str
    timing: dict[Role, PinTiming] = field(default_factory=dict[Role, PinTiming])
    saturation: dict[Role, Saturation] = field(default_factory=dict[Role, Saturation])


@dataclass(frozen=True, slots=True)
class LoadChange:
    """Relative change of a saturation frequency by a load."""

    system: str
    load: str
    role: Role
    part: Fraction | None
    """None: a bracket is open, so its rate that passed is a bound and no frequency."""
    least: Fraction | None
    """Lower bound of the change, by the brackets; None if a bracket is open."""
    most: Fraction | None
    source: str


@dataclass(frozen=True, slots=True)
class Inequality:
    """Comparison of a task's jitter under load with another jitter, which should be larger."""

    system: str
    load: str
    other_system: str
    other_load: str
    jitter_s: Fraction
    other_s: Fraction
    source: str

    @property
    def holds(self) -> bool:
        """Whether the task's jitter under load is smaller."""
        return self.jitter_s < self.other_s


def system_of(device: Mapping[str, str]) -> str:
    """Return a system's name: the key `system`, or the name of the simulated device."""
    return device.get("system") or device.get("dut", "").partition(":")[0]


def load_of(report: Report) -> str:
    """Return a run's load: what a simulated device ran, the key `load`, or what was asked for.

    Runs that do not know what the device ran have it by the device's option, or by `on`.
    """
    result, device = report.result, report.result.device
    if result.device_load is not None:
        return result.device_load
    if not result.settings.load:
        return IDLE
    own = result.settings.load_name or named_load(device) or RAISED
    return device.get("load") or own


class Systems:
    """Collects rows. Each cell may be given once."""

    def __init__(self, jitter: Jitter) -> None:
        self._jitter = jitter
        self._rows: dict[tuple[str, str], SystemRow] = {}
        self._sweeps: list[tuple[str, SweepResult]] = []

    def add_run(self, path: str, report: Report) -> None:
        """Add latency and jitter of a run.

        Raises UsageError if its cell is not known or already filled, and InvalidRunError if the run
        proves nothing.
        """
        if not report.valid:
            raise InvalidRunError(f"{path}: {'; '.join(report.invalid_reasons)}")
        row = self._row(path, system_of(report.result.device), load_of(report))
        stimuli = report.result.settings.strikes
        period_s = stimuli[0].period_s if stimuli else None
        channels = sorted(report.channels, key=lambda channel: channel.result.number)
        for role, channel in zip(_roles(path, len(channels)), channels, strict=False):
            _give(row.timing, role, row, self._of_run(path, report, channel, period_s))

    def add_sweep(self, path: str, result: SweepResult) -> None:
        """Add the saturation frequencies of a sweep. Raises UsageError as `add_run` does."""
        names = list(dict.fromkeys(knee.channel for knee in result.knees))
        roles = dict(zip(names, _roles(path, len(names)), strict=False))
        for knee in result.knees:
            row = self._row(path, system_of(result.device), knee.load)
            saturation = Saturation(knee.bracket, _source(result.simulated), path)
            _give(row.saturation, roles[knee.channel], row, saturation)
        self._sweeps.append((path, result))

    def rows(self) -> tuple[SystemRow, ...]:
        """Return the rows: systems in the order they were added, each idle before loaded."""
        for path, result in self._sweeps:
            names = list(dict.fromkeys(knee.channel for knee in result.knees))
            for knee in result.knees:
                row = self._row(path, system_of(result.device), knee.load)
                timing = self._of_sweep(path, result, knee)
                if timing is not None:
                    row.timing.setdefault(ROLES[names.index(knee.channel)], timing)
        order = list(dict.fromkeys(system for system, _ in self._rows))
        return tuple(
            sorted(self._rows.values(), key=lambda r: (order.index(r.system), r.load != IDLE))
        )

    def _row(self, path: str, system: str, load: str) -> SystemRow:
        if not system:
            raise UsageError(
                f"{path}: the system has no name; take the run with --label system=NAME"
            )
        return self._rows.setdefault((system, load), SystemRow(system, load))

    def _of_run(
        self, path: str, report: Report, channel: ChannelFigures, period_s: Fraction | None
    ) -> PinTiming:
        tick_fs, rise = report.result.tick_fs, channel.rise
        median = jitter = None
        if rise is not None:
            median_estimate = rise.quantile(_MEDIAN)
            median = (
                median_estimate.value_ticks
                if median_estimate is not None and median_estimate.enough
                else None
            )
            span = rise.span.current_ticks if rise.span is not None and rise.span.full else None
            jitter = {
                Jitter.SPAN_128: span,
                Jitter.PEAK_TO_PEAK: rise.peak_to_peak_ticks,
                Jitter.RMS: rise.rms_ticks,
            }[self._jitter]
        return PinTiming(
            _seconds(median, tick_fs),
            _seconds(jitter, tick_fs),
            None if period_s is None else 1 / period_s,
            _source(report.result.simulated, report.result.imported is not None),
            path,
        )

    def _of_sweep(self, path: str, result: SweepResult, knee: Knee) -> PinTiming | None:
        """Return latency and jitter at the lowest rate; None if that rate did not pass."""
        step = lowest(result.steps, knee)
        if step is None:
            return None
        figures = step.of(knee.channel)
        jitter = {
            Jitter.SPAN_128: figures.jitter128_ticks,
            Jitter.PEAK_TO_PEAK: figures.peak_to_peak_ticks,
            Jitter.RMS: figures.rms_ticks,
        }[self._jitter]
        return PinTiming(
            _seconds(figures.p50_ticks, step.tick_fs),
            _seconds(jitter, step.tick_fs),
            step.rate_hz,
            _source(step.simulated),
            path,
        )


def lowest(steps: Sequence[RateStep], knee: Knee) -> RateStep | None:
    """Return the step with a sweep's lowest rate; None if the channel failed there."""
    own = [s for s in steps if s.load == knee.load and s.for_channel in ("", knee.channel)]
    step = min(own, key=lambda step: step.rate_hz, default=None)
    return step if step is not None and step.of(knee.channel).verdict == Outcome.PASS else None


def changes(rows: Sequence[SystemRow]) -> tuple[LoadChange, ...]:
    """Return how loads change saturation frequencies, for systems also measured idle."""
    all_changes: list[LoadChange] = []
    for row in rows:
        idle = next((r for r in rows if r.system == row.system and r.load == IDLE), None)
        if idle is None or row is idle:
            continue
        for role in ROLES:
            idle_saturation, loaded_saturation = idle.saturation.get(role), row.saturation.get(role)
            if idle_saturation is not None and loaded_saturation is not None:
                change = _change(row, role, idle_saturation, loaded_saturation)
                all_changes += [] if change is None else [change]
    return tuple(all_changes)


def _change(
    row: SystemRow, role: Role, idle: Saturation, under_load: Saturation
) -> LoadChange | None:
    low, high = idle.bracket.passing_hz, idle.bracket.failing_hz
    loaded, loaded_high = under_load.bracket.passing_hz, under_load.bracket.failing_hz
    if low is None or loaded is None:
        return None
    return LoadChange(
        row.system,
        row.load,
        role,
        None if high is None or loaded_high is None else loaded / low - 1,
        None if high is None else loaded / high - 1,
        None if loaded_high is None else loaded_high / low - 1,
        joint_source(idle.source, under_load.source),
    )


def inequalities(rows: Sequence[SystemRow]) -> tuple[Inequality, ...]:
    """Compare each task's jitter under load with its jitter idle, and with other systems'."""
    comparisons: list[Inequality] = []
    for row in rows:
        if row.load == IDLE:
            continue
        references = [r for r in rows if r.system == row.system and r.load == IDLE]
        references += [r for r in rows if r.system != row.system and r.load == row.load]
        for reference in references:
            own, other_timing = row.timing.get(Role.TASK), reference.timing.get(Role.TASK)
            if (
                own is None
                or other_timing is None
                or own.jitter_s is None
                or other_timing.jitter_s is None
            ):
                continue
            comparisons.append(
                Inequality(
                    row.system,
                    row.load,
                    reference.system,
                    reference.load,
                    own.jitter_s,
                    other_timing.jitter_s,
                    joint_source(own.source, other_timing.source),
                )
            )
    return tuple(comparisons)


def joint_source(first: str, second: str) -> str:
    """Return the source of a figure that is made from two."""
    return first if first == second else f"{first} and {second}"


def guideline(interval_s: Fraction) -> str:
    """Return the study's advice for events with this interval or deadline."""
    if interval_s >= Fraction(1, 10**3):
        return "milliseconds: such a system will probably do, without much analysis"
    if interval_s >= Fraction(1, 10**5):
        return "tens to hundreds of microseconds: think, and perhaps test on the target board"
    return "microseconds: test with care, and consider an answer in hardware"


def _roles(path: str, channels: int) -> tuple[Role, ...]:
    if channels > len(ROLES):
        raise UsageError(
            f"{path}: {counted(channels, 'channel')}; must be one or two, interrupt and task"
        )
    return ROLES


def _give(cells: dict[Role, T], role: Role, row: SystemRow, value: T) -> None:
    """Fill a cell. Raises UsageError if it is already filled."""
    if role in cells:
        raise UsageError(
            f"{value.taken_from}, {cells[role].taken_from}: both are of {row.system}, load "
            f"{row.load}; name one of them, or distinguish them with --label system=NAME"
        )
    cells[role] = value


def _seconds(ticks: float | None, tick_fs: int) -> Fraction | None:
    return None if ticks is None else seconds_of(Fraction(ticks), tick_fs)


def _source(simulated: bool, imported: bool = False) -> str:
    return "simulated" if simulated else "imported" if imported else "measured"
