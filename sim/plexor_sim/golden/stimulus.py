# SPDX-License-Identifier: Apache-2.0
"""Computes strike times from registers: the Stimulus section of docs/instrument.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from plexor.protocol.geometry import CODE_TRIGGER_CLOCKS, TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import CodeMode, Trigger
from plexor_sim.golden.edges import TickEdges, Times, collapsed
from plexor_sim.golden.random import Xorshift64
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.table import end_of, first_of_next, step_count

FRACTION_BITS = 32
THRESHOLD_BITS = 48
BLOCK_CLOCKS = 1 << 16
GATE_CLOCKS = 3
"""Core clocks after which a change of the gate acts like a strike."""
REARM_CLOCKS = 8
"""Clocks after a sequence's last pulse from which on the gate may rise again."""
LOW_CLOCKS = 16
"""Minimum clocks for which the gate must be low before it rises again."""


@dataclass(frozen=True, slots=True)
class Strikes:
    """A stimulus' strikes: the first active tick of each, and the first idle tick after it."""

    rise_ticks: Times
    fall_ticks: Times

    def edges(self) -> TickEdges:
        """Return the output's edges. The active level is 1."""
        times = np.concatenate((self.rise_ticks, self.fall_ticks))
        level = np.repeat([True, False], len(self.rise_ticks))
        order = np.argsort(times, kind="stable")
        return collapsed(times[order], level[order], initial=False)


@dataclass(slots=True)
class _Stimulus:
    """One stimulus' registers. Each sequence draws from its own generator."""

    samples: int
    interval_ticks: int
    interval_fraction: int
    width_ticks: int
    phase_ticks: int
    burst_count: int
    spacing_ticks: int
    strike_count: int
    dither_bits: int
    poisson_threshold: int
    seed: int

    def check(self, name: str) -> None:
        """Raise ValueError for values whose strikes the instrument does not guarantee."""
        width, samples = self.width_ticks, self.samples
        if width < 1:
            raise ValueError(f"{name}.width_ticks: {width}; must be 1 or more")
        if self.poisson_threshold:
            return
        spaced = self.burst_count != 1 and self.strike_count != 1
        spacing = self.spacing_ticks
        if spaced and spacing < max(2, width + 1):
            raise ValueError(f"{name}.spacing_ticks: {spacing}; must be at least 2 and width + 1")
        repeats = self.strike_count == 0 or self.strike_count > self.burst_count
        least = max(2 * samples if spaced and spacing < samples else samples, width + 1)
        if self.burst_count and repeats and self.interval_ticks < least:
            raise ValueError(
                f"{name}.interval_ticks: {self.interval_ticks}; must be {least} or more"
            )

    def check_gate(self, last_rise: int, first: int) -> None:
        """Raise ValueError if the gate rises too soon after a sequence's last strike."""
        lead = (GATE_CLOCKS + TRIGGER_CLOCKS) * self.samples
        soonest = last_rise + self.width_ticks + REARM_CLOCKS * self.samples
        if first - lead < soonest:
            raise ValueError(f"gate: rises at {first - lead}; must be {soonest} or later")

    def sequence(self, first_ticks: int, stop_ticks: int) -> Times:
        """Return the rises of a sequence that are below `stop_ticks`."""
        if self.poisson_threshold:
            return self._random(first_ticks, stop_ticks)
        return self._periodic(first_ticks, stop_ticks)

    def _offset(self, number: int) -> int:
        """Return ticks from strike 0 to strike `number`, without dither."""
        intervals = number // self.burst_count if self.burst_count else 0
        whole = intervals * self.interval_ticks
        part = intervals * self.interval_fraction >> FRACTION_BITS
        return (number - intervals) * self.spacing_ticks + whole + part

    def _periodic(self, first: int, stop: int) -> Times:
        low, high = 0, 1
        while first + self._offset(high) < stop and high < (self.strike_count or high + 1):
            high *= 2
        # Strike `low` is before the stop or is strike 0. Strike `high` is not, or is one too many.
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if first + self._offset(middle) < stop else (low, middle)
        count = min(low + 1, self.strike_count or low + 1) if first < stop else 0
        number = np.arange(count, dtype=np.int64)
        intervals = number // self.burst_count if self.burst_count else np.zeros_like(number)
        parts = intervals.astype(np.uint64) * np.uint64(self.interval_fraction)
        rises = first + (number - intervals) * self.spacing_ticks
        rises += intervals * self.interval_ticks
        rises += (parts >> np.uint64(FRACTION_BITS)).astype(np.int64)
        if self.dither_bits and count:
            mask = np.uint64((1 << min(self.dither_bits, FRACTION_BITS)) - 1)
            dither = Xorshift64(self.seed).take(int(intervals[-1])) & mask
            grown = np.concatenate(([0], np.cumsum(dither.astype(np.int64))))
            rises += grown[intervals]
            rises = rises[rises < stop]
        return rises

    def _random(self, first: int, stop: int) -> Times:
        samples = self.samples
        clock, stop_clock = first // samples, -(-stop // samples)
        dead = self.width_ticks + samples
        limit = np.uint64(self.poisson_threshold)
        rises: list[int] = []
        last = -dead
        generator = Xorshift64(self.seed)
        while clock < stop_clock:
            states = generator.take(min(BLOCK_CLOCKS, stop_clock - clock))
            hits = np.flatnonzero(states >> np.uint64(64 - THRESHOLD_BITS) < limit)
            offsets = (states[hits] & np.uint64(samples - 1)).astype(np.int64)
            times = (clock + hits) * samples + offsets
            for time in times.tolist():
                if time - last < dead or time >= stop:
                    continue
                rises.append(time)
                last = time
                if len(rises) == self.strike_count:
                    return np.array(rises, np.int64)
            clock += len(states)
        return np.array(rises, np.int64)


