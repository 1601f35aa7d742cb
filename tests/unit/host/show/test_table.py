# SPDX-License-Identifier: Apache-2.0
"""The rows of tables: outliers, periods, and what a check found."""

import dataclasses
from fractions import Fraction

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.budget import Check, judge
from plexor.figures.judge.budget_file import parse
from plexor.model.columns import COLUMNS
from plexor.model.results import SourceAccounting
from plexor.protocol.memory import ResponseClass
from plexor.show.table import (
    distance_rows,
    found_text,
    jitter_rows,
    latency_rows,
    outlier_rows,
    period_rows,
)
from plexor.show.terminal.run import text


def test_planted_outliers_are_listed_with_sample_and_event(run_of):
    values = [1000] * 200
    values[17], values[99], values[150] = 9000, 8000, 10
    _, rows = outlier_rows(analyse(run_of([values])))
    texts = [[text for text, _ in row] for row in rows]
    assert texts[0][:5] == ["ISR", "latest", "9 µs", "17", "69"]  # 17 * 4 edges, then the strike
    assert texts[1][:4] == ["ISR", "latest", "8 µs", "99"]
    assert texts[3][:4] == ["ISR", "earliest", "10 ns", "150"]


def test_without_events_the_extremes_are_listed_with_their_events(run_of):
    values = [1000] * 200
    values[17], values[150] = 9000, 10
    _, rows = outlier_rows(analyse(run_of([values], keep_events=False)))
    texts = [[text for text, _ in row] for row in rows]
    # Of each strike's four events the response is the second, before its edge back or the strike's.
    assert texts[0] == ["ISR", "latest", "9 µs", "-", "69", "859 µs"]
    assert texts[1] == ["ISR", "earliest", "10 ns", "-", "601", "7.5 ms"]


@pytest.mark.parametrize(("count", "known"), [(36_886, False), (36_887, True)])
def test_p99_99_is_shown_where_it_is_known(run_of, count, known):
    report = analyse(run_of([[1000] * count, [2000] * 10 + [None] * (count - 10)]))
    for head, rows in (
        latency_rows(report),
        distance_rows(dataclasses.replace(report, velocity_m_s=Fraction(1))),
    ):
        assert ("p99.99" in head) == known
        assert {len(row) for row in rows} == {len(head)}
    if known:
        head, rows = latency_rows(report)
        cells = [row[head.index("p99.99")] for row in rows]
        assert cells == [("1 µs", "1 to 1 µs"), ("too few", "needs 36,887")]


def test_columns_of_single_papers_are_shown_when_they_are_asked_for(run_of):
    run = run_of([[1000, 2000]])
    usual, some = jitter_rows(analyse(run))[0], jitter_rows(analyse(run, columns=("variance",)))[0]
    assert {"variance", "jitter128"}.isdisjoint(usual)
    assert [name for name in some if name != "variance"] == usual
    for head, rows in (jitter_rows(analyse(run)), jitter_rows(analyse(run, columns=COLUMNS))):
        assert {len(row) for row in rows} == {len(head)}


def test_jitter128_is_of_the_last_128_and_the_greatest_is_beside_it(run_of):
    head, rows = jitter_rows(
        analyse(run_of([[1000, 1500] + [1000] * 100 + [1200] * 127 + [1210]]), columns=COLUMNS)
    )
    assert rows[0][head.index("jitter128")] == ("10 ns", "maximum 500 ns")


@pytest.mark.parametrize(("count", "shown"), [(128, "≤ 510 ns"), (100, "-")])
def test_jitter128_without_events_is_at_most_the_span_of_all(run_of, count, shown):
    """Fewer than 128 samples have no such figure."""
    run = run_of([[1000] * (count - 1) + [1510]], keep_events=False)
    head, rows = jitter_rows(analyse(run, columns=COLUMNS))
    assert rows[0][head.index("jitter128")] == (shown, "needs events")


