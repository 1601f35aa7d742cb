# SPDX-License-Identifier: Apache-2.0
"""What the bank keeps in a memory: live values coherently, marks of time, what was written."""

import itertools
import random

import pytest
from amaranth.hdl import ClockDomain, Module

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import MAGIC
from plexor.protocol.registers import SOURCE, Access, address
from plexor_hdl.control.register_memory import MARKED
from plexor_hdl.control.registers import SOURCE_CLOCKS, RegisterBank

from ..register_bench import GEOMETRY, HASH, access, declared_words, port_of
from ..simulation import made

MARK_CLOCKS = (0, 1, 2, 3, 5, *range(10, SOURCE_CLOCKS + 5))
"""From about a request to a mark: what is read of the bus is looked at late."""


def source_side(dut, counts, done, rng):
    """Give what is asked for in SOURCE_CLOCKS, when it must stand, and anything until then."""

    async def answer(ctx):
        left = 0
        while not done:
            if ctx.get(dut.source_stb):
                left, asked = SOURCE_CLOCKS, ctx.get(dut.source_address)
            await ctx.tick()
            if left:
                left -= 1
                ctx.set(dut.source_value, rng.getrandbits(48) if left else counts.get(asked, 0))

    return answer


def test_every_live_register_is_read_from_where_it_is(bench):
    live = {at: w for at, w in declared_words().items() if w[2].access is Access.READ}
    live = {
        at: word
        for at, word in live.items()
        if word[0].name != "identity" and word[2].name not in MARKED
    }
    rng, dut, counts, done = random.Random(3), made(RegisterBank, GEOMETRY, HASH), {}, []

    async def testbench(ctx):
        values = {}
        for block, copy, register, number in live.values():
            if number:
                continue
            values[block.name, copy, register.name] = value = rng.getrandbits(
                48 if block is SOURCE else register.bits
            )
            if block is SOURCE:
                counts[2 * copy + (register.name == "dropped")] = value
            else:
                ctx.set(getattr(port_of(dut, block, copy), register.name), value)
        for at, (block, copy, register, number) in live.items():
            expected = values[block.name, copy, register.name] >> 32 * number & 0xFFFFFFFF
            assert await access(ctx, dut, at) == (OpStatus.OK, expected)
            assert (await access(ctx, dut, at, 1))[0] == OpStatus.READ_ONLY
        done.append(True)

    bench.simulate(dut, testbench, source_side(dut, counts, done, rng))
    assert len(counts) == 2 * len(GEOMETRY.sources)


def test_a_high_word_of_a_source_is_of_the_moment_of_its_low_word(bench):
    rng, dut, counts, done = random.Random(5), made(RegisterBank, GEOMETRY, HASH), {}, []

    async def testbench(ctx):
        for copy in GEOMETRY.sources:
            for name, part in (("generated", 0), ("dropped", 1)):
                at = address("source", name, copy)
                counts[2 * copy + part] = value = rng.getrandbits(48)
                low = (await access(ctx, dut, at))[1]
                counts[2 * copy + part] = rng.getrandbits(48)
                assert (await access(ctx, dut, at + 1))[1] << 32 | low == value
        done.append(True)

    bench.simulate(dut, testbench, source_side(dut, counts, done, rng))


def test_a_wide_register_that_counts_is_read_coherently(bench):
    at = address("status", "time_ticks")
    step = (1 << 31) - 12345
    pairs = []
    dut, state = made(RegisterBank, GEOMETRY, HASH), []

    async def count(ctx):
        value = 0
        while not state:
            ctx.set(dut.status.time_ticks, value)
            value += step
            await ctx.tick()

    async def read(ctx):
        for _ in range(20):
            low = (await access(ctx, dut, at))[1]
            high = (await access(ctx, dut, at + 1))[1]
            pairs.append(low | high << 32)
            assert (await access(ctx, dut, at + 1))[1] == high
        state.append(True)

    bench.simulate(dut, read, count)
    assert len(set(pairs)) == 20
    assert all(pair % step == 0 for pair in pairs)


@pytest.mark.parametrize("name", ["time_ticks", "events", "upload_dropped"])
def test_the_low_word_keeps_the_high_word_of_its_clock(bench, name):
    at = address("status", name)
    dut, clock, base, done = made(RegisterBank, GEOMETRY, HASH), [0], [0], []

    async def count(ctx):
        while not done:
            ctx.set(getattr(dut.status, name), base[0] + clock[0])
            await ctx.tick()
            clock[0] += 1

    async def read(ctx):
        for before in range(40):
            base[0] = (7 << 32) - clock[0] - before
            await ctx.tick().repeat(2)
            first = base[0] + clock[0]
            low = (await access(ctx, dut, at))[1]
            last = base[0] + clock[0]
            high = (await access(ctx, dut, at + 1))[1]
            assert first <= low | high << 32 <= last
        done.append(True)

    bench.simulate(dut, count, read)


SHORT = ("read live", "start_ticks"), ("read", "end_ticks")


