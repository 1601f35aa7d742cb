# SPDX-License-Identifier: Apache-2.0
"""Frames: their types, header, event words, commands, and the byte stream's framing.

On a byte stream a frame is COBS(header | words | CRC-32) followed by 0x00. A datagram holds one
frame without COBS. COBS: Cheshire and Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM
Transactions on Networking 7(2), 1999. The CRC-32 is that of ISO 3309, as in `zlib.crc32`. It covers
header and words, and is appended little-endian.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from plexor.protocol.records import Field, Record

DELIMITER = 0x00
"""Ends each frame on a byte stream."""
CRC_BYTES = 4
"""Length of the CRC."""
WORD_BYTES = 4
"""Length of a payload word."""
MAX_WORDS = 250
"""Maximum payload words of a frame; with header and CRC about 1 KiB."""
MAX_OPERATIONS = 16
"""Maximum operations of a command frame."""


class FrameType(IntEnum):
    """What a frame carries."""

    EVENTS = 1  # event words, in time order
    HISTOGRAM = 2  # words of a histogram memory space
    STATISTICS = 3  # words of a counter or statistics memory space
    LOG = 4  # no words: `tag` is a LogCode, `index` its argument, `base_ticks` its time
    COMMAND = 5  # host to device: operations
    RESPONSE = 6  # device to host: the operations, with status and values
    TRACE = 7  # event words kept around a trigger


class EventFlag(IntFlag):
    """`flags` of EVENTS and TRACE frames."""

    GAP = 1  # events were dropped on the chip just before the first event of this frame


class MemoryFlag(IntFlag):
    """`flags` of HISTOGRAM and STATISTICS frames; the low four bits are the memory space."""

    BANK = 0x10  # the bank that the words are from: 0 or 1
    FINAL = 0x20  # the space was dumped after the end of the run
    LAST = 0x40  # this is the last frame of this space and bank in the dump


SPACE_MASK = 0x0F


class LogCode(IntEnum):
    """`tag` of a LOG frame."""

    STARTED = 1  # index: 0; base: the run's first tick
    STOPPED = 2  # index: StopReason; base: the tick after the run's last
    TRIGGERED = 3  # index: that of the event that broke the threshold; base: its time
    DUMPED = 4  # every frame of a requested dump has been sent; index: the snapshot's number
    REJECTED = 5  # index: command frames rejected so far (framing, CRC or length)
    SIMULATED = 6  # sent first by what simulates a whole board; index: the link's bytes per second


HEADER = Record(
    "header",
    "Starts every frame.",
    (
        Field("type", 8, "", "FrameType"),
        Field("flags", 8, "", "by type: EventFlag, or MemoryFlag and the memory space"),
        Field("tag", 16, "", "by type: LogCode, snapshot number, operations in a response; else 0"),
        Field("sequence", 32, "frames", "number of this frame, from 0 at reset; wraps"),
        Field(
            "index",
            64,
            "events",
            "by type: index of the first event, counted before any FIFO; or word offset in a "
            "memory space and, from bit 32 up, the number of zero words left out before it; "
            "or the command's sequence in a response",
        ),
        Field("base_ticks", 64, "ticks", "event words count from this time; time of the snapshot"),
    ),
)

# The event word, from bit 0 up.
DELTA_BITS = 26  # ticks since the header's base_ticks, not since the previous event
SOURCE_BITS = 5
POLARITY_BITS = 1
MAX_DELTA_TICKS = (1 << DELTA_BITS) - 1
SOURCE_SHIFT = DELTA_BITS
POLARITY_SHIFT = DELTA_BITS + SOURCE_BITS

# Sources of events.
MAX_CHANNELS = 8
MAX_STRIKES = 8
SOURCE_CHANNEL = 0  # 0 to 7: response channels
SOURCE_STRIKE = 8  # 8 to 15: strike outputs
SOURCE_LOAD = 16  # the load output
SOURCE_STEP = 17  # ends of steps of the sweep table
SOURCE_CODE = 18  # the time of a code
SOURCE_CODE_VALUE = 19  # the value of the code just before, in place of the delta
SOURCES = 20

# The value of a code, from bit 0 up.
CODE_BITS = 16
SKEW_BITS = 4  # core clocks from the first changed bit to the last one
SKEW_SHIFT = CODE_BITS
TORN = 1 << (SKEW_SHIFT + SKEW_BITS)  # the code may be wrong: the port did not settle
VALUE_BITS = SKEW_SHIFT + SKEW_BITS + 1


def event_word(delta_ticks: int, source: int, polarity: int) -> int:
    """Return an event word; polarity 1 is the edge to the active level."""
    if not 0 <= delta_ticks <= MAX_DELTA_TICKS:
        raise ValueError(f"event.delta_ticks: {delta_ticks} does not fit in {DELTA_BITS} bits")
    if not 0 <= source < SOURCES:
        raise ValueError(f"event.source: {source}; must be 0 to {SOURCES - 1}")
    return delta_ticks | source << SOURCE_SHIFT | (polarity & 1) << POLARITY_SHIFT


def split_event_word(word: int) -> tuple[int, int, int]:
    """Return (delta_ticks, source, polarity) of an event word."""
    source = word >> SOURCE_SHIFT & (1 << SOURCE_BITS) - 1
    return word & MAX_DELTA_TICKS, source, word >> POLARITY_SHIFT & 1


ZEROS_SHIFT = 32


def split_place(index: int) -> tuple[int, int]:
    """Return (word offset, words of zeros left out before it) of a memory frame's index."""
    return index & (1 << ZEROS_SHIFT) - 1, index >> ZEROS_SHIFT


