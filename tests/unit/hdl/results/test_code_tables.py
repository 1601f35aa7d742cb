"""Tables of codes: every code and latency at the full rate, as the golden model counts them."""

import random

import pytest

from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import CODE_FIGURES, VALUE_MOST, code_place
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, Kind
from plexor_hdl.results.code_tables import STOP_CLOCKS, CodeTables
from plexor_sim.golden.codes import Figures, times_by_code, words

from ..simulation import made

OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
READ_CLOCKS = 10
CHANNEL = 2
SMALL = Geometry(code_bits=6, features=Feature.EVENTS | Feature.CODES)
LONG = Geometry(code_bits=12, features=Feature.EVENTS | Feature.CODES)


async def clear(ctx, dut):
    for port in (dut.times, dut.latencies):
        ctx.set(port.address, OUTSIDE)
    ctx.set(dut.settings.latency_channel, CHANNEL)
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    await ctx.tick().until(~dut.clear_busy)


async def code(ctx, dut, time, value):
    """Tell of a code, and let the matcher take it: 4 clocks, as few as there may be."""
    for source in (SOURCE_CODE, SOURCE_CODE_VALUE):
        ctx.set(dut.event, {"time_ticks": time, "source": source, "polarity": 1})
        ctx.set(dut.value.code, value)
        ctx.set(dut.event_stb, 1)
        ctx.set(dut.code_stb, source == SOURCE_CODE_VALUE)
        await ctx.tick()
        ctx.set(dut.event_stb, 0)
        ctx.set(dut.code_stb, 0)
        ctx.set(dut.value.code, ~value & 0x3F)
        await ctx.tick()


async def latency(ctx, dut, value, place, channel=CHANNEL, kind=Kind.RISE):
    ctx.set(dut.measured.value_ticks, value)
    ctx.set(dut.measured.code, place)
    ctx.set(dut.measured.channel, channel)
    ctx.set(dut.measured.kind, kind)
    ctx.set(dut.measured_stb, 1)
    await ctx.tick()
    ctx.set(dut.measured_stb, 0)
    ctx.set(dut.measured.value_ticks, 0)
    await ctx.tick().repeat(3)


async def table(ctx, port, count):
    """Return the bytes of a space's first `count` records."""
    found = b""
    for word in range(count * CODE_FIGURES.size_bytes // 4):
        ctx.set(port.address, word)
        await ctx.tick().repeat(READ_CLOCKS)
        found += ctx.get(port.data).to_bytes(4, "little")
    ctx.set(port.address, OUTSIDE)
    return found


def test_the_time_of_each_code_is_counted_once_the_next_one_comes(bench):
    dut, rng = made(CodeTables, SMALL), random.Random(4)
    gaps = (1, 32, 70_000, VALUE_MOST - 1, VALUE_MOST, VALUE_MOST + 1, 1 << 32, (1 << 33) + 5)
    codes, times = [rng.randrange(10) for _ in range(80)], [(1 << 32) - 40]
    while len(times) < len(codes):
        times.append(times[-1] + rng.choice(gaps))

    async def run(ctx):
        for _ in range(2):
            await clear(ctx, dut)
            for time, value in zip(times, codes, strict=True):
                await code(ctx, dut, time, value)
            await ctx.tick().until(dut.idle)
            found = await table(ctx, dut.times, 12)
            assert found == words(times_by_code(SMALL, times, codes)[:12])

    bench.simulate(dut, run)


def test_latencies_of_the_chosen_channel_count_for_their_code(bench):
    dut, rng = made(CodeTables, SMALL), random.Random(6)
    values = [(rng.randrange(-5, 1000), rng.randrange(6)) for _ in range(60)]
    expected = [Figures() for _ in range(8)]
    for value, place in values:
        expected[place].add(value)

    async def run(ctx):
        await clear(ctx, dut)
        for value, place in values:
            await latency(ctx, dut, value, place)
        await latency(ctx, dut, 3, 1, channel=CHANNEL + 1)
        await latency(ctx, dut, 3, 1, kind=Kind.FALL)
        await ctx.tick().until(dut.idle)
        assert await table(ctx, dut.latencies, 8) == words(expected)
        assert not any(await table(ctx, dut.times, 8))

    bench.simulate(dut, run)


def test_a_code_is_in_force_two_clocks_after_it_is_taken_and_none_after_a_clear(bench):
    dut = made(CodeTables, LONG)

    async def run(ctx):
        await clear(ctx, dut)
        for time, value in enumerate((0xABC, 0x123)):
            ctx.set(dut.event, {"time_ticks": time, "source": SOURCE_CODE_VALUE})
            ctx.set(dut.value.code, value)
            ctx.set(dut.event_stb, 1)
            ctx.set(dut.code_stb, 1)
            before = ctx.get(dut.in_force)
            await ctx.tick()
            ctx.set(dut.event_stb, 0)
            ctx.set(dut.code_stb, 0)
            assert ctx.get(dut.in_force) == before
            await ctx.tick()
            assert ctx.get(dut.in_force) == code_place(LONG, value)
            await ctx.tick().repeat(2)
        await clear(ctx, dut)
        assert ctx.get(dut.in_force) == 0

    bench.simulate(dut, run)


@pytest.mark.parametrize("stop", [5, 7])
def test_the_code_to_stop_at_is_told_when_the_matcher_shows_it(bench, stop):
    dut, told = made(CodeTables, SMALL), []
    clock = [0]

    async def run(ctx):
        await clear(ctx, dut)
        ctx.set(dut.settings.stop_code, stop)
        for time, value in enumerate((4, 5, 6, 5)):
            await code(ctx, dut, time, value)
        await ctx.tick().repeat(6)

    async def watch(ctx):
        while clock[0] < 400:
            _, _, coded, value, stops = await ctx.tick().sample(
                dut.code_stb, dut.value.code, dut.stop_stb
            )
            clock[0] += 1
            if coded and value == stop:
                told.append(("code", clock[0]))
            if stops:
                told.append(("stop", clock[0] - STOP_CLOCKS))

    bench.simulate(dut, run, watch)
    codes = [at for name, at in told if name == "code"]
    assert [at for name, at in told if name == "stop"] == codes
    assert len(codes) == (2 if stop == 5 else 0)
