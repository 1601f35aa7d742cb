# SPDX-License-Identifier: Apache-2.0
"""The register bank and the words of the sweep table's steps."""

import random

import pytest

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import STEP, address
from plexor_hdl.control.registers import RegisterBank

from ..simulation import made

REQUEST_CLOCKS = 15
FIRST = address("step", "interval_ticks")
PLACES = (0, 1, 7, 8, 300, STEP.count * STEP.stride_words - 1)


def written(bench, features, *, running, steps=STEP.count):
    """Write random words of steps; return them, and of each the status and what was told of it."""
    dut, rng = (
        made(RegisterBank, Geometry(features=features, table_steps=steps), 1),
        random.Random(5),
    )
    values = [(place, rng.getrandbits(32)) for place in PLACES]
    found = []

    async def drive(ctx):
        ctx.set(dut.running, running)
        # After a reset the bank prepares what it reads.
        await ctx.tick().repeat(2100)
        for place, value in values:
            told = []
            ctx.set(dut.bus.address, FIRST + place)
            ctx.set(dut.bus.write, 1)
            ctx.set(dut.bus.write_data, value)
            ctx.set(dut.bus.request_stb, 1)
            for _ in range(REQUEST_CLOCKS):
                await ctx.tick()
                ctx.set(dut.bus.request_stb, 0)
                if ctx.get(dut.step_stb):
                    told.append((ctx.get(dut.step_place), ctx.get(dut.written)))
            found.append((OpStatus(ctx.get(dut.bus.status)), told))

    bench.simulate(dut, drive)
    return values, found


def test_a_word_of_a_step_is_told_once_with_its_place(bench):
    values, found = written(bench, ALL_FEATURES, running=0)
    assert found == [(OpStatus.OK, [each]) for each in values]


@pytest.mark.parametrize(
    ("features", "running", "status"),
    [
        (ALL_FEATURES, 1, OpStatus.RUNNING),
        (ALL_FEATURES & ~Feature.SWEEP, 0, OpStatus.NO_REGISTER),
    ],
)
def test_a_word_that_is_not_taken_is_not_told(bench, features, running, status):
    _, found = written(bench, features, running=running)
    assert found == [(status, [])] * len(PLACES)


def test_a_step_that_the_table_has_no_room_for_has_no_registers(bench):
    room = 8 * STEP.stride_words
    _, found = written(bench, ALL_FEATURES, running=0, steps=8)
    assert [status for status, _ in found] == [
        OpStatus.OK if place < room else OpStatus.NO_REGISTER for place in PLACES
    ]
    assert [len(told) for _, told in found] == [place < room for place in PLACES]
