# SPDX-License-Identifier: Apache-2.0
"""Brackets of planted knees, found by the Verilated instrument."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction

import pytest
from knees import KINDS, Planted, planted

from plexor.experiments.criterion import Criterion, CriterionSubject
from plexor.experiments.pool import Workers, parse_executor
from plexor.experiments.stage_bounds import plan_test
from plexor.experiments.step import REST
from plexor.experiments.stepping import stepped
from plexor.experiments.store import StepStore
from plexor.experiments.sweep.model import Bracket
from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad, SweepSteps
from plexor.model.settings import Channel, Settings, Stimulus

POINTS = 5


@dataclass(frozen=True)
class Outcome:
    """What a sweep found of a planted device, and what it took."""

    device: Planted
    bracket: Bracket
    strikes: int

    @property
    def holds(self) -> bool:
        """Whether the bracket holds the knee."""
        low, high = self.bracket.passing_hz, self.bracket.failing_hz
        return (
            low is not None
            and high is not None
            and low <= self.device.high_hz
            and self.device.low_hz <= high
        )

    def is_narrow(self, width: Fraction) -> bool:
        """Whether each end is within the width of the other, or of an undecided rate between.

        The rates that cannot be decided must lie close together themselves.
        """
        low, high = self.bracket.passing_hz, self.bracket.failing_hz
        assert low is not None
        assert high is not None
        inner = self.bracket.undecided_hz
        gaps = [(low, inner[0]), (inner[-1], high)] if inner else [(low, high)]
        near = all(above <= below * (1 + width) for below, above in gaps)
        return near and high <= low * (1 + width) ** 2

    @property
    def line(self) -> str:
        """What came out, in a line."""
        low, high = self.bracket.passing_hz, self.bracket.failing_hz
        ends = [None if end is None else float(end) for end in (low, high)]
        knee = f"{self.device.low_hz:.0f} to {self.device.high_hz:.0f} Hz"
        return f"{self.device.kind}: {knee}, {ends}, {self.strikes} strikes, {self.holds}"


@pytest.fixture(scope="module")
def workers():
    with Workers(parse_executor("local:2")) as each:
        yield each


def found(seed: int, limit: Fraction, width: Fraction, workers: Workers) -> Outcome:
    """Sweep one device over a decade somewhere around its knee."""
    device = planted(seed, limit)
    below = random.Random(~seed).uniform(1.5, 7 if device.monotonic else 3)
    low = Fraction(round(device.low_hz / below))
    wanted = SweepGoal(
        "sim:",
        {"none": SweepLoad(f"synthetic:seed={seed},ch1.after=none,{device.options}", False)},
        Settings(
            strikes=(Stimulus(period_s=1 / low, width_s=Fraction(1, 10**7), seed=seed + 1),),
            channels=(Channel(0),),
        ),
        low,
        10 * low,
        (Criterion(CriterionSubject.MISSED, limit),),
        width,
        POINTS if device.monotonic else 9,
        1,
    )
    found = stepped(SweepSteps(wanted), workers, StepStore(None))
    assert found.error is None
    (knee,) = found.result.knees
    return Outcome(device, knee.bracket, knee.strikes)


SHORT = (4,)
"""A device that is deaf to a band of rates: not monotonic."""


@pytest.mark.parametrize(
    "seed",
    [n if n in SHORT else pytest.param(n, marks=pytest.mark.full) for n in range(len(KINDS))],
)
def test_the_bracket_of_a_sweep_holds_the_planted_knee(seed, workers):
    width = Fraction(1, 10)
    outcome = found(seed, Fraction(1, 20), width, workers)
    assert outcome.holds
    assert outcome.is_narrow(width)
    assert outcome.bracket.monotonic == outcome.device.monotonic


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_brackets_of_a_hundred_devices_hold_their_knees(capsys, workers):
    limit, width = Fraction(1, 100), Fraction(5, 100)
    outcomes: list[Outcome] = []
    for seed in range(100):
        outcomes.append(found(seed, limit, width, workers))
        with capsys.disabled():
            print(f"\n{seed}: {outcomes[-1].line}", end="", flush=True)
    missed = [entry.device for entry in outcomes if not entry.holds]
    strikes = sum(entry.strikes for entry in outcomes)
    # As sure at each rate: both ends, and each halving of the decade between them.
    dwell = plan_test(limit, Fraction(95, 100)).stages[-1].strikes
    halvings = math.ceil(math.log2(math.log(10) / math.log1p(width)))
    fixed = len(outcomes) * (halvings + 2) * dwell
    with capsys.disabled():
        print(
            f"\n{len(outcomes) - len(missed)} of {len(outcomes)} brackets hold the knee; "
            f"{strikes} strikes, {fixed / strikes:.1f} times fewer than {dwell} at each rate"
        )
    assert len(missed) <= 5
    assert not [device for device in missed if device.deterministic]
    for entry in outcomes:
        assert entry.is_narrow(width)
        assert entry.bracket.monotonic == entry.device.monotonic
    assert strikes < fixed


def both_ways(device, low_hz, high_hz, points, workers):
    """Sweep a device of one channel with the instrument's table; return knee and rest."""
    wanted = SweepGoal(
        "sim:",
        {"none": SweepLoad(f"synthetic:{device},ch1.after=none", False)},
        Settings(
            strikes=(Stimulus(period_s=Fraction(1, low_hz), width_s=Fraction(1, 10**7)),),
            channels=(Channel(0),),
        ),
        Fraction(low_hz),
        Fraction(high_hz),
        (Criterion(CriterionSubject.MISSED, Fraction(1, 10)),),
        Fraction(1, 5),
        points,
        1,
        both_ways=True,
    )
    found = stepped(SweepSteps(wanted), workers, StepStore(None))
    assert found.error is None
    (knee,) = found.result.knees
    (rest,) = [step for step in found.result.steps if step.direction == REST]
    return knee, rest


@pytest.mark.full
def test_a_scan_of_a_device_without_memory_agrees_both_ways(workers):
    device = "seed=4,service=20us,queue=1,latency=300ns"
    knee, rest = both_ways(device, 20_000, 80_000, 5, workers)
    assert knee.agrees
    assert not knee.hysteresis
    for bracket in (knee.bracket, knee.up, knee.down):
        # It serves 50 kHz; of 50 / 0.9 kHz it loses a tenth.
        assert bracket.passing_hz <= 1e12 / 20e6 / 0.9
        assert bracket.failing_hz >= 1e12 / 20e6
    # It answers the first strike after the time-outs of the overload, and a strike is a period.
    assert rest.recovery_s < 1 / 20_000 + 20 / 20_000


@pytest.mark.full
def test_a_device_that_stays_slow_after_overload_shows_hysteresis(workers):
    # 20 us a strike, 40 us once overloaded, until nothing has come for 30 ms: longer than any gap.
    device = "seed=4,service=20us,overload=40us,rest=30ms,queue=1,latency=300ns"
    knee, _ = both_ways(device, 14_000, 80_000, 7, workers)
    assert knee.hysteresis
    assert knee.up.passing_hz <= 50_000 / 0.9
    assert knee.up.failing_hz >= 50_000
    assert knee.down.passing_hz <= 25_000 / 0.9
    assert knee.down.failing_hz >= 25_000
