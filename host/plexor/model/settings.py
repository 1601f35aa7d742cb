# SPDX-License-Identifier: Apache-2.0
"""What a user requests of a run, in exact seconds, and the registers that request it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

from plexor.base.constraints import LATER, Count, NotNegative, Positive, Whole
from plexor.model.codes import Codes
from plexor.model.numbers import ChannelNumber, OutputNumber
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import LONG_FILTER_CLOCKS, Feature, Geometry
from plexor.protocol.memory import Space
from plexor.protocol.registers import InputSelect, Policy, Stream, Trigger

NO_DEADLINE_TICKS = (1 << 31) - 1
"""Maximum deadline of a channel in ticks. With it, no latency is late."""


class RegisterWrite(NamedTuple):
    """A value for one register in one copy of a block."""

    block: str
    copy: int
    name: str
    value: int


@dataclass(frozen=True, slots=True)
class AppliedSetting:
    """One setting, as requested and as the instrument applies it, in exact seconds."""

    name: str
    asked_s: Fraction
    taken_s: Fraction

    @property
    def error_s(self) -> Fraction:
        """Applied value minus requested value."""
        return self.taken_s - self.asked_s


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One strike output. Times are exact seconds.

    `period_s` is the time from strike to strike, or from a burst's first strike to the next
    burst's. With dither or Poisson intervals it is the mean. `width_s` or `duty` may be given: a
    duty is a part of the mean period, or in bursts of the spacing. Without either, the width is
    half the shortest time between strikes, at most 10 µs. `count` is that of
    one sequence; 0 means endless, or as `Settings.count` says. `dither_s` is the range of the
    uniform deviation around the period: 2**n ticks, each equally likely. With Trigger.RUN, phase 0
    is one core clock after the start, because a level that stands at a run's first tick is no edge.
    """

    output: OutputNumber = 0
    period_s: Positive | None = None
    """None: a single strike or burst."""
    width_s: Fraction | None = None
    duty: Fraction | None = None
    phase_s: Fraction = Fraction(0)
    burst: Whole = 1
    spacing_s: Fraction | None = None
    count: Count = 0
    dither_s: Fraction = Fraction(0)
    poisson: bool = False
    trigger: Trigger = Trigger.RUN
    trigger_source: int = 0
    trigger_code: int = 0
    """With Trigger.CODE: the code that starts a sequence."""
    trigger_over_s: NotNegative | None = field(default=None, metadata=LATER)
    """With Trigger.LATENCY: each latency above this starts a sequence."""
    invert: bool = False
    seed: int = 1

    @property
    def within_s(self) -> Fraction | None:
        """Time from strike to strike: within bursts the spacing, else the mean period."""
        return self.spacing_s if self.burst > 1 else self.period_s

    @property
    def is_periodic(self) -> bool:
        """Whether it strikes at its period from the start of the run on, and waits for nothing."""
        return self.trigger == Trigger.RUN and self.period_s is not None

    def lasting(self, time_s: Fraction | int) -> Stimulus:
        """Return a periodic output with the count of a time: whole bursts, and at least one."""
        assert self.period_s is not None
        return replace(self, count=max(ceil(time_s / self.period_s), 1) * self.burst)


@dataclass(frozen=True, slots=True)
class LongRegister:
    """The register of a channel's times that its register in `channel` is too short for."""

    block: str
    register: str
    needs: Feature
    most: Callable[[Geometry], int]
    """The most ticks."""


@dataclass(frozen=True, slots=True)
class OnChip:
    """How a field of a channel is asked for, and the register that has it.

    A time goes into a register of ticks or clocks, anything else as it is.
    """

    register: str
    option: str = ""
    """Its key in a channel's text: `filter` of `ch0:filter=20ns`; empty: it has none."""
    needs: Feature | None = None
    """What the build must have, if it is not 0."""
    most: Callable[[Geometry], int] | None = None
    """The most ticks; None: what the register holds."""
    longer: LongRegister | None = None
    """Where more than `most` ticks go."""
    unset: int = 0
    """The register's value for None."""
    instead: str = ""
    """What to do where the gateware is too old to have the register."""


