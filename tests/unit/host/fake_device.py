# SPDX-License-Identifier: Apache-2.0
"""A Plexor in a few lines of Python, behind a TCP port: canned runs, and lies on request.

Written from docs/instrument.md and plexor.protocol; no code of the host is used.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable

from plexor.protocol import registers as r
from plexor.protocol.frames import (
    MAX_WORDS,
    OPERATION,
    SOURCES,
    EventFlag,
    Frame,
    FrameType,
    LogCode,
    MemoryFlag,
    OpCode,
    OpStatus,
    cobs_decode,
    event_word,
    to_stream,
)
from plexor.protocol.geometry import MAGIC, PROTOCOL_VERSION
from plexor.protocol.memory import CLASSES, HISTOGRAM_SPACES, Space, banks

from .scenario import START_TICKS, Scenario


class FakeDevice:
    """Serves one client after the other.

    `send_hook` sees each frame's bytes and returns what is sent, or None.
    `endless`: the run lasts until STOP. `mute_after`: commands after which nothing is answered.
    `clock` gives its time in ticks at each command; without it, time stands.
    `deaf_to`: so many START are answered and ignored, as while a dump goes out. `snapshots`: so
    many are sent after the events, if the run asks for snapshots.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        identity: dict[str, int] | None = None,
        endless: bool = False,
        events_a_frame: int = 7,
        send_hook: Callable[[Frame, bytes], bytes | None] = lambda frame, data: data,
        mute_after: int | None = None,
        close_after_events: int | None = None,
        overrides: dict[tuple[str, str, int], int] | None = None,
        trace: bool = False,
        first_words: bytes = b"",
        deaf_to: int = 0,
        snapshots: int = 0,
        clock: Callable[[], int] | None = None,
    ) -> None:
        self.scenario = scenario
        self.endless = endless
        self.events_a_frame = events_a_frame
        self.send_hook = send_hook
        self.mute_after = mute_after
        self.close_after_events = close_after_events
        self.overrides = overrides or {}
        self.trace = trace
        self.first_words = first_words
        self.deaf_to = deaf_to
        self.snapshots = snapshots
        self.clock = clock
        self.words: dict[int, int] = {}
        self.written: list[tuple[int, int]] = []
        self.starts = 0
        self.started_anew = False
        """Whether a run was started while an earlier one went on."""
        self.connections = 0
        self.commands = 0
        self.rejected = 0
        self.sequence = 0
        self.banks = scenario.memories()
        geometry = scenario.geometry
        board = int.from_bytes(geometry.board.encode().ljust(8, b"\0"), "little")
        named = {
            "magic": MAGIC,
            "protocol_version": PROTOCOL_VERSION,
            "gateware_hash": 0x1122334455667788,
            "board": board,
            "features": int(geometry.features),
        }
        for entry in r.IDENTITY.registers:
            value = named.get(entry.name)
            self.set(
                "identity", entry.name, getattr(geometry, entry.name, 0) if value is None else value
            )
        for name, value in (identity or {}).items():
            self.set("identity", name, value)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def set(self, block: str, name: str, value: int, copy: int = 0) -> None:
        """Set a register."""
        for offset in range(r.register(block, name).words):
            self.words[r.address(block, name, copy) + offset] = value >> 32 * offset & 0xFFFFFFFF

    def get(self, block: str, name: str, copy: int = 0) -> int:
        """Return a register, unsigned."""
        base = r.address(block, name, copy)
        words = range(r.register(block, name).words)
        return sum(self.words.get(base + n, 0) << 32 * n for n in words)

    def close(self) -> None:
        """End the connection."""
        for end in (self._listener, self._socket):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._thread.join(5)

    def __enter__(self) -> FakeDevice:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        try:
            while True:
                self._socket, _ = self._listener.accept()
                self.connections += 1
                with self._socket:
                    self._talk(self._socket)
        except OSError:
            return

    def _talk(self, client: socket.socket) -> None:
        """Answer a client until it leaves."""
        if self.first_words:
            client.sendall(self.first_words)
        pending = b""
        while data := client.recv(4096):
            *frames, pending = (pending + data).split(b"\0")
            for encoded in frames:
                if not encoded:
                    continue
                try:
                    frame = Frame.decode(cobs_decode(encoded))
                except ValueError:
                    self.rejected += 1
                    self.send(FrameType.LOG, 0, LogCode.REJECTED, self.rejected)
                else:
                    self._command(frame)

    def send(self, type_: int, flags=0, tag=0, index=0, base=0, payload=b"") -> None:
        """Send a frame; the hook may change or swallow it."""
        frame = Frame(type_, flags, tag, self.sequence, index, base, payload)
        self.sequence = (self.sequence + 1) % (1 << 32)
        data = self.send_hook(frame, to_stream(frame))
        if data and self._socket is not None:
            self._socket.sendall(data)

    def _command(self, frame: Frame) -> None:
        self.commands += 1
        if self.mute_after is not None and self.commands > self.mute_after:
            return
        if self.clock is not None:
            self.set("status", "time_ticks", self.clock())
        answers, actions = b"", 0
        for start in range(0, len(frame.payload), OPERATION.size_bytes):
            operation = OPERATION.unpack(frame.payload[start : start + OPERATION.size_bytes])
            place = operation["address"]
            if operation["code"] == OpCode.WRITE:
                self.written.append((place, operation["value"]))
                if place == r.address("control", "action"):
                    actions |= operation["value"]
                else:
                    self.words[place] = operation["value"]
            else:
                operation["value"] = self.words.get(place, 0)
            operation["status"] = OpStatus.OK
            answers += OPERATION.pack(operation)
        self.send(FrameType.RESPONSE, 0, len(frame.payload) // 8, frame.sequence, 0, answers)
        if actions & r.Action.START:
            self.started_anew |= self.get("status", "state") == r.RunState.RUNNING
            if self.deaf_to:
                self.deaf_to -= 1
            else:
                self._run()
        if actions & r.Action.STOP and self.get("status", "state") == r.RunState.RUNNING:
            self._finish(r.StopReason.COMMAND)
        if actions & r.Action.DUMP:
            self._dump(self.get("control", "dump_spaces"))
            self.send(FrameType.LOG, 0, LogCode.DUMPED)
        if actions & r.Action.TRACE:
            events = self.scenario.events[:5]
            self.send(FrameType.TRACE, 0, 0, 0, START_TICKS, _words(events, START_TICKS))
            self.send(FrameType.LOG, 0, LogCode.DUMPED)

    def _run(self) -> None:
        self.starts += 1
        self.set("status", "state", r.RunState.RUNNING)
        # No two runs start at one time.
        start_ticks = START_TICKS + self.starts - 1
        self.set("status", "start_ticks", start_ticks)
        self.set("status", "time_ticks", START_TICKS + 50)
        self.send(FrameType.LOG, 0, LogCode.STARTED, 0, start_ticks)
        if self.get("control", "stream") == r.Stream.LIVE:
            self._stream()
        if self.get("control", "report_clocks"):
            for number in range(1, self.snapshots + 1):
                self._dump(self.get("control", "report_spaces"), number)
        if not self.endless and self._socket is not None:
            self._finish(r.StopReason.STRIKES)

    def _stream(self) -> None:
        scenario = self.scenario
        kept = [n for n in range(len(scenario.events)) if n not in set(scenario.upload_dropped)]
        sent, gap = 0, False
        while kept:
            run = 1
            while run < min(self.events_a_frame, len(kept)) and kept[run] == kept[0] + run:
                run += 1
            events = scenario.events[kept[0] : kept[0] + run]
            flags = EventFlag.GAP if gap or (not sent and kept[0]) else 0
            self.send(
                FrameType.EVENTS, flags, 0, kept[0], events[0][0], _words(events, events[0][0])
            )
            last = kept[run - 1]
            kept = kept[run:]
            gap = bool(kept) and kept[0] != last + 1
            sent += run
            if self.close_after_events is not None and sent >= self.close_after_events:
                assert self._socket is not None
                self._socket.shutdown(socket.SHUT_RDWR)
                raise OSError("closed as asked")

    def _finish(self, reason: r.StopReason) -> None:
        scenario = self.scenario
        flags = r.StatusFlag.TRIGGERED if self.trace else 0
        for name, value in (
            ("state", r.RunState.DONE),
            ("stop_reason", reason),
            ("flags", flags),
            ("time_ticks", scenario.end_ticks),
            ("end_ticks", scenario.end_ticks),
            ("events", len(scenario.events) + scenario.dropped_before_merge),
            ("upload_dropped", len(scenario.upload_dropped)),
            ("trigger_index", 3 if self.trace else 0),
            ("trigger_ticks", scenario.events[3][0] if self.trace else 0),
        ):
            self.set("status", name, value)
        for source in range(SOURCES):
            edges = sum(event[1] == source for event in scenario.events)
            dropped = scenario.dropped_before_merge if source == 1 else 0
            self.set("source", "generated", edges + dropped, source)
            self.set("source", "dropped", dropped, source)
        for (block, name, copy), value in self.overrides.items():
            self.set(block, name, value, copy)
        self.send(FrameType.LOG, 0, LogCode.STOPPED, reason, scenario.end_ticks)
        self._dump(self.get("control", "final_spaces"))
        if self.get("control", "stream") == r.Stream.AFTER:
            self._stream()

    def _enabled_only(self, words: list[int]) -> list[int]:
        """Counts of classes without those of channels that are not enabled: they have none."""
        size = 2 * CLASSES
        return [
            word if self.get("channel", "enable", place // size) else 0
            for place, word in enumerate(words)
        ]

    def _dump(self, spaces: int, snapshot: int = 0) -> None:
        """Send memories, of two banks the one that the snapshot froze; without a number, all."""
        geometry = self.scenario.geometry
        for (space, bank), words in self.banks.items():
            frozen = not snapshot or banks(geometry, space) == 1 or bank == 1 - snapshot % 2
            if not spaces >> space & 1 or not frozen:
                continue
            kind = FrameType.HISTOGRAM if space in HISTOGRAM_SPACES else FrameType.STATISTICS
            known = self._enabled_only(words) if space == Space.CLASSES else words
            for start in range(0, len(words), MAX_WORDS):
                piece = known[start : start + MAX_WORDS]
                flags = space | (MemoryFlag.BANK if bank else 0)
                flags |= 0 if snapshot else MemoryFlag.FINAL
                flags |= MemoryFlag.LAST if start + MAX_WORDS >= len(words) else 0
                payload = struct.pack(f"<{len(piece)}I", *piece)
                self.send(kind, flags, snapshot, start, self.scenario.end_ticks, payload)
        if snapshot:
            self.send(FrameType.LOG, 0, LogCode.DUMPED, snapshot, self.scenario.end_ticks)


def _words(events, base: int) -> bytes:
    words = [event_word(t - base, source, polarity) for t, source, polarity in events]
    return struct.pack(f"<{len(words)}I", *words)


def wait_until(claim: Callable[[], bool], timeout_s: float = 60.0) -> bool:
    """Return whether a claim comes true in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if claim():
            return True
        time.sleep(0.005)
    return False
