# SPDX-License-Identifier: Apache-2.0
"""All counts of a build: whatever comes together, each is exact where it belongs."""

import random
from collections import Counter

import pytest

from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STEP, SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CLASSES, ResponseClass, Space, entries
from plexor_hdl.control.registers import SOURCE_CLOCKS
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS
from plexor_hdl.results import count_memory as counts
from plexor_hdl.results import counts as module
from plexor_hdl.results.count_queue import NAMED, ROOM
from plexor_hdl.results.counts import PARTS, VISIT_CLOCKS, Counts
from plexor_hdl.stages import MEASURED
from plexor_hdl.uplink.dumper import word_clocks

from ..simulation import made, simulate

EVENTS = Feature.EVENTS | Feature.MATCH
GEOMETRIES = {
    "small": Geometry(channels=4, strikes=1, samples=8, features=EVENTS),
    "early": Geometry(channels=3, strikes=1, samples=4, features=MEASURED | EVENTS),
    "all": Geometry(channels=8, strikes=8, samples=16),
    "least": Geometry(channels=1, strikes=1, samples=16, features=EVENTS),
    "no_events": Geometry(channels=2, strikes=1, samples=8, features=Feature.MATCH),
    "swept": Geometry(channels=1, strikes=1, samples=4, features=Feature.SWEEP | MEASURED | EVENTS),
}
CLASSED = (
    ResponseClass.ANSWERED,
    ResponseClass.LATE,
    ResponseClass.DUPLICATE,
    ResponseClass.SPURIOUS,
)
NONE_CHOSEN = 1 << SPACE_ADDRESS_BITS - 1


