# SPDX-License-Identifier: Apache-2.0
"""One rule says when a strike is missed, and every command says it and keeps to it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.cli import every_command
from plexor.experiments import job
from plexor.experiments.phase import run as phase
from plexor.files.imports.rules import matching
from plexor.files.imports.signals import ChannelSignal, ImportRules, StrikeSignal
from plexor.library.run_spec import RunSpec, settings_of
from plexor.model.identity import Identity
from plexor.model.results import EVENT_DTYPE
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.model.timeouts import default_timeout_s
from plexor.protocol.geometry import Geometry
from plexor.run.plan.registers import plan_of

MS = Fraction(1, 1000)
SAID = (
    "Age at which an unanswered strike is missed. Default: the time between strikes, in a sweep "
    "four times that; 100ms if it is not known; on an instrument at most 1s."
)
IDENTITY = Identity(Geometry(), 1)
TICK_S = Fraction(IDENTITY.tick_fs, 10**15)


def planned_s(settings):
    """Return the time-out that an instrument is set to."""
    return plan_of(settings, IDENTITY).value("matcher", "timeout_ticks") * TICK_S


def measured(between_s):
    """What `measure` and the live page ask; the latter may run without an end."""
    return planned_s(settings_of(RunSpec(rate=1 / between_s, channels="A=ch0"), endless=True))


def burst(between_s):
    spec = RunSpec(rate=1 / between_s / 9, burst=3, spacing=between_s, count=9, channels="A=ch0")
    return planned_s(settings_of(spec))


def swept(between_s):
    settings = Settings((Stimulus(0, MS),), (Channel(0),))
    work = job.Job("sim:", "d", "none", settings, 1 / between_s, "", ())
    return planned_s(job._settings(work, work.rate_hz, 0, 9))


def phased(between_s):
    goal = phase.PhaseGoal((Channel(0),), "ch1", 1 / between_s, 3, points=9, span_s=between_s)
    settings = phase.settings_of(goal, None, IDENTITY.tick_fs)
    (swept,) = settings.strikes
    least_s = swept.period_s - swept.dither_s / 2
    assert least_s - 3 * TICK_S < planned_s(settings) < least_s
    return planned_s(settings) / least_s * between_s


def imported(between_s):
    rules = ImportRules(channels=(ChannelSignal("A", "a"),), strikes=(StrikeSignal("s"),))
    events = np.zeros(5, EVENT_DTYPE)
    ticks = int(between_s * 10**9)
    for place in range(5):
        events[place] = (place * ticks, place, 8, 1)
    return matching(rules, events, 10**6).timeout_s


@pytest.mark.parametrize(
    ("command", "times"),
    [(measured, 1), (burst, 1), (swept, 4), (phased, 1), (imported, 1)],
)
@pytest.mark.parametrize("between_s", [MS / 50, MS, 50 * MS])
def test_a_strike_is_missed_when_the_next_is_due_and_in_a_sweep_four_later(
    command, times, between_s
):
    assert command(between_s) == pytest.approx(times * between_s, rel=3e-4)


def test_an_instrument_waits_a_second_at_most_and_a_capture_as_long_as_its_strikes_are_apart():
    assert [measured(Fraction(7)), swept(Fraction(1, 2)), imported(Fraction(7))] == [1, 1, 7]
    unknown = replace(settings_of(RunSpec(rate=1000, count=9, channels="A=ch0")), strikes=())
    assert planned_s(replace(unknown, time_s=MS)) == Fraction(1, 10)
    assert default_timeout_s(()) == Fraction(1, 10)


TAKING = {
    name: parameter.help
    for name, command in every_command()
    for parameter in command.params
    if parameter.name == "timeout"
}


def test_every_command_that_waits_for_answers_says_the_same_of_it():
    assert {"measure", "sweep", "phase", "import", "lab mixed"} < set(TAKING)
    others = {name: said for name, said in TAKING.items() if said != SAID}
    assert set(others) == {"lab mixed"}
    assert all(said.startswith(f"{SAID} Of a schedule ") for said in others.values())
