# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of a run, by what was planted."""

import re

from plexor.figures.analyse.analyse import analyse
from plexor.show.notebook import channel_html, channel_line, run_html, run_line


def cells(html):
    """The cells of a table's rows, without notes."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[cell.partition("<br>")[0] for cell in row] for row in found]


def test_a_small_table_has_the_first_figures_of_each_channel(run_of):
    """200 equal latencies: each percentile is theirs."""
    report = analyse(run_of([[4000] * 200, [2000] * 199 + [None]]))
    head, *rows = cells(run_html(report))
    assert head == ["channel", "n", "missed", "late", "min", "p50", "p90", "p99", "max seen"]
    assert [row[:6] for row in rows] == [
        ["ISR", "200", "0", "0", "4 µs", "4 µs"],
        ["TASK", "199", "1", "0", "2 µs", "2 µs"],
    ]
    assert [row[-1] for row in rows] == ["4 µs", "2 µs"]
    assert cells(channel_html(report.channels[1], report.result.tick_fs))[1:] == rows[1:]


def test_a_run_without_answers_has_a_row_of_nothing(run_of):
    report = analyse(run_of([[None, None]]))
    assert cells(run_html(report))[1] == ["ISR", "0", "2", "0", "-", "-"]
    assert run_line(report) == "simulated, 2 strikes: ISR p99 -, max seen -, missed 2"
    assert channel_line(report.channels[0], 10**6) == "ISR p99 -, max seen -, missed 2"
