# SPDX-License-Identifier: Apache-2.0
"""Assertions on a run: what they let pass, and what they say."""

import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.verdict import Outcome
from plexor.library.require import RequirementError, require
from plexor.library.run import Run


@pytest.fixture
def run(run_of):
    return Run(run_of([[1000] * 499 + [9000], [2000] * 500]))


def test_limits_that_are_kept_return_their_verdict(run):
    assert require(run, max="9 us", missed=0).outcome == Outcome.PASS
    assert require(run, channel="TASK", p99="2 us", period={"max": "60 us"}).outcome == Outcome.PASS


def test_a_broken_limit_says_what_was_found_how_surely_and_where_the_worst_was(run):
    with pytest.raises(AssertionError) as caught:
        require(run, p99="900 ns")
    text = str(caught.value)
    assert "simulated" in text
    assert "BROKEN: ISR p99 1 µs, 95 % interval 1 µs to 9 µs, limit ≤ 900 ns, 500 samples" in text
    assert "ISR max seen 9 µs at " in text
    assert caught.value.run is run
    # Six edges for each strike before, then the strike and both edges of TASK.
    assert f", event {499 * 6 + 3:,}" in text


def test_what_cannot_be_proven_fails_too(run):
    with pytest.raises(RequirementError, match=r"NOT PROVEN: ISR p99\.99 .*needs 36"):
        require(run, p9999="10 us")


def test_an_invalid_run_fails_whatever_it_measured(run_of):
    invalid = Run(run_of([[1000]], invalid_reasons=("the clock was lost",)))
    with pytest.raises(RequirementError, match="INVALID RUN: the clock was lost"):
        require(invalid, max="1 s")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"maxi": "1 us"}, UsageError, '"maxi" is not a figure'),
        ({"max": 3}, UsageError, "must be a time with a unit"),
        ({"channel": "NOSUCH", "max": "1 us"}, UsageError, '"NOSUCH" is not in this run'),
        ({}, UsageError, "sets no limits"),
        ({"budget": "limits.toml", "max": "1 us"}, TypeError, "give a budget, or limits"),
    ],
)
def test_wrong_limits_are_said(run, given, error, said):
    with pytest.raises(error, match=said):
        require(run, **given)


def test_a_channel_without_an_answer_has_no_worst(run_of):
    run = Run(run_of([[None] * 20, [2000] * 20]))
    with pytest.raises(RequirementError) as caught:
        require(run, missed=0)
    assert "BROKEN: ISR missed 20" in str(caught.value)
    assert "worst: ISR" not in str(caught.value)
