# SPDX-License-Identifier: Apache-2.0
"""What a schedule's runs say of themselves."""

from fractions import Fraction

import pytest

from plexor_lab.mixed.model import Limits, Mode, Served

from .lists import run_of


def test_entries_that_were_written_are_struck_past_refused_or_waiting():
    assert Served(10, 4, 3, 2, 1).holds
    assert not Served(10, 4, 3, 2, 0).holds


def test_a_run_is_named_by_mode_and_distance():
    assert run_of([0], Mode.MIXED, 2).name == "mixed-2"
    assert run_of([0], Mode.VERIFY, None).name == "verify"


def test_a_row_has_the_distance_from_issue_to_due():
    assert [row.distance_steps for row in run_of([0, 1]).rows] == [1, 1]


@pytest.mark.parametrize(
    ("limit", "timeout", "early", "says"),
    [(-1, 1, 0, "limit: -1"), (2, 1, 0, "limit: 2"), (1, 1, -1, "early: -1")],
)
def test_limits_that_cannot_be_are_refused(limit, timeout, early, says):
    with pytest.raises(ValueError, match=says):
        Limits(Fraction(limit), Fraction(timeout), Fraction(early))


@pytest.mark.parametrize("limit", [0, 7])
def test_a_limit_may_be_nothing_and_as_great_as_the_time_out(limit):
    assert Limits(Fraction(limit), Fraction(7), Fraction(0)).limit_ticks == limit


@pytest.mark.parametrize("limits", [(-1, 7, 0), (8, 7, 0), (1, 7, -1)])
def test_a_limit_below_nothing_or_above_the_time_out_is_refused(limits):
    with pytest.raises(ValueError, match=r"(limit|early): -?\d+ ticks; must be 0"):
        Limits(*map(Fraction, limits))
