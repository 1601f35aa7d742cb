# SPDX-License-Identifier: Apache-2.0
"""Folding: each counter with a delta is added once, one after the other, and none other."""

import random

import pytest

from plexor_hdl.results.folding import Folding
from plexor_hdl.results.upper import JOB_CLOCKS, PHASES

from ..simulation import made, simulate

ENTRIES = 16
READ_CLOCKS = 2
MOST_CLOCKS = ENTRIES * 80


class Counters:
    """What Folding works on: delta words, their upper words, and carries under way."""

    def __init__(self, deltas, uppers, seed=0) -> None:
        self.dut, self.rng = made(Folding, ENTRIES), random.Random(seed)
        self.deltas, self.uppers = list(deltas), list(uppers)
        self.added, self.done = [], 0
        self.carry_from = self.carry_to = -1
        self.clock = 0
        self.addresses, self.job = [0] * READ_CLOCKS, None

    def quiet(self):
        return not self.carry_from <= self.clock < self.carry_to

    async def step(self, ctx):
        """Go on by a clock."""
        dut, phase = self.dut, self.clock % PHASES
        ctx.set(dut.phase, 1 << phase)
        ctx.set(dut.quiet, self.quiet())
        # Not looked at but while it walks, when the memory is read for it.
        any_of = self.deltas[self.addresses[-READ_CLOCKS]]
        ctx.set(dut.delta_any, any_of if ctx.get(dut.walks) else self.rng.getrandbits(1))
        ctx.set(dut.job_done, 0)
        if self.job is not None:
            self.job -= 1
            if self.job == 1:
                ctx.set(dut.upper_any, self.uppers[ctx.get(dut.address)])
            if self.job == 0:
                ctx.set(dut.job_done, 1)
                self.uppers[ctx.get(dut.address)] = 0
                self.job = None
        elif ctx.get(dut.job_wants) and phase == 2:
            self.job = JOB_CLOCKS
        goes = phase == 3 and ctx.get(dut.wants) and self.rng.random() < 0.5
        ctx.set(dut.go, goes)
        if goes:
            self.added.append(ctx.get(dut.address))
            self.carry_from = self.clock + self.rng.randrange(1, 2 * PHASES)
            self.carry_to = self.carry_from + self.rng.choice((0, 5, 60))
        if ctx.get(dut.zero_stb):
            assert phase == 0
            assert self.quiet()
            assert self.clock >= max(self.carry_from, self.carry_to)
            assert ctx.get(dut.address) == self.added[-1]
            self.deltas[ctx.get(dut.address)] = 0
        if ctx.get(dut.done_stb):
            self.done += 1
            assert ctx.get(dut.address) == ENTRIES - 1
        self.addresses.append(ctx.get(dut.address))
        await ctx.tick()
        self.clock += 1

    async def freeze(self, ctx):
        ctx.set(self.dut.frozen, 1)
        for _ in range(10):
            await self.step(ctx)
            assert not ctx.get(self.dut.busy)
        ctx.set(self.dut.frozen, 0)
        await self.step(ctx)
        await self.step(ctx)
        assert not ctx.get(self.dut.zero_stb)

    async def fold(self, ctx):
        clocks = 0
        while ctx.get(self.dut.busy):
            await self.step(ctx)
            clocks += 1
            assert clocks < MOST_CLOCKS + 64 * len(self.added)


@pytest.mark.parametrize("seed", range(5))
def test_each_counter_with_something_to_add_is_added_once_and_in_order(seed):
    rng = random.Random(seed)
    share = (0.0, 0.2, 0.5, 0.9, 1.0)[seed]
    deltas = [rng.random() < share for _ in range(ENTRIES)]
    uppers = [rng.random() < share / 2 for _ in range(ENTRIES)]
    counters = Counters(deltas, uppers, seed)
    expected = [n for n in range(ENTRIES) if deltas[n] or uppers[n]]

    async def bench(ctx):
        await counters.freeze(ctx)
        await counters.fold(ctx)
        assert counters.added == expected
        assert counters.done == 1
        assert not any(counters.deltas + counters.uppers)
        # Once more: it begins with the first one again.
        counters.deltas[0] = counters.deltas[ENTRIES - 1] = True
        counters.added.clear()
        await counters.freeze(ctx)
        await counters.fold(ctx)
        assert counters.added == [0, ENTRIES - 1]
        assert counters.done == 2

    simulate(counters.dut, bench)


def test_a_clear_ends_it_and_nothing_begins_while_it_is_frozen():
    counters = Counters([True] * ENTRIES, [False] * ENTRIES)

    async def bench(ctx):
        for _ in range(40):
            await counters.step(ctx)
            assert not ctx.get(counters.dut.busy)
        for left in range(60, 140, 7):
            counters.job = None
            await counters.freeze(ctx)
            for _ in range(left):
                await counters.step(ctx)
            assert ctx.get(counters.dut.busy)
            ctx.set(counters.dut.clear, 1)
            await counters.step(ctx)
            ctx.set(counters.dut.clear, 0)
            assert not ctx.get(counters.dut.busy)
            for _ in range(20):
                await counters.step(ctx)
                assert not ctx.get(counters.dut.busy)
        assert not counters.done
        # A clear that comes with the end of the freeze, or a clock later, leaves nothing to do.
        for later in range(2):
            ctx.set(counters.dut.frozen, 1)
            await counters.step(ctx)
            await counters.step(ctx)
            ctx.set(counters.dut.frozen, 0)
            for _ in range(later):
                await counters.step(ctx)
            ctx.set(counters.dut.clear, 1)
            await counters.step(ctx)
            ctx.set(counters.dut.clear, 0)
            for _ in range(20):
                await counters.step(ctx)
                assert not ctx.get(counters.dut.busy)

    simulate(counters.dut, bench)
