"""All counts of a build with one bank: whatever comes together, each is exact once settled."""

import random
from collections import Counter

import pytest
from amaranth.sim import Simulator

from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CLASSES, ResponseClass, Space, entries
from plexor_hdl import codes, ledger
from plexor_hdl.classes import LANE_CLASSES
from plexor_hdl.codes import PHASES
from plexor_hdl.dumper import LATE_CLOCKS
from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.ledger import PARTS, SOURCE_CLOCKS, Ledger

GEOMETRIES = {
    "hx8k": Geometry(channels=4, strikes=2, samples=8, features=Feature(0)),
    "early": Geometry(channels=3, strikes=1, samples=4, features=Feature.EARLY),
    "largest": Geometry(channels=8, strikes=8, samples=16, features=Feature(0)),
    "least": Geometry(channels=1, strikes=1, samples=16, features=Feature(0)),
}
MEASURED = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)


class Bench:
    """A ledger, what was given to it, and what it says."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.dut = Ledger(geometry)
        self.given: dict[object, Counter] = {kind: Counter() for kind in (*PARTS, "source")}
        self.lanes = {
            response_class: name
            for response_class, name in LANE_CLASSES.items()
            if name != "early" or Feature.EARLY in geometry.features
        }
        self.dropping = None
        self.clock, self.last_of_lane = 0, {}

    def run(self, process) -> None:
        simulator = Simulator(self.dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(process)
        simulator.run()

    async def wait(self, ctx, signal, level: int, *, limit: int = 20_000) -> None:
        for _ in range(limit):
            if ctx.get(signal) == level:
                return
            await ctx.tick()
        pytest.fail(f"{signal.name} not {level}")

    async def strobe(self, ctx, signal) -> None:
        ctx.set(signal, 1)
        await ctx.tick()
        ctx.set(signal, 0)

    async def clear(self, ctx) -> None:
        await self.strobe(ctx, self.dut.clear_stb)
        await self.wait(ctx, self.dut.clear_busy, 0)

    async def settle(self, ctx) -> None:
        await self.strobe(ctx, self.dut.settle_stb)
        await self.wait(ctx, self.dut.settled_stb, 1)

    async def give(self, ctx, choose: random.Random, dense: bool, event=None) -> None:
        """Give one clock of everything; all that can come together where `dense`."""
        dut, geometry = self.dut, self.geometry

        def maybe() -> int:
            return int(dense or choose.random() < 0.4)

        for number, source in enumerate(geometry.sources):
            most = 1 if source == SOURCE_LOAD else geometry.samples
            edges = most if dense else choose.choice((0, choose.randint(0, most)))
            dropped = maybe() if edges else 0
            ctx.set(dut.i_sources[number].generated, edges)
            ctx.set(dut.i_sources[number].dropped, dropped)
            self.given["source"][source * 2] += edges
            self.given["source"][source * 2 + 1] += dropped * edges
        # Of a lane no two of a kind come less than PHASES clocks apart.
        self.clock += 1

        def rarely(*kind) -> int:
            if self.clock - self.last_of_lane.get(kind, -PHASES) < PHASES or not maybe():
                return 0
            self.last_of_lane[kind] = self.clock
            return 1

        for channel in range(geometry.channels):
            for response_class, name in self.lanes.items():
                strobe = rarely(channel, name)
                ctx.set(dut.i_lanes[channel][name], strobe)
                self.given[Space.CLASSES][channel * CLASSES + response_class] += strobe
        measured = choose.choice(MEASURED)
        channel = choose.randrange(geometry.channels)
        valid = rarely(channel, "class")
        ctx.set(dut.i_valid, valid)
        ctx.set(dut.i_class.channel, channel)
        ctx.set(dut.i_class.response_class, measured)
        self.given[Space.CLASSES][channel * CLASSES + measured] += valid

        # A drop is told a clock after its event.
        ctx.set(dut.drop.valid, self.dropping is not None)
        ctx.set(dut.drop.source, self.dropping or 0)
        self.dropping = None
        valid = maybe()
        source, polarity = event or (choose.choice(geometry.sources), choose.randrange(2))
        ctx.set(dut.i_event_valid, valid)
        ctx.set(dut.i_source, source)
        ctx.set(dut.i_polarity, polarity)
        if valid:
            self.given[Space.EDGES][source * 2 + polarity] += 1
            if choose.random() < 0.5:
                self.dropping = source
                self.given[Space.UPLOAD_DROPS][source] += 1
        await ctx.tick()

    async def rest(self, ctx) -> None:
        dut = self.dut
        for port in (dut.i_valid, dut.i_event_valid):
            ctx.set(port, 0)
        for number in range(len(self.geometry.sources)):
            ctx.set(dut.i_sources[number].generated, 0)
        for channel in range(self.geometry.channels):
            for name in self.lanes.values():
                ctx.set(dut.i_lanes[channel][name], 0)
        ctx.set(dut.drop.valid, self.dropping is not None)
        self.dropping = None
        await ctx.tick()
        ctx.set(dut.drop.valid, 0)

    async def source(self, ctx, address: int) -> int:
        ctx.set(self.dut.source_address, address)
        await self.strobe(ctx, self.dut.source_stb)
        await ctx.tick().repeat(SOURCE_CLOCKS - 1)
        return ctx.get(self.dut.source_value)

    async def dump(self, ctx, space: Space, entries: int, choose=None) -> Counter:
        """Return the entries of a space that are not 0; sources are read meanwhile."""
        dut, found = self.dut, Counter()
        ctx.set(dut.space, space)
        port = dut.reads[PARTS.index(space)]
        for entry in range(entries):
            for half in range(2):
                ctx.set(port.address, entry * 2 + half)
                ctx.set(dut.reads[0].address, entry * 2 + half)
                # At least 20 clocks apart.
                far = choose and not half and not entry % 2
                read_in = choose.randrange(READ_CLOCKS + LATE_CLOCKS) if far else None
                for clock in range(READ_CLOCKS + LATE_CLOCKS):
                    ctx.set(dut.source_stb, clock == read_in)
                    await ctx.tick()
                ctx.set(dut.source_stb, 0)
                found[entry] += ctx.get(port.data) << 32 * half
        return +found

    async def read_all(self, ctx, choose=None) -> dict:
        dut, geometry = self.dut, self.geometry
        found = {"source": Counter()}
        for source in geometry.sources:
            for which in range(2):
                found["source"][source * 2 + which] = await self.source(ctx, source * 2 + which)
                await ctx.tick().repeat(16)
        ctx.set(dut.dumping, 1)
        for space in PARTS:
            found[space] = await self.dump(ctx, space, entries(geometry, space), choose)
        ctx.set(dut.dumping, 0)
        return {kind: +counts for kind, counts in found.items()}

    def expected(self) -> dict:
        return {kind: +counts for kind, counts in self.given.items()}


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.full) for name in ("hx8k", "largest")),
        "early",
        "least",
    ],
)
def test_all_that_comes_is_counted_where_it_belongs_and_a_clear_forgets_it(name):
    bench, choose = Bench(GEOMETRIES[name]), random.Random(3)

    async def process(ctx):
        await bench.clear(ctx)
        assert not any((await bench.read_all(ctx)).values())
        for clock in range(1200):
            await bench.give(ctx, choose, dense=400 <= clock < 800)
        await bench.rest(ctx)
        await bench.settle(ctx)
        assert await bench.read_all(ctx, choose) == bench.expected()
        await bench.clear(ctx)
        await bench.settle(ctx)
        assert not any((await bench.read_all(ctx)).values())

    bench.run(process)


def test_reads_of_sources_while_all_comes_disturb_no_count_and_see_it_grow():
    bench, choose = Bench(GEOMETRIES["least"]), random.Random(4)
    addresses = [source * 2 for source in bench.geometry.sources]
    seen = {address: [0] for address in addresses}

    async def process(ctx):
        await bench.clear(ctx)
        # At least 20 clocks apart, and at any clock of visits to any place.
        since, gap, address = -1, 20, SOURCE_STRIKE * 2
        for _ in range(4000):
            since += 1
            if since == gap:
                since, gap, address = 0, 20 + choose.randrange(3), choose.choice(addresses)
            ctx.set(bench.dut.source_address, address)
            ctx.set(bench.dut.source_stb, since == 0)
            if since == SOURCE_CLOCKS:
                seen[address].append(ctx.get(bench.dut.source_value))
            await bench.give(ctx, choose, dense=True)
        ctx.set(bench.dut.source_stb, 0)
        await bench.rest(ctx)
        await bench.settle(ctx)
        assert await bench.read_all(ctx) == bench.expected()
        for values in seen.values():
            assert values == sorted(values)
        assert seen[SOURCE_STRIKE * 2][-1] > 3500 * 16

    bench.run(process)


def test_a_code_that_always_comes_gives_tokens_before_it_wraps(monkeypatch):
    monkeypatch.setattr(codes, "PART_BITS", 9)
    monkeypatch.setattr(codes, "TOKEN", 1 << 8)
    monkeypatch.setattr(ledger, "TOKEN", 1 << 8)
    bench, choose = Bench(GEOMETRIES["least"]), random.Random(5)

    async def process(ctx):
        await bench.clear(ctx)
        for _ in range(4000):
            await bench.give(ctx, choose, dense=True, event=(SOURCE_STRIKE, 1))
        await bench.rest(ctx)
        await bench.settle(ctx)
        assert await bench.read_all(ctx) == bench.expected()

    bench.run(process)
