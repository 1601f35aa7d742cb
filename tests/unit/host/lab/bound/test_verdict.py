# SPDX-License-Identifier: Apache-2.0
"""Verdicts on estimates, by a study's figures."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.figures.judge.verdict import Outcome
from plexor_lab.bound.verdict import MARK, MeasuredMaximum, bounded

from .createthread import MEASURED_NS, OVER_PERCENT, PLATFORMS, TOTAL_NS


def verdict(estimate_ns, measured_ns, **known):
    return bounded(
        Fraction(estimate_ns), MeasuredMaximum(Fraction(measured_ns), "latency", "x", **known)
    )


@pytest.mark.parametrize("number", PLATFORMS)
def test_the_study_is_safe_and_over_by_what_it_says_in_both_conventions(number):
    found = verdict(TOTAL_NS[number], MEASURED_NS[number])
    assert found.outcome == Outcome.PASS
    parts = (found.of_measured, found.of_estimate)
    assert tuple(f"{float(part * 100):.3f}" for part in parts) == OVER_PERCENT[number]


def test_an_estimate_below_what_was_measured_is_unsafe():
    found = verdict(Fraction(126_895, 9), 14_137)
    assert found.outcome == Outcome.FAIL
    assert found.margin_ns == Fraction(-338, 9)
    assert found.of_measured < 0


@given(st.fractions(1, 1000), st.fractions(1, 1000))
def test_a_measurement_at_the_estimate_is_safe_and_any_longer_one_is_not(estimate_ns, measured_ns):
    found = verdict(estimate_ns, measured_ns)
    assert found.outcome == (Outcome.FAIL if measured_ns > estimate_ns else Outcome.PASS)
    assert verdict(estimate_ns, estimate_ns).outcome == Outcome.PASS
    # The two conventions are of the same margin.
    assert found.of_measured * measured_ns == found.of_estimate * estimate_ns == found.margin_ns


def test_missed_strikes_leave_a_safe_estimate_unproven_and_an_unsafe_one_refuted():
    assert verdict(100, 90, missed=1).outcome == Outcome.TOO_FEW
    assert verdict(100, 110, missed=1).outcome == Outcome.FAIL
    assert verdict(100, 90, missed=0).outcome == Outcome.PASS


def test_an_invalid_run_proves_nothing():
    for measured_ns in (90, 110):
        found = verdict(100, measured_ns, invalid_reasons=("a counter is saturated",))
        assert found.outcome == Outcome.NOT_COMPARABLE


@pytest.mark.parametrize(
    ("measured_ns", "within"),
    [
        (Fraction(199, 2), False),
        (Fraction(996, 10), True),
        (100, True),
        (Fraction(1004, 10), True),
        (Fraction(201, 2), False),
    ],
)
def test_a_margin_below_a_tick_is_told(measured_ns, within):
    assert verdict(100, measured_ns, tick_fs=500_000).within_a_tick == within
    assert not verdict(100, measured_ns).within_a_tick


def test_a_part_of_nothing_is_not_defined():
    assert verdict(0, 10).of_estimate is None
    assert verdict(10, 0).of_measured is None
    assert verdict(10, -5).of_measured is None


def test_the_mark_is_the_86_percent_of_colin_and_puaut():
    assert MARK.part == Fraction(86, 100)
    assert "Colin" in MARK.about
    assert "Puaut" in MARK.about
