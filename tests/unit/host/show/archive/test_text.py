# SPDX-License-Identifier: Apache-2.0
"""An archive on a terminal of any width."""

from dataclasses import replace

import pytest

from plexor.show.archive.text import log_text, trend_text

from ...files.archive.trends import KEPT, TRENDS, course, history, level, trend

WIDTHS = (40, 80, 120)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", TRENDS)
def test_a_trend_fits_its_terminal_and_says_simulated(name, width):
    found = TRENDS[name]
    lines = trend_text(found, width=width, colour=False).splitlines()
    assert max(map(len, lines)) <= width
    assert ("simulated" in lines[0]) == found.simulated
    changes = sum(len(course.steps) for each in found.histories for course in each.courses)
    text = " ".join(" ".join(lines).split())
    assert ("no change" in text) == (not changes)
    if width == 120:
        assert text.count(", error ") == changes
        assert "random orders" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_a_log_fits_its_terminal_and_counts_all_runs(width):
    bad = replace(KEPT, valid=False, invalid_reasons="a bin is full; " * 20)
    text = log_text([KEPT, bad], 7, width=width, colour=False)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert "the newest 2 of 7 runs" in text
    assert f"{bad.run} is an INVALID RUN" in " ".join(text.split())


def test_an_empty_log_says_so():
    assert log_text([], 0, width=100, colour=False) == "0 runs\n"
    assert log_text([KEPT], 1, width=100, colour=False).endswith("\n1 run\n")


def test_rises_are_red_and_falls_green():
    found = TRENDS["one history"]
    assert "\x1b[31mp99 +6." in trend_text(found, width=200, colour=True)
    (one,) = found.histories
    course = one.courses[0]
    step = course.steps[0]
    down = replace(step, before=step.after, after=step.before)
    fallen = replace(found, histories=(replace(one, courses=(replace(course, steps=(down,)),)),))
    assert "\x1b[32mp99 -" in trend_text(fallen, width=200, colour=True)
    assert "\x1b[" not in trend_text(found, width=100, colour=False)


def test_ten_runs_whose_newest_four_are_slower_are_too_few_and_not_unchanged():
    slower = course("p99", level(3.0, 6) + level(3.6, 4))
    few = trend(history({}, replace(slower, lacking=1), commits=False))
    text = " ".join(trend_text(few, width=200, colour=False).split())
    assert "p99: too few runs to tell whether it changed: 10, needs 11" in text
    assert "no change" not in text
    assert "median of newest 5" in text
    assert "3.6" in text.partition("random orders")[0].partition("median of newest 5")[2]
