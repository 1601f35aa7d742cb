"""The timebase: one coherent count, whatever carries."""

from plexor.protocol.geometry import Geometry
from plexor_hdl.capture import timebase
from plexor_hdl.capture.timebase import Timebase


def test_both_parts_count_clocks_without_a_break_through_carries_of_three_chunks(
    bench, monkeypatch
):
    monkeypatch.setattr(timebase, "LOW_BITS", 6)
    monkeypatch.setattr(timebase, "CHUNK_BITS", 2)
    dut, seen = Timebase(Geometry()), []

    async def watch(ctx):
        for _ in range(4500):
            seen.append((ctx.get(dut.low), ctx.get(dut.epoch), ctx.get(dut.last_epoch)))
            await ctx.tick()

    bench.simulate(dut, watch)
    truth = [(clock % 64, clock // 64, max(clock // 64 - 1, 0)) for clock in range(4500)]
    assert seen == truth
