# SPDX-License-Identifier: Apache-2.0
"""How often whole sweeps of a device that is at its limit are wrong."""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import pytest

from plexor.experiments.burst.scan import BurstGoal as BurstWanted
from plexor.experiments.burst.scan import BurstSteps
from plexor.experiments.criterion import Criterion, CriterionSubject
from plexor.experiments.job import Job
from plexor.experiments.pool import Workers
from plexor.experiments.stepping import stepped
from plexor.experiments.store import StepStore
from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad, SweepSteps
from plexor.figures.judge.verdict import Outcome
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.memory import ResponseClass

from .drawn import Here, Lossy, put_in

LOW_HZ, HIGH_HZ = 500_000, 510_000
MOST = Fraction(5, 100)
"""What `@95%` leaves for wrong passes, and for wrong failures."""
SWEEPS = [30, pytest.param(100, marks=pytest.mark.full)]


@dataclass(frozen=True)
class Errors:
    """Of so many sweeps, in how many a rate passed, and in how many one failed."""

    sweeps: int
    passed: int
    failed: int
    by_rate: Counter

    @property
    def line(self):
        """What came out, in a line."""
        wrong = f"{self.passed} passed, {self.failed} failed of {self.sweeps} sweeps"
        return f"{wrong}; rates: {dict(self.by_rate)}"


def swept_once(monkeypatch, limit, seed):
    """Return the steps of the sweep of a device that loses just the limit at both rates."""
    wanted = SweepGoal(
        "sim:",
        {"none": SweepLoad("drawn", False)},
        Settings(
            strikes=(Stimulus(period_s=Fraction(1, LOW_HZ)),),
            channels=(Channel(0, "R"),),
            timeout_s=Fraction(1900, 10**9),
        ),
        Fraction(LOW_HZ),
        Fraction(HIGH_HZ),
        (Criterion(CriterionSubject.MISSED, limit),),
        Fraction(5, 100),
        2,
        1,
    )
    put_in(monkeypatch, Lossy(seed, float(limit)))
    with Workers(Here) as workers:
        found = stepped(SweepSteps(wanted), workers, StepStore(None))
    assert found.error is None
    return found.result.steps


def swept(monkeypatch, limit, sweeps):
    """Sweep devices that lose just the limit at both rates; each verdict but undecided is wrong."""
    passed = failed = 0
    by_rate = Counter()
    for seed in range(sweeps):
        verdicts = [step.of("R").verdict for step in swept_once(monkeypatch, limit, seed)]
        by_rate.update(verdicts)
        passed += Outcome.PASS in verdicts
        failed += Outcome.FAIL in verdicts
    return Errors(sweeps, passed, failed, by_rate)


def test_bursts_of_a_device_at_the_limit_pass_and_fail_at_most_as_often_as_was_asked(monkeypatch):
    period_s, spacing_s = Fraction(1, 10_000), Fraction(1, 10**6)
    wanted = BurstWanted(
        "sim:",
        "drawn",
        Settings(strikes=(Stimulus(period_s=period_s),), channels=(Channel(0, "R"),)),
        spacing_s,
        2 * spacing_s,
        2,
        period_s,
        9,
        Criterion(CriterionSubject.MISSED, Fraction(1, 20)),
    )
    found = Counter()
    for seed in range(50):
        put_in(monkeypatch, Lossy(seed, 0.05))
        with Workers(Here) as workers:
            stepped(
                BurstSteps(wanted),
                workers,
                StepStore(None),
                lambda job, step, *_: found.update([step.of("R").verdict]),
            )
    assert found.total() > 100
    for verdict in (Outcome.PASS, Outcome.FAIL):
        assert found[verdict] <= MOST * found.total()


@pytest.mark.parametrize("sweeps", SWEEPS)
def test_a_device_at_the_limit_passes_and_fails_at_most_as_often_as_was_asked(monkeypatch, sweeps):
    found = swept(monkeypatch, Fraction(1, 20), sweeps)
    for verdict in (Outcome.PASS, Outcome.FAIL):
        assert found.by_rate[verdict] <= MOST * found.by_rate.total()


@pytest.mark.parametrize("sweeps", SWEEPS)
def test_stages_that_drew_the_same_again_would_be_wrong_more_often(monkeypatch, sweeps):
    # As if a device started anew for each stage were the one that was struck before.
    monkeypatch.setattr(Job, "simulated", False)
    found = swept(monkeypatch, Fraction(1, 20), sweeps)
    assert found.passed > MOST * found.sweeps
    assert found.failed > MOST * found.sweeps


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("limit", [Fraction(1, 20), Fraction(1, 100), Fraction(1, 1000)])
def test_of_two_thousand_rates_at_the_limit_at_most_a_fortieth_is_wrong_each_way(
    monkeypatch, capsys, limit
):
    found = swept(monkeypatch, limit, 1000)
    with capsys.disabled():
        print(f"\n{float(limit):g}: {found.line}", flush=True)
    # Rates draw independently: three standard deviations above a fortieth.
    rates, share = found.by_rate.total(), float(MOST / 2)
    most = rates * share + 3 * math.sqrt(rates * share * (1 - share))
    assert rates == 2000
    assert found.by_rate[Outcome.PASS] <= most
    assert found.by_rate[Outcome.FAIL] <= most


def test_rates_draw_independently_of_each_other_and_each_time_the_same(monkeypatch):
    """Two rates that lose 5 % of 437 strikes and more lose as many in some 9 % of sweeps."""
    found = [swept_once(monkeypatch, Fraction(1, 20), seed) for seed in range(45)]
    missed = [[step.of("R").classes[ResponseClass.MISSED] for step in each] for each in found]
    alike = sum(first == second for first, second in missed)
    assert alike < 15
    again = swept_once(monkeypatch, Fraction(1, 20), 7)
    assert again == found[7]
