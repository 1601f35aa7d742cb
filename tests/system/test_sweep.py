"""Brackets of planted knees, found by the Verilated instrument."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

import pytest
from knees import KINDS, Planted, planted

from plexor.settings import Channel, Settings, Stimulus
from plexor.sweep.criterion import Criterion, What
from plexor.sweep.executor import Workers, parse_executor
from plexor.sweep.model import Bracket
from plexor.sweep.store import StepStore
from plexor.sweep.sweep import Load, Wanted, sweep

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


def found(seed: int, limit: Fraction, width: Fraction, executor: str = "local:1") -> Outcome:
    """Sweep one device over a decade somewhere around its knee."""
    device = planted(seed, limit)
    below = random.Random(~seed).uniform(1.5, 7 if device.monotonic else 3)
    low = Fraction(round(device.low_hz / below))
    wanted = Wanted(
        "sim:",
        {"none": Load(f"synthetic:seed={seed},ch1.after=none,{device.options}", False)},
        Settings(
            strikes=(Stimulus(period_s=1 / low, width_s=Fraction(1, 10**7), seed=seed + 1),),
            channels=(Channel(0),),
        ),
        low,
        10 * low,
        (Criterion(What.MISSED, limit),),
        width,
        POINTS if device.monotonic else 9,
        1,
    )
    with Workers(parse_executor(executor)) as workers:
        result = sweep(wanted, workers, StepStore(None))
    assert result.error is None
    (knee,) = result.knees
    return Outcome(device, knee.bracket, knee.strikes)


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_the_bracket_of_a_sweep_holds_the_planted_knee(seed):
    outcome = found(seed, Fraction(1, 100), Fraction(5, 100), "local:2")
    assert outcome.holds
    assert outcome.bracket.width <= 0.05
    assert outcome.bracket.monotonic == outcome.device.monotonic
