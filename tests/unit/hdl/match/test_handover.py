# SPDX-License-Identifier: Apache-2.0
"""The FIFO of measured values."""

import random
from itertools import pairwise

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.match.handover import PLACES, ROOM, Handover

from ..simulation import made, simulate

GEOMETRY = Geometry(channels=4)


@pytest.mark.parametrize("stalls", [0, 0.5, 0.95])
def test_values_come_out_in_order_however_they_are_taken(stalls):
    dut, chance = made(Handover, GEOMETRY), random.Random(7)
    sent, got, clocks, done = [], [], [], []

    async def source(ctx):
        # As the matcher does: a look, of one value or two, begins while there is room, and what
        # began before may still come.
        for number in range(150):
            while not ctx.get(dut.room):
                await ctx.tick()
            for half in range(2):
                value = {"kind": half, "channel": number % 4, "value_ticks": number - 70}
                ctx.set(dut.i_measured, value)
                ctx.set(dut.i_valid, 1)
                await ctx.tick()
                sent.append((half, number % 4, number - 70))
                ctx.set(dut.i_valid, 0)
                assert ctx.get(dut.some)
                await ctx.tick().repeat(chance.choice((1, 1, 5)))
        while ctx.get(dut.some):
            await ctx.tick()
        done.append(True)

    async def sink(ctx):
        clock = 0
        while not done:
            ctx.set(dut.o_measured.ready, chance.random() >= stalls)
            _, _, valid, ready, value = await ctx.tick().sample(
                dut.o_measured.valid, dut.o_measured.ready, dut.o_measured.payload
            )
            clock += 1
            if valid and ready:
                got.append((value.kind, value.channel, value.value_ticks))
                clocks.append(clock)

    simulate(dut, source, sink)
    assert got == sent
    assert min(after - before for before, after in pairwise(clocks)) >= 2


def test_room_ends_while_as_many_values_as_promised_still_find_a_place():
    dut, found = made(Handover, GEOMETRY), []

    async def bench(ctx):
        await ctx.tick().repeat(2)
        count = 0
        while ctx.get(dut.room):
            ctx.set(dut.i_valid, 1)
            ctx.set(dut.i_measured.value_ticks, count)
            await ctx.tick()
            ctx.set(dut.i_valid, 0)
            await ctx.tick().repeat(4)
            count += 1
        assert count <= PLACES + 1 - ROOM
        for number in range(count, count + ROOM):
            ctx.set(dut.i_valid, 1)
            ctx.set(dut.i_measured.value_ticks, number)
            await ctx.tick()
        ctx.set(dut.i_valid, 0)
        ctx.set(dut.o_measured.ready, 1)
        for _ in range(3 * PLACES):
            _, _, valid, value = await ctx.tick().sample(
                dut.o_measured.valid, dut.o_measured.payload
            )
            if valid:
                found.append(value.value_ticks)
        assert found == list(range(count + ROOM))

    simulate(dut, bench)
