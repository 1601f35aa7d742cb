# SPDX-License-Identifier: Apache-2.0
"""Figures without channels: what both results have is compared, by the law that each has."""

from fractions import Fraction

from plexor.figures.judge.change_bounds import Sums
from plexor.figures.judge.figured import Figure, Figured, figured_differences, share_of

SUMS = Sums(100, Fraction(2), Fraction(1))


def figured(**figures):
    return Figured("schedule", {("run", name): value for name, value in figures.items()}, {}, True)


def test_what_only_one_has_is_left_out():
    one = figured(min=Figure(Fraction(1)), max=Figure(Fraction(2)))
    other = figured(max=Figure(Fraction(3)))
    (entry,) = figured_differences(one, other)
    assert (entry.channel, entry.figure, entry.before, entry.after) == ("run", "max", 2, 3)
    assert entry.law is None


def test_shares_that_are_0_in_both_are_there_if_they_are_wanted():
    one = figured(late=share_of(0, 10), done=share_of(10, 10))
    assert [entry.figure for entry in figured_differences(one, one)] == ["done"]
    assert [entry.figure for entry in figured_differences(one, one, ["late"])] == ["late", "done"]
    assert share_of(0, 0).value is None


def test_a_mean_and_a_share_have_an_interval_that_holds_no_change():
    one = figured(mean=Figure(Fraction(2), sums=SUMS), late=share_of(5, 10))
    for entry in figured_differences(one, one):
        interval = entry.interval
        assert interval.least is not None
        assert interval.most is not None
        assert interval.least < 0 < interval.most


def test_names_are_those_of_the_runs_once_each():
    found = {(n, f): Figure(None) for n in ("verify", "mixed-0") for f in ("min", "max")}
    assert Figured("schedule", found, {}, True).names == ("verify", "mixed-0")
