# SPDX-License-Identifier: Apache-2.0
"""Changes of a history: how often they are found where there is none, and where there is one."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, rankdata

from plexor.files.archive import changes as under_test
from plexor.files.archive.changes import (
    BEHIND,
    ERROR,
    LEAST,
    centred_ranks,
    changes,
    division,
    lacking,
)

LAWS = {
    "normal": lambda random, n: random.normal(size=n),
    "heavy tail": lambda random, n: random.pareto(1.1, n),
    "ties": lambda random, n: random.poisson(1.0, n).astype(float),
    "rare": lambda random, n: (random.random(n) < 0.05).astype(float),
}
LENGTHS = (12, 30, 60)
DETECTED = {0.01: (5, 0.95), 0.02: (10, 0.95), 0.03: (20, 0.95)}
"""Of each spread from run to run: runs behind a step of 5 %, and how often it is then found."""


def alarms(law, length, histories, seed=1, places=None):
    """Return how many histories of one law are marked."""
    random = np.random.default_rng(seed)
    return sum(bool(changes(LAWS[law](random, length), places)) for _ in range(histories))


def most_by_chance(histories):
    """Return how many of so many are marked at the stated rate, but for one case in 10,000."""
    return int(binom.isf(1e-4, histories, ERROR))


def stepped(random, before, after, spread, step=1.05):
    """Return a history whose level rises after `before` runs."""
    values = np.exp(random.normal(0, spread, before + after))
    values[before:] *= step
    return values


def test_a_thousand_histories_that_do_not_change_are_marked_as_rarely_as_stated():
    found = {(law, n): alarms(law, n, 84) for law in LAWS for n in LENGTHS}
    assert sum(found.values()) <= most_by_chance(84 * len(found))
    assert 84 * len(found) >= 1000


@pytest.mark.full
@pytest.mark.parametrize("length", [*LENGTHS, 200])
@pytest.mark.parametrize("law", LAWS)
def test_a_thousand_histories_of_each_law_are_marked_as_rarely_as_stated(law, length):
    found = alarms(law, length, 1000, seed=2)
    print(f"{law}, {length} runs: {found} of 1000")
    assert found <= most_by_chance(1000)


@pytest.mark.full
def test_the_error_of_continuous_laws_is_the_stated_one_and_not_far_below():
    found = sum(alarms("normal", n, 2000, seed=3) for n in LENGTHS[1:])
    assert 0.5 * ERROR < found / 4000 <= most_by_chance(4000) / 4000


def test_histories_that_change_only_between_commits_are_marked_as_rarely():
    places = range(5, 60, 5)
    assert alarms("heavy tail", 60, 300, places=list(places)) <= most_by_chance(300)


@pytest.mark.parametrize("spread", DETECTED)
def test_a_step_of_5_percent_is_found_as_often_as_stated(spread):
    random = np.random.default_rng(4)
    after, least = DETECTED[spread]
    histories = 60
    found = sum(bool(changes(stepped(random, 40, after, spread))) for _ in range(histories))
    # The share may be this small by chance once in 10,000 if it is as stated.
    assert found >= binom.ppf(1e-4, histories, least)


@pytest.mark.full
def test_the_table_of_detection_is_right():
    random = np.random.default_rng(5)
    for spread, (after, least) in DETECTED.items():
        found = sum(bool(changes(stepped(random, 40, after, spread))) for _ in range(1000))
        print(f"spread {spread:.0%}, {after} runs behind the step: {found / 10:.1f} %")
        assert found >= binom.ppf(1e-4, 1000, least)


def test_a_change_is_marked_where_it_is():
    random = np.random.default_rng(6)
    (found,) = changes(stepped(random, 40, 25, 0.005))
    assert found.position == 40
    assert found.error == 1 / (under_test.ORDERS + 1)


def test_a_change_up_and_one_down_are_both_marked():
    for seed in range(7, 11):
        values = np.random.default_rng(seed).normal(100, 0.5, 90)
        values[30:60] += 5
        assert [each.position for each in changes(values)] == [30, 60]


def test_a_step_in_integers_with_many_ties_is_found():
    values = [7] * 30 + [8] * 15
    assert [each.position for each in changes(values)] == [30]


def test_an_outlier_is_no_change_however_far_it_lies():
    random = np.random.default_rng(8)
    values = random.normal(100, 1, 40)
    values[[11, -1]] = 1e9
    assert changes(values) == ()


def test_the_same_values_scaled_change_at_the_same_place():
    random = np.random.default_rng(9)
    values = stepped(random, 30, 12, 0.02)
    assert changes(values) == changes(values * 1e-6) == changes(np.exp(values))


def test_a_change_is_not_marked_where_the_caller_says_that_there_can_be_none():
    random = np.random.default_rng(10)
    values = stepped(random, 38, 22, 0.005)
    assert [each.position for each in changes(values, range(10, 60, 10))] == [40]
    assert changes(values, []) == ()


@pytest.mark.parametrize("count", [0, 1, 2, LEAST - 1])
def test_few_values_are_never_divided(count):
    assert changes(range(count)) == ()


def test_equal_values_are_never_divided():
    assert changes([5.0] * 100) == ()


def test_ranks_are_those_of_another_program():
    values = np.random.default_rng(11).poisson(3.0, 50).astype(float)
    ranks = rankdata(values)
    assert centred_ranks(values) == pytest.approx(2 * (ranks - ranks.mean()))


def test_the_error_is_the_share_of_all_orders():
    """All 252 sets of five of ten values that may come first, instead of random orders."""
    values = np.array([1, 2, 3, 4, 6, 5, 7, 8, 9, 10], dtype=float)
    place = np.array([5])
    own = abs(values[:5].sum() - values[5:].sum())
    orders = [abs(2 * sum(some) - values.sum()) for some in combinations(values, 5)]
    exact = sum(each >= own for each in orders) / len(orders)
    assert exact == 4 / 252
    under_error = under_test.ERROR
    try:
        under_test.ERROR = 0.05
        found = division(values, place)
    finally:
        under_test.ERROR = under_error
    assert found is not None
    assert found.error == pytest.approx(exact, abs=4 * (exact / under_test.ORDERS) ** 0.5)
    assert division(values, place) is None


def lacks(values, places=None):
    return lacking(values, list(range(1, len(values))) if places is None else places)


@pytest.mark.parametrize("count", [0, 1, 3, 9])
def test_fewer_than_ten_runs_lack_the_others(count):
    assert lacks([1.0] * count) == LEAST - count


@pytest.mark.parametrize("behind", [2, 3, 4])
def test_newest_runs_that_lie_beyond_all_others_are_too_few_to_tell(behind):
    values = np.random.default_rng(12).normal(1, 0.01, 30)
    assert lacks(values) == 0
    slower = values.copy()
    slower[-behind:] *= 1.2
    assert behind == 4 or changes(slower) == ()
    assert lacks(slower) == BEHIND - behind
    assert lacks(slower[::-1]) == BEHIND - behind


def test_a_clear_step_is_never_called_no_change_and_found_two_runs_later_at_the_latest():
    for count in range(6, 30):
        values = list(np.random.default_rng(count).normal(1, 0.01, count))
        for behind in range(1, 8):
            values.append(1.2 + 0.001 * behind)
            found = [each.position for each in changes(values)]
            assert found or behind < 2 or lacks(values) > 0
        # Two high values just before the step have ranks next to those behind it.
        assert [abs(place - count) <= 2 for place in found] == [True]


def test_runs_of_one_commit_lack_those_of_another():
    assert lacks([1.0] * 20, []) == BEHIND
    assert lacks([1.0] * 20, [17]) == BEHIND - 3
    assert lacks([1.0] * 20, [15]) == 0


SHOWN = {3: (0.05, 0.30), 4: (0.65, 0.95), 5: (0.97, 1.0)}
"""The share of steps of 5 %, of runs that spread by 1 %, that so many runs behind them show."""


@pytest.mark.full
@pytest.mark.parametrize("behind", SHOWN)
def test_the_share_of_steps_that_few_values_show(behind):
    random = np.random.default_rng(14)
    found = sum(bool(changes(stepped(random, 40, behind, 0.01))) for _ in range(300)) / 300
    print(f"{behind} runs behind the step: {found:.1%}")
    least, most = SHOWN[behind]
    assert least <= found <= most
