# SPDX-License-Identifier: Apache-2.0
"""The access port: words of registers and memories, and what it refuses."""

import random

import pytest

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import Space
from plexor.protocol.window import REGISTER_BITS, memories, offset_bits, window_bits
from plexor_hdl.interfaces import READ_CLOCKS, SPACE_ADDRESS_BITS
from plexor_hdl.uplink.access import Access

from ..simulation import made

GEOMETRY = Geometry(
    channels=2, latency_mantissa_bits=2, interval_mantissa_bits=2, zoom_bits=4, upload_depth=16
)
LEAN = Geometry(channels=2, latency_mantissa_bits=2, zoom_bits=4, features=Feature.MATCH)


def content(space, bank, at):
    """What a memory of the bench holds: no two words alike, none 0."""
    return 1 + (space << 24 | bank << 23 | at)


def memory(dut, space, done):
    """Play one memory: READ_CLOCKS from address to data, 0 past its last entry."""

    async def run(ctx):
        port = dut.spaces[space]
        line = [0] * (READ_CLOCKS - 1)
        while not done:
            at, bank = ctx.get(port.address), ctx.get(port.bank)
            outside = at >> SPACE_ADDRESS_BITS - 1
            line.append(0 if outside else content(space, bank, at))
            ctx.set(port.data, line.pop(0))
            await ctx.tick()

    return run


async def ask(ctx, dut, at, value=None):
    ctx.set(dut.i_requests.payload, {"address": at, "write": value is not None, "data": value or 0})
    ctx.set(dut.i_requests.valid, 1)
    await ctx.tick().until(dut.i_requests.ready)
    ctx.set(dut.i_requests.valid, 0)
    ctx.set(dut.o_answers.ready, 1)
    *_, answer = await ctx.tick().sample(dut.o_answers.payload).until(dut.o_answers.valid)
    ctx.set(dut.o_answers.ready, 0)
    return OpStatus(answer.status), answer.data


SPACES = (Space.CLASSES, Space.LATENCY_BINS, Space.INTERVAL_ZOOM, Space.STEPS)


@pytest.mark.parametrize("seed", range(2))
def test_words_of_memories_are_those_asked_for(bench, seed):
    dut, done = made(Access, GEOMETRY), []
    places = [entry for entry in memories(GEOMETRY) if entry.space in SPACES]

    async def script(ctx):
        rng = random.Random(seed)
        for _ in range(25):
            place = rng.choice(places)
            at = rng.choice((0, place.words - 1, rng.randrange(place.words)))
            found = await ask(ctx, dut, place.address + at)
            assert found == (OpStatus.OK, content(place.space, place.bank, at)), place
        done.append(True)

    bench.simulate(dut, script, *(memory(dut, space, done) for space in SPACES))


def test_the_dumper_reads_while_nobody_asks(bench):
    dut, done = made(Access, GEOMETRY), []
    space = Space.LATENCY_BINS
    place = next(entry for entry in memories(GEOMETRY) if entry.space == space)

    async def script(ctx):
        port = dut.i_spaces[space]
        for at in (3, 8, 1):
            ctx.set(port.address, at)
            ctx.set(port.bank, 1)
            await ctx.tick().repeat(READ_CLOCKS + 1)
            assert ctx.get(port.data) == content(space, 1, at)
            assert not ctx.get(dut.reading)
            assert (await ask(ctx, dut, place.address + 5))[1] == content(space, 0, 5)
        done.append(True)

    bench.simulate(dut, script, memory(dut, space, done))


def test_reading_holds_the_dumper_from_address_to_data(bench):
    dut, done, held = made(Access, GEOMETRY), [], []
    place = memories(GEOMETRY)[0]

    async def watch(ctx):
        while not done:
            held.append((ctx.get(dut.reading), ctx.get(dut.space)))
            await ctx.tick()

    async def script(ctx):
        assert (await ask(ctx, dut, place.address))[1] == content(place.space, 0, 0)
        done.append(True)

    bench.simulate(dut, script, watch, memory(dut, place.space, done))
    assert sum(reading for reading, _ in held) >= READ_CLOCKS


@pytest.mark.parametrize("geometry", [GEOMETRY, LEAN], ids=["all", "lean"])
def test_what_cannot_be_is_refused(bench, geometry):
    dut = made(Access, geometry)
    place = memories(geometry)[0]
    bits = offset_bits(geometry)

    async def script(ctx):
        assert await ask(ctx, dut, place.address, 1) == (OpStatus.READ_ONLY, 0)
        absent = (1 << len(Space).bit_length() | len(Space)) << bits + 1
        assert absent < 1 << window_bits(geometry)
        assert await ask(ctx, dut, absent) == (OpStatus.NO_REGISTER, 0)
        # Beyond the register map, where an address of 16 bits would come round.
        beyond = 1 << REGISTER_BITS
        if beyond < memories(geometry)[0].address:
            assert await ask(ctx, dut, beyond) == (OpStatus.NO_REGISTER, 0)
        ctx.set(dut.running, 1)
        assert await ask(ctx, dut, place.address) == (OpStatus.RUNNING, 0)
        ctx.set(dut.running, 0)

    bench.simulate(dut, script)


def test_a_run_that_starts_during_a_read_ends_it(bench):
    dut, done = made(Access, GEOMETRY), []
    place = memories(GEOMETRY)[0]

    async def script(ctx):
        for clocks in range(2, 14, 3):
            ctx.set(dut.i_requests.payload, {"address": place.address, "write": 0, "data": 0})
            ctx.set(dut.i_requests.valid, 1)
            await ctx.tick().until(dut.i_requests.ready)
            ctx.set(dut.i_requests.valid, 0)
            await ctx.tick().repeat(clocks)
            ctx.set(dut.running, 1)
            ctx.set(dut.o_answers.ready, 1)
            *_, answer = await ctx.tick().sample(dut.o_answers.payload).until(dut.o_answers.valid)
            ctx.set(dut.o_answers.ready, 0)
            assert (answer.status, answer.data) == (OpStatus.RUNNING, 0)
            assert not ctx.get(dut.reading)
            ctx.set(dut.running, 0)
        done.append(True)

    bench.simulate(dut, script, memory(dut, place.space, done))


def test_registers_go_over_the_bus_in_order(bench):
    dut, done, asked = made(Access, GEOMETRY), [], []

    async def bank(ctx):
        bus = dut.bus
        while not done:
            if ctx.get(bus.request_stb):
                at, write = ctx.get(bus.address), ctx.get(bus.write)
                asked.append((at, ctx.get(bus.write_data) if write else None))
                await ctx.tick().repeat(9)
                ctx.set(bus.read_data, at + 0x1000)
                ctx.set(bus.status, OpStatus.READ_ONLY if write else OpStatus.OK)
                ctx.set(bus.done_stb, 1)
                await ctx.tick()
                ctx.set(bus.done_stb, 0)
            await ctx.tick()

    async def script(ctx):
        assert await ask(ctx, dut, 0x21) == (OpStatus.OK, 0x1021)
        assert await ask(ctx, dut, 0x22, 99) == (OpStatus.READ_ONLY, 0)
        assert await ask(ctx, dut, 0xFFFF) == (OpStatus.OK, 0x10FFF)
        done.append(True)

    bench.simulate(dut, script, bank)
    assert asked == [(0x21, None), (0x22, 99), (0xFFFF, None)]
