# SPDX-License-Identifier: Apache-2.0
"""A run's text for a terminal: what it says, and that it fits."""

import re

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.budget import judge
from plexor.show.terminal.run import text

from ..runs_to_draw import BUDGET, KINDS

GOLDEN = """\
FreeRTOS 11.2.0 on VexRiscv 50 MHz
4 strikes · 20 kHz · 300 µs · simulated

channel       n  missed  late  duplicate  spurious   min      p50        p99
ISR           3       1     0          0         0  1 µs  too few    too few
from strike0                                              needs 6  needs 368

channel             p99.9   max seen
ISR               too few       3 µs
from strike0  needs 3,688  at 103 µs

channel    mean  peak-to-peak       RMS     variance       jitter128  first  peaks
ISR      2.0 µs          2 µs  816.5 ns  666,667 ns²            2 µs   1 µs      -
                                                      only 3 samples

channel  pulse width  period
ISR           100 ns   51 µs
"""


def test_the_terminal_s_table_reads_as_written_here(run_of):
    columns = ("variance", "jitter128")
    report = analyse(run_of([[1000, 2000, 3000, None]]), columns=columns)
    assert text(report, width=86, colour=False).startswith(GOLDEN)


def outliers(report):
    """Return the cells of the table of outliers; none without it."""
    lines = text(report, width=100, colour=False).splitlines()
    heads = [n for n, line in enumerate(lines) if line.endswith("time in the run")]
    return (
        [line.split() for line in lines[heads[0] + 1 : lines.index("", heads[0])]] if heads else []
    )


def test_outliers_are_named_with_their_places_and_usual_samples_are_not(run_of):
    values = [50_000 + n % 7 for n in range(2000)]
    values[1234], values[567], values[1900] = 95_000, 90_000, 20_000
    report = analyse(run_of([values], period=200_000))
    assert [(row[1], row[2], row[4]) for row in outliers(report)] == [
        ("latest", "95", "1,234"),
        ("latest", "90", "567"),
        ("earliest", "20", "1,900"),
    ]


def test_without_an_outlier_there_is_no_table_of_them(run_of):
    report = analyse(run_of([[50_000 + n % 7 for n in range(2000)]], period=200_000))
    assert outliers(report) == []
    assert "earliest" not in text(report, width=100, colour=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [40, 57, 80, 200])
def test_text_is_never_wider_than_the_terminal(runs, kind, width):
    report = analyse(runs[kind])
    for line in text(report, judge(report, BUDGET), width=width, colour=False).splitlines():
        assert len(line) <= width


def test_text_without_colour_says_all_that_colour_says(runs):
    report = analyse(runs["usual"])
    verdict = judge(report, BUDGET)
    plain, bright = (
        text(report, verdict, width=100, colour=False),
        text(report, verdict, colour=True, width=100),
    )
    assert "\x1b[" not in plain
    assert re.sub(r"\x1b\[\d+m", "", bright) == plain
    assert "BROKEN" in plain
    assert "simulated" in plain


def test_one_sample_among_many_is_seen_in_the_terminal(run_of):
    lines = text(analyse(run_of([[1000] * 100_0 + [3000]])), width=80, colour=False).splitlines()
    row = next(line for line in lines if line.lstrip().startswith("1 "))
    assert row.rstrip()[-1] == "▁"
