# SPDX-License-Identifier: Apache-2.0
"""Results: every value is in its bin, its window and its record, whatever is frozen or read."""

import random
from dataclasses import replace

import numpy as np
import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    HISTOGRAM_SPACES,
    KINDS,
    VALUE_MOST,
    Space,
    entries,
    entry_words,
    first_bin,
    key,
    mantissa_bits,
)
from plexor_hdl.interfaces import Kind, kinds_of
from plexor_hdl.results import plain_bins
from plexor_hdl.results.results import Results, spaces_of
from plexor_hdl.stages import MEASURED
from plexor_hdl.uplink.dumper import FRAME_WORDS
from plexor_sim.golden import memory
from plexor_sim.golden.matcher import Samples

from ..simulation import made, simulate

RICH = Feature.MATCH | MEASURED
SMALL = {
    "latency_mantissa_bits": 3,
    "fall_mantissa_bits": 2,
    "interval_mantissa_bits": 2,
    "zoom_bits": 4,
}
BUILDS = {
    "everything": Geometry(channels=2, features=RICH, **SMALL),
    "one channel": Geometry(channels=1, features=RICH, **SMALL),
    "three channels": Geometry(channels=3, features=RICH, **SMALL),
    "small and one": Geometry(channels=1, latency_mantissa_bits=2, features=Feature.MATCH),
    "small": Geometry(channels=4, latency_mantissa_bits=3, features=Feature.EVENTS | Feature.MATCH),
    "least": Geometry(channels=2, latency_mantissa_bits=3, features=Feature.MATCH),
}
QUICK = (("one channel", 1), ("least", 9))
"""One with bins, windows and records, as fast as values come, and one whose values come slowly."""
SPACES = {
    False: (Space.LATENCY_BINS, Space.LATENCY_ZOOM, Space.LATENCY_STATISTICS),
    True: (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM, Space.INTERVAL_STATISTICS),
}


