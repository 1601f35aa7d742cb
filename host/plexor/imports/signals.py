# SPDX-License-Identifier: Apache-2.0
"""The signals of a capture that are imported, and how they are matched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from plexor.errors import UsageError
from plexor.model.settings import parse_reference
from plexor.protocol.frames import MAX_CHANNELS, MAX_STRIKES, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.registers import Policy
from plexor.units import format_seconds, parse_duration


@dataclass(frozen=True, slots=True)
class StrikeSignal:
    """A signal whose edges to the active level are strikes."""

    signal: str
    invert: bool = False


@dataclass(frozen=True, slots=True)
class ChannelSignal:
    """A signal whose edges to the active level are responses."""

    name: str
    signal: str
    invert: bool = False
    reference: str = "strike0"
    """The edge that it answers. `strike0` is the first strike signal, `ch0` the first channel."""
    deadline_s: Fraction | None = None

    def due(self, deadline_s: Fraction | None) -> ChannelSignal:
        """Return the channel with `deadline_s`, unless it has a deadline of its own."""
        return self if self.deadline_s is not None else replace(self, deadline_s=deadline_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRules:
    """Signals and rules; times in exact seconds."""

    channels: tuple[ChannelSignal, ...]
    strikes: tuple[StrikeSignal, ...] = ()
    policy: Policy = Policy.OLDEST
    timeout_s: Fraction | None = None
    """None: the median time between strikes; a second with fewer than two strikes."""
    window_min_s: Fraction = Fraction(0)
    early_s: Fraction = Fraction(0)
    device: Mapping[str, str] = field(default_factory=dict[str, str])

    def check(self) -> None:
        """Raise UsageError for signals or times that cannot be matched."""
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

    def _check_reference(self, channel: ChannelSignal, number: int, source: int) -> None:
        # A free-running device has no strikes, and nothing is matched.
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


def parse_strike_signal(text: str) -> StrikeSignal:
    """Return the strike of `trig` or `trig:invert`. Raises ValueError for any other text."""
    signal, colon, option = text.partition(":")
    if not signal.strip() or (colon and option != "invert"):
        raise ValueError(f"strike: {text!r}; must be SIGNAL or SIGNAL:invert")
    return StrikeSignal(signal.strip(), bool(colon))


def parse_channel_signal(text: str) -> ChannelSignal:
    """Return the channel of `ISR=irq_out` or of `TASK=out:after=ch0.fall,deadline=50us,invert`.

    Raises ValueError that says what would be right.
    """
    name, equals, signal_text = text.partition("=")
    signal, colon, options = signal_text.partition(":")
    if not (name.strip() and equals and signal.strip()):
        raise ValueError(
            f"channel: {text!r}; must be NAME=SIGNAL, with options after a colon: after=ch0.fall, "
            "deadline=TIME, invert"
        )
    parsed = ChannelSignal(name.strip(), signal.strip())
    for option in options.split(",") if colon else ():
        key, _, value = option.partition("=")
        if option == "invert":
            parsed = replace(parsed, invert=True)
        elif key == "after":
            parse_reference(value)
            parsed = replace(parsed, reference=value)
        elif key == "deadline":
            parsed = replace(parsed, deadline_s=parse_duration(value))
        else:
            raise ValueError(
                f"channel: {text!r}: {option!r} is not an option; must be after=, deadline= or "
                "invert"
            )
    return parsed