def _word_ticks(geometry: Geometry) -> int:
    return geometry.samples


def _long_filter_ticks(geometry: Geometry) -> int:
    return LONG_FILTER_CLOCKS * geometry.samples - 1


_LONG_FILTER = LongRegister("long_filter", "ticks", Feature.LONG_FILTER, _long_filter_ticks)


def _chip(register: str, option: str = "", **how: Any) -> dict[str, Any]:
    return {"chip": OnChip(register, option, **how)}


@dataclass(frozen=True, slots=True)
class Channel:
    """One response channel. `reference` is, for example, `strike0`, `ch1`, `ch1.fall` or `load`."""

    number: ChannelNumber
    name: str = ""
    enable: bool = True
    invert: bool = field(default=False, metadata=_chip("invert"))
    either: bool = field(
        default=False,
        metadata=LATER | _chip("either", instead="measure one direction: edge=rise or edge=fall"),
    )
    """Each edge is an answer, of either direction. So there are no trailing edges."""
    filter_s: NotNegative = field(
        default=Fraction(0),
        metadata=_chip(
            *("filter_ticks", "filter"),
            needs=Feature.FILTER,
            most=_word_ticks,
            longer=_LONG_FILTER,
        ),
    )
    reference: str = "strike0"
    deadline_s: Fraction | None = field(
        default=None, metadata=_chip("deadline_ticks", "deadline", unset=NO_DEADLINE_TICKS)
    )
    zoom_rise_s: Fraction = field(
        default=Fraction(0), metadata=_chip("zoom_rise_ticks", "zoom", needs=Feature.ZOOM)
    )
    """Start of the window of one-tick bins."""
    zoom_fall_s: Fraction = field(default=Fraction(0), metadata=_chip("zoom_fall_ticks"))
    zoom_width_s: Fraction = field(default=Fraction(0), metadata=_chip("zoom_width_ticks"))
    zoom_period_s: Fraction = field(default=Fraction(0), metadata=_chip("zoom_period_ticks"))

    @property
    def label(self) -> str:
        """The name, or `ch3` if none is given."""
        return self.name or f"ch{self.number}"


def on_chip() -> Iterator[tuple[str, OnChip]]:
    """Yield the fields of a channel that have a register of their own, by name."""
    for entry in fields(Channel):
        if (how := entry.metadata.get("chip")) is not None:
            yield entry.name, how


@dataclass(frozen=True, slots=True)
class TableStep:
    """One step of a sweep table: how output 0 strikes during the step, and how often.

    `period_s`, `width_s` and `duty` are as in `Stimulus`. The period is at least a core clock.
    """

    period_s: Positive
    count: Count
    width_s: Fraction | None = None
    duty: Fraction | None = None
    guard_s: Fraction | None = None
    """Time from the step's last strike to its end. None: as long as `Settings.settle_s`."""


@dataclass(frozen=True, slots=True)
class Stall:
    """A source of events (plexor.protocol.frames) that has none for longer than `limit_s`."""

    source: int
    limit_s: NotNegative


