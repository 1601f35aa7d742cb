# SPDX-License-Identifier: Apache-2.0
"""What intervals draw, against xorshift64 and sums of fractions in plain integers."""

import random
from itertools import islice

import pytest

from plexor_hdl.stimulus.random import WARM_CLOCKS, Draw

from ..simulation import made, simulate
from ..stimulus_truth import states

FINE = 3
WORD = 1 << FINE
SEEDS = [0, 1, 1 << 63, 0x0123_4567_89AB_CDEF]


class Bench:
    """Draws of a sequence, and what was taken over of them."""

    def __init__(self, **kinds) -> None:
        self.dut = made(Draw, FINE, **kinds)

    async def hold(self, ctx, **settings):
        """Go back to the sequence's beginning; the first draw is then there."""
        dut = self.dut
        for name, value in settings.items():
            ctx.set(getattr(dut, name), value)
        ctx.set(dut.hold, 1)
        ctx.set(dut.step, 1)
        await ctx.tick().repeat(6)
        ctx.set(dut.hold, 0)
        await ctx.tick().repeat(WARM_CLOCKS)
        ctx.set(dut.step, 0)

    async def step(self, ctx, advance):
        """Step; return what stood, and what was taken over of it."""
        dut = self.dut
        stood = ctx.get(dut.step_fine), ctx.get(dut.offset_next)
        ctx.set(dut.step, 1)
        ctx.set(dut.advance, advance)
        await ctx.tick()
        ctx.set(dut.step, 0)
        ctx.set(dut.advance, 0)
        names = ("coarse", "waits", "one", "far", "hit", "offset")
        return stood, {name: ctx.get(getattr(dut, name)) for name in names}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bits", [0, 1, 3, 4, 8, 9, 16, 31, 32, 33, 63])
def test_dither_is_the_low_bits_of_each_state_in_ticks_and_clocks(seed, bits):
    bench = Bench(dither=True, poisson=False)
    rng = random.Random(bits)

    async def testbench(ctx):
        await bench.hold(ctx, seed=seed, dither_bits=bits, interval_fine=5, long=1, fraction=0)
        for state in islice(states(seed), 40):
            dither = state & (1 << min(bits, 32)) - 1
            (fine, _), taken = await bench.step(ctx, advance=1)
            assert fine == 5 + dither % WORD
            clocks = dither // WORD
            assert taken["coarse"] == clocks
            assert (taken["waits"], taken["one"]) == (clocks > 0, clocks == 1)
            assert taken["far"] == (clocks >= 16)
            for _ in range(rng.randrange(3)):
                # Without a step the next draw stands.
                await ctx.tick()

    simulate(bench.dut, testbench)


@pytest.mark.parametrize(
    "fraction", [0, 1, 0xFFFF, 0x1_0000, 0x5555_AAAA, 0x8000_0000, 0xFFFF_FFFF]
)
@pytest.mark.parametrize("dither", [False, True])
def test_a_fraction_carries_whenever_its_sum_comes_to_a_tick(fraction, dither):
    bench = Bench(dither=dither, poisson=False)

    async def testbench(ctx):
        for _ in range(2):
            await bench.hold(ctx, fraction=fraction, interval_fine=2, dither_bits=0, seed=7)
            for number in range(1, 300):
                (fine, _), _ = await bench.step(ctx, advance=0)
                assert fine == 2 + (number * fraction >> 32) - ((number - 1) * fraction >> 32)

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("threshold", [0, 1, 1 << 44, (1 << 48) - 1, 0x4000_FFFF_0000])
def test_a_draw_hits_where_its_upper_bits_are_below_the_threshold(threshold):
    bench = Bench(dither=True, poisson=True)
    drawn = list(islice(states(3), 300))
    # Just the threshold is no hit.
    exact = drawn[100] >> 16

    async def testbench(ctx):
        for limit in (threshold, exact, exact + 1):
            await bench.hold(
                ctx, seed=3, threshold=limit, plain=1, dither_bits=9, fraction=-1, interval_fine=3
            )
            for state in drawn:
                (fine, offset), taken = await bench.step(ctx, advance=1)
                # Where there are random strikes there is neither fraction nor dither.
                assert (fine, offset) == (3, state % WORD)
                assert (taken["hit"], taken["offset"]) == (state >> 16 < limit, state % WORD)
                assert taken["coarse"] == 0

    simulate(bench.dut, testbench)


def test_what_was_taken_over_stands_until_the_next_is_and_periods_have_no_hits():
    bench = Bench(dither=True, poisson=True)

    async def testbench(ctx):
        await bench.hold(ctx, seed=9, threshold=-1, plain=0, dither_bits=20, long=0)
        drawn = list(islice(states(9), 10))
        _, first = await bench.step(ctx, advance=1)
        assert first["coarse"] == (drawn[0] & 0xFFFFF) // WORD
        # Nothing waits where the interval is not a long one.
        assert (first["waits"], first["hit"]) == (0, 0)
        for _ in range(4):
            _, now = await bench.step(ctx, advance=0)
            assert now == first
        _, now = await bench.step(ctx, advance=1)
        assert now["coarse"] == (drawn[5] & 0xFFFFF) // WORD

    simulate(bench.dut, testbench)
