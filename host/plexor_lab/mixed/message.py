# SPDX-License-Identifier: Apache-2.0
"""Messages between the host and an executor, over the device's own serial line.

A message is a body and its CRC-16, encoded by COBS, with a zero behind it. So a zero on the line
always ends a message, and what is damaged costs no message behind it. All fields are little-endian:

    to the device, 10 bytes             from the device, 16 bytes
    0  sequence  counts from 0, wraps   0   sequence  of the last good message
    1  kind                             1   kind      4
    2  id                               2   good      messages, 16 bits
    3  ids                              4   time      steps of the timecode, 32 bits
    4  due       steps, 32 bits         8   damaged   messages, 16 bits
    8  CRC                              10  missing   messages, 16 bits
                                        12  refused   entries, 16 bits
                                        14  CRC

The low bits of a step are those of the timecode's pins at that step. Counts stay at 65535 once they
get there.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from plexor.base.counts import counted
from plexor.library.parts.run import DELIMITER, cobs_decode, cobs_encode

DEFAULT_BAUD = 9600
MESSAGE_BYTES = 12
"""A message on the line, with COBS's byte and the zero."""
MOST_ID = 15
MOST_COUNT = 65535
"""Where a device's counts stay."""
_CRC_START = 0xFFFF
_TO_DEVICE = struct.Struct("<BBBBI")
_FROM_DEVICE = struct.Struct("<BBHIHHH")
_CRC = struct.Struct("<H")
_MOST_PENDING = 64
"""Bytes without a zero that are kept: more than a message has."""


class MessageKind(IntEnum):
    """What a message asks of the executor."""

    ENTRY = 1
    """Fire `id` at the step `due`; at once if that is past."""
    VERIFY = 2
    """Fire the ids 0, 1, ... below `ids`, in turn, at `due` and at every `id`-th step behind it."""
    RESET = 3
    """Forget entries and counts. The device's time becomes the first one from `due` on whose low
    bits the timecode's pins show, so a message may be late by less than the timecode's wrap."""
    QUERY = 4
    """Answer with a Reply."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to the device. Raises ValueError for a field out of range."""

    kind: MessageKind
    id: int = 0
    """0 to 15; of VERIFY the steps from one id to the next, 1 to 255."""
    due_steps: int = 0
    """0 to 2**32 - 1."""
    ids: int = 0
    """How many ids VERIFY takes in turn, 1 to 16; otherwise 0."""

    def __post_init__(self) -> None:
        verify = self.kind is MessageKind.VERIFY
        _within("id", self.id, int(verify), 255 if verify else MOST_ID)
        _within("ids", self.ids, int(verify), MOST_ID + 1 if verify else 0)
        _within("due_steps", self.due_steps, 0, 2**32 - 1)

    def encode(self, sequence: int) -> bytes:
        """Return the bytes on the line. `sequence` counts the messages from 0; it wraps at 256."""
        body = _TO_DEVICE.pack(sequence % 256, self.kind, self.id, self.ids, self.due_steps)
        return _on_line(body)

    @classmethod
    def decode(cls, stretch: bytes) -> tuple[int, Message]:
        """Return sequence and message of what was before a zero; raise ValueError if damaged."""
        sequence, kind, number, ids, due = _TO_DEVICE.unpack(_body(stretch, _TO_DEVICE.size))
        return sequence, cls(MessageKind(kind), number, due, ids)


@dataclass(frozen=True, slots=True)
class Reply:
    """What an executor answers to QUERY."""

    sequence: int
    """Of the last good message: the QUERY itself."""
    time_steps: int
    """The device's time when it answered."""
    good: int
    """Messages since the last RESET, that one and the QUERY included."""
    damaged: int
    """Stretches between zeros that are no message, since the last RESET."""
    missing: int
    """Sequence numbers that no good message had, since the last RESET. A damaged message counts
    here as well, once a good one has come behind it."""
    refused: int = 0
    """Entries that found no room, since the last RESET."""

    def encode(self) -> bytes:
        """Return the bytes on the line. Raises ValueError for a field out of range."""
        _within("sequence", self.sequence, 0, 255)
        _within("time_steps", self.time_steps, 0, 2**32 - 1)
        for name in ("good", "damaged", "missing", "refused"):
            _within(name, getattr(self, name), 0, MOST_COUNT)
        body = _FROM_DEVICE.pack(
            *(self.sequence, MessageKind.QUERY, self.good, self.time_steps),
            *(self.damaged, self.missing, self.refused),
        )
        return _on_line(body)

    @classmethod
    def decode(cls, stretch: bytes) -> Reply:
        """Return the reply of what was before a zero; raise ValueError if it is damaged."""
        body = _body(stretch, _FROM_DEVICE.size)
        sequence, kind, good, time_steps, damaged, missing, refused = _FROM_DEVICE.unpack(body)
        if kind != MessageKind.QUERY:
            raise ValueError(f"reply of kind {kind}; must be {MessageKind.QUERY:d}")
        return cls(sequence, time_steps, good, damaged, missing, refused)


class Stretches:
    """Cuts bytes from a line, as they come, at its zeros. Empty stretches are left out."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield each stretch that a zero has ended, without it."""
        *whole, rest = (self._pending + data).split(bytes([DELIMITER]))
        self._pending = rest[:_MOST_PENDING]
        yield from filter(None, whole)


def crc16(data: bytes) -> int:
    """Return CRC-16/CCITT-FALSE: polynomial 0x1021, from 0xFFFF, not reflected."""
    return binascii.crc_hqx(data, _CRC_START)


def _on_line(body: bytes) -> bytes:
    return cobs_encode(body + _CRC.pack(crc16(body))) + bytes([DELIMITER])


def _body(stretch: bytes, size_bytes: int) -> bytes:
    """Return the checked body of a stretch, without its CRC."""
    whole = cobs_decode(stretch)
    if len(whole) != size_bytes + _CRC.size:
        raise ValueError(
            f"message of {counted(len(whole), 'byte')}; must be {size_bytes + _CRC.size}"
        )
    body, crc = whole[:size_bytes], _CRC.unpack(whole[size_bytes:])[0]
    if crc != crc16(body):
        raise ValueError(f"message CRC {crc:#06x}; computed {crc16(body):#06x}")
    return body


def _within(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name}: {value}; must be {least} to {most}")