class OpCode(IntEnum):
    """What an operation does with one 32-bit register word."""

    READ = 1
    WRITE = 2


class OpStatus(IntEnum):
    """How an operation ended."""

    OK = 0
    NO_REGISTER = 1  # there is no register word at that address
    READ_ONLY = 2
    RUNNING = 3  # the register can only be written while no run is under way
    NO_OPERATION = 4  # the code is not an OpCode


OPERATION = Record(
    "operation",
    "One operation of a command. The response repeats it with status and value.",
    (
        Field("address", 16, "words", "register word address"),
        Field("code", 8, "", "OpCode"),
        Field("status", 8, "", "OpStatus; 0 in a command"),
        Field("value", 32, "", "value to write, or value read"),
    ),
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame off the wire: header fields and payload bytes (a multiple of four)."""

    type: int
    flags: int
    tag: int
    sequence: int
    index: int
    base_ticks: int
    payload: bytes = b""

    def encode(self) -> bytes:
        """Return header, payload and CRC."""
        body = HEADER.pack(
            {
                "type": self.type,
                "flags": self.flags,
                "tag": self.tag,
                "sequence": self.sequence,
                "index": self.index,
                "base_ticks": self.base_ticks,
            }
        )
        body += self.payload
        return body + zlib.crc32(body).to_bytes(CRC_BYTES, "little")

    @classmethod
    def decode(cls, data: bytes) -> Frame:
        """Return the frame in `data` (without COBS); raise ValueError for length or CRC."""
        words, odd = divmod(len(data) - HEADER.size_bytes - CRC_BYTES, WORD_BYTES)
        if words < 0 or odd or words > MAX_WORDS:
            raise ValueError(f"frame of {len(data)} bytes; must be header, whole words and CRC")
        body, crc = data[:-CRC_BYTES], int.from_bytes(data[-CRC_BYTES:], "little")
        if zlib.crc32(body) != crc:
            raise ValueError(f"frame CRC {crc:#010x}; computed {zlib.crc32(body):#010x}")
        header = HEADER.unpack(body[: HEADER.size_bytes])
        return cls(**header, payload=body[HEADER.size_bytes :])


def cobs_encode(data: bytes) -> bytes:
    """Return `data` without zero bytes, the delimiter not included."""
    out = bytearray()
    for block in data.split(b"\0"):
        start = 0
        while len(block) - start >= 254:
            out.append(255)
            out += block[start : start + 254]
            start += 254
        out.append(len(block) - start + 1)
        out += block[start:]
    return bytes(out)


def cobs_decode(data: bytes) -> bytes:
    """Return what `cobs_encode` was given; raise ValueError where `data` is no encoding."""
    out = bytearray()
    position = 0
    while position < len(data):
        code = data[position]
        block = data[position + 1 : position + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            raise ValueError(f"COBS code {code} at byte {position} of {len(data)} does not fit")
        out += block
        position += code
        if code != 255 and position < len(data):
            out.append(0)
    return bytes(out)


def simulated_frame(bytes_s: int) -> Frame:
    """Return what a simulated board says ahead of its gateware, which takes itself for real.

    `bytes_s` is what the board's link carries each way, in simulated time; 0: not known. The
    gateware's frames, which count from 0, step back behind this one's sequence: none is lost.
    """
    return Frame(FrameType.LOG, 0, LogCode.SIMULATED, (1 << 31) - 1, bytes_s, 0)


def to_stream(frame: Frame) -> bytes:
    """Return the frame as it goes over a byte stream, delimiter included."""
    return cobs_encode(frame.encode()) + bytes([DELIMITER])
