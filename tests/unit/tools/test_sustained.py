"""The search for the least rate."""

import pytest
from tools.sustained import least


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
