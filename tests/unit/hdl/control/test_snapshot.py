# SPDX-License-Identifier: Apache-2.0
"""Snapshots: which bank counts, and which is dumped when."""

import itertools
from types import SimpleNamespace

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.control.snapshot import STILL_CLOCKS, Snapshots

from ..simulation import made, simulate

ONE_BANK = Feature.EVENTS | Feature.MATCH

SNAPSHOT_TICKS = 5 << 32 | 1000
END_WORD = 2000
SPACES = {"report": 0x011, "final": 0x1FF, "dump": 0x022}


async def strobe(ctx, signal):
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)


async def dumps(ctx, dut, seen, done, dump_clocks=30):
    """Play the dumper: take each request, be busy for a while."""
    ctx.set(dut.o_dump.ready, 1)
    clock = 0
    while not done:
        *_, valid, request = await ctx.tick().sample(dut.o_dump.valid, dut.o_dump.payload)
        clock += 1
        if valid:
            base = 0
            for high in (1, 0):
                ctx.set(dut.base_high, high)
                base = base << 32 | ctx.get(dut.base)
            valid = ctx.get(dut.base_valid)
            fields = dict(request_fields(request))
            seen.append(SimpleNamespace(clock=clock, base_ticks=base, valid=valid, **fields))
            ctx.set(dut.dump_busy, 1)
            ctx.set(dut.o_dump.ready, 0)
            await ctx.tick().repeat(dump_clocks)
            clock += dump_clocks
            ctx.set(dut.dump_busy, 0)
            ctx.set(dut.o_dump.ready, 1)


def request_fields(request):
    names = ("spaces", "bank", "both", "snapshot", "final", "report")
    return [(name, getattr(request, name)) for name in names]


class Stages:
    """The matcher and what counts: how long after each other they stand, and fold."""

    def __init__(self, *, pause_clocks=5, idle_clocks=9, fold_clocks=0) -> None:
        self.clocks = {"pause": pause_clocks, "idle": idle_clocks, "fold": fold_clocks}
        self.past = []
        """(pause, all idle, folding, bank, frozen) of each clock."""

    async def play(self, ctx, dut, done):
        clocks, paused_for, left, was = self.clocks, 0, 0, 0
        while not done:
            frozen, pause = ctx.get(dut.frozen), ctx.get(dut.pause)
            paused_for = paused_for + 1 if pause else 0
            left = clocks["fold"] if was and not frozen else max(left - 1, 0)
            was = frozen
            idle = paused_for > clocks["pause"] + clocks["idle"]
            busy = ctx.get(dut.live) and not idle
            ctx.set(dut.paused, paused_for > clocks["pause"])
            ctx.set(dut.results_idle, not busy)
            ctx.set(dut.counts_idle, not busy or paused_for > clocks["pause"])
            ctx.set(dut.folding, left > 0)
            self.past.append((pause, idle, left > 0, ctx.get(dut.bank), frozen))
            await ctx.tick()


def run(drive, features=ALL_FEATURES, stages=None):
    """Return the requests that `drive` brought about."""
    dut, seen, done = made(Snapshots, Geometry(features=features)), [], []
    stages = stages or Stages()

    async def setup(ctx):
        for name, spaces in SPACES.items():
            ctx.set(getattr(dut, f"{name}_spaces"), spaces)
        ctx.set(dut.now_ticks, SNAPSHOT_TICKS)
        ctx.set(dut.end, END_WORD)
        await drive(ctx, dut)
        await ctx.tick().repeat(200)
        done.append(True)

    async def dumper(ctx):
        await dumps(ctx, dut, seen, done)

    async def others(ctx):
        await stages.play(ctx, dut, done)

    simulate(dut, setup, dumper, others)
    return seen


async def live(ctx, dut, value):
    """Set `live`, which counts a clock later."""
    ctx.set(dut.live, value)
    await ctx.tick()


async def one(ctx, dut):
    """Drive one snapshot of a run."""
    await live(ctx, dut, 1)
    await strobe(ctx, dut.snapshot_stb)
    await ctx.tick().until(~dut.busy)


def test_each_snapshot_switches_the_bank_and_dumps_the_one_that_counted():
    async def drive(ctx, dut):
        await live(ctx, dut, 1)
        for number in range(3):
            assert ctx.get(dut.bank) == number % 2
            await strobe(ctx, dut.snapshot_stb)
            await ctx.tick().until(~dut.busy)
            assert ctx.get(dut.bank) == (number + 1) % 2

    seen = run(drive)
    assert [(each.bank, each.snapshot) for each in seen] == [(0, 1), (1, 2), (0, 3)]
    assert {(each.spaces, each.both, each.final, each.base_ticks) for each in seen} == {
        (SPACES["dump"], 0, 0, SNAPSHOT_TICKS)
    }


