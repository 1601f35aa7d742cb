"""Codes, one a clock: each is counted, whatever came before it."""

import random
from collections import Counter

import pytest

from plexor_hdl import codes
from plexor_hdl.codes import PHASE_BITS, VALUE_CLOCKS, WRITE_CLOCKS, Codes

PART_BITS = 6
CODE_BITS = 3


async def walk(ctx, dut, *, wipe):
    """Return the entries of each code, summed; or wipe them."""
    found = Counter()
    ctx.set(dut.walk, 1)
    ctx.set(dut.wipe, wipe)
    for entry in range(1 << dut.entry_bits):
        ctx.set(dut.walk_entry, entry)
        await ctx.tick().repeat(VALUE_CLOCKS)
        found[entry >> PHASE_BITS] += ctx.get(dut.value)
    ctx.set(dut.walk, 0)
    ctx.set(dut.wipe, 0)
    return found


@pytest.mark.parametrize("used", [1, 2, 8])
@pytest.mark.parametrize("density", [0.5, 1])
def test_every_code_is_counted_by_its_entries_and_tokens(bench, monkeypatch, used, density):
    monkeypatch.setattr(codes, "PART_BITS", PART_BITS)
    monkeypatch.setattr(codes, "TOKEN", 1 << PART_BITS - 1)
    dut, rng = Codes(CODE_BITS), random.Random(used)
    given, tokens = Counter(), Counter()

    async def drive(ctx):
        await walk(ctx, dut, wipe=1)
        for clock in range(3000):
            code, valid = rng.randrange(used), rng.random() < density and clock < 2900
            ctx.set(dut.i_valid, valid)
            ctx.set(dut.i_code, code)
            given[code] += valid
            taken = ctx.get(dut.token_valid) and clock % 5 == 0
            ctx.set(dut.taken, taken)
            if taken:
                tokens[ctx.get(dut.token_entry) >> PHASE_BITS] += 1 << PART_BITS - 1
            await ctx.tick()
        await ctx.tick().repeat(WRITE_CLOCKS)
        assert await walk(ctx, dut, wipe=0) + tokens == given
        await walk(ctx, dut, wipe=1)
        assert not any((await walk(ctx, dut, wipe=0)).values())

    bench.simulate(dut, drive)
