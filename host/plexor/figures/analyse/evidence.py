# SPDX-License-Identifier: Apache-2.0
"""What a run tells of its channels' pairing: counts, the time between strikes, and all edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plexor.figures.analyse.pairing import (
    Counted,
    PairedBy,
    Pairing,
    Standing,
    Timed,
    least_between,
    may_toggle,
    pairing_by_counts,
    pairing_by_times,
    toggles_by_counts,
)
from plexor.figures.analyse.rules import rules_of
from plexor.model.results import ChannelResult, Kind, RunResult, StepChannel, StepResult
from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Trigger, register
from plexor.wire.decode.at_once import ChannelEdges, last_before
from plexor.wire.decode.matched import EventSamples, Rules, Samples, Times, pieces, times_at


def pairing_of(
    result: RunResult, channel: ChannelResult, rise: Samples | None = None
) -> Pairing | None:
    """Return how certain a channel's pairing is; None without an answer.

    `rise` has its latencies, if all its events arrived.
    """
    rules = rules_of(result, channel)
    registers = _Registers(result)
    if rise is not None and _answered_in_turn(result, rules, rise):
        return Pairing(Standing.PROVEN, PairedBy.INTERVALS, len(rise), 0)
    timed = None
    if rise is not None:
        timed = _timed(result, rules, rise, registers.random(rules), is_run=True)
    counted = _counted(result, channel, rules, registers, timed)
    return pairing_by_counts(counted) if timed is None else pairing_by_times(counted, timed)


def pairing_of_step(
    result: RunResult,
    channel: ChannelResult,
    counted: StepChannel,
    step: StepResult,
    rise: Samples | None = None,
) -> Pairing | None:
    """Return how certain the pairing is in one step of a sweep table; see `pairing_of`."""
    rules = rules_of(result, channel)
    registers = _Registers(result)
    timed = None
    if rise is not None:
        timed = _timed(result, rules, rise, registers.random(rules))
        timed = _between(timed, step.start_ticks, step.end_ticks)
    step_channel = replace(
        channel,
        classes=counted.classes,
        pending=counted.pending,
        measurements=(),
    )
    evidence = _counted(result, step_channel, rules, registers, timed)
    evidence = replace(
        evidence,
        longest_ticks=counted.rise.max_ticks,
        duration_ticks=step.end_ticks - step.start_ticks,
        # A strike that an earlier step left pending may be answered in this one.
        surplus=evidence.surplus + counted.pending_before,
    )
    return pairing_by_counts(evidence) if timed is None else pairing_by_times(evidence, timed)


def _between(timed: Timed, start_ticks: int, end_ticks: int) -> Timed:
    """Return the strikes from `start_ticks` to before `end_ticks`, and their edges."""
    strike_ticks = timed.strike_ticks[:]
    first, last = np.searchsorted(strike_ticks, (start_ticks, end_ticks)).tolist()
    own = (timed.owner >= first) & (timed.owner < last)
    changed = (timed.changes >= first) & (timed.changes < last)
    struck = timed.struck[own]
    inside = (struck >= first) & (struck < last)
    return Timed(
        strike_ticks[first:last],
        timed.edge_ticks[own],
        timed.owner[own] - first,
        np.where(inside, struck - first, -1),
        timed.changes[changed] - first,
        timed.random,
    )


def least_spacing_ticks(result: RunResult, channel: ChannelResult) -> int:
    """Return the least time between a channel's strikes, in ticks; 0: it is not known."""
    return _Registers(result).least_ticks(rules_of(result, channel))


def is_struck_at_random(result: RunResult, channel: ChannelResult) -> bool:
    """Return whether the instrument strikes a channel at random times."""
    return _Registers(result).random(rules_of(result, channel))


class _Registers:
    """The registers that set the times of strikes."""

    def __init__(self, result: RunResult) -> None:
        self._values = {(e.block, e.copy, e.name): e.value for e in result.registers}
        self._samples = result.identity.geometry.samples
        self._imported = result.imported is not None

    def _of(self, output: int, name: str, block: str = "stimulus") -> int:
        return self._values.get((block, output, name), 0)

    def _drawn(self, output: int) -> bool:
        names = ("dither_bits", "poisson_threshold")
        return any(self._of(output, name) for name in names) and bool(self._of(output, "enable"))

    def random(self, rules: Rules) -> bool:
        """Return whether the instrument strikes a channel at random times."""
        if self._imported:
            return True
        source = rules.reference_source
        if SOURCE_STRIKE <= source < SOURCE_LOAD:
            return self._drawn(source - SOURCE_STRIKE)
        return any(
            self._drawn(copy)
            for block, copy, name in self._values
            if (block, name) == ("stimulus", "enable")
        )

    def least_ticks(self, rules: Rules) -> int:
        """Return the least time between a channel's strikes, in ticks; 0: it is not known."""
        output = rules.reference_source - SOURCE_STRIKE
        known = SOURCE_STRIKE <= rules.reference_source < SOURCE_LOAD
        if (
            not known
            or not self._of(output, "enable")
            or self._of(output, "trigger") != Trigger.RUN
        ):
            return 0
        if self._of(output, "poisson_threshold"):
            return self._of(output, "width_ticks") + self._samples
        spacing = self._of(output, "spacing_ticks")
        steps = self._of(0, "step_count", "control") if not output else 0
        intervals = [self._of(step, "interval_ticks", "step") for step in range(steps)]
        interval = min(intervals, default=self._of(output, "interval_ticks"))
        burst = self._of(output, "burst_count")
        if burst == 0:
            return spacing
        return interval if burst == 1 else min(spacing, interval)

    def mean_ticks(self, rules: Rules) -> float:
        """Return the mean time between a channel's strikes, in ticks; 0: it is not known."""
        output = rules.reference_source - SOURCE_STRIKE
        if not self.least_ticks(rules) or self._of(output, "poisson_threshold"):
            return 0.0
        full_scale = 1 << register("stimulus", "interval_fraction").bits
        fraction = self._of(output, "interval_fraction") / full_scale
        burst = max(self._of(output, "burst_count"), 1)
        dither = ((1 << self._of(output, "dither_bits")) - 1) / 2
        inside = self._of(output, "spacing_ticks") * (burst - 1)
        return (self._of(output, "interval_ticks") + fraction + dither + inside) / burst


