# SPDX-License-Identifier: Apache-2.0
"""Interrupt latencies of the article's Tables 2 to 4, and lists of latencies that have them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.compare import differing_keys
from plexor_lab.study.iltiming import CONFIGURATIONS, DEVICE, ROWS, Latency, LatencyRow, replay_ps

ISR, IST = Latency.ISR, Latency.IST
# Minimum, average, maximum and spread as the article prints them, in µs.
PRINTED = {
    (2, ISR): ("1.6", "3.1", "10.6", "9.0"),
    (2, IST): ("23.5", "32.2", "122.6", "99.1"),
    (3, ISR): ("1.6", "1.6", "2.5", "0.9"),
    (3, IST): ("7.5", "8.4", "36.0", "28.5"),
    (4, ISR): ("1.6", "1.6", "1.6", "0.0"),
    (4, IST): ("21.7", "22.7", "26.8", "5.1"),
}
BY_NAME = {(row.table, row.latency): row for row in ROWS}
NAMES = list(PRINTED)
ROUNDED = (3, ISR)
"""Its average equals its minimum, though its maximum is greater: only a rounded one can."""


def microseconds(text):
    """Return a printed time in ps."""
    return int(Fraction(text) * 10**6)


def test_the_rows_are_those_of_the_tables():
    assert len(ROWS) == len(PRINTED)
    for name, printed in PRINTED.items():
        row = BY_NAME[name]
        found = row.min_ps, row.mean_ps, row.max_ps, row.spread_ps
        assert found == tuple(map(microseconds, printed)), name


def test_table_3_differs_from_table_2_in_two_things_and_table_4_from_3_in_one():
    assert differing_keys(CONFIGURATIONS[2], CONFIGURATIONS[3]) == ("debug link", "rtc")
    assert differing_keys(CONFIGURATIONS[3], CONFIGURATIONS[4]) == ("TLB pool",)
    assert not {*DEVICE} & {*CONFIGURATIONS[2]}


@pytest.mark.parametrize("name", NAMES)
@given(count=st.integers(32, 2000))
def test_a_replay_has_the_printed_minimum_mean_and_maximum(name, count):
    least, mean, most, _ = map(microseconds, PRINTED[name])
    found = replay_ps(BY_NAME[name], count)
    assert (len(found), min(found), max(found)) == (count, least, most)
    if name == ROUNDED:
        assert sum(found) == (count - 1) * 1_600_000 + 2_500_000
        assert round(Fraction(sum(found), count * 10**5)) == 16
    else:
        assert sum(found) == count * mean


@pytest.mark.parametrize(
    ("name", "least"),
    # The maximum alone is 28.5 µs above the minimum, and 31 times 0.9 µs are less. Of the rounded
    # mean 0.9 µs must be less than half of the last digit, 0.05 µs, of each.
    [((3, IST), 32), ((2, IST), 12), (ROUNDED, 19), ((4, ISR), 1)],
)
def test_too_few_latencies_for_the_mean_are_refused_with_how_many_it_takes(name, least):
    assert len(replay_ps(BY_NAME[name], least)) == least
    with pytest.raises(ValueError, match=f"^count: {least - 1}; must be {least} or more for "):
        replay_ps(BY_NAME[name], least - 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_a_replay_has_the_figures_of_its_row(name, run_of):
    least, mean, most, spread = map(microseconds, PRINTED[name])
    values = list(replay_ps(BY_NAME[name], 50))
    rise = analyse(run_of([values], period=10**9)).channels[0].rise
    assert (rise.min_ticks, rise.max_ticks, rise.peak_to_peak_ticks) == (least, most, spread)
    assert rise.mean_ticks == Fraction(sum(values), 50)
    assert name == ROUNDED or rise.mean_ticks == mean


def test_a_mean_near_the_maximum_is_replayed_too():
    assert replay_ps(LatencyRow(0, ISR, 100, 190, 200), 11) == (100, *[199] * 8, 198, 200)
    found = replay_ps(LatencyRow(0, ISR, 1_600_000, 2_500_000, 2_500_000), 19)
    assert sum(found) == 1_600_000 + 18 * 2_500_000


def test_a_mean_beyond_the_extremes_is_refused():
    with pytest.raises(ValueError, match=r"^mean_ps: 9; must be 10 to 12$"):
        LatencyRow(0, ISR, 10, 9, 12)