def _gate_sequences(gate: TickEdges, samples: int, start: int) -> Iterator[tuple[int, int | None]]:
    """Yield (first tick at phase 0, tick from which no strike starts or None) of each high time."""
    clocks = -(-gate.time_ticks // samples)
    seen = collapsed(clocks, gate.level, gate.initial)
    lead = GATE_CLOCKS + TRIGGER_CLOCKS
    high_from = start // samples if seen.initial else None
    low_from: int | None = None
    for clock, level in zip(seen.time_ticks.tolist(), seen.level.tolist(), strict=True):
        if level:
            high_from = max(clock, start // samples)
            if low_from is not None and high_from - low_from < LOW_CLOCKS:
                raise ValueError(
                    f"gate: rises in clock {clock}; must be {low_from + LOW_CLOCKS} or later"
                )
        elif high_from is not None:
            if clock > high_from:
                yield (high_from + lead) * samples, (clock + lead) * samples
                low_from = clock
            high_from = None
    if high_from is not None:
        yield (high_from + lead) * samples, None


def _triggered(unit: _Stimulus, triggers: Times, stop: int) -> Times:
    """Return the rises of the sequences that strikes at `triggers` start."""
    samples = unit.samples
    sequences: list[Times] = []
    number = 0
    while number < len(triggers):
        clock = int(triggers[number]) // samples
        first = (clock + TRIGGER_CLOCKS) * samples + unit.phase_ticks
        rises = unit.sequence(first, stop)
        sequences.append(rises)
        if len(rises) < unit.strike_count or not unit.strike_count:
            break
        # A sequence lasts up to the clock in which its last strike ends.
        free = (int(rises[-1]) + unit.width_ticks) // samples + 1
        number = int(np.searchsorted(triggers, free * samples))
    return np.concatenate(sequences) if sequences else np.zeros(0, np.int64)


def code_lead_ticks(geometry: Geometry, settings: Settings) -> int:
    """Return the time from a code to the strike that would start the same sequence."""
    changes = settings.get("code", "mode") == CodeMode.CHANGE
    settle_clocks = settings.get("code", "settle_clocks") if changes else 1
    return (settle_clocks + CODE_TRIGGER_CLOCKS) * geometry.samples


def _stepped(
    unit: _Stimulus, geometry: Geometry, settings: Settings, start_ticks: int, stop_ticks: int
) -> Strikes:
    """Return the strikes of stimulus 0 with a sweep table."""
    first = start_ticks
    found: list[tuple[Times, int]] = []
    for step in range(step_count(geometry, settings)):
        unit = replace(
            unit,
            **{
                name: settings.get("step", name, step)
                for name in ("interval_ticks", "interval_fraction", "width_ticks", "strike_count")
            },
        )
        unit.check(f"step[{step}]")
        rise = unit.sequence(first + unit.phase_ticks, stop_ticks)
        found.append((rise, unit.width_ticks))
        if not unit.strike_count or len(rise) < unit.strike_count:
            break
        last = int(rise[-1])
        guard_ticks = settings.get("step", "guard_ticks", step)
        end_ticks = end_of(geometry.samples, guard_ticks, last, last + unit.width_ticks)
        first = first_of_next(geometry, end_ticks)
    rises = np.concatenate([rise for rise, _ in found])
    return Strikes(rises, rises + np.concatenate([np.full(len(r), w, np.int64) for r, w in found]))


def strikes(
    geometry: Geometry,
    settings: Settings,
    start_ticks: int,
    stop_ticks: int,
    gate: TickEdges | None = None,
    coded: Times | None = None,
    due: Times | None = None,
) -> list[Strikes]:
    """Return the strikes of every stimulus in a run from `start_ticks`.

    No strike starts at `stop_ticks` or later. One that has started ends as planned. `gate` is the
    gate input, low if absent. `coded` are the times of the codes that trigger, in ticks. `due` are
    the due times that are served, in ticks from the start. Stimuli that only wait for each other
    never strike. Raises ValueError for settings outside what docs/instrument.md allows.
    """
    results: dict[int, Times] = {}
    steps = step_count(geometry, settings)
    table: Strikes | None = None

    def rises(number: int, waiting: frozenset[int]) -> Times:
        nonlocal table
        if number in results:
            return results[number]
        none = np.zeros(0, np.int64)

        def value(name: str) -> int:
            return settings.get("stimulus", name, number)

        if number >= geometry.strikes or number in waiting or not value("enable"):
            return none
        unit = _Stimulus(
            geometry.samples,
            value("interval_ticks"),
            value("interval_fraction"),
            value("width_ticks"),
            value("phase_ticks"),
            value("burst_count") if Feature.BURST in geometry.features else 1,
            value("spacing_ticks"),
            value("strike_count"),
            value("dither_bits") if Feature.DITHER in geometry.features else 0,
            value("poisson_threshold") if Feature.POISSON in geometry.features else 0,
            value("seed"),
        )
        if number == 0 and steps:
            if value("trigger") != Trigger.RUN:
                raise ValueError("stimulus[0].trigger: must be RUN where a sweep table is used")
            table = _stepped(unit, geometry, settings, start_ticks, stop_ticks)
            results[0] = table.rise_ticks
            return results[0]
        unit.check(f"stimulus[{number}]")
        match Trigger(value("trigger")):
            case Trigger.RUN:
                result = unit.sequence(start_ticks + unit.phase_ticks, stop_ticks)
            case Trigger.STRIKE:
                source = rises(value("trigger_source"), waiting | {number})
                result = _triggered(unit, source, stop_ticks)
            case Trigger.CODE:
                known = none if coded is None else coded
                result = _triggered(unit, known + code_lead_ticks(geometry, settings), stop_ticks)
            case Trigger.DUE:
                known = none if due is None or number < geometry.strikes - 1 else due
                parts = [unit.sequence(start_ticks + int(each), stop_ticks) for each in known]
                result = np.concatenate([none, *parts])
            case Trigger.LATENCY | Trigger.MISSED:
                # When the matcher decides depends on its clocks, which this model has not.
                result = none
            case Trigger.GATE:
                spans = _gate_sequences(gate, geometry.samples, start_ticks) if gate else ()
                result = none
                for first, end in spans:
                    until = min(end or stop_ticks, stop_ticks)
                    rises_now = unit.sequence(first + unit.phase_ticks, until)
                    if len(result) and len(rises_now):
                        unit.check_gate(int(result[-1]), first)
                    result = np.concatenate([result, rises_now])
        results[number] = result
        return result

    every: list[Strikes] = []
    for number in range(geometry.strikes):
        rise = rises(number, frozenset())
        width_ticks = settings.get("stimulus", "width_ticks", number)
        every.append(table if not number and table else Strikes(rise, rise + width_ticks))
    return every