def _counted(
    result: RunResult,
    channel: ChannelResult,
    rules: Rules,
    registers: _Registers,
    timed: Timed | None,
) -> Counted:
    classes = channel.classes
    rise, width = (channel.measurement(kind) for kind in (Kind.RISE, Kind.WIDTH))
    sources = {rules.channel_source, rules.reference_source}
    on_host = rise is not None and not rise.on_chip
    least = registers.least_ticks(rules)
    if timed is not None and len(timed.strike_ticks) > 1:
        least = least_between(timed.strike_ticks)
    counted = Counted(
        strikes=channel.strikes,
        answers=classes[ResponseClass.ANSWERED] + classes[ResponseClass.LATE],
        missed=classes[ResponseClass.MISSED],
        surplus=classes[ResponseClass.DUPLICATE] + classes[ResponseClass.SPURIOUS],
        pending=channel.pending,
        timeout_ticks=rules.timeout_ticks,
        early_ticks=rules.early_ticks,
        least_ticks=least,
        longest_ticks=None if rise is None else rise.statistics.max_ticks,
        duration_ticks=result.end_ticks - result.start_ticks,
        complete=not (on_host and result.accounting.lost_of_any)
        and not any(
            e.dropped or (on_host and e.received < e.generated)
            for e in result.accounting.sources
            if e.source in sources
        ),
    )
    mean = None
    total_ticks = None if width is None else width.known.sum_ticks
    if width is not None and total_ticks is not None and width.statistics.count:
        mean = total_ticks / width.statistics.count
    if timed is None and toggles_by_counts(counted, registers.mean_ticks(rules), mean):
        return replace(counted, toggles=True)
    return counted


def _answered_in_turn(result: RunResult, rules: Rules, rise: Samples) -> bool:
    """Return whether each answer came before the next strike, and all strikes had as many edges.

    It is the first test of `pairing_by_times`, by positions alone. False: a closer look is needed.
    """
    events = result.events
    if events is None or rules.early_ticks or not len(rise) or not isinstance(rise, EventSamples):
        return False
    edges = ChannelEdges.of(events, rules)
    strikes, active = edges.strikes, edges.active
    if may_toggle(len(strikes), len(active)):
        return False
    first = per_strike = None
    for piece in pieces(len(strikes)):
        next_strikes = np.append(strikes[piece], strikes[piece.stop : piece.stop + 1])
        begun = np.searchsorted(active, next_strikes)
        if piece.stop == len(strikes):
            begun = np.append(begun, len(active))
        counts = np.diff(begun)
        per_strike = max(int(counts[0]), 1) if per_strike is None else per_strike
        irregular = np.flatnonzero(counts != per_strike)
        if len(irregular):
            first = piece.start + int(irregular[0]) + 1
            break
    first = len(strikes) if first is None else first
    for piece in pieces(len(rise)):
        struck = np.searchsorted(strikes, rise.start[piece])
        owner = np.searchsorted(strikes, rise.end[piece]) - 1
        if int(struck[-1]) >= first or bool((owner != struck).any()):
            return False
    return True


def _timed(
    result: RunResult, rules: Rules, rise: Samples, random: bool, *, is_run: bool = False
) -> Timed:
    """Return a channel's edges, without trailing ones if `is_run` and the pin cannot toggle."""
    events = result.events
    assert events is not None
    edges = ChannelEdges.of(events, rules)
    strikes, active, changes = edges.strikes, edges.active, edges.active
    if not is_run or may_toggle(len(strikes), len(active)):
        changes = np.concatenate([active, edges.back])
        changes.sort()
    del edges
    of_edge = np.full(len(active), -1, active.dtype)
    if isinstance(rise, EventSamples):
        for piece in pieces(len(rise)):
            answer = np.searchsorted(active, rise.end[piece])
            of_edge[answer] = np.searchsorted(strikes, rise.start[piece])
    else:
        # A source has at most one edge in a tick, so its time tells which edge it is.
        answer = np.searchsorted(times_at(events, active), rise.start_ticks + rise.value_ticks)
        of_edge[answer] = np.searchsorted(times_at(events, strikes), rise.start_ticks)
    if rules.early_ticks:
        begins = times_at(events, strikes) - rules.early_ticks
        owner, change_owner = (
            np.searchsorted(begins, times_at(events, edge_positions), "right") - 1
            for edge_positions in (active, changes)
        )
    else:
        owner = last_before(strikes, active)
        change_owner = owner if changes is active else last_before(strikes, changes)
    struck, came = Times(events, strikes), Times(events, active)
    return Timed(struck, came, owner, of_edge, change_owner, random)
