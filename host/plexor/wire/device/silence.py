# SPDX-License-Identifier: Apache-2.0
"""Why an instrument does not answer, by what came in its place, and what to do next. Pure.

What a host cannot see is not told apart: a board without a bitstream, without a reference or
without lock sends nothing, like one whose lines are swapped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from plexor.base.counts import counted
from plexor.wire.decode.decoder import FaultKind

KEPT_BYTES = 4096
"""First bytes of a link that are looked at."""
_REJECTED_AT_FIRST = 2
"""Break and preamble of a serial port are no commands, and gateware with a set rate says so."""
_LEAST_TEXT_BYTES = 4
_TEXT_SHARE = 0.9
_SHOWN_CHARACTERS = 40


class Cause(StrEnum):
    """What came in place of an answer."""

    NOTHING = "nothing"
    LOW = "low"  # zeros alone: a line that stands low reads as breaks
    ECHO = "echo"  # the host's own commands
    TEXT = "text"  # another device's
    GARBLED = "garbled"  # bytes of which none is part of a frame
    REJECTED = "rejected"  # the instrument's word that commands come damaged
    DROPPED = "dropped"  # some byte values are never carried
    DAMAGED = "damaged"  # frames, some of them whole
    UNANSWERED = "unanswered"  # whole frames, but no answers


@dataclass(slots=True)
class LineExchange:
    """What was sent and what came."""

    command: bytes = b""
    """The command that was sent last, as it went over the link."""
    received: bytes = b""
    """The first KEPT_BYTES that came."""
    frames: int = 0
    """Whole frames."""
    rejected: int = 0
    """Whole frames that say that a command came damaged."""
    faults: Counter[FaultKind] = field(default_factory=Counter[FaultKind])
    """Stretches that are no frames."""
    dropped: Sequence[int] = ()
    """Byte values that the link does not carry."""

    def take(self, data: bytes) -> None:
        """Take what came."""
        self.received += data[: KEPT_BYTES - len(self.received)]

    @property
    def cause(self) -> Cause:
        """What came in place of an answer."""
        filled = self.received.replace(b"\0", b"")
        checks = (
            (not self.received, Cause.NOTHING),
            (not filled, Cause.LOW),
            (self.command.strip(b"\0") in self.received, Cause.ECHO),
            (bool(self.dropped), Cause.DROPPED),
            (self.rejected > _REJECTED_AT_FIRST, Cause.REJECTED),
            (bool(self.frames and self.faults), Cause.DAMAGED),
            (bool(self.frames), Cause.UNANSWERED),
            (_is_text(filled), Cause.TEXT),
        )
        return next((cause for holds, cause in checks if holds), Cause.GARBLED)


def advice(heard: LineExchange, *, serial: bool) -> str:
    """Return what came, and what to do next; `serial`: the link is a serial port."""
    return {
        Cause.NOTHING: _nothing,
        Cause.LOW: _low,
        Cause.ECHO: _echo,
        Cause.TEXT: _text,
        Cause.GARBLED: _garbled,
        Cause.REJECTED: _rejected,
        Cause.DROPPED: _dropped,
        Cause.DAMAGED: _damaged,
        Cause.UNANSWERED: _unanswered,
    }[heard.cause](heard, serial)


def _nothing(heard: LineExchange, serial: bool) -> str:
    del heard
    if not serial:
        return "no byte came; it is another service, or its instrument has no clock"
    return (
        "no byte came: write the bitstream (plexor board flash BOARD); if it is in, the board has "
        "no clock or its PLL no lock; with an adapter swap RX and TX"
    )


def _low(heard: LineExchange, serial: bool) -> str:
    del serial
    return (
        f"the line stands low ({len(heard.received)} breaks or zeros came): switch the board on, "
        "write its bitstream, or put the adapter's RX on the board's TX"
    )


def _echo(heard: LineExchange, serial: bool) -> str:
    del heard
    cause = "the port's TX and RX are joined" if serial else "what listens there is an echo"
    return f"our own commands came back: {cause}; it is no instrument"


def _text(heard: LineExchange, serial: bool) -> str:
    shown = heard.received.decode("ascii", "replace").split("\n")
    line = next((text.strip() for text in shown if text.strip()), "")[:_SHOWN_CHARACTERS]
    hint = "plexor board devices lists the instruments' ports" if serial else "try another address"
    return f"another device sends text ({line!a}): {hint}"


def _garbled(heard: LineExchange, serial: bool) -> str:
    observed = f"{counted(len(heard.received), 'byte')} came and none is part of a frame"
    rate = "the rate is another (?baud=), or this is another device's port"
    return f"{observed}: {rate if serial else 'it is another service'}"


def _rejected(heard: LineExchange, serial: bool) -> str:
    del serial
    return (
        f"the instrument says {heard.rejected} times that commands come damaged: look at the wire "
        "to its RX, at grounds, or take a slower rate"
    )


def _dropped(heard: LineExchange, serial: bool) -> str:
    del serial
    values = ", ".join(f"{value:#04x}" for value in heard.dropped)
    noun = "byte" if len(heard.dropped) == 1 else "bytes"
    return (
        f"this link never carries the {noun} {values}: update the firmware of its USB bridge, or "
        "use another adapter"
    )


def _damaged(heard: LineExchange, serial: bool) -> str:
    del serial
    faults = heard.faults.total()
    return (
        f"{counted(heard.frames, 'frame')} came whole and {faults} damaged: look at cable and "
        "grounds, or "
        "take a slower rate"
    )


def _unanswered(heard: LineExchange, serial: bool) -> str:
    del serial
    return (
        f"{counted(heard.frames, 'frame')} came, none of them an answer: the instrument does not "
        "hear us; "
        "look at the wire to its RX"
    )


def _is_text(filled: bytes) -> bool:
    readable = sum(32 <= byte < 127 or byte in b"\r\n\t\x1b" for byte in filled)
    return len(filled) >= _LEAST_TEXT_BYTES and readable >= _TEXT_SHARE * len(filled)
