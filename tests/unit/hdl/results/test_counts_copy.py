# SPDX-License-Identifier: Apache-2.0
"""What counts tell at rest: sources that have settled, and copies of classes."""

from plexor.protocol.memory import CLASSES, Space
from plexor_hdl.control.registers import SOURCE_CLOCKS
from plexor_hdl.results.count_memory import COUNT_CHUNKS
from plexor_hdl.results.counts import COPY_CLOCKS, COPY_WAIT

from ..simulation import simulate
from .test_counts import GEOMETRIES, Bench


def test_sources_are_exact_once_all_has_settled_whenever_the_last_edge_came():
    bench = Bench(GEOMETRIES["swept"], 8)

    async def process(ctx):
        await bench.clear(ctx)
        for _ in range(60):
            await ctx.tick().repeat(bench.choose.randrange(1, 60))
            bench.sources(ctx, dense=True)
            await ctx.tick()
            await bench.settle(ctx)
            source = bench.choose.choice(bench.geometry.sources)
            for which in range(2):
                address = source * 2 + which
                assert await bench.source(ctx, address) == bench.given["source"][address]

    simulate(bench.dut, process)


def test_chunks_of_classes_are_copied_one_a_clock_while_sources_go_on_and_drops_wait():
    geometry = GEOMETRIES["swept"]
    bench = Bench(geometry, 7)
    dut = bench.dut
    chunks = [
        (bank, chunk, response_class, channel)
        for channel in range(geometry.channels)
        for response_class in range(CLASSES)
        for chunk in range(COUNT_CHUNKS)
        for bank in range(2)
    ]

    async def process(ctx):
        await bench.clear(ctx)
        for turn in range(8):
            for _ in range(200 + turn):
                bench.give(ctx, dense=False)
                await ctx.tick()
            bench.rest(ctx)
            await ctx.tick()
            await bench.until(ctx, dut.idle, 1)
            # A source is still being read as that begins.
            address = bench.choose.choice(geometry.sources) * 2
            ctx.set(dut.source_address, address)
            await ctx.tick().repeat(500)
            await bench.strobe(ctx, dut.source_stb)
            told = bench.given["source"][address]
            ctx.set(dut.copying, 1)
            found = []
            # An event before which the matcher stands may be dropped at any time.
            drops = {turn, bench.choose.randrange(4, COPY_WAIT + len(chunks))}
            for clock in range(COPY_WAIT + len(chunks) + COPY_CLOCKS):
                ctx.set(dut.i_drop.valid, 0)
                if clock in drops:
                    bench.drop(ctx)
                if clock == SOURCE_CLOCKS - 1:
                    assert ctx.get(dut.source_value) == told
                bench.sources(ctx, dense=True)
                if clock >= COPY_WAIT + COPY_CLOCKS:
                    found.append(ctx.get(dut.copy_word))
                for name, value in zip(
                    ("bank", "chunk", "response_class", "channel"),
                    chunks[min(max(clock - COPY_WAIT, 0), len(chunks) - 1)],
                    strict=True,
                ):
                    ctx.set(dut.copy[name], value)
                await ctx.tick()
            ctx.set(dut.copying, 0)
            bench.rest(ctx)
            await ctx.tick()
            await bench.until(ctx, dut.idle, 1)
            assert found == [
                bench.given[Space.CLASSES, bank][channel * CLASSES + kind] >> 16 * chunk & 0xFFFF
                for bank, chunk, kind, channel in chunks
            ]
            bench.turn(ctx)
        await bench.settle(ctx)
        assert await bench.read_all(ctx) == bench.expected()

    simulate(dut, process)
