# SPDX-License-Identifier: Apache-2.0
"""Budgets as TOML: each entry to its limit, each wrong file to one clear line."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.figures.judge.budget import Limit, Scope
from plexor.figures.judge.budget_file import load, parse
from plexor.model.results import Kind

US = Fraction(1, 10**6)


def limits(text):
    return parse(text, "b.toml").limits


def test_every_section_is_its_scope_and_a_channel_has_its_name():
    found = limits("[all]\nmissed=1\n[struck]\nlate=2\n[free]\nspurious=3\n[channel.A]\nearly=4")
    assert found == (
        Limit(Scope.ALL, "missed", Fraction(1)),
        Limit(Scope.STRUCK, "late", Fraction(2)),
        Limit(Scope.FREE, "spurious", Fraction(3)),
        Limit(Scope.CHANNEL, "early", Fraction(4), channel="A"),
    )


@pytest.mark.parametrize("kind", [Kind.FALL, Kind.WIDTH, Kind.PERIOD])
def test_limits_of_a_kind_are_in_a_table_of_its_name(kind):
    assert limits(f'[all.{kind}]\nmax = "1.1 ms"') == (Limit(Scope.ALL, "max", 1100 * US, kind),)
    assert limits('[all]\nmax = "1.1 ms"')[0].kind == Kind.RISE


def test_a_goal_is_marked_and_its_value_exact():
    (found,) = limits('[all]\nmean = { goal = "0.1 us" }')
    assert (found.goal, found.most) == (True, US / 10)
    assert limits('[all]\nmean = "0.1 us"')[0].goal is False


@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("p50", Fraction(1, 2)),
        ("p99", Fraction(99, 100)),
        ("p9999", Fraction(9999, 10**4)),
        ('"p12.5"', Fraction(1, 8)),
    ],
)
def test_a_percentile_is_an_exact_fraction(name, q):
    assert limits(f'[all]\n{name} = "1 us"')[0].q == q


def test_peak_to_peak_is_a_time_and_no_percentile():
    (found,) = limits('[all]\npeak_to_peak = "3 us"')
    assert (found.figure, found.q, found.most) == ("peak_to_peak", None, 3 * US)


def test_a_budget_is_called_by_its_title_or_its_file():
    assert parse('title = "motor"\n[all]\nlate = 0', "x/slow.toml").title == "motor"
    assert parse("[all]\nlate = 0", "x/slow.toml").title == "slow"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[all]\nmaximum = "1 us"', 'all.maximum: "maximum" is not a figure; must be min, max'),
        ("[all]\nmax = 100", "all.max: 100; must be a time with a unit"),
        ('[all]\nmax = "100"', "all.max: '100'; must be a number with a unit"),
        ("[all]\nmissed = -1", "all.missed: -1; must be a whole number of at least 0"),
        ("[all]\nmissed = true", "all.missed: True; must be a whole number"),
        ('[all]\nmissed = "0"', "all.missed: '0'; must be a whole number"),
        ('[some]\nmax = "1 us"', '"some" is not a section'),
        ("", "sets no limits"),
        ("[all]", "sets no limits"),
        ("all = 3", "all: 3; must be a table of limits"),
        ('[channel]\nmax = "1 us"', "channel.max: '1 us'; must be a table of limits"),
        ("title = 3", "title: 3; must be text"),
        ('[all]\np99.9 = "1 us"', 'all.p99: write p999, or "p99.9" in quotes'),
        ('[all]\np100 = "1 us"', 'percentile: "p100"'),
        ("[all]\nmax = {}", "all.max: {}; must be a limit or { goal = ... }"),
        (
            "[all.period]\nmissed = 1",
            "all.period.missed: a count is not of one kind of time; put it in all",
        ),
        ('[all]\nmax = { goal = "1 us", max = 1 }', "must be a limit or { goal = ... }"),
        ("[all", "Expected ']'"),
        ("[all]\nmissed = " + "9" * 5000, "Exceeds the limit"),
    ],
)
def test_a_wrong_file_is_one_clear_line(text, message):
    with pytest.raises(UsageError) as caught:
        parse(text, "b.toml")
    assert str(caught.value).startswith("budget b.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_percentiles_are_named_in_two_ways():
    budget = parse('[all]\np999 = "1 us"\n[struck]\n"p99.9" = "2 us"', "b.toml")
    assert [limit.q for limit in budget.limits] == [Fraction(999, 1000)] * 2


def test_a_file_that_is_not_there_is_told(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"none\.toml: No such file or directory$"):
        load(str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        load(str(tmp_path / "bad.toml"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"omac\.toml, which python -m plexor_lab\.study\.lists"):
        load("omac")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('[ISR]\nmax = "1 us"', "[channel.ISR]"),
        ('[All]\nmax = "1 us"', "[all]"),
        ('max = "1 us"', "it below [all]"),
        ('[all]\nmaxx = "1 us"', "max"),
        ('[all]\npee99 = "1 us"', "p99"),
        ("[all]\nmised = 0", "missed"),
        ('[all]\nmax = "1 usec"', "1 us"),
    ],
)
def test_a_key_that_is_none_is_told_what_was_meant(text, meant):
    with pytest.raises(UsageError) as caught:
        parse(text, "limits.toml")
    assert str(caught.value).endswith(f"; did you mean {meant}?")
