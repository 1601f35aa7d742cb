# SPDX-License-Identifier: Apache-2.0
"""What the import of a capture is asked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from plexor.files.imports.signals import (
    ChannelSignal,
    StrikeSignal,
    Unknown,
    parse_channel_signal,
    parse_strike_signal,
)
from plexor.library.specs.options import Matching
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import choice, each, hertz, seconds


def threshold(value: str | tuple[float, float]) -> tuple[float, float]:
    """Return the volts below which a signal is low and from which on it is high; raise ValueError.

    One number is both.
    """
    if isinstance(value, tuple):
        return value
    low, colon, high = value.replace("V", "").partition(":")
    try:
        volts = float(low), float(high if colon else low)
    except ValueError:
        volts = (1.0, 0.0)
    if not volts[0] <= volts[1] or not abs(volts[0]) + abs(volts[1]) < float("inf"):
        raise ValueError(f"{value!r}; must be volts such as 1.5, or from low to high such as 0.8:2")
    return volts


class ReadSpec(Spec):
    """How a capture is read: what its file does not say."""

    unknown: str = option(
        converter=choice([entry.value for entry in Unknown]),
        default="cut",
        choices=tuple(entry.value for entry in Unknown),
        shows_default=True,
        help="What a level counts as that is neither 0 nor 1: cut, nothing is matched there; hold, "
        "the level before it; or 0 or 1.",
    )
    timescale: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Unit of the times of a VCD or CSV file that does not tell it.",
    )
    samplerate: Fraction | None = option(
        first=True,
        converter=maybe(hertz),
        default=None,
        metavar="RATE",
        help="Rate of the rows, or of the numbered samples, of a CSV file without times.",
    )
    threshold: tuple[float, float] | None = option(
        converter=maybe(threshold),
        default=None,
        metavar="VOLTS[:VOLTS]",
        help="For volts in a CSV file: below the first a signal is low, from the second on it is "
        "high, and between them it stays. Default: 40 and 60 % of its range.",
    )


class ImportSpec(ReadSpec, Matching):
    """What the import of a capture is asked. Times are in seconds, all exact."""

    channels: tuple[ChannelSignal, ...] = option(
        first=True,
        converter=each(ChannelSignal, parse_channel_signal),
        default=(),
        many=True,
        flag="--channel",
        metavar="NAME=SIGNAL[:after=EDGE,edge=WAY,deadline=TIME,invert]",
        help="A signal with responses. Repeat it for each: the first is ch0, the next ch1. EDGE is "
        "the edge that it answers, such as strike0 or ch0.fall. WAY says which of its edges are "
        "answers: rise, fall, or either, for a signal that toggles. With invert, the active level "
        "is low.",
    )
    strikes: tuple[StrikeSignal, ...] = option(
        first=True,
        converter=each(StrikeSignal, parse_strike_signal),
        default=(),
        many=True,
        flag="--strike",
        metavar="SIGNAL[:invert]",
        help="A signal with strikes. Repeat it for each: the first is strike0.",
    )
    begin: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        flag="--from",
        metavar="TIME",
        help="Where the run begins, in the times of the file.",
    )
    end: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        flag="--until",
        metavar="TIME",
        help="Where the run ends, in the times of the file.",
    )
    step: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Round times to multiples of it. Default: times are exact if they are multiples of a "
        "picosecond, and else rounded to one.",
    )
    device: Mapping[str, str] | None = option(default=None, flag=None)
    """The description of the device under test."""

    @property
    def names_signals(self) -> bool:
        """Return whether a run is asked for; without a signal a capture can only be listed."""
        return bool(self.channels or self.strikes)
