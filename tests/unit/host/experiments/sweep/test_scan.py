# SPDX-License-Identifier: Apache-2.0
"""The instrument's table of a scan both ways, and recovery after its overload."""

from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.base.errors import InvalidRunError
from plexor.experiments.criterion import parse_criterion, stage_strikes
from plexor.experiments.step import DOWN, REST, UP
from plexor.experiments.sweep import scan as scan_module
from plexor.experiments.sweep.scan import REST_STRIKES, RateScan, plan, recovery_s
from plexor.model.results import EVENT_DTYPE, Kind, StepResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE

RATES = tuple(Fraction(rate) for rate in (1000, 2000, 4000))
TICK_FS = 1_000_000
OVERLOAD = np.arange(0, 100_000, 1000)
"""Ticks of strikes at the highest rate, and then at the lowest."""
RESTING = np.arange(200_000, 1_200_000, 100_000)


def scan(criteria, width_s=None):
    settings = Settings(
        strikes=(Stimulus(period_s=Fraction(1, 1000), width_s=width_s),), channels=(Channel(0),)
    )
    return RateScan("sim:", None, "none", settings, RATES, criteria)


def test_a_scan_goes_up_and_down_and_to_rest_from_the_highest_rate():
    criteria = (parse_criterion("missed<1%"),)
    width_s = Fraction(1, 10**5)
    ways, steps = plan(scan(criteria, width_s))
    assert [(int(rate), way) for rate, way in ways] == [
        (1000, UP),
        (2000, UP),
        (4000, UP),
        (2000, DOWN),
        (1000, DOWN),
        (4000, REST),
        (1000, REST),
    ]
    assert [1 / step.period_s for step in steps] == [rate for rate, _ in ways]
    # Long enough for the test to pass although one strike is bad.
    least = 2 * stage_strikes(criteria, 256)
    assert {step.count for step in steps[:-2]} == {least}
    assert {step.count for step in steps[-2:]} == {REST_STRIKES}
    assert {step.width_s for step in steps} == {width_s}


@dataclass
class Rise:
    start_ticks: np.ndarray

    @property
    def samples(self):
        return self


@dataclass
class Figures:
    rise: Rise

    @property
    def kinds(self):
        return {Kind.RISE: self.rise}


@dataclass
class Run:
    whole_events: np.ndarray
    tick_fs: int = TICK_FS


STEPS = (StepResult(0, 0, 150_000, ()), StepResult(1, 150_000, 1_300_000, ()))


def recovered(*answered):
    """Return the recovery of channels that answered these of the resting strikes."""
    times = np.concatenate([OVERLOAD, RESTING])
    events = np.zeros(len(times), EVENT_DTYPE)
    events["time_ticks"], events["source"], events["polarity"] = times, SOURCE_STRIKE, 1
    channels = [Figures(Rise(np.concatenate([OVERLOAD, RESTING[list(a)]]))) for a in answered]
    return recovery_s(Run(events), channels, STEPS)


@pytest.mark.parametrize(
    ("answered", "first"),
    [
        ([range(10)], 0),
        ([range(3, 10)], 3),
        ([[0, 1, 2, 4, 5, 6, 7, 8, 9]], 4),
        ([range(1, 10), range(6, 10)], 6),
        ([[9]], 9),
    ],
    ids=["at once", "later", "with a gap", "the slowest channel", "at last"],
)
def test_recovery_is_from_the_overloads_last_strike_to_the_first_of_the_answered(answered, first):
    expected_ticks = int(RESTING[first] - OVERLOAD[-1])
    assert recovered(*answered) == pytest.approx(expected_ticks * 1e-9)


def test_a_device_that_does_not_answer_its_last_strike_has_not_recovered():
    assert recovered(range(9)) is None
    assert recovered(range(10), []) is None


def test_an_instrument_that_takes_fewer_steps_than_asked_is_no_scan(monkeypatch):
    short = SimpleNamespace(interrupted=False, valid=True, invalid_reasons=(), steps=())
    monkeypatch.setattr(scan_module, "open_link", lambda *_, **__: None)
    monkeypatch.setattr(scan_module, "Device", nullcontext)
    monkeypatch.setattr(scan_module, "measure_whole", lambda *_: short)
    with pytest.raises(InvalidRunError, match="scan: 0 steps were taken; must be 7"):
        scan((parse_criterion("missed<1%"),)).take()