class Bench:
    """Sends values and knows what each space must hold, by the golden model."""

    def __init__(self, geometry: Geometry, seed: int = 1, apart: int = 1, **options) -> None:
        self.geometry, self.apart = geometry, apart
        self.dut = made(Results, geometry, **options)
        self.chance = random.Random(seed)
        self.values = []
        self.bank = self.sent = 0
        self.left, self.stop = 0, False
        self.firsts = {}

    def drawn(self) -> dict:
        kind = self.chance.choice(kinds_of(self.geometry))
        least = 0 if kind in (Kind.WIDTH, Kind.PERIOD) else -(1 << 31)
        value = self.chance.choice(
            [
                self.chance.randrange(-4 if least else 0, 12),
                self.chance.randrange(-4 if least else 0, 12),
                self.chance.randrange(1 << self.chance.randrange(1, 32)),
                self.chance.randrange(least, VALUE_MOST + 1),
                self.chance.choice([VALUE_MOST, least]),
            ]
        )
        return {
            "kind": kind,
            "channel": self.chance.randrange(self.geometry.channels),
            "value_ticks": min(value, VALUE_MOST),
            "index": self.chance.randrange(1 << 48),
            "time_ticks": self.chance.randrange(1 << 64),
        }

    async def send(self, ctx):
        """Send `left` values, then wait for more, until told to stop."""
        port, kept = self.dut.i_measured, Feature.EXTREMES in self.geometry.features
        while not self.stop:
            if not self.left:
                await ctx.tick()
                continue
            value = self.drawn()
            ctx.set(port.valid, 1)
            where = {} if kept else {"index": 0, "time_ticks": 0}
            ctx.set(port.payload, value | where)
            while True:
                taken = ctx.get(port.ready)
                await ctx.tick()
                if taken:
                    break
            ctx.set(port.valid, 0)
            self.values.append((self.bank, value))
            self.left -= 1
            self.sent += 1
            if self.apart > 1:
                await ctx.tick().repeat(1 + self.chance.randrange(self.apart))

    async def clear(self, ctx):
        ctx.set(self.dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(self.dut.clear_stb, 0)
        await ctx.tick().until(~self.dut.clear_busy)
        self.values.clear()

    async def open_windows(self, ctx):
        """Give each window a first bin of its own."""
        for kind in kinds_of(self.geometry):
            for channel in range(self.geometry.channels):
                first = self.chance.randrange(-5, 5)
                self.firsts[kind, channel] = first
                ctx.set(self.dut.zoom_place, kind << self.geometry.key_bits | channel)
                ctx.set(self.dut.zoom_data, first & 0xFFFFFFFF)
                ctx.set(self.dut.zoom_stb, 1)
                await ctx.tick()
        ctx.set(self.dut.zoom_stb, 0)

    async def all_taken(self, ctx):
        while self.left:
            await ctx.tick()
        while not ctx.get(self.dut.idle):
            await ctx.tick()

    def samples(self, kind, channel, banks) -> Samples:
        chosen = [
            value
            for bank, value in self.values
            if bank in banks and (value["kind"], value["channel"]) == (kind, channel)
        ]
        return Samples(
            np.array([value["value_ticks"] for value in chosen], np.int64),
            np.array([value["index"] for value in chosen], np.int64),
            np.array([value["time_ticks"] for value in chosen], np.uint64),
        )

    def expected(self, space: Space, bank: int) -> list[int]:
        """Return the words of a space, of both banks together for bins."""
        geometry, intervals = self.geometry, space in SPACES[True]
        bins, zoom, statistics = SPACES[intervals]
        words = np.zeros(entries(geometry, space) * entry_words(space), np.int64)
        for kind in kinds_of(geometry):
            if (kind >= Kind.WIDTH) != intervals:
                continue
            part = kind % KINDS
            for channel in range(geometry.channels):
                if space == statistics:
                    found = memory.statistics(
                        self.samples(kind, channel, (bank,)), geometry.features
                    )
                    row = np.frombuffer(memory.pack_statistics(found), "<u4")
                    place = key(geometry, part, channel) * len(row)
                else:
                    samples = self.samples(kind, channel, (0, 1))
                    if space == zoom:
                        first = self.firsts.get((kind, channel), 0)
                        row = memory.zoom_counts(samples, first, geometry.zoom_bits)
                    else:
                        bits = mantissa_bits(geometry, bins, part)
                        row = memory.log_counts(samples, bits)
                    place = first_bin(geometry, space, part, channel)
                words[place : place + len(row)] = row
        return words.tolist()

    async def same(self, ctx, space: Space, bank: int, words: list[int]) -> None:
        """Assert that a space has these words; of those that are 0, some are looked at."""
        zeros = [address for address, word in enumerate(words) if not word]
        some = self.chance.sample(zeros, min(len(zeros), 12))
        addresses = sorted([*np.flatnonzero(words).tolist(), *some, len(words), 2 * len(words)])
        found = await self.read(ctx, space, bank, addresses)
        wanted = [*words, *[0] * (len(words) + 1)]
        told = [(wanted[address], True) for address in addresses if wanted[address]]
        assert [word for word, _ in found] == [wanted[address] for address in addresses], (
            space.name,
            bank,
        )
        # A frame with a word that is not 0 may never be left out.
        assert [each for each in found if each[0]] == told

    async def read(self, ctx, space: Space, bank: int, addresses) -> list[tuple[int, bool]]:
        """Return words, each as soon as it must be there, and whether its frame may have any.

        The other ports are turned away.
        """
        ports = dict(zip(spaces_of(self.geometry), self.dut.reads, strict=True))
        found = []
        for address in addresses:
            for other, port in ports.items():
                ctx.set(port.address, address | (other != space) << 19)
                ctx.set(port.bank, bank)
            await ctx.tick().repeat(Results.WORD_CLOCKS)
            value = 0
            for port in ports.values():
                value |= ctx.get(port.data)
            found.append((value, bool(ctx.get(ports[space].some))))
        return found

    async def check(self, ctx, banks=(0,)):
        for space in spaces_of(self.geometry):
            for bank in banks[:1] if space in HISTOGRAM_SPACES else banks:
                await self.same(ctx, space, bank, self.expected(space, bank))


@pytest.mark.parametrize(
    ("build", "apart"),
    [
        pytest.param(build, apart, marks=() if (build, apart) in QUICK else pytest.mark.full)
        for apart in (1, 9)
        for build in BUILDS
    ],
)
def test_every_value_is_in_its_bin_its_window_and_its_record(build, apart):
    bench = Bench(BUILDS[build], apart=apart)

    async def testbench(ctx):
        if Feature.ZOOM in bench.geometry.features:
            await bench.open_windows(ctx)
        for count in (150, 20):
            await bench.clear(ctx)
            bench.left = count
            await bench.all_taken(ctx)
            await bench.check(ctx)
            assert ctx.get(bench.dut.saturated) == 0
        bench.stop = True

    simulate(bench.dut, testbench, bench.send)


@pytest.mark.full
def test_of_bins_only_frames_in_which_a_value_counted_may_have_words():
    geometry = Geometry(
        channels=2, features=RICH, **SMALL | {"latency_mantissa_bits": 4, "zoom_bits": 6}
    )
    bench = Bench(geometry, seed=5)
    bins = [space for space in spaces_of(geometry) if space in HISTOGRAM_SPACES]
    firsts = {
        space: range(0, entries(geometry, space) * entry_words(space), FRAME_WORDS)
        for space in bins
    }

    async def told(ctx, space):
        return [some for _, some in await bench.read(ctx, space, 0, firsts[space])]

    async def testbench(ctx):
        for _ in range(2):
            await bench.clear(ctx)
            for space in bins:
                assert not any(await told(ctx, space))
            bench.left = 12
            await bench.all_taken(ctx)
            for space in bins:
                words = bench.expected(space, 0)
                counted = [any(words[at : at + FRAME_WORDS]) for at in firsts[space]]
                assert await told(ctx, space) == counted, space.name
        bench.stop = True

    simulate(bench.dut, testbench, bench.send)


@pytest.mark.full
@pytest.mark.parametrize(
    ("build", "values"),
    [
        ("one channel", 16),
        *((build, 200) for build in ("everything", "three channels")),
    ],
)
def test_snapshots_are_coherent_and_lose_nothing(build, values):
    bench = Bench(BUILDS[build], seed=2)

    async def testbench(ctx):
        await bench.clear(ctx)
        bench.left = values
        for bank in (0, 1):
            await bench.all_taken(ctx)
            assert ctx.get(bench.dut.folding) == 0
            wanted = {space: bench.expected(space, bank) for space in spaces_of(bench.geometry)}
            bench.bank = bank ^ 1
            ctx.set(bench.dut.bank, bench.bank)
            ctx.set(bench.dut.frozen, 1)
            await ctx.tick()
            bench.left = 1 << 20
            for space, words in wanted.items():
                await bench.same(ctx, space, bank, words)
            ctx.set(bench.dut.frozen, 0)
            await ctx.tick().repeat(3)
            assert ctx.get(bench.dut.folding) == 1
            while ctx.get(bench.dut.folding):
                await ctx.tick()
            bench.left = 1
        await bench.all_taken(ctx)
        await bench.check(ctx, (0, 1))
        assert ctx.get(bench.dut.saturated) == 0
        bench.stop = True

    simulate(bench.dut, testbench, bench.send)


@pytest.mark.parametrize(
    ("build", "clocks"),
    [
        ("everything", 5),
        *(pytest.param(build, 9, marks=pytest.mark.full) for build in ("small", "least")),
    ],
)
def test_a_value_is_taken_each_few_clocks_or_more_often(build, clocks):
    bench = Bench(BUILDS[build], seed=3)

    async def testbench(ctx):
        await bench.clear(ctx)
        # Each record has its first value.
        bench.left = 200
        await bench.all_taken(ctx)
        bench.left, before = 1 << 20, bench.sent
        await ctx.tick().repeat(100 * clocks)
        assert bench.sent - before >= 100
        bench.stop = True

    simulate(bench.dut, testbench, bench.send)


def test_a_record_takes_no_value_while_bins_have_no_room(monkeypatch):
    # A record is done sooner.
    monkeypatch.setattr(plain_bins, "PACE_CLOCKS", 12)
    bench = Bench(BUILDS["least"], seed=6)

    async def testbench(ctx):
        await bench.clear(ctx)
        bench.left = 30
        await bench.all_taken(ctx)
        space = Space.LATENCY_STATISTICS
        await bench.same(ctx, space, 0, bench.expected(space, 0))
        bench.stop = True

    simulate(bench.dut, testbench, bench.send)


def test_values_of_one_kind_and_channel_one_after_the_other_are_all_counted():
    geometry = replace(BUILDS["everything"], channels=1)
    bench = Bench(geometry, seed=4)
    values = [*range(20, 0, -1), *range(100, 120), *([7] * 10)]

    def drawn():
        value = values[bench.sent % len(values)]
        return {"kind": Kind.RISE, "channel": 0, "value_ticks": value, "index": bench.sent + 1} | {
            "time_ticks": 3 * bench.sent
        }

    bench.drawn = drawn

    async def testbench(ctx):
        await bench.clear(ctx)
        bench.left = len(values)
        await bench.all_taken(ctx)
        await bench.check(ctx)
        bench.stop = True

    simulate(bench.dut, testbench, bench.send)
