# SPDX-License-Identifier: Apache-2.0
"""How many strikes a run will have: of the outputs that end it."""

from fractions import Fraction

import pytest

from plexor.model.identity import Identity
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import Trigger
from plexor.run.plan.expected import expected_strikes, followed
from plexor.run.plan.registers import plan_of

MS = Fraction(1, 1000)
ON_STRIKE = {"trigger": Trigger.STRIKE, "trigger_source": 0}

RUNS = {
    "a count": (Settings((Stimulus(0, MS, count=7),)), (0,), 7),
    "a count of the run": (Settings((Stimulus(0, MS),), count=7), (0,), 7),
    "a single strike": (Settings((Stimulus(0),)), (0,), 1),
    "two counts": (Settings((Stimulus(0, MS, count=7), Stimulus(1, MS, count=2))), (0, 1), 9),
    "one that follows": (Settings((Stimulus(0, MS, count=7), Stimulus(1, **ON_STRIKE))), (0,), 7),
    "one without end": (Settings((Stimulus(0, MS, count=7), Stimulus(1, MS))), (0,), 7),
    "a time": (Settings((Stimulus(0, MS),), time_s=9 * MS), (0,), 9),
    "a time within a period": (
        Settings((Stimulus(0, MS),), time_s=Fraction(9001, 1000) * MS),
        (0,),
        10,
    ),
    "a time after a phase": (Settings((Stimulus(0, MS, phase_s=MS / 2),), time_s=2 * MS), (0,), 2),
    "a time within a burst": (
        Settings((Stimulus(0, MS, burst=3, spacing_s=MS / 9),), time_s=Fraction(91, 10) * MS),
        (0,),
        28,
    ),
    "a time, with dither": (
        Settings((Stimulus(0, MS, dither_s=Fraction(8192, 10**9)),), time_s=9 * MS),
        (0,),
        None,
    ),
    "bursts": (Settings((Stimulus(0, MS, burst=3, spacing_s=MS / 9),), time_s=9 * MS), (0,), 27),
    "without end": (Settings((Stimulus(0, MS),)), (0,), None),
    "a gate": (Settings((Stimulus(0, MS, count=7, trigger=Trigger.GATE),)), (0,), None),
    "no strike": (Settings(time_s=MS), (), 0),
}


@pytest.mark.parametrize("name", RUNS)
def test_strikes_are_expected_of_the_outputs_that_end_the_run(name):
    settings, outputs, count = RUNS[name]
    assert followed(settings) == outputs
    plan = plan_of(settings, Identity(Geometry(), 1))
    assert expected_strikes(plan, settings) == count
