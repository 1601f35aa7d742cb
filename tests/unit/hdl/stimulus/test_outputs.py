# SPDX-License-Identifier: Apache-2.0
"""All outputs together: their levels, what they trigger, and when the run's strikes are over."""

import pytest

from plexor.protocol.geometry import TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.registers import Trigger
from plexor_hdl.stimulus.outputs import GATE_CLOCKS, Outputs

from ..simulation import made, simulate

SAMPLES = 4
GEOMETRY = Geometry(strikes=3, samples=SAMPLES, features=Feature(0))
SETTLE_CLOCKS = 24
PERIODIC = {"enable": 1, "interval_ticks": 40, "width_ticks": 6, "trigger": Trigger.RUN}


async def begin(ctx, dut, *configs, **ports):
    """Set the outputs and start a run; the next clock is that of the start."""
    for config, settings in zip(dut.config, configs, strict=False):
        for name, value in settings.items():
            ctx.set(getattr(config, name), value)
    for name, value in ports.items():
        ctx.set(getattr(dut, name), value)
    await ctx.tick().repeat(SETTLE_CLOCKS)
    ctx.set(dut.start_stb, 1)


async def watch(ctx, dut, clocks, drive=None):
    """Return each clock's ports; `drive` changes inputs in a clock. Strobes last for one."""
    seen = []
    names = ("strike_stb", "striking", "done")
    for clock in range(clocks):
        for name, value in (drive or {}).get(clock, {}).items():
            ctx.set(getattr(dut, name), value)
        row = {name: ctx.get(getattr(dut, name)) for name in names}
        row |= {name: list(ctx.get(getattr(dut, name))) for name in ("levels", "active")}
        seen.append(row)
        await ctx.tick()
        ctx.set(dut.start_stb, 0)
        ctx.set(dut.restart_stb, 0)
    return seen


def rises(seen, number, name="active"):
    """Return the ticks at which an output's level rises, tick 0 at the first word of phase 0."""
    # Levels are a clock behind the stimuli's words.
    levels = [row[name][number] >> bit & 1 for row in seen for bit in range(SAMPLES)]
    zero = (TRIGGER_CLOCKS + 1) * SAMPLES
    return [tick - zero for tick in range(1, len(levels)) if levels[tick] and not levels[tick - 1]]


def test_each_output_has_its_own_strikes_and_may_be_inverted():
    dut = made(Outputs, GEOMETRY)
    other = PERIODIC | {"interval_ticks": 23, "phase_ticks": 5, "invert": 1}

    async def bench(ctx):
        await begin(ctx, dut, PERIODIC, other)
        seen = await watch(ctx, dut, 100)
        end = (100 - TRIGGER_CLOCKS - 1) * SAMPLES
        assert rises(seen, 0) == list(range(0, end, 40))
        assert rises(seen, 1) == list(range(5, end, 23))
        assert rises(seen, 2) == []
        mask = (1 << SAMPLES) - 1
        for row in seen:
            assert row["levels"] == [row["active"][0], row["active"][1] ^ mask, row["active"][2]]

    simulate(dut, bench)


def test_an_output_can_follow_the_strikes_of_another():
    dut = made(Outputs, GEOMETRY)
    follower = PERIODIC | {"trigger": Trigger.STRIKE, "trigger_source": 2, "strike_count": 1}
    leader = PERIODIC | {"interval_ticks": 200}

    async def bench(ctx):
        await begin(ctx, dut, follower, {}, leader)
        seen = await watch(ctx, dut, 150)
        first = TRIGGER_CLOCKS * SAMPLES
        assert rises(seen, 2) == [0, 200, 400]
        assert rises(seen, 0) == [first, first + 200, first + 400]

    simulate(dut, bench)


def test_a_gate_comes_as_late_as_its_flip_flops():
    dut = made(Outputs, GEOMETRY)

    async def bench(ctx):
        await begin(ctx, dut, PERIODIC | {"trigger": Trigger.GATE})
        seen = await watch(ctx, dut, 60, {10: {"gate": 1}})
        assert rises(seen, 0)[0] == (10 + GATE_CLOCKS) * SAMPLES

    simulate(dut, bench)