def test_the_variance_is_beside_the_rms_in_square_units(run_of):
    # 2, 4, 4, 4, 5, 5, 7, 9 µs: variance 4 µs², RMS 2 µs.
    run = run_of([[1000 * n for n in (2, 4, 4, 4, 5, 5, 7, 9)], [None] * 8])
    head, rows = jitter_rows(analyse(run, columns=COLUMNS))
    place = head.index("RMS")
    assert head[place + 1] == "variance"
    assert rows[0][place : place + 2] == [("2 µs", ""), ("4 µs²", "")]
    assert rows[1][place : place + 2] == [("-", ""), ("-", "")]
    assert {len(row) for row in rows} == {len(head)}


@pytest.mark.parametrize(("ticks", "found"), [(100_000, "100 µs"), (100_001, "100.001 µs")])
def test_what_breaks_a_limit_never_reads_like_the_limit(run_of, ticks, found):
    budget = parse('[all]\nmax = "100 us"', "b")
    verdict = judge(analyse(run_of([[ticks]], period=900_000)), budget)
    assert found_text(verdict.checks[0], 10**6)[0] == found


def test_a_tick_beyond_a_long_limit_is_shown(run_of):
    budget = parse('[all]\nmax = "1.1 ms"', "b")
    verdict = judge(analyse(run_of([[1_100_001]], period=9_000_000)), budget)
    assert found_text(verdict.checks[0], 10**6)[0] == "1.100001 ms"


def test_a_device_that_runs_by_itself_is_shown_by_its_period(run_of):
    run = run_of([[0, 2, 0, 0]], period=1000)
    channel = run.channels[0]
    free = dataclasses.replace(
        channel,
        reference="strike1",
        classes=dict.fromkeys(ResponseClass, 0) | {ResponseClass.SPURIOUS: 4},
        measurements=channel.measurements[2:],
    )
    sources = (*run.accounting.sources, SourceAccounting(9, 0, 0, 0, 0))
    books = dataclasses.replace(run.accounting, sources=sources)
    free = dataclasses.replace(run, channels=(free,), accounting=books)
    assert analyse(free).valid
    head, rows = period_rows(analyse(free, columns=COLUMNS))
    found = dict(zip(head, (text for text, _ in rows[0]), strict=True))
    # The error of the mean is sqrt(8/9) ns.
    # Periods 1002, 998, 1000 ns; edges are off the mean clock by 0, 2, 0, 0 ns.
    assert (found["periods"], found["mean"]) == ("3", "1.0000 µs")
    assert (found["min"], found["max seen"]) == ("998 ns", "1.002 µs")
    assert (found["peak-to-peak"], found["cycle-to-cycle"]) == ("4 ns", "4 ns")
    assert found["TIE peak-to-peak"] == "2 ns"
    # The variance of 2, -2 and 0 ns is 8/3 ns².
    assert (found["RMS"], found["variance"]) == ("1.633 ns", "2.667 ns²")
    assert len(rows[0]) == len(head)
    assert period_rows(analyse(run))[1] == []
    assert "TIE" in text(analyse(free), width=100, colour=False)


@pytest.mark.parametrize(
    ("most", "ticks", "tick_fs", "text"),
    [
        ("100 us", 99_000, 10**6, "99 µs"),
        ("100 us", 100_000, 10**6, "100 µs"),
        # A tick more reads as the limit to six digits, to nine, and to neither.
        ("1 s", 1_000_001, 10**9, "1.000001 s"),
        ("1 s", 10_000_001, 10**8, "1.0000001 s"),
        ("1 s", 10_000_001_234, 10**5, "1.00000012 s"),
        ("1 s", 1_000_000_001, 10**6, "1.000000001 s"),
        ("1 s", 2_000_000_001, 5 * 10**5, "1.0000000005 s"),
    ],
)
def test_a_time_has_the_digits_that_tell_it_from_its_limit(most, ticks, tick_fs, text):
    (limit,) = parse(f'[all]\nmax = "{most}"', "b").limits
    check = Check("ISR", limit, Fraction(ticks), outcome="fail")
    assert found_text(check, tick_fs)[0] == text
