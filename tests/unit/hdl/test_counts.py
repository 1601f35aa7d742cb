"""All counts in one memory: every amount lands, wherever the sweep is."""

import random

import pytest
from amaranth.sim import Simulator

from plexor_hdl.counts import VALUE_CLOCKS, Counts

AMOUNTS = {3: 1, 5: 4, 6: 1, 0: 2, 17: 1, 33: 1, 40: 1, 41: 3, 42: 1, 63: 1}


def run(dut, process):
    sim = Simulator(dut)
    sim.add_clock(1e-6)
    sim.add_testbench(process)
    sim.run()


async def strobe_until(ctx, signal, until, *, limit=400):
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)
    for _ in range(limit):
        if ctx.get(until):
            return
        await ctx.tick()
    pytest.fail("no answer")


async def read_all(ctx, dut, places):
    found = {}
    ctx.set(dut.reading, 1)
    for place in places:
        ctx.set(dut.read_address, place)
        await ctx.tick().repeat(VALUE_CLOCKS)
        found[place] = ctx.get(dut.value)
    ctx.set(dut.reading, 0)
    return found


async def clear(ctx, dut):
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    for _ in range(400):
        if not ctx.get(dut.clear_busy):
            return
        await ctx.tick()
    pytest.fail("still busy")


@pytest.mark.parametrize("amount_bits", [AMOUNTS, {1: 1, 2: 2}], ids=["many", "few"])
@pytest.mark.parametrize("reads", [False, True], ids=["alone", "read meanwhile"])
def test_every_amount_is_counted_at_its_address(amount_bits, reads):
    dut = Counts(amount_bits)
    choose = random.Random(7)
    expected = dict.fromkeys(amount_bits, 0)

    async def process(ctx):
        await ctx.tick().repeat(5)
        await clear(ctx, dut)
        for clock in range(2000):
            dense = (clock // 300) % 2
            for place, bits in amount_bits.items():
                top = (1 << bits) - 1
                amount = top if dense else choose.choice((0, 0, choose.randint(0, top)))
                expected[place] += amount
                ctx.set(dut.amounts[str(place)], amount)
            ctx.set(dut.reading, reads and clock % 20 < 6)
            await ctx.tick()
        ctx.set(dut.reading, 0)
        ctx.set(dut.amounts, dict.fromkeys(map(str, amount_bits), 0))
        await strobe_until(ctx, dut.settle_stb, dut.settled_stb)
        assert await read_all(ctx, dut, amount_bits) == expected
        await clear(ctx, dut)
        assert await read_all(ctx, dut, amount_bits) == dict.fromkeys(amount_bits, 0)

    run(dut, process)
