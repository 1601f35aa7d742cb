# SPDX-License-Identifier: Apache-2.0
"""A network between the host and an instrument that is not kind, and what must come of it."""

from __future__ import annotations

import random
import select
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from bench import TRUTH, Outcome, assert_equals_truth

from plexor.model.settings import Settings
from plexor.protocol.frames import DELIMITER, Frame, FrameType, cobs_decode, cobs_encode
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_sim.server import Server

RECEIVE_BYTES = 8 << 20
END = bytes([DELIMITER])


@dataclass
class Unkind:
    """What a network does to datagrams of the instrument: chances, and what it did.

    A frame is lost, comes twice, or is overtaken by 1 to `overtakers` others. What befalls the n-th
    frame of a type depends on the seed alone.
    """

    lose: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0
    overtakers: int = 8
    seed: int = 1
    lost: list[Frame] = field(default_factory=list)
    delivered: list[Frame] = field(default_factory=list)


class Datagrams:
    """A port of UDP on loopback."""

    def __init__(self, port: int) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        self.socket.connect(("127.0.0.1", port))

    def send(self, data: bytes) -> None:
        self.socket.send(data)

    def receive(self) -> list[bytes]:
        return [self.socket.recv(2048)]


class Stream:
    """A port of TCP on loopback, whose byte stream of frames is taken for datagrams."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._begun = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(cobs_encode(data) + END)

    def receive(self) -> list[bytes]:
        *frames, self._begun = (self._begun + self.socket.recv(1 << 16)).split(END)
        return [cobs_decode(frame) for frame in frames if frame]


class UdpProxy:
    """Passes datagrams between one host and an instrument, those to the host as `unkind`."""

    def __init__(self, instrument: Datagrams | Stream, unkind: Unkind) -> None:
        self._unkind = unkind
        self._random = {kind: random.Random(f"{unkind.seed} {kind.name}") for kind in FrameType}
        self._delayed: list[list] = []
        self._near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._near.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        self._near.bind(("127.0.0.1", 0))
        self._far = instrument
        self.port: int = self._near.getsockname()[1]
        self._host = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join(5)
        self._near.close()
        self._far.socket.close()

    def _run(self) -> None:
        with suppress(OSError):
            while not self._closing.is_set():
                ready, _, _ = select.select([self._near, self._far.socket], [], [], 0.02)
                if self._near in ready:
                    data, self._host = self._near.recvfrom(2048)
                    self._far.send(data)
                if self._far.socket in ready:
                    for data in self._far.receive():
                        self._down(data)
                elif not ready:
                    while self._delayed:
                        self._deliver(self._delayed.pop(0)[1])

    def _down(self, data: bytes) -> None:
        unkind, frame = self._unkind, Frame.decode(data)
        rng = self._random[FrameType(frame.type)]
        draw = rng.random()
        for waiting in self._delayed:
            waiting[0] -= 1
        if draw < unkind.lose:
            unkind.lost.append(frame)
        elif draw < unkind.lose + unkind.delay:
            self._delayed.append([rng.randint(1, unkind.overtakers), data])
        else:
            self._deliver(data)
            if draw > 1 - unkind.repeat:
                self._deliver(data)
        while self._delayed and self._delayed[0][0] <= 0:
            self._deliver(self._delayed.pop(0)[1])

    def _deliver(self, data: bytes) -> None:
        self._unkind.delivered.append(Frame.decode(data))
        self._near.sendto(data, self._host)


def measured_over(
    instrument: Datagrams | Stream, unkind: Unkind, wanted: Settings, server: Server, log: Path
) -> Outcome:
    """Measure over an unkind network; assert that what it did is accounted for exactly."""
    with UdpProxy(instrument, unkind) as proxy:
        with Device(open_link(f"udp://127.0.0.1:{proxy.port}")) as device:
            result = measure(device, wanted)
            frames_lost, disorder = device.decoder.frames_lost, device.disorder
    server.close()
    outcome = Outcome(result, np.fromfile(log, TRUTH))
    truth = assert_equals_truth(outcome)
    books = result.accounting
    assert books.holds
    assert books.generated == len(truth.events)
    came = set(result.events["index"].tolist())
    last = max(frame.sequence for frame in unkind.delivered)
    lost = [frame for frame in unkind.lost if frame.sequence < last]
    # Too late for the host is lost too, and said.
    late = {f.sequence: f for f in unkind.delivered if f.index not in came}.values()
    missing = [frame for frame in (*lost, *late) if frame.type == FrameType.EVENTS]
    events = sum(len(frame.payload) // 4 for frame in missing)
    assert books.lost_on_link == events
    assert events > 0
    assert books.generated == books.received + books.dropped_on_chip + events
    assert frames_lost == len(lost) + disorder["late"]
    seen, highest = set(), -1
    behind, twice = 0, 0
    for sequence in (frame.sequence for frame in unkind.delivered):
        twice += sequence in seen
        behind += sequence < highest and sequence not in seen
        seen.add(sequence)
        highest = max(highest, sequence)
    assert disorder["duplicate"] == twice
    assert disorder["reordered"] + disorder["late"] == behind
    assert 0 < books.disorder["reordered"] <= disorder["reordered"]
    places = result.events["index"].astype(np.int64)
    for name in ("time_ticks", "source", "polarity"):
        assert np.array_equal(result.events[name], getattr(truth.events, name)[places]), name
    print(
        f"{books.generated} events = {books.received} received + {books.dropped_on_chip} dropped"
        f" on chip + {books.lost_on_link} lost in {len(lost)} datagrams; {disorder}"
    )
    return outcome
