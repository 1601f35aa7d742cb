# SPDX-License-Identifier: Apache-2.0
"""The queue of what is to be counted: each place once, in the order in which words came."""

import random
from collections import Counter

import pytest
from amaranth.hdl import Const

from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor_hdl.results.count_memory import QUIET_CLOCKS
from plexor_hdl.results.count_places import CountPlaces
from plexor_hdl.results.count_queue import DEPTH, NAMED, ROOM, CountQueue

from ..simulation import made, simulate

GEOMETRIES = {
    "all": Geometry(channels=5, strikes=3, code_bits=8, features=ALL_FEATURES | Feature.CODES),
    "least": Geometry(channels=1, strikes=1, features=Feature(0)),
}
UNDER_WAY = 3


class Queue:
    """A queue, what came, and what it told in clocks in which that was taken."""

    def __init__(self, name, seed=0) -> None:
        self.geometry = GEOMETRIES[name]
        self.dut = made(CountQueue, self.geometry)
        self.places, self.rng = CountPlaces(self.geometry), random.Random(seed)
        self.came, self.told = [], []
        self.takes, self.stop, self.bank = 1.0, False, 0

    def word(self, chance=0.3):
        """Return random ports, and the places that they count in."""
        rng, places, features = self.rng, self.places, self.geometry.features
        bank = Const(self.bank, 1)
        names = [n for n in NAMED if n != "early" or Feature.EARLY in features]
        decision = {name: rng.random() < chance for name in names}
        decision |= {"classed": rng.random() < chance, "channel": rng.randrange(8)}
        decision["channel"] %= self.geometry.channels
        decision["response_class"] = rng.choice((0, 1, 3, 4))
        ports = {
            "i_decision": decision,
            "i_valid": rng.random() < 0.8,
            "i_event_valid": rng.random() < chance,
            "i_source": rng.choice(self.geometry.merged),
            "i_polarity": rng.getrandbits(1),
            "i_drop": {"valid": rng.random() < chance, "source": rng.choice(self.geometry.sources)},
        }
        kinds = []
        if ports["i_valid"]:
            kinds += [NAMED[name] for name in names if decision[name]]
            if decision["classed"]:
                kinds.append(ResponseClass(decision["response_class"]))
        channel = Const(decision["channel"], 3)
        found = [places.classes(Const(kind.value, 3), channel, bank) for kind in kinds]
        bits = places.code_bits
        # A code is not counted, and its value with it.
        if ports["i_event_valid"] and ports["i_source"] < SOURCE_CODE:
            code = Const(places.code_number(ports["i_source"]), bits)
            found.append(places.edges(Const(ports["i_polarity"], 1), code, bank))
        dropped = ports["i_drop"]["source"] != SOURCE_CODE_VALUE and ports["i_drop"]["valid"]
        if Feature.EVENTS in features and dropped:
            code = Const(places.code_number(ports["i_drop"]["source"]), bits)
            found.append(places.drops(code, bank))
        return ports, Counter(Const.cast(place).value for place in found)

    async def give(self, ctx, word):
        """Give a word for a clock."""
        ports, counted = word
        for name, value in ports.items():
            ctx.set(getattr(self.dut, name), value)
        if counted:
            self.came.append(counted)
        await ctx.tick()
        for name in ("i_valid", "i_event_valid"):
            ctx.set(getattr(self.dut, name), 0)
        ctx.set(self.dut.i_drop.valid, 0)

    async def take(self, ctx):
        """Take as the memory of counts does: in every second clock, or not."""
        while not self.stop:
            ctx.set(self.dut.second, 0)
            await ctx.tick()
            ctx.set(self.dut.second, 1)
            taken = ctx.get(self.dut.valid) and self.rng.random() < self.takes
            if taken:
                self.told.append(ctx.get(self.dut.place))
            ctx.set(self.dut.taken, taken)
            await ctx.tick()
            ctx.set(self.dut.taken, 0)

    async def idle(self, ctx):
        for _ in range(4000):
            if ctx.get(self.dut.idle):
                return
            await ctx.tick()
        pytest.fail("never idle")

    def check(self):
        """Check that all that came was told, word by word."""
        told = iter(self.told)
        for counted in self.came:
            assert Counter(next(told) for _ in range(counted.total())) == counted
        assert next(told, None) is None


@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize("takes", [1.0, 0.4])
def test_each_place_is_told_once_and_in_the_order_in_which_words_came(name, takes):
    queue = Queue(name)
    queue.takes = takes

    async def give(ctx):
        await ctx.tick()
        for round_ in range(8):
            for _ in range(60):
                if ctx.get(queue.dut.room):
                    await queue.give(ctx, queue.word())
                for _ in range(queue.rng.choice((0, 0, 0, 9))):
                    await ctx.tick()
            await queue.idle(ctx)
            # The bank may change while nothing waits.
            queue.bank = ~round_ & 1
            ctx.set(queue.dut.bank, queue.bank)
        queue.stop = True

    simulate(queue.dut, give, queue.take)
    queue.check()
    assert len(queue.told) > 300


def test_words_that_come_once_room_has_fallen_are_kept_as_promised():
    queue = Queue("all", 2)
    queue.takes = 0

    async def give(ctx):
        await ctx.tick().repeat(3)
        while ctx.get(queue.dut.room):
            await queue.give(ctx, queue.word(1))
        assert len(queue.came) <= DEPTH - ROOM + UNDER_WAY
        for _ in range(ROOM - UNDER_WAY):
            await queue.give(ctx, queue.word(1))
        assert not ctx.get(queue.dut.room)
        queue.takes = 1.0
        await queue.idle(ctx)
        assert ctx.get(queue.dut.room)
        queue.stop = True

    simulate(queue.dut, give, queue.take)
    queue.check()


def test_it_is_idle_only_when_all_has_gone_and_is_in_memory():
    queue = Queue("least")

    async def give(ctx):
        await queue.idle(ctx)
        for _ in range(20):
            word = queue.word(1)
            await queue.give(ctx, word)
            if not word[1]:
                continue
            told, quiet = len(queue.told), 0
            while not ctx.get(queue.dut.idle):
                quiet = quiet + 1 if len(queue.told) == told else 0
                told = len(queue.told)
                await ctx.tick()
            assert quiet >= QUIET_CLOCKS
            assert len(queue.told) == sum(counted.total() for counted in queue.came)
        queue.stop = True

    simulate(queue.dut, give, queue.take)


def test_a_clear_forgets_what_waits_and_what_comes_after_it_is_told():
    queue = Queue("all", 3)
    queue.takes = 0

    async def give(ctx):
        for _ in range(20):
            await queue.give(ctx, queue.word(1))
        await ctx.tick().repeat(6)
        ctx.set(queue.dut.clear, 1)
        await ctx.tick()
        ctx.set(queue.dut.clear, 0)
        queue.takes = 1.0
        await queue.idle(ctx)
        assert not queue.told
        queue.came.clear()
        for _ in range(10):
            await queue.give(ctx, queue.word(1))
        await queue.idle(ctx)
        queue.stop = True

    simulate(queue.dut, give, queue.take)
    queue.check()
