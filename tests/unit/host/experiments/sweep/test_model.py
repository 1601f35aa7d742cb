# SPDX-License-Identifier: Apache-2.0
"""What a sweep's figures say of themselves: shares, spans, and brackets that may meet."""

from fractions import Fraction

import pytest

from plexor.experiments.sweep.model import Bracket, Knee


def bracket(low, high):
    return Bracket(*(None if end is None else Fraction(end) for end in (low, high)))


def knee(own, up=None, down=None):
    return Knee("none", "ISR", own, 1000, up, down)


def test_the_width_of_a_bracket_is_relative_and_unknown_where_an_end_is():
    assert bracket(20_000, 25_000).width == 0.25
    assert bracket(20_000, 20_000).width == 0.0
    assert bracket(None, 25_000).width is None
    assert bracket(20_000, None).width is None


def test_a_rate_that_passes_above_a_failing_one_is_not_monotonic():
    assert bracket(1, 2).monotonic
    assert not Bracket(Fraction(1), Fraction(2), passing_above_hz=(Fraction(3),)).monotonic


@pytest.mark.parametrize(
    ("own", "up", "down", "agrees"),
    [
        ((10, 20), (15, 25), (5, 18), True),
        # One rate from 15 to 20 may be the knee of all; from 20 on none may.
        ((10, 20), (20, 25), (5, 18), False),
        ((10, 20), (19, 25), (5, 18), False),
        ((None, 20), (None, 25), (None, 18), True),
        ((10, None), (15, None), (5, None), True),
        ((None, 10), (10, None), (None, None), False),
    ],
)
def test_searches_agree_where_one_rate_may_be_the_knee_of_all(own, up, down, agrees):
    found = knee(*(bracket(*ends) for ends in (own, up, down)))
    assert found.agrees == agrees


def test_hysteresis_is_of_the_two_scans_alone():
    up, down = bracket(20, 30), bracket(5, 10)
    assert knee(bracket(8, 9), up, down).hysteresis
    assert not knee(bracket(100, 200), up, bracket(5, 21)).hysteresis
    assert not knee(bracket(8, 9), up, None).hysteresis


def test_without_both_scans_nothing_is_said_of_agreement():
    assert knee(bracket(8, 9), bracket(8, 9), None).agrees is None
    assert knee(bracket(8, 9), None, bracket(8, 9)).agrees is None
