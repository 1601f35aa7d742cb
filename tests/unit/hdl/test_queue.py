"""The strike queue: first in, first out, none lost, its head there at once."""

import random
from collections import deque

import pytest

from plexor_hdl.queue import StrikeQueue

from .simulation import made


@pytest.mark.parametrize("depth", [4, 8])
@pytest.mark.parametrize(("pushes", "pops"), [(0.9, 0.9), (0.9, 0.3), (0.2, 0.9), (0.5, 0.5)])
def test_what_is_pushed_is_popped_in_order_and_the_level_is_exact(bench, depth, pushes, pops):
    rng = random.Random(f"{pushes} {pops}")
    dut, held = made(StrikeQueue, depth, 16), deque()
    popped = []

    async def drive(ctx):
        for clock in range(1500):
            assert ctx.get(dut.level) == len(held)
            assert ctx.get(dut.full) == (len(held) == depth)
            assert ctx.get(dut.head_valid) == bool(held)
            assert not held or ctx.get(dut.head) == held[0]
            pop = rng.random() < pops
            taken = pop and bool(held)
            push = rng.random() < pushes and (len(held) < depth or taken)
            clear = clock % 400 == 399
            ctx.set(dut.pop, pop)
            ctx.set(dut.push, push)
            ctx.set(dut.push_data, clock)
            ctx.set(dut.clear, clear)
            await ctx.tick()
            if taken:
                popped.append(held.popleft())
            if push:
                held.append(clock)
            if clear:
                held.clear()

    bench.simulate(dut, drive)
    assert len(popped) > 100
    assert popped == sorted(set(popped))
