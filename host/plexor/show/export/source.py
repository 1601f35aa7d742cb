# SPDX-License-Identifier: Apache-2.0
"""A run for export: its pins, the outcomes of its events, and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.figures.analyse.analyse import LATENCIES, Report, analyse
from plexor.figures.analyse.disagreements import differences
from plexor.figures.analyse.evidence import pairing_of
from plexor.figures.analyse.from_bins import of_bins
from plexor.figures.analyse.pairing import Pairing
from plexor.figures.analyse.percentiles import Distribution, from_values
from plexor.figures.analyse.rules import has_rules, is_complete, rules_of
from plexor.figures.analyse.samples import ChannelSamples
from plexor.figures.judge.budget import Budget, Judged, judge
from plexor.model.levels import with_levels
from plexor.model.results import (
    EVENT_DTYPE,
    ChannelResult,
    EventArray,
    Kind,
    RunResult,
    SampleResult,
    Statistics,
    source_name,
)
from plexor.model.settings import parse_reference
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_STRIKE, SOURCES
from plexor.wire.decode.matched import ChannelMatches
from plexor.wire.decode.outcomes import Outcomes, outcomes
from plexor.wire.decode.rematch import rematch

CHUNK = 1 << 16
"""Number of events written at a time."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A source of events, with its name in exported files."""

    source: int
    name: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A run's events, matched again."""

    outcomes: Mapping[int, Outcomes]
    """By channel number, of channels whose events are complete and agree with their counts."""
    distributions: Mapping[tuple[int, Kind], Distribution]
    """Of each channel and kind whose values the events give, to the tick."""
    pairings: Mapping[int, Pairing | None]
    """The pairing of each channel, by number."""
    disagreements: tuple[str, ...]
    """Differences between complete events and the chip's figures. One of the two is wrong."""


