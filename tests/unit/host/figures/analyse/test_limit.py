# SPDX-License-Identifier: Apache-2.0
"""A value at the limit of the chip's registers is over the limit, and never a number.

The planted run has a tick of 1 ns, and registers up to 2.147 s. It has on-widths of 1 µs and of
2.4 s, and strikes 5 s apart.
"""

from fractions import Fraction

import numpy as np
import pytest

from plexor.base.errors import ExitCode
from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.budget import judge
from plexor.figures.judge.budget_file import parse
from plexor.figures.judge.verdict import Outcome
from plexor.files.archive.archived import archived
from plexor.files.archive.figures import parse_figure
from plexor.files.archive.origin import Origin
from plexor.files.archive.record import record
from plexor.files.store.document import document
from plexor.files.store.run_folder import load, save
from plexor.library.archive import Archive
from plexor.library.run import Run
from plexor.model.results import Kind
from plexor.protocol.memory import VALUE_MOST
from plexor.show.export.source import ExportSource
from plexor.wire.decode.consistent import contradictions_of
from plexor_lab.bound.check import measured_of
from plexor_lab.bound.spec import OfRun
from plexor_lab.bound.verdict import MeasuredMaximum, bounded

SHORT, LONG, PERIOD = 1000, 2_400_000_000, 5_000_000_000
WIDTHS = [SHORT, LONG, LONG, SHORT, SHORT]


@pytest.fixture
def slow(run_of):
    """Return a slow run, with or without events."""

    def made(keep_events, widths=WIDTHS):
        latencies = [[500] * len(widths)]
        return run_of(latencies, widths=[widths], period=PERIOD, keep_events=keep_events)

    return made


def figures(result, kind=Kind.WIDTH):
    return analyse(result).channels[0].kinds[kind]


def test_events_tell_what_the_chip_cannot(slow):
    result = slow(True)
    assert contradictions_of(result) == ()
    assert analyse(result).valid
    width, period = figures(result), figures(result, Kind.PERIOD)
    assert (width.min_ticks, width.max_ticks, width.limit_ticks) == (SHORT, LONG, None)
    assert width.mean_ticks == Fraction(sum(WIDTHS), 5)
    mean = width.mean_ticks
    assert width.variance_ticks2 == sum((value - mean) ** 2 for value in WIDTHS) / 5
    assert (period.min_ticks, period.max_ticks, period.mean_ticks) == (PERIOD, PERIOD, PERIOD)
    # The second response's end completes the first long width.
    assert width.max_time_ticks == PERIOD + 500 + LONG


def test_without_events_what_is_at_the_limit_is_not_known(slow):
    result = slow(False)
    assert contradictions_of(result) == ()
    width = figures(result)
    assert (width.count, width.min_ticks, width.limit_ticks) == (5, SHORT, VALUE_MOST)
    unknown = (width.max_ticks, width.mean_ticks, width.variance_ticks2, width.rms_ticks)
    assert unknown == (None,) * 4
    assert (width.max_index, width.max_time_ticks, width.peak_to_peak_ticks) == (None,) * 3
    # Three of five are short: the median is known, the greater percentiles are not.
    median, high = (width.quantile(Fraction(q, 100)) for q in (50, 90))
    assert (median.value_ticks, median.limit_ticks) == (1007, None)  # the last of its bin
    assert (high.value_ticks, high.limit_ticks) == (None, VALUE_MOST)


def test_if_all_are_at_the_limit_the_minimum_is_not_known_either(slow):
    period = figures(slow(False), Kind.PERIOD)
    assert (period.count, period.min_ticks, period.limit_ticks) == (4, None, VALUE_MOST)


def test_a_latency_at_the_last_value_is_exact_since_the_time_out_bounds_it(run_of):
    rise = figures(run_of([[VALUE_MOST]], period=PERIOD, keep_events=False), Kind.RISE)
    assert (rise.max_ticks, rise.limit_ticks) == (VALUE_MOST, None)


LIMITS = [
    # What is over 2.147 s is over 2 s too. It may be over 2.3 s and over 3 s, or not.
    ("width", 'max = "2 s"', Outcome.FAIL, Outcome.FAIL),
    ("width", 'max = "2300 ms"', Outcome.TOO_FEW, Outcome.FAIL),
    ("width", 'max = "3 s"', Outcome.TOO_FEW, Outcome.PASS),
    ("width", 'min = "1 us"', Outcome.PASS, Outcome.PASS),
    ("width", 'mean = "800 ms"', Outcome.FAIL, Outcome.FAIL),
    ("width", 'mean = "1 s"', Outcome.TOO_FEW, Outcome.PASS),
    ("width", 'peak_to_peak = "2 s"', Outcome.FAIL, Outcome.FAIL),
    ("width", 'peak_to_peak = "3 s"', Outcome.TOO_FEW, Outcome.PASS),
    ("width", 'rms = "3 s"', Outcome.TOO_FEW, Outcome.PASS),
    ("period", 'min = "2 s"', Outcome.PASS, Outcome.PASS),
    ("period", 'min = "5 s"', Outcome.TOO_FEW, Outcome.PASS),
    ("period", 'max = "5 s"', Outcome.TOO_FEW, Outcome.PASS),
    ("fall", 'max = "2147483647 ns"', Outcome.TOO_FEW, Outcome.FAIL),
]