def test_strikes_of_endless_outputs_are_not_told_and_the_counted_ones_end_it():
    dut = made(Outputs, GEOMETRY)
    counted = PERIODIC | {"strike_count": 3}
    longer = PERIODIC | {"interval_ticks": 90, "strike_count": 2}

    async def bench(ctx):
        await begin(ctx, dut, counted, PERIODIC | {"interval_ticks": 8}, longer)
        seen = await watch(ctx, dut, 130)
        strikes = [clock - TRIGGER_CLOCKS for clock, row in enumerate(seen) if row["strike_stb"]]
        assert strikes == sorted({tick // SAMPLES for tick in (0, 40, 80, 90)})
        striking = {clock - TRIGGER_CLOCKS - 1 for clock, row in enumerate(seen) if row["striking"]}
        assert striking == {
            tick // SAMPLES for start in (0, 40, 80, 90) for tick in range(start, start + 6)
        }
        # From the trigger on; the last pulse ends in the word of tick 95.
        done = [clock for clock, row in enumerate(seen) if row["done"] and clock > 1]
        assert done == list(range(done[0], len(seen)))
        assert 0 < done[0] - (TRIGGER_CLOCKS + 95 // SAMPLES) < 6

    simulate(dut, bench)


def test_a_run_without_a_counted_output_is_never_done():
    dut = made(Outputs, GEOMETRY)

    async def bench(ctx):
        await begin(ctx, dut, PERIODIC, {"enable": 0, "strike_count": 1})
        seen = await watch(ctx, dut, 100)
        assert not any(row["done"] for row in seen[2:])
        assert not any(row["strike_stb"] for row in seen)

    simulate(dut, bench)


@pytest.mark.parametrize("table", [0, 1])
def test_with_a_table_only_output_0_counts_and_a_restart_starts_it_alone(table):
    dut = made(Outputs, GEOMETRY)
    other = PERIODIC | {"interval_ticks": 100, "strike_count": 4}

    async def bench(ctx):
        await begin(ctx, dut, PERIODIC | {"strike_count": 2}, other, table=table)
        seen = await watch(ctx, dut, 160, {60: {"restart_stb": 1}})
        again = 60 * SAMPLES
        assert rises(seen, 0) == [0, 40, again, again + 40]
        assert rises(seen, 1) == [0, 100, 200, 300]
        done = [clock for clock, row in enumerate(seen) if row["done"] and clock > 1]
        strikes = [clock - TRIGGER_CLOCKS for clock, row in enumerate(seen) if row["strike_stb"]]
        own = [0, 10, 60, 70]
        assert strikes == (own if table else sorted({*own, 25, 50, 75}))
        # Output 0 is done at first before it starts anew, with the other one long after that.
        assert (done[0] < 60) == bool(table)

    simulate(dut, bench)


@pytest.mark.parametrize("trigger", [Trigger.LATENCY, Trigger.MISSED, Trigger.RUN])
def test_a_decision_starts_the_outputs_that_ask_for_it_and_no_others(trigger):
    dut = made(Outputs, GEOMETRY)
    own = PERIODIC | {"trigger": trigger, "strike_count": 1}
    # The strobes' clocks; what starts an output does so a clock later than others do.
    strobes = {"latency_stb": 50, "missed_stb": 150}
    drive = {0: {}}
    for name, clock in strobes.items():
        drive |= {clock: {name: 1}, clock + 1: {name: 0}}

    async def bench(ctx):
        await begin(ctx, dut, PERIODIC | {"strike_count": 3}, own, own | {"enable": 0})
        seen = await watch(ctx, dut, 250, drive)
        clock = strobes.get(f"{trigger.name.lower()}_stb")
        start = 0 if clock is None else (clock + 1) * SAMPLES
        assert rises(seen, 1) == [start]
        assert rises(seen, 2) == []
        # Neither that strike nor its output keeps the run from its end.
        ends = [n for n, row in enumerate(seen) if row["done"]]
        last = next(n for n, row in enumerate(seen) if n > 30 and row["done"])
        assert ends[-1] == 249
        assert last < 50
        assert all(row["done"] and not row["strike_stb"] for row in seen[50:])

    simulate(dut, bench)


def test_a_build_with_one_output_has_none_that_a_decision_starts():
    dut = made(Outputs, Geometry(strikes=1, samples=SAMPLES, features=Feature(0)))

    async def bench(ctx):
        await begin(ctx, dut, PERIODIC | {"trigger": Trigger.LATENCY}, latency_stb=1)
        assert rises(await watch(ctx, dut, 60), 0) == []

    simulate(dut, bench)
