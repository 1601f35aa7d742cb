# SPDX-License-Identifier: Apache-2.0
"""Frames as datagrams: whole or not at all, to whoever asked last, and every loss counted."""

from __future__ import annotations

import random
from collections.abc import Generator
from types import SimpleNamespace

import pytest
from liteeth.common import eth_udp_user_description
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen.sim import passive, run_simulation

from plexor_soc import datagrams
from plexor_soc.core import FRAME_BYTE, FRAME_WORD
from plexor_soc.datagrams import FRAMES_PORT, Datagrams

CLOCKS = {"sys": 20, "core": 10}
HOST, OTHER = (0xC0A8_0102, 5000), (0xC0A8_0103, 6001)
LONGEST_WORDS, RECEIVED_WORDS = 16, 24


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate small memories for short datagrams: it is much faster."""
    monkeypatch.setattr(datagrams, "MOST_DATAGRAM_WORDS", LONGEST_WORDS)
    monkeypatch.setattr(datagrams, "RECEIVED_WORDS", RECEIVED_WORDS)
    monkeypatch.setattr(datagrams, "SENT_WORDS", 64)


class Bench(LiteXModule):
    """Datagrams between a core and a port of the network, of endpoints alone."""

    def __init__(self) -> None:
        self.core = SimpleNamespace(
            clock_domain="core",
            sink=stream.Endpoint(FRAME_BYTE),
            source=stream.Endpoint(FRAME_WORD),
        )
        self.port = SimpleNamespace(
            source=stream.Endpoint(eth_udp_user_description(32)),
            sink=stream.Endpoint(eth_udp_user_description(32)),
        )
        self.datagrams = Datagrams(self.core, self.port)
        self.taken: list[bytes] = []
        self.sent: list[tuple[tuple[int, int], int, bytes]] = []
        self.takes = 1.0

    def receive(self, data: bytes, peer: tuple[int, int] = HOST) -> Generator:
        """Have a datagram come, a word a clock, as fast as the wire."""
        source = self.port.source
        for place in range(0, len(data), 4):
            # What pads the last word is anything.
            word = data[place : place + 4].ljust(4, b"\xee")
            yield source.data.eq(int.from_bytes(word, "little"))
            yield source.length.eq(len(data))
            yield source.ip_address.eq(peer[0])
            yield source.src_port.eq(peer[1])
            yield source.last.eq(place + 4 >= len(data))
            yield source.valid.eq(1)
            yield
            assert (yield source.ready)
        yield source.valid.eq(0)
        yield source.last.eq(0)

    @passive
    def take(self) -> Generator:
        """Take the bytes of frames as the core does."""
        sink, rng, frame = self.core.sink, random.Random(1), b""
        while True:
            yield sink.ready.eq(rng.random() < self.takes)
            yield
            if (yield sink.valid) and (yield sink.ready):
                if (yield sink.end):
                    self.taken.append(frame)
                    frame = b""
                else:
                    frame += bytes([(yield sink.data)])

    def send(self, frame: bytes) -> Generator:
        """Send a frame as the core does: its words, and an end."""
        source = self.core.source
        words = [int.from_bytes(frame[at : at + 4], "little") for at in range(0, len(frame), 4)]
        for number, word in enumerate([*words, 0]):
            yield source.data.eq(word)
            yield source.end.eq(number == len(words))
            yield source.valid.eq(1)
            yield
            while not (yield source.ready):
                yield
        yield source.valid.eq(0)
        yield

    @passive
    def network(self) -> Generator:
        """Take datagrams as the network does, which has its pauses."""
        sink, rng, frame = self.port.sink, random.Random(2), b""
        while True:
            yield sink.ready.eq(rng.random() < 0.7)
            yield
            if (yield sink.valid) and (yield sink.ready):
                frame += (yield sink.data).to_bytes(4, "little")
                if (yield sink.last):
                    assert (yield sink.src_port) == FRAMES_PORT
                    assert (yield sink.last_be) == 0b1000
                    to = (yield sink.ip_address), (yield sink.dst_port)
                    self.sent.append((to, (yield sink.length), frame))
                    frame = b""


def wait(clocks: int) -> Generator:
    for _ in range(clocks):
        yield


def datagram(rng: random.Random, size: int) -> bytes:
    return bytes(rng.randrange(256) for _ in range(size))


@pytest.mark.parametrize("takes", [pytest.param(1.0, marks=pytest.mark.full), 0.4])
def test_a_datagram_of_any_length_is_one_frame_of_its_bytes(takes: float) -> None:
    bench, rng = Bench(), random.Random(3)
    bench.takes = takes
    frames = [datagram(rng, size) for size in (1, 2, 3, 4, 5, 8, 31, 64)]

    def main() -> Generator:
        for frame in frames:
            yield from bench.receive(frame)
            yield from wait(len(frame))
        yield from wait(250)
        assert bench.taken == frames
        assert (yield bench.datagrams.refused.status) == 0
        assert (yield bench.datagrams.peer_address.status) == HOST[0]
        assert (yield bench.datagrams.peer_port.status) == HOST[1]

    run_simulation(bench, {"sys": [main()], "core": [bench.take()]}, clocks=CLOCKS)


def test_a_datagram_without_room_for_the_longest_is_refused_whole_and_is_of_nobody() -> None:
    bench, rng = Bench(), random.Random(4)
    bench.takes = 0.0
    longest = 4 * LONGEST_WORDS
    room = (RECEIVED_WORDS - LONGEST_WORDS) * 4
    frames = [datagram(rng, size) for size in (room - 8, longest, 12, longest, 4, 20)]

    def main() -> Generator:
        for number, frame in enumerate(frames[:5]):
            yield from bench.receive(frame, HOST if number < 2 else OTHER)
            yield from wait(8)
        # The second one still had room for the longest.
        assert (yield bench.datagrams.refused.status) == 3
        assert (yield bench.datagrams.peer_port.status) == HOST[1]
        bench.takes = 1.0
        yield from wait(150)
        yield from bench.receive(frames[5], OTHER)
        yield from wait(100)
        assert bench.taken == [*frames[:2], frames[5]]
        assert (yield bench.datagrams.refused.status) == 3
        assert (yield bench.datagrams.peer_port.status) == OTHER[1]

    run_simulation(bench, {"sys": [main()], "core": [bench.take()]}, clocks=CLOCKS)


def test_frames_go_to_whoever_asked_last_and_nowhere_before_anybody_has() -> None:
    bench, rng = Bench(), random.Random(5)
    frames = [datagram(rng, 4 * words) for words in (7, 9, 8, 20, 7)]

    def core() -> Generator:
        for frame in frames[:2]:
            yield from bench.send(frame)
        yield from wait(200)
        # By now there is a peer, and later another.
        for frame in frames[2:4]:
            yield from bench.send(frame)
        yield from wait(400)
        yield from bench.send(frames[4])
        yield from wait(200)

    def main() -> Generator:
        yield from wait(90)
        assert (yield bench.datagrams.unsent.status) == 2
        yield from bench.receive(b"asks", HOST)
        yield from wait(200)
        yield from bench.receive(b"asks", OTHER)
        yield from wait(250)
        expected = [(HOST, frame) for frame in frames[2:4]] + [(OTHER, frames[4])]
        assert bench.sent == [(to, len(frame), frame) for to, frame in expected]
        assert (yield bench.datagrams.unsent.status) == 2

    scripts = {"sys": [main(), bench.network()], "core": [core(), bench.take()]}
    run_simulation(bench, scripts, clocks=CLOCKS)
