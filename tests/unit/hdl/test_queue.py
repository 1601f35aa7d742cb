"""The strike queue: first in, first out, none lost, its head ready or busy."""

import random
from collections import deque

import pytest

from plexor_hdl.queue import StrikeQueue

DEPTH = 8


@pytest.mark.parametrize(("pushes", "pops"), [(0.9, 0.9), (0.9, 0.3), (0.2, 0.9), (0.5, 0.5)])
def test_what_is_pushed_is_popped_in_order_and_the_level_is_exact(bench, pushes, pops):
    rng = random.Random(f"{pushes} {pops}")
    dut, held = StrikeQueue(DEPTH, 16), deque()
    popped = []

    async def drive(ctx):
        number, busy_for = 0, 0
        for clock in range(1500):
            assert ctx.get(dut.level) == len(held)
            assert ctx.get(dut.full) == (len(held) == DEPTH)
            valid = ctx.get(dut.head_valid)
            assert not valid or ctx.get(dut.head) == held[0]
            assert bool(ctx.get(dut.busy)) == bool(held and not valid)
            busy_for = busy_for + 1 if held and not valid else 0
            assert busy_for <= 2
            pop = rng.random() < pops
            taken = pop and valid
            push = rng.random() < pushes and (len(held) < DEPTH or taken)
            clear = clock % 400 == 399
            ctx.set(dut.pop, pop)
            ctx.set(dut.push, push)
            ctx.set(dut.push_data, number)
            ctx.set(dut.clear, clear)
            before = (ctx.get(dut.head), valid)
            changing = ctx.get(dut.changing)
            await ctx.tick()
            if taken:
                popped.append(held.popleft())
            if push:
                held.append(number)
                number += 1
            if clear:
                held.clear()
            elif (ctx.get(dut.head), ctx.get(dut.head_valid)) != before:
                assert changing

    bench.simulate(dut, drive)
    assert len(popped) > 100
    assert popped == sorted(set(popped))
