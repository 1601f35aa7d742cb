# SPDX-License-Identifier: Apache-2.0
"""What was dropped of each source: every drop is in its source's count, whatever comes together."""

import random
from collections import Counter

import pytest

from plexor.protocol.frames import SOURCE_LOAD
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.control.registers import SOURCE_CLOCKS
from plexor_hdl.results import count_memory
from plexor_hdl.results import source_counts as module
from plexor_hdl.results.source_counts import SourceCounts

from ..simulation import simulate

GEOMETRIES = {
    "up5k": Geometry(channels=4, strikes=1, samples=8, features=Feature.EVENTS),
    "least": Geometry(channels=1, strikes=1, samples=16, features=Feature.EVENTS),
    "most": Geometry(channels=8, strikes=8, samples=16, features=Feature.EVENTS),
}


class Bench:
    """SourceCounts and what was given to it."""

    def __init__(self, geometry: Geometry, seed: int) -> None:
        self.geometry, self.choose = geometry, random.Random(seed)
        self.dut, self.given, self.refused = SourceCounts(geometry), Counter(), 0

    def give(self, ctx, dense: float) -> None:
        """Drop words of some sources, and refuse an event in at most every other clock."""
        for number, source in enumerate(self.geometry.merged):
            most = 1 if source >= SOURCE_LOAD else self.geometry.samples
            dropped = self.choose.randrange(most + 1) if self.choose.random() < dense else 0
            amounts = {"generated": self.choose.randrange(most + 1), "dropped": dropped}
            ctx.set(self.dut.i_sources[number], amounts)
            self.given[source] += dropped
        refuses = self.refused > 0 and self.choose.random() < dense
        self.refused = 0 if refuses else self.refused + 1
        source = self.choose.choice(self.geometry.merged)
        ctx.set(self.dut.i_drop, {"valid": refuses, "source": source})
        self.given[source] += refuses

    def rest(self, ctx) -> None:
        for number in range(len(self.geometry.merged)):
            ctx.set(self.dut.i_sources[number], {"generated": 0, "dropped": 0})
        ctx.set(self.dut.i_drop.valid, 0)

    async def clear(self, ctx) -> None:
        ctx.set(self.dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(self.dut.clear_stb, 0)
        while True:
            await ctx.tick()
            if not ctx.get(self.dut.clear_busy):
                break
        self.given.clear()

    async def settle(self, ctx) -> None:
        self.rest(ctx)
        ctx.set(self.dut.settle_stb, 1)
        await ctx.tick()
        ctx.set(self.dut.settle_stb, 0)
        for _ in range(4 * module.VISIT_CLOCKS * (len(self.geometry.merged) + 3)):
            if ctx.get(self.dut.settled_stb):
                return
            await ctx.tick()
        raise AssertionError("it never settled")

    async def read(self, ctx, address: int) -> int:
        ctx.set(self.dut.source_address, address)
        await ctx.tick()
        ctx.set(self.dut.source_stb, 1)
        await ctx.tick()
        ctx.set(self.dut.source_stb, 0)
        await ctx.tick().repeat(SOURCE_CLOCKS)
        return ctx.get(self.dut.source_value)

    async def read_all(self, ctx) -> Counter:
        return Counter(
            {source: await self.read(ctx, source * 2 + 1) for source in self.geometry.merged}
        )


@pytest.mark.parametrize("name", GEOMETRIES)
def test_each_drop_counts_once_and_a_clear_forgets_it(name, monkeypatch):
    # Chunks of few bits carry often.
    monkeypatch.setattr(count_memory, "CHUNK_BITS", 12)
    monkeypatch.setattr(module, "CHUNK_BITS", 12)
    bench = Bench(GEOMETRIES[name], 7)

    async def process(ctx):
        for dense in (0.1, 1.0):
            await bench.clear(ctx)
            for _ in range(700):
                bench.give(ctx, dense)
                await ctx.tick()
            await bench.settle(ctx)
            assert +await bench.read_all(ctx) == +bench.given
            assert await bench.read(ctx, 0) == 0
            assert not ctx.get(bench.dut.saturated)

    simulate(bench.dut, process)


def test_what_is_read_meanwhile_is_no_older_than_two_rounds():
    bench, past = Bench(GEOMETRIES["up5k"], 8), []
    sources = bench.geometry.merged
    rounds = 2 * module.VISIT_CLOCKS * (len(sources) + 3) + SOURCE_CLOCKS

    async def process(ctx):
        await bench.clear(ctx)
        since, source, was = SOURCE_CLOCKS, sources[0], 0
        for clock in range(2500):
            if since == SOURCE_CLOCKS:
                source = bench.choose.choice(sources)
            if since == SOURCE_CLOCKS + 2:
                since, was = 0, clock
            ctx.set(bench.dut.source_address, source * 2 + 1)
            ctx.set(bench.dut.source_stb, since == 0)
            past.append(Counter(bench.given))
            bench.give(ctx, 0.5)
            await ctx.tick()
            since += 1
            if since == SOURCE_CLOCKS and was > rounds:
                value = ctx.get(bench.dut.source_value)
                assert past[was - rounds][source] <= value <= past[clock][source]

    simulate(bench.dut, process)
