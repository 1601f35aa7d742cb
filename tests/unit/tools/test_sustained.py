# SPDX-License-Identifier: Apache-2.0
"""The search for the least rate."""

from fractions import Fraction

import pytest
from tools.sustained import Bench, least

from plexor.model.identity import Identity
from plexor.model.settings import Stimulus
from plexor.run.plan.registers import plan_of
from plexor_hdl.build import boards


@pytest.mark.parametrize("guess", [0, 8, 9, 18, 31, 40, 99])
def test_the_least_value_from_which_on_it_holds_is_found_from_any_guess(guess):
    for truth in range(8, 42):
        found = least(8, 40, lambda value, truth=truth: value >= truth, guess)
        assert found == (truth if truth <= 40 else None)


def test_a_value_that_is_just_as_guessed_is_tried_and_the_one_below_and_no_other():
    tried = []

    def keeps(value):
        tried.append(value)
        return value >= 18

    assert least(8, 512, keeps, 18) == 18
    assert tried == [18, 17]


@pytest.mark.parametrize("board", boards.names())
def test_each_way_of_a_run_is_one_that_the_board_takes(board):
    bench = Bench(board, 10)
    for live in bench.ways:
        stimulus = Stimulus(period_s=Fraction(1, 10_000))
        plan_of(bench.settings(stimulus, 1, 10, live), Identity(bench.geometry, 1))
