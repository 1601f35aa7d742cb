# SPDX-License-Identifier: Apache-2.0
"""Counts what a reader of a link without flow control loses beside a busy decoder."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Protocol

from plexor.protocol.frames import (
    MAX_WORDS,
    SOURCE_CHANNEL,
    SOURCE_STRIKE,
    WORD_BYTES,
    Frame,
    FrameType,
    cobs_encode,
    event_word,
)
from plexor.wire.decode.batch import EventBatch
from plexor.wire.decode.decoder import Decoder
from plexor.wire.link.ahead import Ahead
from plexor.wire.link.base import LinkEndError, Reader

_TERMINAL_BYTES = 4096
_STEP_S = 0.0005
_OPEN_S = 0.5
"""Time that a reader has to begin, as a run's start takes longer."""
_STRIKE_TICKS = 4000
_LATENCY_TICKS = 900


@dataclass(frozen=True)
class Lost:
    """What came of a stream."""

    sent_bytes: int
    lost_bytes: int
    decoded_events: int


def stream(size_bytes: int) -> bytes:
    """Return full frames of strikes and their answers, at least so many bytes."""
    out = bytearray()
    words = b"".join(
        event_word(strike * _STRIKE_TICKS + later_ticks, source, 1).to_bytes(WORD_BYTES, "little")
        for strike in range(MAX_WORDS // 2)
        for later_ticks, source in ((0, SOURCE_STRIKE), (_LATENCY_TICKS, SOURCE_CHANNEL))
    )
    sequence = 0
    while len(out) < size_bytes:
        base_ticks = sequence * MAX_WORDS // 2 * _STRIKE_TICKS
        frame = Frame(FrameType.EVENTS, 0, 0, sequence, sequence * MAX_WORDS, base_ticks, words)
        out += cobs_encode(frame.encode()) + b"\0"
        sequence += 1
    return bytes(out)


def _send(port: int, rate: float, chip_bytes: int, data: bytes, said: Connection) -> None:
    """Send at the link's rate. What finds no room in the terminal waits in the chip, or is lost."""
    os.set_blocking(port, False)
    time.sleep(_OPEN_S)
    gone, lost, due = 0, 0, 0.0
    before = time.monotonic()
    while gone < len(data):
        now = time.monotonic()
        # A real link does not pause. If this process was held up, that is no time of the link's.
        due = min(due + min(now - before, _STEP_S) * rate, len(data))
        before = now
        while gone < int(due):
            try:
                gone += os.write(port, data[gone : min(gone + 512, int(due))])
            except BlockingIOError:
                break
        over = int(due) - gone - chip_bytes
        if over > 0:
            gone, lost = gone + over, lost + over
        time.sleep(_STEP_S / 5)
    os.close(port)
    said.send(lost)


class _OwnThread:
    """A link that the host's thread reads."""

    name, serial, bytes_s = "pipe", "pipe", None

    def __init__(self, port: int) -> None:
        self._port = port

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Read as a serial port is read where there is no other process."""
        if not select.select([self._port], [], [], timeout_s)[0]:
            return b""
        data = os.read(self._port, max_bytes)
        if not data:
            raise LinkEndError("pipe: ended")
        return data

    def write(self, data: bytes) -> None:
        """Take nothing."""

    def close(self) -> None:
        """Leave the pipe open."""


class _OwnProcess(_OwnThread):
    """A link that a process of its own reads."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._ahead = Ahead(port)

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return what the process has read."""
        try:
            return self._ahead.read(max_bytes, timeout_s)
        except OSError as error:
            raise LinkEndError("pipe: ended") from error

    def close(self) -> None:
        """End the process."""
        self._ahead.close()


class _Measure(Protocol):
    def __call__(self, seconds: float, rate: float, chip_bytes: int) -> Lost: ...


def _lost_by(kind: Callable[[int], _OwnThread]) -> _Measure:
    def measure(seconds: float, rate: float, chip_bytes: int) -> Lost:
        data = stream(int(seconds * rate))
        port, far = os.pipe()
        fcntl.fcntl(far, fcntl.F_SETPIPE_SZ, _TERMINAL_BYTES)
        told, tells = multiprocessing.Pipe(duplex=False)
        sender = multiprocessing.get_context("fork").Process(
            target=_send, args=(far, rate, chip_bytes, data, tells)
        )
        link = kind(port)
        sender.start()
        os.close(far)
        decoded = _decode_all_the_time(Reader(link))
        lost = told.recv()
        sender.join()
        link.close()
        os.close(port)
        return Lost(len(data), lost, decoded)

    return measure


def _decode_all_the_time(reader: Reader) -> int:
    """Decode what comes, and between two chunks the last one again; return the events."""
    decoder, events, last = Decoder(), 0, b""
    try:
        while True:
            data = reader.take(0.0001)
            for part in decoder.feed(data) if data else ():
                events += len(part.words) if isinstance(part, EventBatch) else 0
            last = data or last
            Decoder().feed(last)
    except LinkEndError:
        return events


lost_by_a_thread = _lost_by(_OwnThread)
lost_by_a_process = _lost_by(_OwnProcess)
