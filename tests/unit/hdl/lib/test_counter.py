# SPDX-License-Identifier: Apache-2.0
"""Alarms and timers: done when they must be, through every carry between chunks."""

import random

import pytest
from amaranth.hdl import Module, Signal

from plexor_hdl.lib import countdown, counter
from plexor_hdl.lib.counter import TIMER_CLOCKS, Alarm, Timer, count_sum

LOADS = [*range(36), *(n * 16 + d for n in (3, 15, 16, 17, 31, 32, 63) for d in (-1, 0, 1))]


@pytest.mark.parametrize("loads", [LOADS, LOADS[::-1]], ids=["rising", "falling"])
def test_an_alarm_is_done_its_clocks_and_one_after_the_strobe(bench, monkeypatch, loads):
    monkeypatch.setattr(countdown, "POOL_CHUNK_BITS", 2)
    dut = Alarm(10)

    async def drive(ctx):
        assert ctx.get(dut.done)
        for clocks in loads:
            ctx.set(dut.clocks, clocks)
            await ctx.tick()
            ctx.set(dut.start_stb, 1)
            await ctx.tick()
            ctx.set(dut.start_stb, 0)
            for clock in range(max(clocks, 3)):
                assert not ctx.get(dut.done), (clocks, clock)
                await ctx.tick()
            assert ctx.get(dut.done), clocks
            await ctx.tick().repeat(20)
            assert ctx.get(dut.done), clocks

    bench.simulate(dut, drive)


def test_a_strobe_before_an_alarm_starts_anew(bench, monkeypatch):
    monkeypatch.setattr(countdown, "POOL_CHUNK_BITS", 2)
    dut = Alarm(10)

    async def drive(ctx):
        ctx.set(dut.clocks, 50)
        await ctx.tick()
        for wait in (1, 15, 16, 17, *range(44, 51)):
            ctx.set(dut.start_stb, 1)
            await ctx.tick()
            ctx.set(dut.start_stb, 0)
            for _ in range(wait):
                assert not ctx.get(dut.done)
                await ctx.tick()
        assert ctx.get(dut.done)

    bench.simulate(dut, drive)


async def load(ctx, dut, ticks, high_first=False):
    """Clear a Timer and give it the two words of a time."""
    strobes = [(dut.low_stb, ticks & 0xFFFFFFFF), (dut.high_stb, ticks >> 32)]
    ctx.set(dut.clear, 1)
    await ctx.tick()
    ctx.set(dut.clear, 0)
    for port, word in strobes[:: -1 if high_first else 1]:
        ctx.set(dut.word, word)
        ctx.set(port, 1)
        await ctx.tick()
        ctx.set(port, 0)
        ctx.set(dut.word, 0x5A5A5A5A)
        await ctx.tick()


TIMES = [*range(4), *(n * 16 + d for n in (15, 16, 17, 31, 32) for d in (-1, 0, 1))]


@pytest.mark.parametrize("high_first", [False, True])
def test_a_timer_is_done_a_fixed_time_after_its_clocks(bench, high_first):
    dut = Timer(3)

    async def drive(ctx):
        for clocks in TIMES:
            await load(ctx, dut, clocks << 3 | clocks % 8, high_first)
            await ctx.tick().repeat(7)
            assert not ctx.get(dut.done)
            ctx.set(dut.start_stb, 1)
            await ctx.tick()
            ctx.set(dut.start_stb, 0)
            for clock in range(clocks + TIMER_CLOCKS - 1):
                assert not ctx.get(dut.done), (clocks, clock)
                await ctx.tick()
            assert ctx.get(dut.done), clocks
            await ctx.tick().repeat(3)
            assert ctx.get(dut.done), clocks

    bench.simulate(dut, drive)


def test_both_words_of_a_timer_count(bench, monkeypatch):
    monkeypatch.setattr(counter, "WORD_BITS", 6)
    monkeypatch.setattr(counter, "CHUNK_BITS", 3)
    dut = Timer(2)

    async def drive(ctx):
        for clocks in (7, 8, 15, 16, 17, 63, 64, 127, 128, 129, 600, 1023):
            for port in (dut.clear, dut.low_stb, dut.high_stb, dut.start_stb):
                ctx.set(dut.word, clocks >> 4 if port is dut.high_stb else clocks << 2 & 0x3F)
                ctx.set(port, 1)
                await ctx.tick()
                ctx.set(port, 0)
            passed = 1
            while not ctx.get(dut.done):
                await ctx.tick()
                passed += 1
            assert passed == clocks + TIMER_CLOCKS

    bench.simulate(dut, drive)


def test_strobes_that_come_at_once_all_count(bench):
    module, strobes, clear, total = Module(), Signal(5), Signal(), Signal(40)
    count_sum(module, total, list(strobes), clear)
    rng = random.Random(4)

    async def drive(ctx):
        for density in (0.1, 0.5, 1):
            ctx.set(clear, 1)
            await ctx.tick()
            ctx.set(clear, 0)
            came = 0
            for _ in range(400):
                each = [rng.random() < density for _ in strobes]
                ctx.set(strobes, sum(bit << place for place, bit in enumerate(each)))
                came += sum(each)
                await ctx.tick()
            ctx.set(strobes, 0)
            await ctx.tick().repeat(6)
            assert ctx.get(total) == came

    bench.simulate(module, drive)
