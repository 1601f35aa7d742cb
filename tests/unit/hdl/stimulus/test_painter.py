# SPDX-License-Identifier: Apache-2.0
"""The painter: strikes to pulses of their width, each in its ticks, no more than their number."""

import random

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.stimulus.painter import STOP_CLOCKS, Painter

from ..simulation import made, simulate

SAMPLES = 8
LOAD_CLOCKS = 8


class Bench:
    """Strikes at given ticks, and what comes of them."""

    def __init__(self, burst) -> None:
        self.dut = made(Painter, Geometry(samples=SAMPLES), burst=burst)

    async def paint(self, ctx, strikes, width, count=0, clocks=None, stop=None, fast=False):
        """Return words, strobes, `spent` and `pending` of each clock, from the first strike's on.

        With `fast` strikes come as words of starts. `stop` is the clock in which it is high.
        """
        dut, seen = self.dut, []
        ctx.set(dut.config.width_ticks, width)
        ctx.set(dut.config.strike_count, count)
        await ctx.tick().repeat(5)
        ctx.set(dut.load, 1)
        await ctx.tick()
        ctx.set(dut.load, 0)
        await ctx.tick().repeat(LOAD_CLOCKS)
        last = max(strikes, default=0) + width
        for clock in range(clocks or last // SAMPLES + dut.paint_clocks + 3):
            here = [tick % SAMPLES for tick in strikes if tick // SAMPLES == clock]
            if fast:
                ctx.set(dut.starts, sum(1 << tick for tick in here))
            else:
                ctx.set(dut.strike, len(here))
                ctx.set(dut.offset, here[0] if here else clock % SAMPLES)
            ctx.set(dut.stop, clock == stop)
            names = ("word", "strike_stb", "spent", "pending")
            seen.append([ctx.get(getattr(dut, name)) for name in names])
            await ctx.tick()
        for name in ("stop", "strike", "starts"):
            ctx.set(getattr(dut, name), 0)
        return seen

    def drawn(self, strikes, width, clocks):
        """Return what words and strobes must be."""
        late = self.dut.paint_clocks
        high = {tick + n for tick in strikes for n in range(width)}
        starts = {tick // SAMPLES for tick in strikes}
        for clock in range(-late, clocks - late):
            ticks = range(clock * SAMPLES, (clock + 1) * SAMPLES)
            yield sum((tick in high) << n for n, tick in enumerate(ticks)), clock in starts


def spaced(rng, width, number):
    """Return ticks of pulses that end before the next start, one a word at most."""
    tick, found = rng.randrange(SAMPLES), []
    for _ in range(number):
        found.append(tick)
        tick += max(width + 1, SAMPLES) + rng.choice((0, 0, 1, rng.randrange(4 * SAMPLES)))
    return found


@pytest.mark.parametrize("burst", [False, True], ids=["lean", "burst"])
@pytest.mark.parametrize("width", [1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000])
def test_a_pulse_is_high_for_its_width_from_its_strike_on(burst, width):
    bench, strikes = Bench(burst), spaced(random.Random(width), width, 12)

    async def testbench(ctx):
        seen = await bench.paint(ctx, strikes, width)
        assert [(word, stb) for word, stb, *_ in seen] == list(
            bench.drawn(strikes, width, len(seen))
        )

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("width", [1, 3, 7])
def test_words_with_several_strikes_have_a_pulse_for_each(width):
    bench = Bench(burst=True)
    rng, strikes = random.Random(width), [5]
    for _ in range(60):
        strikes.append(strikes[-1] + width + 1 + rng.choice((0, 0, 0, 1, 20)))

    async def testbench(ctx):
        seen = await bench.paint(ctx, strikes, width, fast=True)
        assert [(word, stb) for word, stb, *_ in seen] == list(
            bench.drawn(strikes, width, len(seen))
        )
        # With a count those behind the last are left out.
        seen = await bench.paint(ctx, strikes, width, count=23, fast=True)
        assert [(word, stb) for word, stb, *_ in seen] == list(
            bench.drawn(strikes[:23], width, len(seen))
        )

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("burst", [False, True], ids=["lean", "burst"])
@pytest.mark.parametrize("count", [1, 2, 17])
def test_the_last_of_a_count_is_told_before_its_word_and_without_a_count_none_is(burst, count):
    bench, strikes = Bench(burst), spaced(random.Random(count), 3, count)

    async def testbench(ctx):
        seen = await bench.paint(ctx, strikes, 3, count=count)
        told = [clock for clock, (*_, spent, _) in enumerate(seen) if spent]
        assert len(told) == 1
        assert strikes[-1] // SAMPLES <= told[0] < strikes[-1] // SAMPLES + bench.dut.paint_clocks
        assert not ctx.get(bench.dut.endless)
        seen = await bench.paint(ctx, strikes, 3)
        assert not any(spent for *_, spent, _ in seen)
        assert ctx.get(bench.dut.endless)

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("burst", [False, True], ids=["lean", "burst"])
def test_a_stop_takes_the_start_of_one_word_and_lets_pulses_end(burst):
    bench, width = Bench(burst), 11
    strikes = [16 * n + n % 5 for n in range(10)]

    async def testbench(ctx):
        for stop in range(bench.dut.paint_clocks, 20):
            seen = await bench.paint(ctx, strikes, width, stop=stop)
            word = stop + STOP_CLOCKS - bench.dut.paint_clocks
            left = [tick for tick in strikes if tick // SAMPLES != word]
            assert [(word, stb) for word, stb, *_ in seen] == list(
                bench.drawn(left, width, len(seen))
            )

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("burst", [False, True], ids=["lean", "burst"])
def test_a_pulse_is_pending_up_to_the_clock_before_the_word_in_which_it_ends(burst):
    bench = Bench(burst)

    async def testbench(ctx):
        for offset in range(SAMPLES):
            for width in (1, 7, 8, 40, 300):
                seen = await bench.paint(ctx, [offset], width)
                pending = [clock for clock, (*_, on) in enumerate(seen) if on]
                end = (offset + width) // SAMPLES + bench.dut.paint_clocks
                assert pending[-1] == end - 1
                assert pending == list(range(pending[0], end))
                # In time for the pulse's first word.
                assert pending[0] < bench.dut.paint_clocks

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("burst", [False, True], ids=["lean", "burst"])
def test_a_clear_in_the_midst_of_a_pulse_leaves_nothing_of_it(burst):
    bench, dut = Bench(burst), Bench(burst).dut

    async def testbench(ctx):
        for clocks in range(1, 24):
            await bench.paint(ctx, [3], 100, clocks=clocks)
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            for _ in range(30):
                for name in ("word", "strike_stb", "pending"):
                    assert not ctx.get(getattr(dut, name))
                await ctx.tick()

    simulate(dut, testbench)