@pytest.mark.parametrize(("kind", "limit", "without", "with_events"), LIMITS)
def test_a_budget_takes_no_limit_for_a_number(slow, kind, limit, without, with_events):
    budget = parse(f"[all.{kind}]\n{limit}", "test.toml")
    assert judge(analyse(slow(False)), budget).outcome == without
    assert judge(analyse(slow(True)), budget).outcome == with_events


@pytest.mark.parametrize(("limit", "outcome"), [("2 s", "fail"), ("3 s", "too few")])
def test_a_percentile_over_the_limit_is_no_number(slow, limit, outcome):
    # 20 samples bound the 90th percentile below, and 95 % of them are over.
    run = slow(False, [SHORT] + [LONG] * 59)
    check = judge(analyse(run), parse(f'[all.width]\np90 = "{limit}"', "test.toml")).checks[0]
    assert (check.outcome, check.found, check.over_ticks) == (outcome, None, VALUE_MOST)


def test_the_text_says_over(slow):
    run = Run(slow(False))
    text = " ".join(run.text(width=160).split())
    assert "1 µs to over 2.147 s" in text  # on-width
    assert "2.147 s" not in text.replace("over 2.147 s", "")
    verdict = run.judge(parse('[all.width]\nmax = "3 s"', "test.toml"))
    said = " ".join(run.verdict_text(verdict).split())
    assert "not proven ISR width max seen over 2.14748 s, limit ≤ 3 s" in said
    assert "measure it with events, in stream mode" in said
    assert run.exit_code(verdict) == ExitCode.INVALID
    assert "2.147 s" not in run.page().replace("over 2.147 s", "")


def test_the_document_says_over_and_has_no_number(slow):
    found = document(analyse(slow(False)), None, ExitCode.PASS)["channels"][0]
    width, period = found["width"], found["period"]
    assert (width["min_ticks"], width["over_ticks"]) == (SHORT, VALUE_MOST)
    assert (period["min_ticks"], period["over_ticks"]) == (None, VALUE_MOST)
    unknown = ("max_ticks", "sum_ticks", "sum_sq_ticks", "rms_ticks", "variance_ns2")
    assert [width[name] for name in unknown] == [None] * len(unknown)
    assert [(q["ticks"], q["over_ticks"]) for q in period["quantiles"]] == [(None, VALUE_MOST)] * 5
    exact = document(analyse(slow(True)), None, ExitCode.PASS)["channels"][0]["period"]
    assert (exact["max_ticks"], exact["over_ticks"]) == (PERIOD, None)


@pytest.mark.parametrize(("estimate_s", "outcome"), [("2", Outcome.FAIL), ("3", Outcome.TOO_FEW)])
def test_a_bound_is_unsafe_or_not_proven_but_never_safe(slow, estimate_s, outcome):
    measured = measured_of(Run(slow(False)), OfRun(kind="on-width"))
    assert (measured.max_ns, measured.over_ns) == (None, VALUE_MOST)
    found = bounded(Fraction(estimate_s) * 10**9, measured)
    assert (found.outcome, found.margin_ns, found.of_measured) == (outcome, None, None)
    exact = measured_of(Run(slow(True)), OfRun(kind="on-width"))
    assert (exact.max_ns, exact.over_ns) == (LONG, None)
    assert isinstance(exact, MeasuredMaximum)


def test_readings_have_none_where_nothing_is_known(slow):
    reading = Run(slow(False))["ISR"]
    known = reading.statistics("width")
    assert (known.count, known.min_ticks, known.max_ticks, known.sum_ticks) == (
        5,
        SHORT,
        None,
        None,
    )
    found = reading.percentile(90, "width")
    assert (found.value_s, found.over_s) == (None, pytest.approx(2.147483647))
    assert Run(slow(True))["ISR"].statistics("width").max_ticks == LONG


def test_an_archive_keeps_that_it_is_not_known(slow, tmp_path):
    archive = Archive(tmp_path / "archive")
    added = archive.keep(slow(False), Origin())
    kinds = archived(archive._query, added.run).channels[0].kinds
    width = kinds[Kind.WIDTH]
    assert (width.min_ticks, width.max_ticks, width.limit_ticks) == (SHORT, None, VALUE_MOST)
    row = next(row for row in record(analyse(slow(False)), Origin()).rows if row.kind == Kind.WIDTH)
    cells = (row.low_ticks, row.width_ticks, row.counts)
    # One of single samples: 29 of these bound the 90th percentile above.
    many = tuple(tuple(column) for column in (*cells[:2], [count * 20 for count in cells[2]]))
    assert parse_figure("p91").value(many, 10**6) is None
    assert parse_figure("max").value((row.max_ticks,), 10**6) is None


def test_exported_figures_have_no_number_at_the_limit(slow):
    result = slow(False)
    channel = result.channels[0]
    source = ExportSource(result)
    width = channel.measurement(Kind.WIDTH)
    assert source.statistics(channel, width).max_ticks is None
    assert source.distribution(channel, width).limit_ticks == VALUE_MOST
    exact = ExportSource(slow(True))
    assert exact.statistics(exact.result.channels[0], width).max_ticks == LONG
    assert exact.statistics(exact.result.channels[0], width).sum_ticks == sum(WIDTHS)


@pytest.mark.parametrize("keep_events", [False, True])
def test_a_kept_slow_run_comes_back_valid(slow, tmp_path, keep_events):
    result = slow(keep_events)
    kept = load(save(result, tmp_path / "run"))
    assert analyse(kept).invalid_reasons == ()
    assert np.array_equal(
        kept.channels[0].measurement(Kind.PERIOD).bins.counts,
        result.channels[0].measurement(Kind.PERIOD).bins.counts,
    )
