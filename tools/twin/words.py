# SPDX-License-Identifier: Apache-2.0
"""What a host says to an instrument besides measurements: commands and damaged frames, as bytes."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator, Sequence

from plexor.base.errors import LinkError
from plexor.protocol.frames import (
    Frame,
    FrameType,
    LogCode,
    OpCode,
    cobs_decode,
    to_stream,
)
from plexor.protocol.registers import ADDRESS_BITS, registers
from plexor.wire.link.base import Link

_MOST_S = 20.0
_OWN = {"gateware_hash", "build_id", "time_ticks"}
"""Registers that differ from build to build, or with time."""
_PROBE_NUMBER = 0xA5A5A5
_FIRST_NUMBER = 0x10203


def command(operations: Sequence[tuple[int, int, int]], number: int = _FIRST_NUMBER) -> Frame:
    """Return a command of operations: the word's address, the code and the value of each."""
    payload = b"".join(struct.pack("<HBBI", at, code, 0, value) for at, code, value in operations)
    return Frame(FrameType.COMMAND, 0, len(operations), number, 0, 0, payload)


def told(*operations: tuple[int, int, int]) -> bytes:
    """Return a good command's bytes."""
    return to_stream(command(operations))


def read_words(addresses: Sequence[int]) -> Iterator[bytes]:
    """Yield commands that read words, eight at a time."""
    for start in range(0, len(addresses), 8):
        yield told(*((at, OpCode.READ, 0) for at in addresses[start : start + 8]))


def all_words() -> list[int]:
    """Return the addresses of all words but those that differ from build to build, and holes."""
    left_out = {
        at + word
        for _, _, register, at in registers()
        if register.name in _OWN
        for word in range(register.words)
    }
    return [at for at in range(1 << ADDRESS_BITS) if at not in left_out]


def answers(link: Link, words: Sequence[bytes]) -> list[tuple[int | bytes, ...]]:
    """Say the words, one after the other; return what came, besides times. Raises LinkError."""
    found: list[tuple[int | bytes, ...]] = []
    probe = to_stream(command([(0, OpCode.READ, 0)], _PROBE_NUMBER))
    frames = _frames(link)
    for part in words:
        link.write(part + probe)
        for frame in frames:
            if frame.type == FrameType.RESPONSE and frame.index == _PROBE_NUMBER:
                break
            # A rejected command's time depends on when the link's bytes come.
            base = 0 if frame.tag == LogCode.REJECTED else frame.base_ticks
            found.append((frame.type, frame.flags, frame.tag, frame.index, base, frame.payload))
    return found


def _frames(link: Link) -> Iterator[Frame]:
    """Yield frames as they come. Raises LinkError once none comes for long."""
    heard, kept = time.monotonic(), b""
    while time.monotonic() < heard + _MOST_S:
        kept += link.read(1 << 12, 0.1)
        *whole, kept = kept.split(b"\0")
        for part in filter(None, whole):
            yield Frame.decode(cobs_decode(part))
            heard = time.monotonic()
    raise LinkError("no answer to a command")
