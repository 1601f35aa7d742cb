# SPDX-License-Identifier: Apache-2.0
"""Late answers on the terminal."""

import pytest

from plexor.figures.explain.recurrence import Law, Recurrence
from plexor.figures.explain.why import explain_late
from plexor.show.terminal.why import recurrence_text, why_text

from ...figures.explain.test_why import late_run


@pytest.mark.parametrize("width", [20, 40, 72, 200])
def test_no_line_is_wider_than_the_terminal(width):
    result = late_run()
    lines = why_text(result, explain_late(result), str, width=width, colour=False).splitlines()
    assert max(map(len, lines)) <= max(width, 40)
    assert any("500 answers" in line for line in lines)


def test_what_is_not_known_says_so():
    result = late_run(upload_dropped=[8])
    assert "isr: not known, because some of its events were lost" in why_text(
        result, explain_late(result), str, width=100, colour=False
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Recurrence(Law.COUNT, 1, True, 1e6), "all answers (1 ms)"),
        (Recurrence(Law.COUNT, 5, True, 5e6), "each 5 answers, exactly (5 ms)"),
        (Recurrence(Law.COUNT, 5, False, 5e6), "each 5 answers, with gaps (5 ms)"),
        (Recurrence(Law.PERIOD, period_ticks=1e6), "at a period of 1 ms"),
        (Recurrence(Law.PERIOD, None, False, 1_000_300.04, 0.02), "at a period of 1.0003 ms"),
        (
            Recurrence(Law.EITHER, 20, True, 1e6, evenly_struck=True),
            "each 20 answers, exactly, or each 1 ms: these strikes cannot tell; --dither would",
        ),
        (
            Recurrence(Law.EITHER, 20, False, 1e6),
            "each 20 answers, with gaps, or each 1 ms: these strikes cannot tell; "
            "a wider --dither would",
        ),
        (Recurrence(Law.IRREGULAR), "irregular"),
        (Recurrence(Law.UNKNOWN), "too few to tell"),
    ],
)
def test_each_recurrence_has_its_words(found, text):
    assert recurrence_text(found, 10**6) == text