class ExportSource:
    """A run with a budget. Each part is computed when a format needs it."""

    def __init__(self, result: RunResult, budget: Budget | None = None) -> None:
        self.result = result
        self.budget = budget

    @cached_property
    def report(self) -> Report:
        """All figures of the run."""
        return analyse(self.result)

    @cached_property
    def verdict(self) -> Judged | None:
        """The budget's verdict; None without a budget.

        Raises UsageError if the budget names a channel that the run does not have.
        """
        if self.budget is None:
            return None
        try:
            return judge(self.report, self.budget)
        except ValueError as error:
            raise UsageError(str(error)) from error

    @cached_property
    def checked(self) -> Checked:
        """The events matched again, channel by channel."""
        outcomes_of: dict[int, Outcomes] = {}
        distributions: dict[tuple[int, Kind], Distribution] = {}
        pairings: dict[int, Pairing | None] = {}
        disagreements: list[str] = []
        for channel in self.result.answering:
            if not is_complete(self.result, channel):
                pairings[channel.number] = pairing_of(self.result, channel)
                continue
            matched, wrong = self._matched(channel)
            disagreements += wrong
            rise = None if wrong else matched.samples[Kind.RISE]
            pairings[channel.number] = pairing_of(self.result, channel, rise)
            if not wrong:
                distributions |= {
                    (channel.number, kind): from_values(matched.samples[kind].value_ticks)
                    for kind in Kind
                }
            if matched.classes == channel.classes:
                outcomes_of[channel.number] = self._outcomes(channel, matched)
            del matched  # a third of a run's memory, before that of the next channel
        return Checked(outcomes_of, distributions, pairings, tuple(disagreements))

    @property
    def unpaired(self) -> tuple[str, ...]:
        """The channels whose pairing is ambiguous."""
        pairings = self.checked.pairings
        return tuple(
            channel.name
            for channel in self.result.answering
            if not _is_known(pairings.get(channel.number))
        )

    def measurements(self, channel: ChannelResult) -> tuple[SampleResult, ...]:
        """Return a channel's measurements, without latencies of an ambiguous pairing."""
        if channel.name not in self.unpaired:
            return channel.measurements
        return tuple(
            measurement for measurement in channel.measurements if measurement.kind not in LATENCIES
        )

    def _matched(self, channel: ChannelResult) -> tuple[ChannelMatches, list[str]]:
        """Return a channel's events matched again, and what disagrees."""
        result = self.result
        assert result.events is not None
        matched = rematch(result.events, rules_of(result, channel), result.end_ticks)
        samples = ChannelSamples.of(matched)
        return matched, differences(channel, samples) if has_rules(result) else []

    def _outcomes(self, channel: ChannelResult, matched: ChannelMatches) -> Outcomes:
        assert self.result.events is not None
        for kind in (Kind.FALL, Kind.WIDTH, Kind.PERIOD):
            del matched.samples[kind]
        return outcomes(self.result.events, rules_of(self.result, channel), matched)

    def distribution(self, channel: ChannelResult, measurement: SampleResult) -> Distribution:
        """Return the distribution of a measurement: to the tick if events tell, else by bins."""
        exact = self.checked.distributions.get((channel.number, measurement.kind))
        return of_bins(measurement) if exact is None else exact

    def statistics(self, channel: ChannelResult, measurement: SampleResult) -> Statistics:
        """Return the known statistics of a measurement; events tell samples at the chip's limit."""
        cells = self.checked.distributions.get((channel.number, measurement.kind))
        if measurement.limit_ticks is None or cells is None:
            return measurement.known
        values, counts = cells.low_ticks.tolist(), cells.counts.tolist()
        total = sum(value * count for value, count in zip(values, counts, strict=True))
        return Statistics(cells.total, total, None, values[0], values[-1])

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Reasons why no figure can be trusted; empty for a valid run."""
        if "report" in self.__dict__:
            return self.report.invalid_reasons
        return (*self.result.invalid_reasons, *self.checked.disagreements)

    def events(self, path: object) -> EventArray:
        """Return the run's events (EVENT_DTYPE); `path` is the file that needs them.

        Raises UsageError if the run kept none.
        """
        if self.result.events is None:
            raise UsageError(
                f"{path}: needs the events of the run, which kept none; measure it with --mode "
                "stream, or write .npz, .hlog, .om, .md"
            )
        return self.result.events

    def times(self, events: EventArray) -> npt.NDArray[np.int64]:
        """Return the times of events in ticks from the start of the run."""
        return events["time_ticks"].astype(np.int64) - self.result.start_ticks

    @property
    def duration_ticks(self) -> int:
        """Length of the run in ticks."""
        return self.result.end_ticks - self.result.start_ticks

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """The sources that the run used, in the order in which one tick's events come."""
        result = self.result
        names = {
            SOURCE_CHANNEL + channel.number: channel.label for channel in result.settings.channels
        }
        names |= {SOURCE_CHANNEL + channel.number: channel.name for channel in result.channels}
        used = set(names) | {
            SOURCE_STRIKE + stimulus.output for stimulus in result.settings.strikes
        }
        used |= {parse_reference(channel.reference)[0] for channel in result.channels}
        used |= {account.source for account in result.accounting.sources if account.generated}
        order = [
            source
            for source in result.identity.geometry.levels
            if source in used
            or (result.events is not None and (result.events["source"] == source).any())
        ]
        pin_names = [names.get(source, source_name(source)) for source in order]
        return tuple(map(Pin, order, distinct(pin_names)))

    @cached_property
    def waves(self) -> tuple[Pin, ...]:
        """The pins, and the code port's."""
        codes = self.result.settings.codes
        bits = codes.bits if codes is not None and codes.port is not None else 0
        return *self.pins, *(Pin(SOURCES + bit, f"code{bit}") for bit in range(bits))

    def edges(self, path: object) -> EventArray:
        """Return the edges of `waves` (EVENT_DTYPE): events, with code pins that change for codes.

        Polarity is the level behind the edge. Raises UsageError, with the file `path`, if the run
        kept none.
        """
        events = with_levels(self.events(path), self.result.settings)
        if len(self.waves) == len(self.pins):
            return events
        codes = self.result.codes
        previous_codes = np.concatenate([[0], codes["code"][:-1]]).astype(np.uint16)
        arrays = [events[np.isin(events["source"], [pin.source for pin in self.pins])]]
        for bit, pin in enumerate(self.waves[len(self.pins) :]):
            own = codes[(codes["code"] ^ previous_codes) >> bit & 1 == 1]
            changes = np.empty(len(own), EVENT_DTYPE)
            changes["time_ticks"], changes["index"] = own["time_ticks"], own["index"]
            changes["source"], changes["polarity"] = pin.source, own["code"] >> bit & 1
            arrays.append(changes)
        edges = np.concatenate(arrays)
        return edges[np.argsort(edges["index"], kind="stable")]

    def level_at_start(self, source: int) -> int:
        """Return the level of a source before its first event; 1 is the active level."""
        events = self.result.events
        if events is None or source >= SOURCES:  # what a code pin was before a code is not known
            return 0
        first = np.flatnonzero(events["source"] == source)[:1]
        return 1 - int(events["polarity"][first[0]]) if len(first) else 0


def _is_known(pairing: Pairing | None) -> bool:
    return pairing is None or pairing.known


def distinct(names: list[str]) -> list[str]:
    """Return the names, with a number behind those that are there already."""
    unique: list[str] = []
    for name in names:
        number, new = 2, name
        while new in unique:
            number, new = number + 1, f"{name}_{number}"
        unique.append(new)
    return unique
