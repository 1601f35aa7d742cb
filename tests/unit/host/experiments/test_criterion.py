# SPDX-License-Identifier: Apache-2.0
"""Criteria: how they are written, and what figures on both sides of each limit make of them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.experiments.criterion import (
    DEFAULT,
    Criterion,
    CriterionSubject,
    judge,
    parse_criterion,
    stage_strikes,
)
from plexor.experiments.step import RateFigures
from plexor.figures.judge.verdict import Outcome
from plexor.protocol.memory import ResponseClass

NS = 1_000_000
"""A tick of a nanosecond, in femtoseconds."""
ONE_IN_100 = "missed<1%"


def figures(strikes=10_000, **values):
    classes = {entry: values.pop(entry.name.lower(), 0) for entry in ResponseClass}
    return RateFigures("ISR", strikes, classes, **values)


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        ("missed<0.1%@95%", DEFAULT),
        ("missed<1e-3", DEFAULT),
        ("missed < 0.001 @ 0.95", DEFAULT),
        ("late<1/50@99%", Criterion(CriterionSubject.LATE, Fraction(1, 50), Fraction(99, 100))),
        (
            "latency<50us:1%@90%",
            Criterion(
                CriterionSubject.LATENCY, Fraction(1, 100), Fraction(9, 10), Fraction(50, 10**6)
            ),
        ),
        (
            "jitter-rms<=1.5us",
            Criterion(CriterionSubject.JITTER_RMS, most_s=Fraction(3, 2 * 10**6)),
        ),
        ("spurious<1%", Criterion(CriterionSubject.SPURIOUS, Fraction(1, 100))),
    ],
)
def test_what_is_written_is_what_is_meant(text, criterion):
    assert parse_criterion(text) == criterion
    assert parse_criterion(criterion.text.replace("µ", "u")) == criterion


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lost<1%", "must be missed, late"),
        ("missed", "with < and its limit"),
        ("missed<0", "must be a share"),
        ("missed<100%", "must be a share"),
        ("missed<1/0", "must be a share"),
        ("missed<x", "must be a share"),
        ("missed<1%@100%", "must be a share"),
        ("missed<1%:2%", "has one limit"),
        ("latency<1%", "must be a number with a unit"),
        ("jitter<10", "must be a number with a unit"),
        ("", "must be missed, late"),
    ],
)
def test_what_is_no_criterion_is_refused_in_one_line(text, said):
    with pytest.raises(ValueError, match=said) as caught:
        parse_criterion(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        (ONE_IN_100, {"missed"}),
        ("late<1%", {"missed", "late"}),
        ("latency<5us:1%", {"missed", "late"}),
        ("duplicate<1%", {"duplicate"}),
        ("spurious<1%", {"spurious"}),
    ],
)
@pytest.mark.parametrize("entry", ["missed", "late", "duplicate", "spurious", "answered", "early"])
def test_each_criterion_counts_its_own_classes(text, bad, entry):
    criteria = [parse_criterion(text)]
    found = judge(criteria, figures(437, **{entry: 100}), 0, 1, NS)
    verdict, reason = found.outcome, found.reason
    assert verdict == (Outcome.FAIL if entry in bad else Outcome.PASS)
    assert reason == (criteria[0].text if entry in bad else "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("jitter<10us", "max_ticks"),
        ("jitter-rms<10us", "rms_ticks"),
        ("jitter128<10us", "jitter128_ticks"),
    ],
)
def test_a_jitter_at_its_limit_passes_and_a_tick_more_fails(text, name):
    criteria = [parse_criterion(text)]
    for ticks, wanted in ((10_000, Outcome.PASS), (10_001, Outcome.FAIL)):
        found = figures(min_ticks=0, **{name: ticks})
        assert judge(criteria, found, 0, 1, NS).outcome == wanted
    assert judge(criteria, figures(), 0, 1, NS).outcome == Outcome.TOO_FEW


def test_one_criterion_that_fails_is_enough_and_one_that_cannot_tell_holds_up_a_pass():
    criteria = [parse_criterion(ONE_IN_100), parse_criterion("spurious<1%")]
    few, some, many = 0, 3, 100
    for missed, spurious, wanted in (
        (few, few, Outcome.PASS),
        (few, some, Outcome.TOO_FEW),
        (few, many, Outcome.FAIL),
        (some, many, Outcome.FAIL),
        (many, some, Outcome.FAIL),
    ):
        found = figures(437, missed=missed, spurious=spurious)
        assert judge(criteria, found, 0, 1, NS).outcome == wanted, (missed, spurious)


def test_a_device_that_falls_behind_does_not_sustain_the_rate():
    found = judge([DEFAULT], figures(falls_behind=True), 0, 1, NS)
    verdict, reason = found.outcome, found.reason
    assert (verdict, reason) == (Outcome.FAIL, "falls behind")
    assert judge([DEFAULT], figures(falls_behind=None), 0, 1, NS).outcome == Outcome.PASS


def test_a_first_stage_is_long_enough_for_every_criterion():
    criteria = [parse_criterion("missed<1%"), parse_criterion("late<10%")]
    assert stage_strikes(criteria, 1) == stage_strikes(criteria[:1], 1) == 437
    assert stage_strikes(criteria, 5000) == 5000
    found = figures(5000, missed=0)
    assert judge(criteria, found, 0, 5000, NS).outcome == Outcome.PASS
    assert judge(criteria, figures(4999), 0, 5000, NS).outcome == Outcome.TOO_FEW


def test_strikes_that_wait_at_the_end_count_against_a_pass_of_what_may_go_missing():
    waiting = figures(behind=3)
    assert judge([DEFAULT], waiting, 0, 1, NS).outcome == Outcome.TOO_FEW
    assert judge([parse_criterion("late<0.1%")], waiting, 0, 1, NS).outcome == Outcome.TOO_FEW
    assert judge([parse_criterion("spurious<0.1%")], waiting, 0, 1, NS).outcome == Outcome.PASS


@pytest.mark.parametrize("text", ["late<1%", "latency<50us:1%"])
def test_what_seems_late_behind_a_missing_strike_fails_no_device_and_passes_none(text):
    criteria = [parse_criterion(text)]
    after = {"missed": 1, "late": 400}
    assert judge(criteria, figures(437, **after), 0, 1, NS).outcome == Outcome.FAIL
    assert judge(criteria, figures(437, **after, shifted=True), 0, 1, NS).outcome == Outcome.TOO_FEW
    many = {"missed": 100, "late": 300}
    assert judge(criteria, figures(437, **many, shifted=True), 0, 1, NS).outcome == Outcome.FAIL


def test_no_jitter_is_kept_where_a_strike_is_missing_and_latencies_are_not_known():
    found = figures(missed=1, min_ticks=1, max_ticks=2)
    criteria = [parse_criterion("jitter<10us")]
    assert judge(criteria, found, 0, 1, NS).outcome == Outcome.PASS
    assert judge(criteria, replace(found, shifted=True), 0, 1, NS).outcome == Outcome.FAIL
