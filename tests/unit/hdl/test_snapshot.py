"""Snapshots: which bank counts, and which is dumped when."""

import itertools
from types import SimpleNamespace

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.snapshot import SETTLE_CLOCKS, Snapshots

from .simulation import made, simulate

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


def run(drive, features=ALL_FEATURES):
    """Return the requests that `drive` brought about."""
    dut, seen, done = made(Snapshots, Geometry(features=features)), [], []

    async def setup(ctx):
        for name, spaces in SPACES.items():
            ctx.set(getattr(dut, f"{name}_spaces"), spaces)
        ctx.set(dut.now_ticks, SNAPSHOT_TICKS)
        ctx.set(dut.end, END_WORD)
        await drive(ctx, dut)
        await ctx.tick().repeat(2 * SETTLE_CLOCKS + 80)
        done.append(True)

    async def dumper(ctx):
        await dumps(ctx, dut, seen, done)

    simulate(dut, setup, dumper)
    return seen


def test_each_snapshot_switches_the_bank_and_dumps_the_one_that_counted():
    async def drive(ctx, dut):
        ctx.set(dut.live, 1)
        for number in range(3):
            assert ctx.get(dut.bank) == number % 2
            await strobe(ctx, dut.snapshot_stb)
            assert ctx.get(dut.bank) == (number + 1) % 2
            await ctx.tick().until(~dut.busy)

    seen = run(drive)
    assert [(each.bank, each.snapshot) for each in seen] == [(0, 1), (1, 2), (0, 3)]
    assert {(each.spaces, each.both, each.final, each.base_ticks) for each in seen} == {
        (SPACES["dump"], 0, 0, SNAPSHOT_TICKS)
    }


def test_what_counts_on_its_way_has_settled_before_the_dump():
    async def drive(ctx, dut):
        ctx.set(dut.live, 1)
        await strobe(ctx, dut.snapshot_stb)

    (seen,) = run(drive)
    assert seen.clock > SETTLE_CLOCKS


def test_a_snapshot_while_a_dump_is_under_way_is_ignored():
    async def drive(ctx, dut):
        ctx.set(dut.live, 1)
        await strobe(ctx, dut.snapshot_stb)
        for _ in range(4):
            await ctx.tick().repeat(20)
            assert ctx.get(dut.busy)
            await strobe(ctx, dut.snapshot_stb)
        assert ctx.get(dut.bank) == 1
        await ctx.tick().until(~dut.busy)

    assert len(run(drive)) == 1


def test_the_final_dump_waits_its_turn_and_has_both_banks():
    async def drive(ctx, dut):
        ctx.set(dut.live, 1)
        await strobe(ctx, dut.snapshot_stb)
        ctx.set(dut.live, 0)
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
        ctx.set(dut.live, 1)
        await ctx.tick().repeat(4 * clocks)
        ctx.set(dut.live, 0)

    seen = run(drive)
    assert 3 <= len(seen) <= 4
    assert {each.spaces for each in seen} == {SPACES["report"]}
    for before, after in itertools.pairwise(seen):
        assert abs(after.clock - before.clock - clocks) <= 4


def test_a_build_with_one_bank_dumps_it_only_at_the_end():
    async def drive(ctx, dut):
        ctx.set(dut.report_clocks, 150)
        ctx.set(dut.live, 1)
        await strobe(ctx, dut.snapshot_stb)
        await ctx.tick().repeat(400)
        assert ctx.get(dut.bank) == 0
        ctx.set(dut.live, 0)
        await strobe(ctx, dut.final_stb)

    (seen,) = run(drive, ALL_FEATURES & ~Feature.SNAPSHOT)
    assert (seen.bank, seen.both, seen.final) == (0, 0, 1)


def test_a_clear_starts_the_count_and_the_bank_anew():
    async def drive(ctx, dut):
        ctx.set(dut.live, 1)
        await strobe(ctx, dut.snapshot_stb)
        await ctx.tick().until(~dut.busy)
        assert (ctx.get(dut.bank), ctx.get(dut.snapshot)) == (1, 1)
        await strobe(ctx, dut.clear)
        assert (ctx.get(dut.bank), ctx.get(dut.snapshot)) == (0, 0)

    run(drive)
