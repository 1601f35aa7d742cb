# SPDX-License-Identifier: Apache-2.0
"""Runs of a simulated instrument with a code port, told register by register."""

import socket
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from bench import CORE, SMALL

from plexor.protocol.frames import (
    DELIMITER,
    OPERATION,
    Frame,
    FrameType,
    LogCode,
    OpCode,
    cobs_decode,
    to_stream,
)
from plexor.protocol.registers import Action, StopOn, Stream, address, register
from plexor.wire.decode.batch import EventBatch, batch_of
from plexor_sim.packages import default_cache
from plexor_sim.serve import Prepared, prepare
from plexor_sim.server import Server

CLOCK_PS = 8000
TRACES = 5
"""Frames of a full ring of codes: twice `ring_depth` events, MAX_WORDS at most in each."""


class Link:
    """A raw link to a simulator: one operation in each command."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.socket.settimeout(30)
        self.frames: list[Frame] = []
        self._bytes = b""
        self._commands = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def read(self) -> Frame:
        """Return the next frame; delimiters without anything between them are none."""
        while bytes([DELIMITER]) not in self._bytes.lstrip(bytes([DELIMITER])):
            data = self.socket.recv(1 << 16)
            assert data
            self._bytes += data
        whole = self._bytes.lstrip(bytes([DELIMITER]))
        head, _, self._bytes = whole.partition(bytes([DELIMITER]))
        frame = Frame.decode(cobs_decode(head))
        self.frames.append(frame)
        return frame

    def operate(self, code: OpCode, place: int, value: int = 0) -> int:
        """Read or write one register word."""
        payload = OPERATION.pack({"address": place, "code": code, "status": 0, "value": value})
        frame = Frame(FrameType.COMMAND, 0, 0, self._commands, 0, 0, payload)
        self._commands += 1
        self.socket.sendall(to_stream(frame))
        while (answer := self.read()).type != FrameType.RESPONSE:
            pass
        result = OPERATION.unpack(answer.payload)
        assert result["status"] == 0, result
        return result["value"]

    def write(self, block: str, name: str, value: int, copy: int = 0) -> None:
        """Write a register."""
        for word in range(register(block, name).words):
            self.operate(OpCode.WRITE, address(block, name, copy) + word, value >> 32 * word)

    def get(self, block: str, name: str, copy: int = 0) -> int:
        """Read a register."""
        words = range(register(block, name).words)
        place = address(block, name, copy)
        return sum(self.operate(OpCode.READ, place + word) << 32 * word for word in words)


@cache
def ready() -> Prepared:
    """Return the simulator."""
    return prepare("synthetic", SMALL, default_cache(), core=CORE)


def served(options: str, arguments: Sequence[str] = ()) -> Server:
    """Serve it with a device's options."""
    return Server(ready().executable, options, (*ready().arguments, *arguments))


def plant(path: Path, codes: Sequence[tuple[int, int]]) -> Path:
    """Write (time_ps, value) as the synthetic device reads them."""
    path.write_text("".join(f"{time_ps} {value}\n" for time_ps, value in codes))
    return path


def coded_run(
    options: str,
    settings: Mapping[tuple[str, str], int],
    run_ticks: int,
    arguments: Sequence[str] = (),
    kind: FrameType = FrameType.EVENTS,
) -> tuple[EventBatch, Mapping[str, int]]:
    """Return the events of a run, or with TRACE those of its ring, and its counts."""
    with served(options, arguments) as server, Link(server.port) as link:
        link.write("control", "stream", Stream.LIVE)
        link.write("control", "stop_on", StopOn.TIME)
        link.write("control", "run_time_ticks", run_ticks)
        for (block, name), value in settings.items():
            link.write(block, name, value)
        link.write("control", "action", Action.START)
        while not any(f.type == FrameType.LOG and f.tag == LogCode.STOPPED for f in link.frames):
            link.read()
        counts = {
            "start_ticks": link.get("status", "start_ticks"),
            "events": link.get("status", "events"),
            "upload_dropped": link.get("status", "upload_dropped"),
            "masked": link.get("status", "masked"),
            "stop_reason": link.get("status", "stop_reason"),
        }
        for source in (18, 19):
            for name in ("generated", "dropped"):
                counts[f"{name}{source}"] = link.get("source", name, source)
        if kind == FrameType.TRACE:
            link.write("control", "action", Action.TRACE)
            # The answers come between the frames.
            while sum(frame.type == kind for frame in link.frames) < TRACES:
                link.get("status", "state")
    frames = [frame for frame in link.frames if frame.type == kind]
    return batch_of(frames), counts


def codes_of(batch: EventBatch) -> np.ndarray:
    """Return (time_ticks, value) of each code; each must be a pair of neighbours in a frame."""
    sources, times, values = batch.sources(), batch.time_ticks(), batch.values()
    firsts = np.flatnonzero(sources == 18)
    assert np.array_equal(firsts + 1, np.flatnonzero(sources == 19))
    assert np.array_equal(batch.indices()[firsts] + 1, batch.indices()[firsts + 1])
    assert np.array_equal(times[firsts], times[firsts + 1])
    frames = np.repeat(np.arange(len(batch.counts)), batch.counts)
    assert np.array_equal(frames[firsts], frames[firsts + 1])
    return np.stack([times[firsts].astype(np.int64), values[firsts + 1].astype(np.int64)], axis=1)