class Bench:
    """Counts, what was given to it, and what it says."""

    def __init__(self, geometry: Geometry, seed: int, dut=None) -> None:
        self.geometry, self.choose = geometry, random.Random(seed)
        self.dut = dut or made(Counts, geometry)
        self.banks = 2 if Feature.SNAPSHOT in geometry.features else 1
        self.names = [n for n in NAMED if n != "early" or Feature.EARLY in geometry.features]
        self.drops = Feature.EVENTS in geometry.features
        self.bank = 0
        self.given: dict[object, Counter] = {"source": Counter()}
        self.given |= {(space, bank): Counter() for space in PARTS for bank in range(self.banks)}
        self.beat, self.since_event, self.had_room = 0, 9, 1

    async def until(self, ctx, signal, level: int, *, limit: int = 8000) -> None:
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
        for port in self.dut.reads:
            ctx.set(port.address, NONE_CHOSEN)
        await self.strobe(ctx, self.dut.clear_stb)
        await self.until(ctx, self.dut.clear_busy, 0)

    async def settle(self, ctx) -> None:
        self.rest(ctx)
        await self.strobe(ctx, self.dut.settle_stb)
        await self.until(ctx, self.dut.settled_stb, 1)
        assert ctx.get(self.dut.idle)

    def count(self, space, entry, amount=1) -> None:
        self.given[space, self.bank][entry] += amount

    def decide(self, ctx) -> None:
        """Give a decision of random bits, at least one of them set."""
        decision, choose = self.dut.i_decision, self.choose
        channel = choose.randrange(self.geometry.channels)
        bits = choose.randrange(1, 2 << len(self.names))
        measured = choose.choice(CLASSED)
        ctx.set(decision.channel, channel)
        ctx.set(decision.response_class, measured)
        ctx.set(decision.classed, bits & 1)
        self.count(Space.CLASSES, channel * CLASSES + measured, bits & 1)
        for place, name in enumerate(self.names, 1):
            ctx.set(decision[name], bits >> place & 1)
            self.count(Space.CLASSES, channel * CLASSES + NAMED[name], bits >> place & 1)

    def sources(self, ctx, dense: bool) -> None:
        """Give edges of sources."""
        for number, source in enumerate(self.geometry.sources):
            most = 1 if source in (SOURCE_LOAD, SOURCE_STEP) else self.geometry.samples
            edges = most if dense else self.choose.choice((0, self.choose.randint(0, most)))
            dropped = bool(edges and (dense or self.choose.random() < 0.4))
            ctx.set(self.dut.i_sources[number].generated, edges)
            ctx.set(self.dut.i_sources[number].dropped, edges * dropped)
            self.given["source"][source * 2] += edges
            self.given["source"][source * 2 + 1] += dropped * edges

    def give(self, ctx, dense: bool, kept=None) -> None:
        """Give one clock of everything that room lets in; as much as may come where `dense`.

        A beat of the matcher begins only in a clock after one with room, and has 2 clocks or more.
        """
        dut, choose, geometry = self.dut, self.choose, self.geometry
        self.since_event += 1
        has_room, self.had_room = self.had_room, ctx.get(dut.room)
        if not self.beat and has_room and (dense or choose.random() < 0.2):
            self.beat = 2 * geometry.channels + 4 if dense else choose.randint(2, 8)
        self.sources(ctx, dense)
        decides = self.beat and (dense or choose.random() < 0.5)
        ctx.set(dut.i_valid, bool(decides))
        if decides:
            self.decide(ctx)
        happens = self.beat and self.since_event > 1 and (dense or choose.random() < 0.5)
        ctx.set(dut.i_event_valid, bool(happens))
        if happens:
            self.since_event = 0
            source = kept or choose.choice(geometry.sources)
            polarity = 1 if kept else choose.randrange(2)
            ctx.set(dut.i_source, source)
            ctx.set(dut.i_polarity, polarity)
            self.count(Space.EDGES, source * 2 + polarity)
        drops = self.drops and self.beat and (dense or choose.random() < 0.5)
        ctx.set(dut.i_drop.valid, bool(drops))
        if drops:
            self.drop(ctx)
        self.beat -= bool(self.beat)

    def drop(self, ctx) -> None:
        """Give a drop."""
        source = self.choose.choice(self.geometry.sources)
        ctx.set(self.dut.i_drop.valid, 1)
        ctx.set(self.dut.i_drop.source, source)
        self.count(Space.UPLOAD_DROPS, source)

    def rest(self, ctx) -> None:
        dut = self.dut
        for port in (dut.i_valid, dut.i_event_valid, dut.i_drop.valid):
            ctx.set(port, 0)
        for amounts in dut.i_sources:
            ctx.set(amounts.generated, 0)
            ctx.set(amounts.dropped, 0)
        self.beat = 0

    async def source(self, ctx, address: int) -> int:
        ctx.set(self.dut.source_address, address)
        await ctx.tick()
        await self.strobe(ctx, self.dut.source_stb)
        await ctx.tick().repeat(SOURCE_CLOCKS - 1)
        return ctx.get(self.dut.source_value)

    def ask(self, ctx, space, bank, address) -> None:
        for number, port in enumerate(self.dut.reads):
            ours = PARTS[number] == space
            ctx.set(port.address, address if ours else NONE_CHOSEN | address)
            ctx.set(port.bank, bank if ours else self.choose.randrange(2))

    async def dump(self, ctx, space: Space, bank: int, meanwhile=None) -> Counter:
        """Return the entries of a space that are not 0, with `meanwhile` in each clock."""
        found, port = Counter(), self.dut.reads[PARTS.index(space)]
        for entry in range(entries(self.geometry, space)):
            # The upper half is always 0: a few are enough.
            for half in range(1 + (entry % 7 == 0)):
                self.ask(ctx, space, bank, entry * 2 + half)
                for _ in range(word_clocks(self.geometry)):
                    if meanwhile:
                        meanwhile()
                    await ctx.tick()
                found[entry] += ctx.get(port.data) << 32 * half
        return +found

    async def read_all(self, ctx) -> dict:
        found = {"source": Counter()}
        for source in self.geometry.sources:
            for which in range(2):
                found["source"][source * 2 + which] = await self.source(ctx, source * 2 + which)
        for space in PARTS:
            for bank in range(self.banks):
                found[space, bank] = await self.dump(ctx, space, bank)
        return {kind: +counts for kind, counts in found.items()}

    def expected(self) -> dict:
        return {kind: +counts for kind, counts in self.given.items()}

    def turn(self, ctx) -> None:
        """Let the other bank count."""
        assert ctx.get(self.dut.idle)
        self.bank = 1 - self.bank
        ctx.set(self.dut.bank, self.bank)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.full if name in ("all", "small") else ())
        for name in GEOMETRIES
    ],
)
def test_all_that_comes_is_counted_where_it_belongs_and_a_clear_forgets_it(name):
    bench = Bench(GEOMETRIES[name], 3)

    async def process(ctx):
        await bench.clear(ctx)
        for part in range(3):
            for clock in range(300):
                bench.give(ctx, dense=clock < 150)
                await ctx.tick()
            await bench.settle(ctx)
            if bench.banks == 2 and part < 2:
                bench.turn(ctx)
        assert await bench.read_all(ctx) == bench.expected()
        assert not ctx.get(bench.dut.saturated)
        await bench.clear(ctx)
        await bench.settle(ctx)
        assert not any((await bench.read_all(ctx)).values())

    simulate(bench.dut, process)


@pytest.mark.parametrize("name", [pytest.param("all", marks=pytest.mark.full), "swept"])
def test_the_bank_that_stands_is_read_while_the_other_one_counts(name):
    bench = Bench(GEOMETRIES[name], 4)
    addresses = [s * 2 + which for s in bench.geometry.sources for which in range(2)]

    async def process(ctx):
        await bench.clear(ctx)
        for _ in range(2):
            for _ in range(100):
                bench.give(ctx, dense=False)
                await ctx.tick()
            bench.rest(ctx)
            await ctx.tick()
            await bench.until(ctx, bench.dut.idle, 1)
            stands = bench.bank
            bench.turn(ctx)
            wait = 0

            def meanwhile():
                # Sources are read too, SOURCE_CLOCKS and one apart or more.
                nonlocal wait
                if not wait:
                    ctx.set(bench.dut.source_address, bench.choose.choice(addresses))
                wait = wait - 1 if wait else bench.choose.randrange(SOURCE_CLOCKS, 40)
                ctx.set(bench.dut.source_stb, wait == SOURCE_CLOCKS - 1)
                bench.give(ctx, dense=True)

            for space in PARTS:
                found = await bench.dump(ctx, space, stands, meanwhile)
                assert found == +bench.given[space, stands]
            ctx.set(bench.dut.source_stb, 0)
        await bench.settle(ctx)
        assert await bench.read_all(ctx) == bench.expected()

    simulate(bench.dut, process)


