"""Changes between two results as text for a terminal: values, signs, and how sure they are."""

from fractions import Fraction

import pytest

from plexor.judge.change_bounds import Bounds
from plexor.judge.compare import Difference
from plexor.judge.gate import judge as judged
from plexor.judge.gate import parse_fail_on
from plexor.render.terminal.compare import compare_text

US = Fraction(1, 10**6)


class Sure:
    """A law that is sure of a change up to 1 in 1000 of the first value."""

    counts = None

    def __init__(self, before, after):
        self.before, self.after = before, after

    def excess(self, part, least_error, most_error, times=1):
        limit = self.before + abs(self.before) * part
        return Bounds(
            self.after - limit - self.before / 1000, self.after - limit + self.before / 1000
        )

    def least_count(self, error):
        return 0


def difference(before, after, figure="p99", unit="s", law=True, channel="ISR"):
    sure = Sure(before, after) if law else None
    return Difference(channel, figure, before, after, sure, unit)


def row(found, **options):
    """Return the cells of the one row."""
    lines = compare_text([found], (), width=200, **options).splitlines()
    return [cell for cell in lines[-1].split("  ") if cell.strip()]


@pytest.mark.parametrize(
    ("found", "cells"),
    [
        (difference(10 * US, 11 * US), ["10 µs", "11 µs", "+10.00 %", "+990 ns to +1.01 µs"]),
        (difference(10 * US, 9 * US), ["10 µs", "9 µs", "-10.00 %", "-1.01 µs to -990 ns"]),
        (
            difference(Fraction(1, 100), Fraction(1, 50), "missed", "share"),
            ["1.0000%", "2.0000%", "+100.00 %", "+0.9990% to +1.0010%"],
        ),
        (
            difference(Fraction(20_000), Fraction(10_000), "saturation", "Hz"),
            ["20 kHz", "10 kHz", "-50.00 %", "-10.02 kHz to -9.98 kHz"],
        ),
    ],
)
def test_a_row_has_both_values_the_change_and_its_interval_with_signs(found, cells):
    assert [cell.strip() for cell in row(found)] == ["ISR", found.figure, *cells]


def test_a_change_from_0_has_no_part_and_no_change_of_0_is_none():
    assert "from 0" in compare_text([difference(Fraction(0), US, law=False)], ())
    assert "+0.00 %" in compare_text([difference(Fraction(0), Fraction(0), law=False)], ())


def test_what_a_run_has_not_is_a_dash():
    cells = [cell.strip() for cell in row(Difference("ISR", "p99", None, US))]
    assert cells == ["ISR", "p99", "-", "1 µs", "-", "-"]


def test_changes_that_are_too_large_are_counted_at_the_end():
    found = [
        difference(10 * US, 12 * US),
        *(difference(10 * US, 10 * US, channel=name) for name in ("TASK", "IDLE")),
    ]
    judgements = judged(found, parse_fail_on("p99>+5%"))
    lines = compare_text(found, judgements, width=200).splitlines()
    assert lines[-1] == "FAIL: 1 of 3 changes are too large"
    assert lines[-4].startswith("TOO LARGE ISR p99>+5%: +20.00 %, between +19.90%")
    assert lines[-3].startswith("kept      TASK p99>+5%: +0.00 %, between -0.10%")
    kept = compare_text(found[1:], judged(found[1:], parse_fail_on("p99>+5%")))
    assert kept.endswith("PASS: no change is too large\n")
