# SPDX-License-Identifier: Apache-2.0
"""Upper words of counters: each is the sum of what was added, as long as pages last."""

import random
from collections import Counter

import pytest

from plexor_hdl.results.upper import GROUP_BITS, JOB_CLOCKS, PHASES, Upper

from ..simulation import made, simulate

GROUP = 1 << GROUP_BITS


class Bench:
    """Jobs, one after the other, and what words of both sets must be."""

    def __init__(self, entries=128, bits=8, pages=32) -> None:
        self.dut, self.pages, self.most = made(Upper, entries, bits, pages), pages, (1 << bits) - 1
        self.words, self.clock = Counter(), 0

    async def tick(self, ctx):
        await ctx.tick()
        self.clock += 1
        ctx.set(self.dut.phase, 1 << self.clock % PHASES)

    async def clear(self, ctx):
        ctx.set(self.dut.phase, 1)
        ctx.set(self.dut.clear, 1)
        for place in range(self.dut.places):
            ctx.set(self.dut.clear_address, place)
            await self.tick(ctx)
        ctx.set(self.dut.clear, 0)
        for _ in range(2 * PHASES):
            await self.tick(ctx)
        self.words.clear()

    async def job(self, ctx, address, delta=0, amount=0, one=0, take=0):
        """Do a job; return whether it failed and, of one that takes, the word."""
        dut, failed = self.dut, False
        while self.clock % PHASES != 2:
            await self.tick(ctx)
        ctx.set(dut.job_stb, 1)
        await self.tick(ctx)
        ctx.set(dut.job_stb, 0)
        given = {"address": address, "delta": delta, "amount": amount, "one": one, "take": take}
        for name, value in given.items():
            ctx.set(getattr(dut, name), value)
        for clock in range(1, JOB_CLOCKS + 1):
            assert ctx.get(dut.done) == (clock == JOB_CLOCKS)
            told = ctx.get(dut.failed_stb)
            assert not told or clock == JOB_CLOCKS - 1
            failed |= bool(told)
            if clock == JOB_CLOCKS:
                taken = ctx.get(dut.taken)
                # The next one may be asked for in this clock.
                return failed, taken
            await self.tick(ctx)
        return None

    async def add(self, ctx, address, delta, amount, one):
        """Add to a word that has a page or finds one."""
        failed, _ = await self.job(ctx, address, delta, amount, one)
        total = self.words[address, delta] + amount + one
        assert failed == (total > self.most)
        self.words[address, delta] = min(total, self.most)

    async def read(self, ctx, address):
        """Return the main word of an address, once that has stood for 4 clocks."""
        ctx.set(self.dut.read_address, address)
        for _ in range(PHASES):
            await self.tick(ctx)
        while self.clock % PHASES != 2:
            await self.tick(ctx)
        return ctx.get(self.dut.word)

    def pages_of(self):
        """Return the pages that are given out."""
        return len({(address // GROUP, delta) for address, delta in self.words})


async def check_main(ctx, bench, entries=128):
    for address in range(entries):
        assert await bench.read(ctx, address) == bench.words.get((address, 0), 0), address


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2))])
def test_every_word_is_the_sum_of_what_was_added_and_a_take_makes_it_0(seed):
    bench, rng = Bench(), random.Random(seed)

    async def testbench(ctx):
        await bench.clear(ctx)
        for _ in range(400):
            address, delta = rng.randrange(128), rng.getrandbits(1)
            await bench.add(ctx, address, delta, rng.choice((0, 1, 3)), rng.getrandbits(1))
        await check_main(ctx, bench)
        for address in range(128):
            failed, taken = await bench.job(ctx, address, delta=1, take=1)
            assert not failed
            assert taken == bench.words.pop((address, 1), 0)
        for address in range(0, 128, 5):
            assert (await bench.job(ctx, address, delta=1, take=1))[1] == 0
        await check_main(ctx, bench)
        await bench.clear(ctx)
        await check_main(ctx, bench)

    simulate(bench.dut, testbench)


def test_without_a_free_page_nothing_is_added_and_words_that_have_one_go_on():
    bench = Bench(entries=128, pages=4)

    async def testbench(ctx):
        await bench.clear(ctx)
        # One less than there are pages.
        for group, delta in ((0, 0), (3, 1), (5, 0)):
            assert not ctx.get(bench.dut.may_fail)
            await bench.add(ctx, group * GROUP + 7, delta, 5, 0)
        for _ in range(PHASES):
            await bench.tick(ctx)
        assert ctx.get(bench.dut.may_fail)
        for group, delta in ((1, 0), (0, 1), (5, 1), (3, 0)):
            address = group * GROUP + 7
            assert (await bench.job(ctx, address, delta, 9, 1))[0]
            # A take of what has no page is no failure, and gives nothing of another's.
            assert await bench.job(ctx, address, delta, take=1) == (False, 0)
        await bench.add(ctx, 5 * GROUP, 0, 3, 0)
        await bench.add(ctx, 7, 0, 3, 0)
        await check_main(ctx, bench)

    simulate(bench.dut, testbench)


def test_pages_of_the_delta_are_free_again_and_those_of_main_stay():
    bench = Bench(entries=128, pages=4)

    async def testbench(ctx):
        await bench.clear(ctx)
        await bench.add(ctx, 3, 0, 9, 0)
        for turn in range(6):
            groups = [(2 * turn) % 8, (2 * turn + 1) % 8]
            for group in groups:
                await bench.add(ctx, group * GROUP + 1, 1, turn + 1, 0)
            # Each word of the groups is taken, as folding does.
            for group in groups:
                for place in range(GROUP):
                    address = group * GROUP + place
                    _, taken = await bench.job(ctx, address, delta=1, take=1)
                    assert taken == bench.words.pop((address, 1), 0)
            await bench.tick(ctx)
            ctx.set(bench.dut.free_stb, 1)
            await bench.tick(ctx)
            ctx.set(bench.dut.free_stb, 0)
        await check_main(ctx, bench)

    simulate(bench.dut, testbench)


def test_a_word_stays_at_its_greatest_value_and_tells_before_that_it_may():
    bench = Bench(bits=4)

    async def testbench(ctx):
        await bench.clear(ctx)
        for delta in range(2):
            await bench.add(ctx, 20, delta, 7, 0)
            assert not ctx.get(bench.dut.may_fail) or delta
        await bench.add(ctx, 20, 0, 0, 1)
        assert ctx.get(bench.dut.may_fail)
        for amount, one in ((6, 1), (0, 0), (0, 1), (15, 1)):
            await bench.add(ctx, 20, 0, amount, one)
            assert await bench.read(ctx, 20) == 15
        # Its neighbours in the page, and the other set, are as they were.
        for address in (19, 21):
            assert await bench.read(ctx, address) == 0
        assert (await bench.job(ctx, 20, delta=1, take=1))[1] == 7
        await bench.clear(ctx)
        assert not ctx.get(bench.dut.may_fail)

    simulate(bench.dut, testbench)