@pytest.mark.parametrize(
    ("clocks", "least"), [(3_000, 4 << 10), pytest.param(9_000, 12 << 10, marks=pytest.mark.full)]
)
def test_a_read_of_a_source_is_of_one_moment_and_no_older_than_two_rounds(
    monkeypatch, clocks, least
):
    # Limbs of few bits carry often.
    monkeypatch.setattr(counts, "CHUNK_BITS", 10)
    monkeypatch.setattr(module, "CHUNK_BITS", 10)
    geometry = GEOMETRIES["swept"]
    bench = Bench(geometry, 5, Counts(geometry))
    addresses = [source * 2 + which for source in geometry.sources for which in range(2)]
    rounds = 2 * VISIT_CLOCKS * (len(addresses) + 2)
    past, seen = [], Counter()

    async def process(ctx):
        await bench.clear(ctx)
        since, gap, address, was = -1, SOURCE_CLOCKS, addresses[0], 0
        for clock in range(clocks):
            since += 1
            if since == gap:
                since, gap = 0, SOURCE_CLOCKS + 1 + bench.choose.randrange(8)
                was = clock
            if since == SOURCE_CLOCKS:
                address = bench.choose.choice(addresses)
            ctx.set(bench.dut.source_address, address)
            ctx.set(bench.dut.source_stb, since == 0)
            past.append(Counter(bench.given["source"]))
            bench.give(ctx, dense=clock % 2000 < 1500)
            await ctx.tick()
            if since == SOURCE_CLOCKS - 1 and was > rounds:
                value = ctx.get(bench.dut.source_value)
                assert past[was - rounds][address] <= value <= past[clock][address]
                seen[address] = max(seen[address], value)
        ctx.set(bench.dut.source_stb, 0)
        await bench.settle(ctx)
        found = (await bench.read_all(ctx))["source"]
        assert found == +bench.given["source"]
        assert min(seen[s * 2] for s in (0, SOURCE_STRIKE)) > least

    simulate(bench.dut, process)


@pytest.mark.parametrize(
    ("channels", "clocks", "spared"),
    [
        pytest.param(1, 24, (), marks=pytest.mark.full),
        pytest.param(8, 160, (), marks=pytest.mark.full),
        (1, 14, ("drop",)),
        pytest.param(8, 98, ("drop",), marks=pytest.mark.full),
    ],
)
def test_answered_strikes_are_counted_as_fast_as_they_are_to_come(channels, clocks, spared):
    """A strike, a response a channel, both with the edges back; each event dropped but for some."""
    geometry = Geometry(channels=8, strikes=2, samples=16)
    bench = Bench(geometry, 6)
    dut, strikes = bench.dut, 20
    low = 0

    async def process(ctx):
        nonlocal low
        await bench.clear(ctx)
        events = [(SOURCE_STRIKE, 1), (SOURCE_STRIKE, 0)]
        events += [(channel, polarity) for channel in range(channels) for polarity in (1, 0)]
        decisions = [(0, "strike", c) for c in range(channels)]
        decisions += [(2 + 2 * c, "classed", c) for c in range(channels)]
        for _ in range(strikes):
            for clock in range(clocks):
                low += not ctx.get(dut.room)
                bench.rest(ctx)
                number = clock // 2 if clock % 2 == 0 else len(events)
                if number < len(events):
                    source, polarity = events[number]
                    ctx.set(dut.i_event_valid, 1)
                    ctx.set(dut.i_source, source)
                    ctx.set(dut.i_polarity, polarity)
                    bench.count(Space.EDGES, source * 2 + polarity)
                    if "drop" not in spared:
                        ctx.set(dut.i_drop.valid, 1)
                        ctx.set(dut.i_drop.source, source)
                        bench.count(Space.UPLOAD_DROPS, source)
                if clock < len(decisions):
                    _, name, channel = decisions[clock]
                    for each in ("classed", *bench.names):
                        ctx.set(dut.i_decision[each], each == name)
                    ctx.set(dut.i_valid, 1)
                    ctx.set(dut.i_decision.channel, channel)
                    ctx.set(dut.i_decision.response_class, ResponseClass.ANSWERED)
                    kind = NAMED.get(name, ResponseClass.ANSWERED)
                    bench.count(Space.CLASSES, channel * CLASSES + kind)
                await ctx.tick()
        await bench.settle(ctx)
        assert await bench.read_all(ctx) == bench.expected()

    simulate(dut, process)
    assert not low


def test_room_falls_early_enough_for_what_a_beat_may_still_bring():
    beat = 2 * 8 + 4
    under_way, drops = 4, 8
    assert beat + under_way + drops < ROOM
