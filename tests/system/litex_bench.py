"""A simulated LiteX system, LiteX' own client at its bus, and a network that is not kind."""

from __future__ import annotations

import random
import select
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from litex.tools.litex_client import RemoteClient
from tools.litex_sim import simulator

from plexor.protocol.frames import Frame
from plexor.protocol.geometry import Geometry
from plexor_sim.packages import default_cache
from plexor_sim.server import Server


@dataclass(frozen=True)
class System:
    """A running system: the ports of its frames and of Etherbone or UARTBone, and its map."""

    frames_port: int
    bus_port: int
    folder: Path
    server: Server


@contextmanager
def serving(
    dut: str, geometry: Geometry, arguments: tuple[str, ...] = (), *, uart: bool = False
) -> Iterator[System]:
    """Serve a simulated system; with `uart` frames and UARTBone have one port in turn."""
    executable, folder, options = simulator(geometry, dut, default_cache(), uart=uart)
    with Server(executable, options, arguments) as server:
        if uart:
            yield System(server.port, server.port, folder, server)
            return
        name, _, port = server.read_line().rpartition(":")
        assert name == "etherbone 127.0.0.1"
        yield System(server.port, int(port), folder, server)


@contextmanager
def remote_client(system: System, kind: str = "udp") -> Iterator[RemoteClient]:
    """Return LiteX' client, at LiteX' server, at the system's Etherbone or ("uart") UARTBone."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(Path(__file__).with_name("litex_remote.py"))]
    with subprocess.Popen(
        [*command, kind, str(system.bus_port), str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        with warnings.catch_warnings():
            # LiteX leaves the closing of its map to the garbage collector.
            warnings.simplefilter("ignore", ResourceWarning)
            client = RemoteClient("127.0.0.1", port, csr_csv=str(system.folder / "csr.csv"))
        try:
            assert server.stdout is not None
            while server.stdout.readline().strip() != "ready":
                assert server.poll() is None, "LiteX' server has ended"
            client.open()
            yield client
        finally:
            client.close()
            server.kill()


def read_memory(client: RemoteClient, name: str) -> list[int]:
    """Return the words of one of the instrument's memories."""
    memory = getattr(client.mems, name)
    words: list[int] = []
    for first in range(0, memory.size, 4 * 64):
        count = min(64, (memory.size - first) // 4)
        words += client.read(memory.base + first, length=count)
    return words


@dataclass
class Unkind:
    """What a network does to datagrams of the instrument: chances, and what it did.

    A frame is lost, comes twice, or is overtaken by 1 to `overtakers` others.
    """

    lose: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0
    overtakers: int = 8
    seed: int = 1
    lost: list[Frame] = field(default_factory=list)
    delivered: list[Frame] = field(default_factory=list)


class UdpProxy:
    """Passes datagrams between one host and a port on loopback, those to the host as `unkind`."""

    def __init__(self, target: int, unkind: Unkind) -> None:
        self._unkind, self._random = unkind, random.Random(unkind.seed)
        self._delayed: list[list] = []
        self._near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for each in (self._near, self._far):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
            each.bind(("127.0.0.1", 0))
        self._far.connect(("127.0.0.1", target))
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
        self._far.close()

    def _run(self) -> None:
        with suppress(OSError):
            while not self._closing.is_set():
                ready, _, _ = select.select([self._near, self._far], [], [], 0.02)
                if self._near in ready:
                    data, self._host = self._near.recvfrom(2048)
                    self._far.send(data)
                if self._far in ready:
                    self._down(self._far.recv(2048))
                elif not ready:
                    while self._delayed:
                        self._deliver(self._delayed.pop(0)[1])

    def _down(self, data: bytes) -> None:
        unkind, rng = self._unkind, self._random
        draw = rng.random()
        for waiting in self._delayed:
            waiting[0] -= 1
        if draw < unkind.lose:
            unkind.lost.append(Frame.decode(data))
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
