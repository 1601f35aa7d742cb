# SPDX-License-Identifier: Apache-2.0
"""Counts, mean, variance, the part within the limit and spikes, all exact."""

import statistics
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.mixed.model import Response, Status
from plexor_lab.mixed.summary import moments_of, summary_of

from .lists import MS, STEP, run_of

SDS = Fraction(3)


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=50))
def test_mean_and_variance_are_exact(values):
    found = moments_of(values)
    assert found.mean_ticks == statistics.mean(map(Fraction, values))
    assert found.variance_ticks2 == statistics.pvariance(map(Fraction, values))
    assert (found.count, found.min_ticks, found.max_ticks) == (
        len(values),
        min(values),
        max(values),
    )


def test_no_values_have_no_mean():
    with pytest.raises(ValueError, match="no values"):
        moments_of([])


def test_a_planted_half_below_a_millisecond_is_a_half():
    late = [MS, 5 * MS, MS - 1, 30 * MS, 0, MS + 1]
    found = summary_of(run_of(late), SDS)
    assert found.within == Fraction(1, 2)
    assert found.counts[Status.DONE] == found.counts[Status.LATE] == 3


def test_early_ones_are_not_within_the_limit():
    assert summary_of(run_of([-1, 0]), SDS).within == Fraction(1, 2)


def test_missed_ones_are_no_readings():
    found = summary_of(run_of([None, 4, None]), SDS)
    assert found.moments.count == 1
    assert (found.scheduled, found.counts[Status.MISSED], found.within) == (3, 2, 1)
    nothing = summary_of(run_of([None]), SDS)
    assert (nothing.moments, nothing.within, nothing.spikes) == (None, None, ())


def test_the_spikes_are_those_that_were_planted():
    late = [1000 + number % 7 for number in range(200)]
    planted = {17: 90_000, 101: 120_000, 199: 100_000}
    for number, ticks in planted.items():
        late[number] = ticks
    late[50] = -10_000
    found = summary_of(run_of(late), SDS)
    assert {spike.number: spike.lateness_ticks for spike in found.spikes} == planted
    assert [spike.due_ticks for spike in found.spikes] == [STEP * (n + 1) for n in sorted(planted)]


def test_a_spike_lies_above_the_bound_and_not_on_it():
    """Of 0, 0, 0, 4 the mean is 1, the standard deviation the root of 3."""
    run = run_of([0, 0, 0, 4])
    # 4 is above the mean by 3, which is the root of 3 times the root of 3.
    assert len(summary_of(run, Fraction(17_320, 10_000)).spikes) == 1
    assert len(summary_of(run, Fraction(17_321, 10_000)).spikes) == 0
    two = run_of([0, 2])
    assert len(summary_of(two, Fraction(1)).spikes) == 0
    assert len(summary_of(two, Fraction(99, 100)).spikes) == 1


def test_a_run_is_safe_if_all_is_done_and_nothing_else_came():
    assert summary_of(run_of([0, MS]), SDS).safe
    for late in ([0, MS + 1], [-1, 0], [None, 0], []):
        assert not summary_of(run_of(late), SDS).safe
    extra = Response(STEP + 9, 7)
    assert not summary_of(run_of([0, 0], extras=[extra]), SDS).safe


def test_a_run_without_entries_or_with_an_entry_that_is_not_done_is_not_safe():
    done = summary_of(run_of([5]), Fraction(3))
    assert (done.scheduled, done.safe) == (1, True)
    for counts in (
        dict.fromkeys(Status, 0),
        dict.fromkeys(Status, 0) | {Status.MISSED: 1},
        dict.fromkeys(Status, 0) | {Status.DONE: 1, Status.MISSED: 1},
        dict.fromkeys(Status, 0) | {Status.DONE: 1, Status.EXTRA: 1},
    ):
        assert not replace(done, counts=counts).safe
