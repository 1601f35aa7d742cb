# SPDX-License-Identifier: Apache-2.0
"""What the import of a capture is asked."""

from __future__ import annotations

from collections.abc import Mapping

from plexor.imports.signals import (
    ChannelSignal,
    StrikeSignal,
    parse_channel_signal,
    parse_strike_signal,
)
from plexor.library.specs.options import Matching
from plexor.library.specs.spec import option
from plexor.library.specs.values import each


class ImportSpec(Matching, told={"timeout": "Default: the median time between strikes."}):
    """What the import of a capture is asked. Times are in seconds, all exact."""

    channels: tuple[ChannelSignal, ...] = option(
        converter=each(ChannelSignal, parse_channel_signal),
        many=True,
        flag="--channel",
        metavar="NAME=SIGNAL[:after=EDGE,deadline=TIME,invert]",
        help="A signal with responses. Repeat it for each: the first is ch0, the next ch1. EDGE is "
        "the edge that it answers, such as strike0 or ch0.fall. With invert, the active level is "
        "low.",
    )
    strikes: tuple[StrikeSignal, ...] = option(
        converter=each(StrikeSignal, parse_strike_signal),
        default=(),
        many=True,
        flag="--strike",
        metavar="SIGNAL[:invert]",
        help="A signal with strikes. Repeat it for each: the first is strike0.",
    )
    device: Mapping[str, str] | None = option(default=None, flag=None)
    """The description of the device under test."""