@pytest.mark.parametrize(
    "offsets",
    [range(-1, 1), pytest.param(range(-3, 3), marks=pytest.mark.full)],
    ids=["near a carry", "around a carry"],
)
@pytest.mark.parametrize(
    ("operation", "name"),
    [
        pytest.param(
            operation,
            name,
            marks=() if (operation, name) in SHORT else pytest.mark.full,
        )
        for operation in ("read live", "read", "read time", "write")
        for name in MARKED
    ],
)
def test_a_mark_keeps_the_time_of_the_next_clock_whatever_the_bus_does(
    bench, name, operation, offsets
):
    dut = made(RegisterBank, GEOMETRY, HASH)
    events, time = address("status", "events"), address("status", "time_ticks")
    width, kept = address("stimulus", "width_ticks", 1), address("status", name)
    plan, ended = [], []

    async def clocks(ctx):
        """Play plans of (time at the mark, clocks until then), and the time on and on."""
        ticks, left = 0, -1
        while not ended:
            if plan:
                marked, left = plan.pop()
                ticks = marked - 8 * (left + 1)
            ctx.set(dut.status.time_ticks, ticks)
            ctx.set(dut.mark_stb, left == 0)
            ctx.set(dut.mark_end, name == "end_ticks" if left <= 0 else left % 2)
            ctx.set(dut.track, left >= 0)
            ctx.set(dut.hold, -6 < left < 0)
            await ctx.tick()
            ticks, left = ticks + 8, left - 1

    async def drive(ctx):
        ctx.set(dut.status.events, 0x123456789ABC)
        assert await access(ctx, dut, kept) == (OpStatus.OK, 0)
        for number, (clock, offset) in enumerate(itertools.product(MARK_CLOCKS, offsets), 1):
            marked = (number << 32) + 8 * offset
            plan.append((marked, 8 + clock))
            await ctx.tick().repeat(8)
            value = number * 0x01010101
            if operation == "read":
                found = await access(ctx, dut, address("identity", "magic"))
                assert found == (OpStatus.OK, MAGIC)
            elif operation == "read live":
                assert (await access(ctx, dut, events))[1] == 0x56789ABC
                assert (await access(ctx, dut, events + 1))[1] == 0x1234
            elif operation == "read time":
                low = (await access(ctx, dut, time))[1]
                assert abs((await access(ctx, dut, time + 1))[1] * 2**32 + low - marked) < 400
            else:
                assert (await access(ctx, dut, width, value))[0] == OpStatus.OK
            await ctx.tick().repeat(20)
            for _ in range(2):
                low = (await access(ctx, dut, kept))[1]
                assert (await access(ctx, dut, kept + 1))[1] << 32 | low == marked
            if operation == "write":
                assert await access(ctx, dut, width) == (OpStatus.OK, value)
                assert ctx.get(dut.stimulus[1].width_ticks) == value
        ended.append(True)

    bench.simulate(dut, drive, clocks)


def test_words_of_the_run_time_and_the_end_are_told_between_requests(bench):
    dut = made(RegisterBank, GEOMETRY, HASH)
    told, written, asked = [], 0x0123456789ABCDEF, [(0, 0)] * 4
    marked = 0xFEDCBA9800000010
    rng, ended = random.Random(4), []

    async def listen(ctx):
        while not ended:
            choice = asked[-1] if rng.random() < 0.7 else (rng.randrange(2), rng.randrange(2))
            asked.append(choice)
            ctx.set(dut.word_end, choice[0])
            ctx.set(dut.word_high, choice[1])
            if ctx.get(dut.word_valid) and len(set(asked[-4:])) == 1:
                told.append((*choice, ctx.get(dut.word)))
            await ctx.tick()

    async def drive(ctx):
        at = address("control", "run_time_ticks")
        await access(ctx, dut, at, written & 0xFFFFFFFF)
        await access(ctx, dut, at + 1, written >> 32)
        ctx.set(dut.status.time_ticks, marked)
        ctx.set(dut.mark_end, 1)
        ctx.set(dut.mark_stb, 1)
        await ctx.tick()
        ctx.set(dut.mark_stb, 0)
        await ctx.tick().repeat(8)
        told.clear()
        for _ in range(40):
            await access(ctx, dut, address("control", "settle_ticks"), rng.getrandbits(32))
            await ctx.tick().repeat(rng.randrange(1, 12))
        ended.append(True)

    bench.simulate(dut, drive, listen)
    values = {0: written, 1: marked}
    expected = {(e, high, values[e] >> 32 * high & 0xFFFFFFFF) for e in (0, 1) for high in (0, 1)}
    assert set(told) == expected


def test_after_a_reset_registers_read_back_their_reset_values(bench):
    at = address("stimulus", "width_ticks", 1)
    seed = address("stimulus", "seed", 0)
    module, dut = Module(), RegisterBank(GEOMETRY, HASH)
    module.domains.sync = domain = ClockDomain("sync")
    module.submodules.dut = dut

    async def testbench(ctx):
        for place in (at, seed):
            await access(ctx, dut, place, 0x12345678)
        ctx.set(domain.rst, 1)
        await ctx.tick()
        ctx.set(domain.rst, 0)
        assert await access(ctx, dut, at) == (OpStatus.OK, 0)
        assert await access(ctx, dut, seed) == (OpStatus.OK, 1)
        assert (await access(ctx, dut, address("identity", "magic")))[1] == MAGIC

    bench.simulate(module, testbench)
