# SPDX-License-Identifier: Apache-2.0
"""A simulated LiteX system, and LiteX' own client at its bus."""

from __future__ import annotations

import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from litex.tools.litex_client import RemoteClient
from tools.litex_sim import simulator

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
