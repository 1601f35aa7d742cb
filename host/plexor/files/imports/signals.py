# SPDX-License-Identifier: Apache-2.0
"""What is wanted of a capture: its strikes, its channels, and how they are matched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from plexor.base.errors import UsageError
from plexor.base.meant import MEANT
from plexor.base.units import format_seconds, parse_duration
from plexor.model.settings import parse_edges, parse_reference
from plexor.protocol.frames import MAX_CHANNELS, MAX_STRIKES, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.registers import Policy


class Unknown(StrEnum):
    """What a level that is not known counts as."""

    CUT = "cut"
    """A gap: nothing in it is matched."""
    HOLD = "hold"
    """The level before it."""
    LOW = "0"
    HIGH = "1"


@dataclass(frozen=True, slots=True)
class StrikeSignal:
    """A signal whose edges to the active level are strikes."""

    signal: str
    invert: bool = False


@dataclass(frozen=True, slots=True)
class ChannelSignal:
    """A signal whose edges to the active level, or with `either` all edges, are responses."""

    name: str
    signal: str
    invert: bool = False
    reference: str = "strike0"
    """The edge that it answers. `strike0` is the first strike signal, `ch0` the first channel."""
    deadline_s: Fraction | None = None
    either: bool = False

    def due(self, deadline_s: Fraction | None) -> ChannelSignal:
        """Return it with its own deadline, or else this one."""
        return self if self.deadline_s is not None else replace(self, deadline_s=deadline_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRules:
    """Signals and rules; times in exact seconds."""

    channels: tuple[ChannelSignal, ...]
    strikes: tuple[StrikeSignal, ...] = ()
    policy: Policy = Policy.OLDEST
    timeout_s: Fraction | None = None
    """None: half of all strikes are at most this apart; a second without two strikes."""
    window_min_s: Fraction = Fraction(0)
    early_s: Fraction = Fraction(0)
    from_s: Fraction | None = None
    """Where the run begins, in the times of the file. None: where the file does."""
    to_s: Fraction | None = None
    """Where the run ends."""
    step_s: Fraction | None = None
    """Times are rounded to multiples of it."""
    device: Mapping[str, str] = field(default_factory=dict[str, str])

    def check(self) -> None:
        """Raise UsageError for what cannot be matched."""
        for name, most, signals in (
            ("channel", MAX_CHANNELS, self.channels),
            ("strike", MAX_STRIKES, self.strikes),
        ):
            if len(signals) > most:
                raise UsageError(f"{name}: {len(signals)} signals; at most {most}")
        if not self.channels:
            raise UsageError("channel: none; name at least one signal, such as ISR=irq_out")
        for number, channel in enumerate(self.channels):
            names = [earlier.name for earlier in self.channels[:number]]
            if channel.name in names:
                raise UsageError(f"channel: {channel.name} is given twice")
            source, _ = parse_reference(channel.reference)
            self._check_reference(channel, number, source)
        times = {"timeout": self.timeout_s, "window": self.window_min_s, "early": self.early_s}
        for option, time_s in times.items():
            if time_s is not None and time_s < 0:
                raise UsageError(f"{option}: {format_seconds(time_s)}; must be 0 or more")
        if self.step_s is not None and self.step_s <= 0:
            raise UsageError(f"step: {format_seconds(self.step_s)}; must be above 0")
        if self.from_s is not None and self.to_s is not None and self.from_s >= self.to_s:
            raise UsageError(
                f"until: {format_seconds(self.to_s)}; must be after {format_seconds(self.from_s)}, "
                "where the run begins"
            )

    def _check_reference(self, channel: ChannelSignal, number: int, source: int) -> None:
        # Of a device that runs by itself nothing is matched.
        free = channel.reference == "strike0" and not self.strikes
        if source >= SOURCE_STRIKE:
            exists = source < SOURCE_LOAD and source - SOURCE_STRIKE < len(self.strikes)
        else:
            exists = source < len(self.channels) and source != number
        if not (exists or free):
            known = [f"strike{n}" for n in range(len(self.strikes))]
            known += [f"ch{n}" for n in range(len(self.channels)) if n != number]
            raise UsageError(
                f"{channel.name}: after={channel.reference}; must be one of {', '.join(known)}"
            )
        followed = source < SOURCE_STRIKE and self.channels[source]
        if followed and followed.either and channel.reference.endswith(".fall"):
            raise UsageError(
                f"{channel.name}: after={channel.reference}; with edge=either each edge of "
                f"{followed.name} is an answer; must be after=ch{source}"
            )


def _parted(text: str) -> tuple[str, str, bool]:
    """Return a signal, its options, and whether there is a colon before them.

    The last colon begins options. `::` is a part of a name, as VHDL and C++ have it.
    """
    signal, colon, options = text.rpartition(":")
    if not colon or signal.endswith(":") or options.startswith(":"):
        return text.strip(), "", False
    return signal.strip(), options, True


def parse_strike_signal(text: str) -> StrikeSignal:
    """Return the strike of `trig` or `trig:invert`. Raises ValueError for any other text."""
    signal, option, has_option = _parted(text)
    if not signal or (has_option and option not in ("", "invert")):
        raise ValueError(
            f"strike: {text!r}; must be SIGNAL or SIGNAL:invert; a name with a colon needs a colon "
            "behind it"
        )
    return StrikeSignal(signal, option == "invert")


def parse_channel_signal(text: str) -> ChannelSignal:
    """Return the channel of `ISR=irq_out` or of `TASK=out:after=ch0.fall,deadline=50us,invert`.

    Raises ValueError that says what would be right.
    """
    name, equals, signal_text = text.partition("=")
    signal, options, _ = _parted(signal_text)
    if not (name.strip() and equals and signal):
        alone = name.strip() if not equals and ":" not in name else ""
        right = (
            f"{MEANT} {alone}={alone}?"
            if alone
            else (
                "; must be NAME=SIGNAL, with options after a colon: after=ch0.fall, edge=rise, "
                "edge=fall or edge=either, deadline=TIME, invert"
            )
        )
        raise ValueError(f"channel: {text!r}{right}")
    channel, ways = ChannelSignal(name.strip(), signal), list[str]()
    for option in options.split(",") if options else ():
        key, _, value = option.partition("=")
        if option == "invert" or key == "edge":
            ways.append(option)
        elif key == "after":
            parse_reference(value)
            channel = replace(channel, reference=value.lower())
        elif key == "deadline":
            channel = replace(channel, deadline_s=parse_duration(value))
        else:
            raise ValueError(
                f"channel: {text!r}: {option!r} is not an option; must be after=, edge=, deadline= "
                "or invert; a name with a colon needs a colon behind it"
            )
    invert, either = parse_edges(text, ways)
    return replace(channel, invert=invert, either=either)
