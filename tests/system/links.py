# SPDX-License-Identifier: Apache-2.0
"""One run under different links: idle, streaming, stalled, deaf, cut.

The gate starts the strikes, so that they are at the same tick of every simulation however long the
commands that set it up take.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from bench import run, simulator
from wire import (
    ALL_SPACES,
    AllDumped,
    Frames,
    assert_words_equal_truth,
    final_words,
    frames_of,
    start,
)

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space
from plexor.protocol.registers import Action, RunState, Stream, Trigger
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor.wire.link.base import LinkEndError
from plexor_sim.server import Server

NS = Fraction(1, 1_000_000_000)
BUFFER_BYTES = 1 << 17
DEAF_BYTES = 16 * 6 * 40_000
"""Of the truth log: the edges of so many strikes, whose events fill more than lies on the way."""


@dataclass(frozen=True)
class Subject:
    """What is measured: a device, the build, and the strikes' period."""

    device: str
    geometry: Geometry
    period_ns: int
    channels: tuple[Channel, ...] = (Channel(0), Channel(1, reference="ch0.fall"))
    gate_clock: int = 50_000_000
    """Later than any run starts: until then time passes only for what commands take."""

    def settings(self, strikes: int, gate_clock: int) -> Settings:
        """Return a run of so many strikes from the gate on."""
        period_s, tick_s = self.period_ns * NS, Fraction(self.geometry.tick_fs, 10**15)
        return Settings(
            strikes=(
                Stimulus(
                    period_s=period_s,
                    width_s=200 * NS,
                    count=strikes,
                    trigger=Trigger.GATE,
                ),
            ),
            channels=self.channels,
            timeout_s=20 * period_s,
            time_s=self.geometry.samples * gate_clock * tick_s + (strikes + 20) * period_s,
        )


@dataclass(frozen=True)
class Left:
    """What a run leaves: memories, the pins' edges, and how much of the stream was dropped."""

    words: dict[tuple[Space, int], bytes]
    truth: bytes
    start_ticks: int
    upload_dropped: int


def attended(
    subject: Subject, wanted: Settings, log: Path, gate: tuple[str, ...], *stall: str
) -> Left:
    outcome = run(
        subject.device,
        wanted,
        log.parent,
        geometry=subject.geometry,
        arguments=(*gate, *stall),
    )
    found = final_words(frames_of(outcome.wire))
    truth = outcome.golden()
    assert_words_equal_truth(found, truth)
    assert truth.generated[SOURCE_STRIKE] == 2 * wanted.strikes[0].count
    dropped = sum(entry.upload_dropped for entry in outcome.result.accounting.sources)
    assert outcome.result.accounting.holds
    return Left(found, log.read_bytes(), outcome.result.start_ticks, dropped)


def idle(subject: Subject, wanted: Settings, log: Path, gate: tuple[str, ...]) -> Left:
    return attended(subject, replace(wanted, stream=Stream.OFF), log, gate)


def streaming(subject: Subject, wanted: Settings, log: Path, gate: tuple[str, ...]) -> Left:
    return attended(subject, wanted, log, gate)


def stalled(subject: Subject, wanted: Settings, log: Path, gate: tuple[str, ...]) -> Left:
    return attended(subject, wanted, log, gate, "--stall", "0.9,7")


def dumped(device: Device) -> Frames:
    """Wait for the end of a run and dump every memory."""
    frames = Frames()
    device.consumer = frames
    while device.read("status", "state") != RunState.DONE:
        time.sleep(0.1)
    whole = AllDumped(device, frames)
    while not whole():
        # While the dump that ends every run still goes out, another is not taken: ask again.
        device.write("control", "dump_spaces", ALL_SPACES)
        device.write("control", "action", Action.DUMP)
        while not whole() and device.pump(0.5):
            pass
    return frames


class MoodyLink:
    """A TCP link with little room for what is not read, which reads nothing while it is `deaf`."""

    name = serial = "moody"
    bytes_s = None

    def __init__(self, port: int) -> None:
        self.deaf = False
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(("127.0.0.1", port))

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        self._socket.settimeout(timeout_s)
        if self.deaf:
            time.sleep(timeout_s)
            return b""
        try:
            data = self._socket.recv(max_bytes)
        except TimeoutError:
            return b""
        except OSError as error:
            raise LinkEndError("closed") from error
        if not data:
            raise LinkEndError("closed")
        return data

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def unattended(
    subject: Subject,
    wanted: Settings,
    log: Path,
    gate: tuple[str, ...],
    absent: Callable[[Device, Server], Device],
) -> Left:
    """Start a run, be `absent`, and come back for the memories."""
    arguments = (*gate, "--linger", "1000", "--truth", str(log))
    with simulator(subject.device, subject.geometry, arguments, once=False) as server:
        device = Device(MoodyLink(server.port))
        start(device, wanted)
        with absent(device, server) as device:
            found = final_words(dumped(device).frames)
            start_ticks = device.read("status", "start_ticks")
            dropped = device.read("status", "upload_dropped")
    return Left(found, log.read_bytes(), start_ticks, dropped)


def cut(subject: Subject, wanted: Settings, log: Path, gate: tuple[str, ...]) -> Left:
    def absent(device: Device, server: Server) -> Device:
        device.close()
        time.sleep(0.5)
        return Device(open_link(f"tcp://127.0.0.1:{server.port}"))

    return unattended(subject, wanted, log, gate, absent)


def deaf(subject: Subject, wanted: Settings, log: Path, gate: tuple[str, ...]) -> Left:
    def absent(device: Device, server: Server) -> Device:
        del server
        device._link.deaf = True
        while log.stat().st_size < DEAF_BYTES:
            time.sleep(0.2)
        device._link.deaf = False
        return device

    return unattended(subject, wanted, log, (*gate, "--buffer", str(BUFFER_BYTES)), absent)


Scenario = Callable[[Subject, Settings, Path, tuple[str, ...]], Left]
SCENARIOS: dict[str, Scenario] = {"streaming": streaming, "stalled": stalled, "cut": cut}


def left_by(subject: Subject, scenario: Scenario, strikes: int, folder: Path) -> Left:
    """Run with a gate that rises once the run has started, however slow the link is."""
    clock = subject.gate_clock
    wanted = subject.settings(strikes, clock)
    left = scenario(subject, wanted, folder / "truth.bin", ("--gate", str(clock)))
    assert left.start_ticks < subject.geometry.samples * clock
    return left


def assert_same(left: Left, reference: Left) -> None:
    """Assert that nothing but the stream differs."""
    assert left.truth == reference.truth
    assert set(left.words) == set(reference.words)
    for place, image in left.words.items():
        if place[0] != Space.UPLOAD_DROPS:
            assert image == reference.words[place], place
