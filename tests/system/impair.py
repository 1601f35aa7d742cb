# SPDX-License-Identifier: Apache-2.0
"""A proxy between a host and a simulator that damages bytes, seeded and counted."""

from __future__ import annotations

import random
import select
import socket
import threading
from collections import Counter
from contextlib import suppress
from typing import Self

FAULTS = ("flip", "drop", "insert")


class Impairment:
    """One direction of a link: on average every `bytes_a_fault` bytes one is damaged.

    A fault flips one bit of a byte, drops the byte or inserts a random one before it; two faults
    are at least `apart` bytes from each other. `faults` counts them by kind.
    """

    def __init__(self, bytes_a_fault: int, seed: int, apart: int = 2048) -> None:
        self.faults: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._mean = bytes_a_fault
        self._apart = apart
        self._left = self._gap()

    def _gap(self) -> int:
        return self._apart + int(self._random.expovariate(1 / max(self._mean - self._apart, 1)))

    def damage(self, data: bytes) -> bytes:
        """Return the next bytes of the stream, damaged."""
        out = bytearray()
        at = 0
        while self._left < len(data) - at:
            place = at + self._left
            out += data[at:place]
            kind = self._random.choice(FAULTS)
            self.faults[kind] += 1
            if kind == "flip":
                out.append(data[place] ^ 1 << self._random.randrange(8))
            elif kind == "insert":
                out += bytes((self._random.randrange(256), data[place]))
            at = place + 1
            self._left = self._gap()
        out += data[at:]
        self._left -= len(data) - at
        return bytes(out)


class Stalls:
    """What the instrument sends over a link without flow control whose reader stands at times.

    Of each `every_bytes` the first `kept_bytes` of a stall come, the next `swallowed_bytes` are
    lost. `cut_frames` counts the frames that lost a byte.
    """

    def __init__(self, every_bytes: int, kept_bytes: int, swallowed_bytes: int) -> None:
        self.cut_frames = 0
        self._every_bytes = every_bytes
        self._lost = range(kept_bytes, kept_bytes + swallowed_bytes)
        self._place = every_bytes - 10_000
        self._cut = False

    def damage(self, data: bytes) -> bytes:
        """Return what is left of the next bytes of the stream."""
        out = bytearray()
        for byte in data:
            if self._place % self._every_bytes in self._lost and self._place > self._every_bytes:
                self._cut = True
            else:
                out.append(byte)
            self._place += 1
            if not byte:
                self.cut_frames += self._cut
                self._cut = False
        return bytes(out)


class Proxy:
    """Listens on `port` for one client and passes bytes to and from a simulator.

    `down` impairs what the instrument sends, `up` what the host sends; None: nothing.
    """

    def __init__(
        self, target: int, down: Impairment | Stalls | None = None, up: Impairment | None = None
    ) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._target = target
        self._impairments = down, up
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._listener.close()

    def _run(self) -> None:
        with suppress(OSError):
            host, _ = self._listener.accept()
            with host, socket.create_connection(("127.0.0.1", self._target)) as instrument:
                for end in (host, instrument):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._pass(host, instrument)

    def _pass(self, host: socket.socket, instrument: socket.socket) -> None:
        down, up = self._impairments
        ways = {instrument: (host, down), host: (instrument, up)}
        while not self._closing.is_set():
            for end in select.select([*ways], [], [], 0.1)[0]:
                data = end.recv(1 << 16)
                if not data:
                    return
                other, impairment = ways[end]
                other.sendall(data if impairment is None else impairment.damage(data))
