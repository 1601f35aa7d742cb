# SPDX-License-Identifier: Apache-2.0
"""The sweep table: what each step sets of stimulus 0, when, and what it leaves alone."""

import random

import pytest

from plexor.protocol.geometry import STEP_CLOCKS, Geometry
from plexor.protocol.registers import STEP, STIMULUS
from plexor_hdl.control.run import START_CLOCKS
from plexor_hdl.stimulus.step_table import OWN, StepTable

from ..simulation import made, simulate

SETTLE_TICKS = 12345
STEPS = 16
"""What the table has room for."""
STAND_CLOCKS = 24
"""Clocks for which a stimulus's registers must have stood before it starts."""


def random_steps(rng, count):
    return [{r.name: rng.getrandbits(r.bits) for r in STEP.registers} for _ in range(count)]


def words_of(step):
    """Return the words of a step in the order of their addresses."""
    return [
        step[register.name] >> 32 * word & 0xFFFFFFFF
        for register in STEP.registers
        for word in range(register.words)
    ]


def run(count, *, registers=None, seed=1, advances=None):
    """Clear, then end one step after the other; return what was seen in each clock from then on.

    Each is (config, settle_ticks, more, between, level, restart_stb, loading).
    """
    rng = random.Random(seed)
    steps = random_steps(rng, STEPS)
    own = {r.name: rng.getrandbits(r.bits) for r in STIMULUS.registers}
    seen, strobes = [], []
    dut = made(StepTable, Geometry(table_steps=STEPS))
    advances = max(count - 1, 0) if advances is None else advances

    async def drive(ctx):
        ctx.set(dut.control.step_count, count)
        ctx.set(dut.control.settle_ticks, SETTLE_TICKS)
        for name, value in own.items():
            ctx.set(dut.stimulus[name], value)
        ctx.set(dut.write_stb, 1)
        for number, step in enumerate(steps):
            for place, word in enumerate(words_of(step)):
                ctx.set(dut.write_place, number * STEP.stride_words + place)
                ctx.set(dut.write_data, word)
                await ctx.tick()
        ctx.set(dut.write_stb, 0)

        async def tick(times):
            for _ in range(times):
                seen.append(
                    (
                        {r.name: ctx.get(dut.config[r.name]) for r in STIMULUS.registers},
                        *map(ctx.get, (dut.settle_ticks, dut.more, dut.between)),
                        *map(ctx.get, (dut.level, dut.restart_stb, dut.loading)),
                    )
                )
                await ctx.tick()

        ctx.set(dut.clear, 1)
        await tick(1)
        ctx.set(dut.clear, 0)
        await tick(60)
        for _ in range(advances):
            strobes.append(len(seen))
            ctx.set(dut.step_stb, 1)
            await tick(1)
            ctx.set(dut.step_stb, 0)
            await tick(STEP_CLOCKS + rng.randrange(1, 40))

    simulate(dut, drive)
    return steps, own, seen, strobes


def expected(own, step):
    return own | {name: step[name] for name in OWN}


@pytest.mark.parametrize("count", [1, 2, 7, pytest.param(STEPS, marks=pytest.mark.full)])
def test_stimulus_0_takes_a_steps_values_24_clocks_before_it_starts(count):
    steps, own, seen, strobes = run(count)
    assert [c for c, row in enumerate(seen) if row[5]] == [
        strobe + 1 + STEP_CLOCKS - START_CLOCKS for strobe in strobes
    ]
    ready = max(clock for clock, row in enumerate(seen) if row[6] and clock < 61)
    starts = [ready, *(clock for clock, row in enumerate(seen) if row[5])]
    for number, start in enumerate(starts):
        until = strobes[number] if number < len(strobes) else len(seen)
        for row in seen[start - STAND_CLOCKS + 1 : until]:
            assert row[:2] == (expected(own, steps[number]), steps[number]["guard_ticks"])
        for row in seen[start:until]:
            assert row[2] == (number < count - 1)


def test_between_steps_is_from_the_strobe_to_phase_0_and_the_level_toggles_with_it():
    _, _, seen, strobes = run(5)
    level = 0
    for number, strobe in enumerate(strobes):
        until = strobes[number + 1] if number + 1 < len(strobes) else len(seen)
        assert seen[strobe][3:5] == (0, level)
        level ^= 1
        between = [row[3] for row in seen[strobe + 1 : until]]
        assert between == [1] * STEP_CLOCKS + [0] * (len(between) - STEP_CLOCKS)
        assert {row[4] for row in seen[strobe + 1 : until]} == {level}


def test_without_a_step_count_stimulus_0_has_its_own_registers():
    _, own, seen, _ = run(0)
    assert all(row[:3] == (own, SETTLE_TICKS, 0) for row in seen[2:])


@pytest.mark.full
def test_more_steps_than_there_are_act_as_all():
    _, _, seen, strobes = run(127, advances=STEPS - 1)
    assert seen[strobes[-1]][2]
    assert not seen[-1][2]


def test_a_run_begins_at_step_0_with_the_level_low():
    dut_seen = run(3, advances=1)[2]
    assert dut_seen[-1][4]
    _, _, seen, _ = run(3, advances=0)
    assert not seen[-1][4]
