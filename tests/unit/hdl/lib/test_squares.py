# SPDX-License-Identifier: Apache-2.0
"""Squares of signed values, as fast as they may come, against plain integers."""

import random

import pytest

from plexor_hdl.lib.squares import Squares

from ..simulation import made, simulate

EDGES = [0, 1, -1, 15, 16, 0xFFFF, 0x1_0000, -0xFFFF, -0x1_0000, (1 << 31) - 1, 1 - (1 << 31)]
EDGES += [-(1 << 31), 0x7FFF_0000, 0x0001_FFFF, 0x5555_AAAA - (1 << 31)]


@pytest.mark.parametrize("pace", [Squares.PACE, Squares.PACE + 1, 7])
def test_the_square_of_each_value_is_there_in_time_and_for_a_pace(pace):
    dut, rng = made(Squares), random.Random(pace)
    values = EDGES + [rng.randrange(-(1 << 31), 1 << 31) for _ in range(60)]
    values += [rng.randrange(-300, 300) for _ in range(20)]

    async def bench(ctx):
        for clock in range(len(values) * pace + dut.LATENCY):
            number, phase = divmod(clock, pace)
            comes = phase == 0 and number < len(values)
            ctx.set(dut.stb, comes)
            # Between them stands what is no value.
            ctx.set(dut.value_ticks, values[number] if comes else rng.getrandbits(31))
            done, late = divmod(clock - dut.LATENCY, pace)
            if done >= 0 and late < dut.PACE:
                assert ctx.get(dut.square) == values[done] ** 2
            await ctx.tick()

    simulate(dut, bench)
