# SPDX-License-Identifier: Apache-2.0
"""Changes between two results as text for a terminal: values, signs, and how sure they are."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.figures.judge.change_bounds import ExcessBounds
from plexor.figures.judge.compare import Difference
from plexor.figures.judge.gate import judge as judged
from plexor.figures.judge.gate import parse_fail_on
from plexor.show.terminal.compare import compare_text

US = Fraction(1, 10**6)


class Sure:
    """A law that is sure of a change up to 1 in 1000 of the first value."""

    counts = None

    def __init__(self, before, after):
        self.before, self.after = before, after

    def excess(self, part, least_error, most_error, times=1):
        limit = self.before + abs(self.before) * part
        return ExcessBounds(
            self.after - limit - self.before / 1000, self.after - limit + self.before / 1000
        )

    def least_count(self, error):
        return 0


def difference(before, after, figure="p99", unit="s", law=True, channel="ISR"):
    sure = Sure(before, after) if law else None
    return Difference(channel, figure, before, after, sure, unit)


def row(found, **options):
    """Return the cells of the one row."""
    lines = compare_text([found], (), width=200, colour=False, **options).splitlines()
    return [cell for cell in lines[-1].split("  ") if cell.strip()]


@pytest.mark.parametrize(
    ("found", "cells"),
    [
        (
            difference(10 * US, 11 * US),
            ["10 µs", "11 µs", "+10.00 %", "x1.100", "+0.99 µs to +1.01 µs"],
        ),
        (
            difference(10 * US, 9 * US),
            ["10 µs", "9 µs", "-10.00 %", "x0.9000", "-1.01 µs to -0.99 µs"],
        ),
        (
            difference(Fraction(1, 100), Fraction(1, 50), "missed", "share"),
            ["1.0000%", "2.0000%", "+100.00 %", "x2.000", "+0.9990% to +1.0010%"],
        ),
        (
            difference(Fraction(20_000), Fraction(10_000), "saturation", "Hz"),
            ["20 kHz", "10 kHz", "-50.00 %", "x0.5000", "-10.02 kHz to -9.98 kHz"],
        ),
    ],
)
def test_a_row_has_both_values_the_change_and_its_interval_with_signs(found, cells):
    assert [cell.strip() for cell in row(found)] == ["ISR", found.figure, *cells]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (100, 137, "x1.370"),
        (61, 8389, "x137.5"),
        (8389, 61, "x0.007271"),
        (1, 12_345, "x12345"),
        (100_000, 999_996, "x10.00"),
        (5, 0, "x0.000"),
        (0, 5, "-"),
        (-5, 5, "-"),
    ],
)
def test_a_ratio_has_four_digits_and_is_none_from_0_or_below(before, after, shown):
    assert row(difference(before * US, after * US, law=False))[5].strip() == shown


def test_a_change_from_0_has_no_part_and_no_change_of_0_is_none():
    assert "from 0" in compare_text(
        [difference(Fraction(0), US, law=False)], (), width=100, colour=False
    )
    assert "+0.00 %" in compare_text(
        [difference(Fraction(0), Fraction(0), law=False)], (), width=100, colour=False
    )


def test_what_a_run_has_not_is_a_dash():
    cells = [cell.strip() for cell in row(Difference("ISR", "p99", None, US))]
    assert cells == ["ISR", "p99", "-", "1 µs", "-", "-", "-"]


def test_several_stand_beside_the_first_with_percent_and_ratio_below_and_intervals_behind():
    found = [
        replace(difference(10 * US, 11 * US), side="B"),
        replace(difference(10 * US, 20 * US, "max", law=False), side="B"),
        replace(difference(10 * US, 5 * US), side="C"),
    ]
    assert compare_text(found, (), width=62, colour=False) == (
        "channel    figure      A                 B                 C\n"
        "ISR           p99  10 µs             11 µs              5 µs\n"
        "                           +10.00 % x1.100  -50.00 % x0.5000\n"
        "ISR      max seen  10 µs             20 µs                 -\n"
        "                          +100.00 % x2.000\n"
        "\n"
        "channel    figure           B - A, 95 %           C - A, 95 %\n"
        "ISR           p99  +0.99 µs to +1.01 µs  -5.01 µs to -4.99 µs\n"
        "ISR      max seen                     -                     -\n"
    )


def test_a_judgement_of_several_names_the_one_that_it_is_of():
    found = [replace(difference(10 * US, 12 * US), side="C", result="idle")]
    text = compare_text(found, judged(found, parse_fail_on("p99>+5%")), width=200, colour=False)
    assert "TOO LARGE C: idle: ISR p99>+5%: +20.00 %" in text
    lacking = [replace(difference(10 * US, None, law=False), side="C")]
    text = compare_text(lacking, judged(lacking, parse_fail_on("p99>+5%")), width=200, colour=False)
    assert "C has no samples" in text


def test_changes_that_are_too_large_are_counted_at_the_end():
    found = [
        difference(10 * US, 12 * US),
        *(difference(10 * US, 10 * US, channel=name) for name in ("TASK", "IDLE")),
    ]
    judgements = judged(found, parse_fail_on("p99>+5%"))
    lines = compare_text(found, judgements, width=200, colour=False).splitlines()
    assert (
        lines.count("")
        == compare_text(found, (), width=200, colour=False).splitlines().count("") + 1
    )
    assert lines[-1] == "FAIL: 1 of 3 changes are too large"
    assert lines[-4].startswith("TOO LARGE ISR p99>+5%: +20.00 %, between +19.90%")
    assert lines[-3].startswith("kept      TASK p99>+5%: +0.00 %, between -0.10%")
    kept = compare_text(
        found[1:], judged(found[1:], parse_fail_on("p99>+5%")), width=100, colour=False
    )
    assert kept.endswith("PASS: no change is too large\n")


def test_a_change_of_which_nothing_is_known_is_told_as_such():
    apart = Difference("ISR", "p99", None, None, reason="in B its answers are unknown")
    text = compare_text([apart], judged([apart], parse_fail_on("p99>+5%")), width=100, colour=False)
    assert "not known ISR p99" in " ".join(text.split())
    assert text.splitlines()[-1] == "NOT COMPARABLE: nothing is known of 1 of 1 changes"
