# SPDX-License-Identifier: Apache-2.0
"""Limits of latencies: written as registers are, read in halves."""

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import address, register
from plexor_hdl.control.limits import OWN, SHARED, Limits
from plexor_hdl.control.registers import RegisterBank

from ..simulation import made, simulate

GEOMETRY = Geometry(channels=2, strikes=1, features=Feature(0))
PLACES = [*((*name, 0) for name in SHARED), *((*OWN, channel) for channel in range(2))]
RESETS = [register(block, name).reset for block, name, _ in PLACES]


async def read(ctx, dut):
    """Return all limits, each channel's own last."""
    words = [0] * len(PLACES)
    for channel in range(GEOMETRY.channels):
        for upper in range(2):
            ctx.set(dut.channel, channel)
            ctx.set(dut.upper, upper)
            await ctx.tick()
            own = len(SHARED) + channel
            for number, place in enumerate([*range(len(SHARED)), own]):
                words[place] |= ctx.get(dut.halves[number]) << 16 * upper
    return words


async def write(ctx, dut, number, value):
    ctx.set(dut.stb, 1 << number)
    ctx.set(dut.data, value)
    await ctx.tick()
    ctx.set(dut.stb, 0)
    await ctx.tick()
    ctx.set(dut.data, 0xDEADBEEF)


def test_limits_are_those_of_the_reset_until_written_and_then_those_written():
    values = [0x7ABC1234, 0x00018001, 0xFFFF8765, 0x80000001, 0x00010002]
    found = []

    async def drive(ctx):
        await ctx.tick().repeat(20)
        found.append(await read(ctx, dut))
        for number, value in enumerate(values):
            await write(ctx, dut, number, value)
            found.append(await read(ctx, dut))

    dut = made(Limits, GEOMETRY)
    simulate(dut, drive)
    for count, words in enumerate(found):
        assert words == values[:count] + RESETS[count:]


def test_a_bit_beyond_a_register_is_ignored():
    found = []

    async def drive(ctx):
        await ctx.tick().repeat(20)
        for number in range(len(PLACES)):
            await write(ctx, dut, number, 0xFFFFFFFF)
        found.extend(await read(ctx, dut))

    dut = made(Limits, GEOMETRY)
    simulate(dut, drive)
    assert found == [(1 << register(block, name).bits) - 1 for block, name, _ in PLACES]


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_the_bank_tells_of_each_write_to_a_limit_once_and_of_no_other(number):
    block, name, copy = PLACES[number]
    at = address(block, name, copy)
    seen = []

    async def request(ctx, place, value):
        ctx.set(dut.bus.address, place)
        ctx.set(dut.bus.write, 1)
        ctx.set(dut.bus.write_data, value)
        ctx.set(dut.bus.request_stb, 1)
        await ctx.tick()
        ctx.set(dut.bus.request_stb, 0)
        for _ in range(12):
            if ctx.get(dut.limit_stb):
                seen.append((place, ctx.get(dut.limit_stb), ctx.get(dut.written)))
            await ctx.tick()

    async def drive(ctx):
        await ctx.tick().repeat(2100)
        for place in (at - 1, at, at + 1):
            await request(ctx, place, 0x1234_5678 + place)

    dut = made(RegisterBank, GEOMETRY, 1)
    simulate(dut, drive)
    assert (at, 1 << number, 0x1234_5678 + at) in seen
    limits = {address(block, name, copy): n for n, (block, name, copy) in enumerate(PLACES)}
    assert all(strobes == 1 << limits[place] for place, strobes, _ in seen)
    assert len(seen) == sum(place in limits for place in (at - 1, at, at + 1))
