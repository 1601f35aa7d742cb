# SPDX-License-Identifier: Apache-2.0
"""Paced counters: exact, and at their greatest value they stay."""

import gc
import random
from dataclasses import dataclass

import pytest

from plexor_hdl.interfaces import PACE_CLOCKS, READ_CLOCKS
from plexor_hdl.lib.counters import PacedTally

from ..simulation import made, simulate


@dataclass
class Beats:
    """Counts of addresses, PACE_CLOCKS or up to `idle` more apart; junk in the clocks between."""

    dut: PacedTally
    idle: int = 0
    seed: int = 1

    async def send(self, ctx, addresses):
        chance = random.Random(self.seed)
        for address in addresses:
            ctx.set(self.dut.valid, 1)
            ctx.set(self.dut.address, address)
            await ctx.tick()
            ctx.set(self.dut.valid, 0)
            for _ in range(PACE_CLOCKS - 1 + chance.randrange(self.idle + 1)):
                ctx.set(self.dut.address, chance.choice(addresses))
                await ctx.tick()


async def read_words(ctx, dut, addresses):
    """Read words; each address stands until its data is taken."""
    found = []
    for address in addresses:
        ctx.set(dut.there, 1)
        ctx.set(dut.read_address, address)
        await ctx.tick().repeat(READ_CLOCKS)
        found.append(ctx.get(dut.count))
    return found


async def clear(ctx, dut):
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    assert ctx.get(dut.clear_busy) == 1
    await ctx.tick().until(~dut.clear_busy)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("idle", [0, 3])
@pytest.mark.parametrize("addresses", ["same", "few", "any"])
def test_every_beat_is_counted_once(addresses, idle, far):
    dut = made(PacedTally, 8, 10, far)
    chance = random.Random(2)
    many = {"same": 1, "few": 3, "any": 8}[addresses]
    chosen = [chance.randrange(many) for _ in range(400)]

    async def testbench(ctx):
        await Beats(dut, idle).send(ctx, chosen)
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, range(8)) == [chosen.count(n) for n in range(8)]
        assert ctx.get(dut.saturated) == 0

    simulate(dut, testbench)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("bits", [2, 4, 5])
def test_a_counter_at_its_greatest_value_stays_there_and_says_so(bits, far):
    dut = made(PacedTally, 4, bits, far)
    most = (1 << bits) - 1

    async def testbench(ctx):
        beats = Beats(dut)
        await beats.send(ctx, [1] * most)
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, range(4)) == [0, most, 0, 0]
        assert ctx.get(dut.saturated) == 0
        await beats.send(ctx, [1, 2] * 3)
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, range(4)) == [0, most, 3, 0]
        assert ctx.get(dut.saturated) == 1

    simulate(dut, testbench)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_a_beat_is_read_latency_clocks_later(far):
    dut = made(PacedTally, 2, 4, far)

    async def testbench(ctx):
        await Beats(dut).send(ctx, [1] * 3)
        ctx.set(dut.valid, 1)
        ctx.set(dut.address, 1)
        await ctx.tick()
        ctx.set(dut.valid, 0)
        await ctx.tick().repeat(dut.latency - 1)
        ctx.set(dut.there, 1)
        ctx.set(dut.read_address, 1)
        await ctx.tick().repeat(READ_CLOCKS)
        assert ctx.get(dut.count) == 4

    simulate(dut, testbench)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_clear_zeroes_every_counter_and_the_flag(far):
    dut = made(PacedTally, 8, 2, far)

    async def testbench(ctx):
        beats = Beats(dut)
        await beats.send(ctx, [n % 8 for n in range(32)])
        assert ctx.get(dut.saturated) == 1
        assert await read_words(ctx, dut, range(8)) == [3] * 8
        await clear(ctx, dut)
        assert ctx.get(dut.saturated) == 0
        await beats.send(ctx, [7, 0, 7])
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, range(8)) == [1, 0, 0, 0, 0, 0, 0, 2]

    simulate(dut, testbench)


@pytest.mark.filterwarnings("ignore:.*created but never used")
@pytest.mark.parametrize(
    "wrong",
    [{"entries": 6}, {"bits": 33}, {"bits": 1}],
)
def test_a_wrong_parameter_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PacedTally(**{"entries": 4, "bits": 8, **wrong})
    gc.collect(0)
