"""The timebase: one coherent count, whatever carries."""

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl import timebase
from plexor_hdl.skip import SKIP_SHIFT
from plexor_hdl.timebase import IDLE_CLOCKS, LOW_BITS, Timebase


def test_both_parts_count_clocks_without_a_break_through_carries_of_three_limbs(bench, monkeypatch):
    monkeypatch.setattr(timebase, "LOW_BITS", 6)
    monkeypatch.setattr(timebase, "LIMB_BITS", 2)
    dut, seen = Timebase(Geometry()), []

    async def watch(ctx):
        for _ in range(4500):
            seen.append((ctx.get(dut.low), ctx.get(dut.epoch), ctx.get(dut.last_epoch)))
            await ctx.tick()

    bench.simulate(dut, watch)
    truth = [(clock % 64, clock // 64, max(clock // 64 - 1, 0)) for clock in range(4500)]
    assert seen == truth


@pytest.mark.parametrize("samples", [4, 16])
def test_the_epoch_begins_with_clock_2_to_the_20_and_no_look_at_the_time_is_skipped(bench, samples):
    dut, visited = Timebase(Geometry(samples=samples)), []
    end = (1 << LOW_BITS) + 3

    async def watch(ctx):
        clock = 0
        while clock < end:
            low, epoch = ctx.get(dut.low), ctx.get(dut.epoch)
            assert (epoch, low) == divmod(clock, 1 << LOW_BITS)
            visited.append(clock)
            skip = ctx.get(dut.room)
            ctx.set(dut.skip, skip)
            clock += 1 + (skip << SKIP_SHIFT)
            await ctx.tick()

    bench.simulate(dut, watch)
    assert {clock for clock in visited if clock % IDLE_CLOCKS == 0} == set(
        range(0, end, IDLE_CLOCKS)
    )
    assert len(visited) < end // 10