MODES = {"stream": Stream.LIVE, "dump": Stream.OFF, "deep": Stream.AFTER}
"""Stream modes, by their names on the command line."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run. Outputs and channels that are not named are disabled.

    Stop conditions may be combined. Without any, the run lasts until it is interrupted.
    """

    strikes: tuple[Stimulus, ...] = ()
    channels: tuple[Channel, ...] = ()
    policy: Policy = Policy.OLDEST
    timeout_s: NotNegative | None = None
    """Age at which a strike counts as missed. None: the strikes' longest period, of bursts their
    spacing, so that one missing response does not shift all later ones; at least 1024 ticks, at
    most a second."""
    window_min_s: NotNegative = Fraction(0)
    early_s: NotNegative = Fraction(0)
    count: int | None = None
    """Stop after this many strikes of each output that has no count of its own."""
    time_s: NotNegative | None = None
    """Stop after this time."""
    latency_over_s: NotNegative | None = None
    """Stop at the first rise latency above this."""
    stop_on_missed: bool = False
    stall: Stall | None = None
    """Stop when a source has no event for too long, while strikes go on."""
    stop_code: int | None = None
    """Stop at this code."""
    trigger_channels: tuple[int, ...] | None = None
    """Channels that may stop the run; None: all enabled channels."""
    stream: Stream | None = None
    """OFF: nothing is sent during the run, and only results after it. AFTER: nothing is sent during
    the run, and results and events after it. LIVE: events are sent as they come. None: LIVE, or OFF
    if the instrument sends no events."""
    active_only: bool = field(default=False, metadata=LATER)
    """Whether trailing edges that no channel counts from stay off the link."""
    keep_events: bool = True
    """Whether the result keeps the received events."""
    load: bool = False
    """Level of the load output during the run."""
    load_name: str = ""
    """The load that was asked for by name; empty: none was."""
    input_select: InputSelect = InputSelect.PINS
    """What every channel samples."""
    loopback_output: int = 0
    """Output whose pad is sampled, with InputSelect.LOOPBACK."""
    settle_s: NotNegative | None = None
    """Time from the last strike to the end of the run. None: twice the time-out, so that every
    strike is settled, even if it is another channel's response."""
    report_s: NotNegative | None = None
    """Time between automatic snapshots of the results; None: no snapshots."""
    report_on_chip: bool = True
    """Whether the chip takes the snapshots, if it can. Otherwise the host computes them from the
    events, if they are sent during the run."""
    spaces: tuple[Space, ...] | None = None
    """Spaces to dump at the end, if the build has them; None: all of them."""
    codes: Codes | None = None
    """How the device says what it does; None: it does not. Channels of it answer no strikes."""
    warm_up_s: NotNegative | None = field(default=None, metadata=LATER)
    """Time for which the device is struck before the run, in a run of its own that is in none of
    the figures. None: the run is the first."""
    table: tuple[TableStep, ...] = ()
    """Steps of output 0, each with its own results. The run ends after them. A step's values take
    the place of those in the output's Stimulus."""


_REFERENCE = re.compile(r"(strike|ch)([0-7])(\.rise|\.fall)?|(load)(\.rise|\.fall)?", re.IGNORECASE)


def parse_reference(text: str) -> tuple[int, int]:
    """Return (source, polarity) of a reference; polarity 1 is the edge to the active level.

    Raises ValueError if the text is not a reference.
    """
    match = _REFERENCE.fullmatch(text)
    if match is None:
        if re.fullmatch("[0-7]", text):
            raise ValueError(f"reference: {text!r}; did you mean ch{text} or strike{text}?")
        raise ValueError(
            f"reference: {text!r}; must be strike0 to strike7, ch0 to ch7 or load, "
            "with .rise or .fall after it"
        )
    polarity = int(not text.lower().endswith(".fall"))
    if match[4]:
        return SOURCE_LOAD, polarity
    base = SOURCE_STRIKE if match[1].lower() == "strike" else SOURCE_CHANNEL
    return base + int(match[2]), polarity


def trailing_needed(channels: Iterable[Channel]) -> set[int]:
    """Return the sources whose trailing edges are what some channel answers."""
    references = (parse_reference(channel.reference) for channel in channels)
    return {source for source, polarity in references if not polarity}


@dataclass(frozen=True, slots=True)
class Reaction:
    """A command, and what it is started on: a latency above `over_s`, or a missed strike."""

    condition: str
    over_s: Fraction | None
    command: tuple[str, ...]


_WAYS = {
    "invert": (True, False),
    "edge=rise": (False, False),
    "edge=fall": (True, False),
    "edge=either": (False, True),
}


def parse_edges(channel: str, ways: Sequence[str]) -> tuple[bool, bool]:
    """Return (invert, either) of a channel's options that say which of its edges are answers.

    Raises ValueError for more than one of them and for another text.
    """
    known = ", ".join(_WAYS)
    if len(ways) > 1:
        raise ValueError(
            f"channel: {channel!r}: {' and '.join(ways)} both say which edge answers; must be one "
            f"of {known}"
        )
    for way in ways:
        if way not in _WAYS:
            raise ValueError(f"channel: {channel!r}: {way!r}; must be one of {known}")
    return _WAYS[ways[0]] if ways else (False, False)
