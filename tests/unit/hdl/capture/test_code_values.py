# SPDX-License-Identifier: Apache-2.0
"""Values of codes: those of kept words leave in order, and codes of masked classes are counted."""

import random

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.capture.code_values import CodeValues

from ..simulation import made, simulate

BITS, FIFO = 10, 4
GEOMETRY = Geometry(code_bits=BITS, word_fifo_depth=FIFO, features=Feature.EVENTS | Feature.CODES)


def run(rng, delay_clocks, zone_mask, count):
    """Return what left, as (code, skipped), the codes that were kept, and `masked`."""
    dut, left, kept, masked = made(CodeValues, GEOMETRY), [], [], []

    async def bench(ctx):
        ctx.set(dut.zone_mask, zone_mask)
        begins, values, waits, rest, leaves = {}, {}, [], 0, False
        for clock in range(8 * count):
            if len(begins) < count and rest == 0 and rng.random() < 0.6:
                begins[clock], rest = rng.getrandbits(BITS), delay_clocks
                values[clock + delay_clocks] = begins[clock]
                ctx.set(dut.begin, 1)
            else:
                ctx.set(dut.begin, 0)
                rest = max(rest - 1, 0)
            was_kept = clock - 1 in begins and len(waits) < FIFO and rng.random() < 0.7
            ctx.set(dut.kept, was_kept)
            if was_kept:
                kept.append(begins[clock - 1])
                # A word needs more clocks through the merge than its value needs.
                waits.append(clock + delay_clocks + 2)
            ctx.set(dut.i_valid, clock in values)
            ctx.set(dut.i_value, {"code": values.get(clock, 0), "skew_clocks": 0, "torn": 0})
            if leaves:
                left[-1][0] = ctx.get(dut.value.code)
            leaves = not leaves and bool(waits) and waits[0] <= clock and rng.random() < 0.7
            ctx.set(dut.leave_stb, leaves)
            if leaves:
                waits.pop(0)
                left.append([None, ctx.get(dut.skip)])
            await ctx.tick()
        ctx.set(dut.leave_stb, 0)
        if leaves:
            left[-1][0] = ctx.get(dut.value.code)
        await ctx.tick().repeat(4)
        masked.append(ctx.get(dut.masked))
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        await ctx.tick()
        assert ctx.get(dut.masked) == 0

    simulate(dut, bench)
    return [tuple(each) for each in left], kept, masked[0]


@pytest.mark.parametrize("delay_clocks", [2, 3, 10])
def test_values_leave_in_order_with_their_codes_and_those_of_masked_classes_are_counted(
    delay_clocks,
):
    zone_mask = 0x5A3C
    left, kept, masked = run(random.Random(delay_clocks), delay_clocks, zone_mask, 200)
    assert [code for code, _ in left] == kept[: len(left)]
    assert len(left) > 50
    hidden = [zone_mask >> (code >> BITS - 4) & 1 for code, _ in left]
    assert [skip for _, skip in left] == hidden
    assert masked == sum(hidden) > 10
