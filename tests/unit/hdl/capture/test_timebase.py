# SPDX-License-Identifier: Apache-2.0
"""The timebase: one coherent count, whatever carries."""

from itertools import pairwise

import pytest

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


@pytest.mark.parametrize(("running", "period"), [(0, 128), (1, 32)])
def test_the_beat_is_half_of_the_time_high_and_faster_in_a_run(bench, monkeypatch, running, period):
    monkeypatch.setattr(timebase, "LOW_BITS", 4)
    monkeypatch.setattr(timebase, "BEAT_BITS", 7)
    monkeypatch.setattr(timebase, "BEAT_RUN_BITS", 5)
    dut, seen = Timebase(Geometry()), []

    async def watch(ctx):
        ctx.set(dut.running, running)
        for _ in range(400):
            seen.append(ctx.get(dut.beat))
            await ctx.tick()

    bench.simulate(dut, watch)
    changes = [clock for clock in range(1, 400) if seen[clock] != seen[clock - 1]]
    assert {after - before for before, after in pairwise(changes)} == {period // 2}
