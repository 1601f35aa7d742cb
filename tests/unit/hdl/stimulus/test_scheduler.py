# SPDX-License-Identifier: Apache-2.0
"""Which ticks a sequence's strikes start in, against plain integers, without a count of them."""

from itertools import takewhile

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.stimulus.random import WARM_CLOCKS
from plexor_hdl.stimulus.scheduler import Scheduler

from ..simulation import made, simulate
from ..stimulus_truth import Settings, rises

SAMPLES = 8
SETTLE_CLOCKS = 24
LEAN, PERIODS = Feature(0), Feature.DITHER | Feature.BURST
PERIODIC = [
    Settings(interval_ticks=8, interval_fraction=1 << 31),
    Settings(interval_ticks=8, phase_ticks=13),
    Settings(interval_ticks=17, interval_fraction=0xFFFF_FFFF, phase_ticks=7),
    Settings(interval_ticks=1000, phase_ticks=2047),
]
RICH = [
    Settings(interval_ticks=9, dither_bits=7, seed=5),
    Settings(interval_ticks=300, interval_fraction=3 << 30, dither_bits=12, phase_ticks=5),
    Settings(interval_ticks=50, burst_count=3, spacing_ticks=2),
    Settings(interval_ticks=11, burst_count=7, spacing_ticks=9, dither_bits=5, phase_ticks=3),
    Settings(interval_ticks=100, burst_count=0, spacing_ticks=3),
]
RANDOM = [
    Settings(poisson_threshold=1 << 47, width_ticks=1, seed=2),
    Settings(poisson_threshold=1 << 45, width_ticks=30, phase_ticks=44, seed=0),
]


class Bench:
    """A scheduler that is started, and the ticks of its strikes, phase 0 at tick 0."""

    def __init__(self, features) -> None:
        self.dut = made(Scheduler, Geometry(samples=SAMPLES, features=features))

    async def set(self, ctx, settings):
        for name, value in vars(settings).items():
            ctx.set(getattr(self.dut.config, name), value)
        await ctx.tick().repeat(SETTLE_CLOCKS)

    async def run(self, ctx, clocks, alive_clocks=None):
        """Return what a sequence of so many clocks has."""
        dut, found = self.dut, []
        for before in range(WARM_CLOCKS, 0, -1):
            ctx.set(dut.warm, 1)
            ctx.set(dut.near, before == 1)
            await ctx.tick()
        ctx.set(dut.warm, 0)
        ctx.set(dut.near, 0)
        for clock in range(clocks + dut.start_clocks):
            ctx.set(dut.go, clock == 0)
            ctx.set(dut.alive, 0 < clock <= (alive_clocks or clocks + 99))
            first = (clock - dut.start_clocks) * SAMPLES
            starts = ctx.get(dut.starts)
            found += [first + tick for tick in range(SAMPLES) if starts >> tick & 1]
            if ctx.get(dut.strike):
                assert not starts
                found.append(first + ctx.get(dut.offset))
            await ctx.tick()
        ctx.set(dut.alive, 0)
        return found


def cases():
    for features in (LEAN, PERIODS, Feature.POISSON, ALL_FEATURES):
        for number, settings in enumerate(PERIODIC):
            marks = () if features in (LEAN, ALL_FEATURES) else pytest.mark.full
            name = f"period{number}-{features.value}"
            yield pytest.param(settings, features, id=name, marks=marks)
    for features in (PERIODS, ALL_FEATURES):
        for number, settings in enumerate(RICH):
            marks = () if features == ALL_FEATURES else pytest.mark.full
            name = f"rich{number}-{features.value}"
            yield pytest.param(settings, features, id=name, marks=marks)
    for features in (Feature.POISSON, ALL_FEATURES):
        for number, settings in enumerate(RANDOM):
            marks = () if features == ALL_FEATURES else pytest.mark.full
            name = f"random{number}-{features.value}"
            yield pytest.param(settings, features, id=name, marks=marks)


def truth(settings, clocks):
    return list(takewhile(lambda tick: tick < clocks * SAMPLES, rises(settings, SAMPLES)))


@pytest.mark.parametrize(("settings", "features"), list(cases()))
def test_strikes_start_where_the_sequence_has_them_each_time_that_it_starts(settings, features):
    bench = Bench(features)

    async def testbench(ctx):
        await bench.set(ctx, settings)
        for clocks in (300, 600):
            assert await bench.run(ctx, clocks) == truth(settings, clocks)
            # It goes back to the beginning while it is not alive.
            await ctx.tick().repeat(SETTLE_CLOCKS)

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("features", [LEAN, ALL_FEATURES])
@pytest.mark.parametrize("alive_clocks", [1, 20, 21, 22, 23])
def test_words_are_empty_from_where_a_sequence_is_no_longer_alive(features, alive_clocks):
    bench, settings = Bench(features), Settings(interval_ticks=8, phase_ticks=2)

    async def testbench(ctx):
        await bench.set(ctx, settings)
        found = await bench.run(ctx, 60, alive_clocks)
        # `alive` is low for the first time alive_clocks + 1 behind `go`.
        assert found == truth(settings, alive_clocks)

    simulate(bench.dut, testbench)


def test_a_sequence_that_ended_while_dither_passed_begins_anew():
    bench = Bench(ALL_FEATURES)
    settings = Settings(interval_ticks=9, dither_bits=8, seed=5)

    async def testbench(ctx):
        await bench.set(ctx, settings)
        for alive_clocks in range(20, 60, 3):
            found = await bench.run(ctx, alive_clocks + 1, alive_clocks)
            assert found == truth(settings, alive_clocks)
            await ctx.tick().repeat(SETTLE_CLOCKS)

    simulate(bench.dut, testbench)


@pytest.mark.parametrize("burst_count", [0, 1])
def test_a_clear_empties_the_words_inside_and_nothing_is_pending_then(burst_count):
    bench, dut = Bench(ALL_FEATURES), Bench(ALL_FEATURES).dut
    settings = Settings(interval_ticks=8, burst_count=burst_count, spacing_ticks=4)

    async def testbench(ctx):
        await bench.set(ctx, settings)
        await bench.run(ctx, 20)
        assert ctx.get(dut.pending)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        for _ in range(2 * dut.start_clocks):
            assert (ctx.get(dut.starts), ctx.get(dut.strike), ctx.get(dut.pending)) == (0, 0, 0)
            await ctx.tick()

    simulate(dut, testbench)