def test_the_bank_switches_once_all_stands_and_the_matcher_goes_on_at_once():
    stages = Stages()

    run(one, stages=stages)
    pauses = [clock for clock, (pause, *_) in enumerate(stages.past) if pause]
    switched = next(clock for clock, row in enumerate(stages.past) if row[3])
    assert pauses == list(range(pauses[0], switched))
    assert all(row[1] for row in stages.past[switched - STILL_CLOCKS : switched])
    assert len(pauses) < 5 + 9 + 2 * STILL_CLOCKS


def test_what_is_frozen_stays_so_from_the_switch_until_the_dump_is_done():
    stages = Stages()

    (seen,) = run(one, stages=stages)
    frozen = [clock for clock, row in enumerate(stages.past) if row[4]]
    switched = next(clock for clock, row in enumerate(stages.past) if row[3])
    assert frozen == list(range(switched, frozen[-1] + 1))
    assert seen.clock + 30 <= frozen[-1] + 1 < len(stages.past) - 100


def test_the_matcher_is_not_asked_while_the_last_snapshot_is_being_folded():
    stages = Stages(fold_clocks=120)

    async def drive(ctx, dut):
        await live(ctx, dut, 1)
        for _ in range(2):
            await strobe(ctx, dut.snapshot_stb)
            await ctx.tick().until(~dut.busy)

    assert len(run(drive, stages=stages)) == 2
    assert any(folding for _, _, folding, *_ in stages.past)
    assert not any(pause and folding for pause, _, folding, *_ in stages.past)


@pytest.mark.parametrize("features", [ALL_FEATURES, ONE_BANK])
def test_a_dump_at_the_end_asks_for_no_pause_and_freezes_nothing(features):
    stages = Stages()

    async def drive(ctx, dut):
        await strobe(ctx, dut.final_stb)
        await ctx.tick().until(~dut.busy)
        await strobe(ctx, dut.dump_stb)
        await ctx.tick().until(~dut.busy)

    assert len(run(drive, features, stages)) == 2
    assert not any(pause or frozen for pause, *_, frozen in stages.past)


def test_a_snapshot_while_a_dump_is_under_way_is_ignored():
    async def drive(ctx, dut):
        await live(ctx, dut, 1)
        await strobe(ctx, dut.snapshot_stb)
        for _ in range(4):
            await ctx.tick().repeat(10)
            assert ctx.get(dut.busy)
            await strobe(ctx, dut.snapshot_stb)
        assert ctx.get(dut.bank) == 1
        await ctx.tick().until(~dut.busy)

    assert len(run(drive)) == 1


def test_the_final_dump_waits_its_turn_and_has_both_banks():
    async def drive(ctx, dut):
        await live(ctx, dut, 1)
        await strobe(ctx, dut.snapshot_stb)
        await live(ctx, dut, 0)
        await strobe(ctx, dut.final_stb)

    seen = run(drive)
    assert len(seen) == 2
    first, last = seen
    assert (first.final, first.both) == (0, 0)
    assert (last.final, last.both, last.spaces, last.snapshot) == (1, 1, SPACES["final"], 1)
    assert last.base_ticks == END_WORD << 32 | END_WORD
    assert (first.valid, last.valid) == (1, 0)


@pytest.mark.parametrize("clocks", [150, 400])
def test_reports_come_at_their_interval(clocks):
    async def drive(ctx, dut):
        ctx.set(dut.report_clocks, clocks)
        await live(ctx, dut, 1)
        await ctx.tick().repeat(4 * clocks)
        await live(ctx, dut, 0)

    seen = run(drive)
    assert 3 <= len(seen) <= 4
    assert {each.spaces for each in seen} == {SPACES["report"]}
    for before, after in itertools.pairwise(seen):
        assert abs(after.clock - before.clock - clocks) <= 4


def test_a_build_with_one_bank_dumps_it_only_at_the_end():
    async def drive(ctx, dut):
        ctx.set(dut.report_clocks, 150)
        await live(ctx, dut, 1)
        await strobe(ctx, dut.snapshot_stb)
        await ctx.tick().repeat(400)
        assert ctx.get(dut.bank) == 0
        await live(ctx, dut, 0)
        await strobe(ctx, dut.final_stb)

    (seen,) = run(drive, ONE_BANK)
    assert (seen.bank, seen.both, seen.final) == (0, 0, 1)


def test_a_clear_starts_the_count_and_the_bank_anew():
    async def drive(ctx, dut):
        await live(ctx, dut, 1)
        await strobe(ctx, dut.snapshot_stb)
        await ctx.tick().until(~dut.busy)
        assert (ctx.get(dut.bank), ctx.get(dut.snapshot)) == (1, 1)
        await strobe(ctx, dut.clear)
        assert (ctx.get(dut.bank), ctx.get(dut.snapshot)) == (0, 0)

    run(drive)
