# SPDX-License-Identifier: Apache-2.0
"""Sweep tables to registers: exact, and refusing what the instrument cannot do."""

import re
from fractions import Fraction

import pytest

from plexor.model.identity import Identity
from plexor.model.settings import Settings, Stimulus, TableStep
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import StopOn, Trigger
from plexor.run.plan.registers import plan_of

# One tick is a nanosecond.
NS = Fraction(1, 10**9)
IDENTITY = Identity(Geometry(), 1)
STEP = TableStep(1000 * NS, 5)


def table(*steps, stimulus=None, identity=IDENTITY, **settings):
    """Return the plan of a table, and the values of a step of it."""
    strikes = (stimulus or Stimulus(),)
    made = plan_of(Settings(strikes=strikes, table=steps, **settings), identity)
    return made, lambda number: {
        w.name: w.value for w in made.registers if (w.block, w.copy) == ("step", number)
    }


def test_a_tables_steps_become_registers_and_end_the_run():
    third = (100 + Fraction(1, 3)) * NS
    made, step = table(
        TableStep(third, 7, duty=Fraction(1, 4), guard_s=3 * NS),
        TableStep(400 * NS, 1 << 40, width_s=11 * NS),
        timeout_s=2000 * NS,
    )
    assert step(0) == {
        "interval_ticks": 100,
        "interval_fraction": 0x55555555,
        "width_ticks": 25,
        "strike_count": 7,
        "guard_ticks": 3,
    }
    assert step(1) == {
        "interval_ticks": 400,
        "interval_fraction": 0,
        "width_ticks": 11,
        "strike_count": 1 << 40,
        "guard_ticks": 4000,
    }
    assert made.value("control", "step_count") == 2
    assert made.value("control", "stop_on") == StopOn.STRIKES
    assert len(set(made.echo)) == len(made.echo)


def test_without_a_table_there_is_no_step():
    alone = Settings(strikes=(Stimulus(0, 1000 * NS),))
    assert plan_of(alone, IDENTITY).value("control", "step_count") == 0
    lacking = Identity(Geometry(features=ALL_FEATURES & ~Feature.SWEEP), 1)
    names = {w.name for w in plan_of(alone, lacking).registers}
    assert "step_count" not in names


def test_the_time_out_of_a_table_is_its_longest_period():
    made, _ = table(STEP, TableStep(5000 * NS, 1), STEP)
    assert made.value("matcher", "timeout_ticks") == 5000


@pytest.mark.parametrize(
    ("steps", "settings", "text"),
    [
        ((STEP,) * 65, {}, "table: 65 steps; this instrument takes at most 64"),
        ((STEP, TableStep(1000 * NS, 0)), {}, "table[1].count: 0; must be 1 to"),
        ((STEP, TableStep(1000 * NS, 1 << 48)), {}, f"table[1].count: {1 << 48}; must be 1 to"),
        ((TableStep(7 * NS, 5),), {}, "table[0].period: 7 ticks"),
        ((TableStep((1 << 48) * NS, 5),), {}, "table[0].period: "),
        ((STEP, TableStep(100 * NS, 5, width_s=100 * NS)), {}, "table[1].width: 100 ticks"),
        ((TableStep(100 * NS, 5, guard_s=(1 << 48) * NS),), {}, "table[0].guard: "),
        ((TableStep(100 * NS, 5, guard_s=-NS),), {}, "table[0].guard: "),
        ((STEP,), {"count": 5}, "count: 5 strikes for a table"),
        ((STEP,), {"stimulus": Stimulus(count=9)}, "count: 9 strikes for a table"),
        ((STEP,), {"stimulus": Stimulus(output=1)}, "table: strike0 runs it"),
        ((STEP,), {"stimulus": Stimulus(trigger=Trigger.GATE)}, "table: strike0 runs it"),
        (
            (STEP,),
            {"identity": Identity(Geometry(features=ALL_FEATURES & ~Feature.SWEEP), 1)},
            "table: board sim was built without SWEEP, sweep table; leave it out; `plexor sweep`",
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_one_line(steps, settings, text):
    with pytest.raises(ValueError, match=re.escape(text) + r"[^\n]*$"):
        table(*steps, **settings)


def test_a_step_may_strike_every_core_clock():
    _, step = table(TableStep(8 * NS, 5))
    assert step(0)["interval_ticks"] == 8


@pytest.mark.parametrize("samples", [4, 8, 16])
def test_a_step_may_strike_once_a_core_clock_and_not_faster(samples):
    identity = Identity(Geometry(samples=samples), 1)
    _, step = table(STEP, TableStep(samples * NS, 1), identity=identity)
    assert step(1)["interval_ticks"] == samples
    says = rf"table\[1\]\.period: .*; must be at least {samples} ticks"
    with pytest.raises(ValueError, match=says):
        table(STEP, TableStep((samples - Fraction(1, 9)) * NS, 1), identity=identity)


def test_a_step_takes_as_many_strikes_and_as_long_a_guard_as_its_registers_hold():
    most = (1 << 48) - 1
    _, step = table(TableStep(1000 * NS, most, guard_s=most * NS))
    assert (step(0)["strike_count"], step(0)["guard_ticks"]) == (most, most)
    for wrong in (TableStep(1000 * NS, most + 1), TableStep(1000 * NS, 0)):
        with pytest.raises(ValueError, match=rf"count: {wrong.count}; must be "):
            table(wrong)
    with pytest.raises(ValueError, match=rf"guard: .*; must be at most {most} ticks"):
        table(TableStep(1000 * NS, 5, guard_s=(most + 1) * NS))


def test_a_table_is_run_by_output_0_wherever_it_is_named():
    strikes = (Stimulus(1, 1000 * NS), Stimulus(0))
    made = plan_of(Settings(strikes=strikes, table=(STEP,)), IDENTITY)
    assert made.value("control", "step_count") == 1
    with pytest.raises(ValueError, match="strike0 must start with the run and be periodic"):
        plan_of(Settings(strikes=strikes[:1], table=(STEP,)), IDENTITY)
