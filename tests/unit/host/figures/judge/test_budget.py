# SPDX-License-Identifier: Apache-2.0
"""Budgets: boundaries to the tick, counts and indices of violations."""

import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge import budget
from plexor.figures.judge.budget import judge
from plexor.figures.judge.budget_file import parse
from plexor.figures.judge.verdict import Outcome
from plexor.protocol.memory import ResponseClass

US = 1000  # ticks


def verdict(run, text):
    return judge(analyse(run), parse(text, "test.toml"))


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize(("value", "outcome"), [(100 * US, "pass"), (100 * US + 1, "fail")])
def test_a_latency_on_the_limit_passes_and_one_tick_more_fails(run_of, value, outcome, events):
    run = run_of([[1000, value, 2000]], period=200 * US, keep_events=events)
    assert verdict(run, '[all]\nmax = "100 us"').outcome == outcome


@pytest.mark.parametrize(("value", "outcome"), [(900, "pass"), (899, "fail")])
def test_a_latency_below_the_least_fails(run_of, value, outcome):
    assert verdict(run_of([[value, 1000]]), '[all]\nmin = "0.9 us"').outcome == outcome


def test_a_limit_between_two_ticks_is_compared_exactly(run_of):
    assert verdict(run_of([[1000]]), '[all]\nmax = "1000.5 ns"').outcome == Outcome.PASS
    assert verdict(run_of([[1001]]), '[all]\nmax = "1000.5 ns"').outcome == Outcome.FAIL
    assert verdict(run_of([[1000]]), '[all]\nmin = "1000.5 ns"').outcome == Outcome.FAIL


def test_k_late_and_j_early_responses_are_counted_with_the_first_of_each(run_of):
    values = [1000] * 50
    for n in (7, 20, 21):
        values[n] = 5001
    for n in (11, 30):
        values[n] = 499
    found = verdict(run_of([values]), '[all]\nmax = "5 us"\nmin = "500 ns"')
    high, low = found.checks
    assert (high.violations, high.first_sample) == ((3, 3), 7)
    assert (low.violations, low.first_sample) == ((2, 2), 11)
    assert high.first_index == 7 * 4 + 1  # strike, response and two edges back to each strike
    assert found.broken == (high, low)


def test_without_events_violations_are_bounded_by_the_bins(run_of):
    values = [1000] * 10 + [10_000, 10_001, 10_100]
    check = verdict(run_of([values], keep_events=False), '[all]\nmax = "10 us"').checks[0]
    # 9984 to 10111 is one bin: all three are in it, one does not break the limit.
    assert check.outcome == Outcome.FAIL
    assert check.violations == (1, 3)
    assert check.first_sample is None


def test_counts_are_limited_by_their_class(run_of):
    run = run_of([[1000, None, None, 1000]])
    assert verdict(run, "[all]\nmissed = 2").outcome == Outcome.PASS
    assert verdict(run, "[all]\nmissed = 1").outcome == Outcome.FAIL
    assert verdict(run, "[all]\nlate = 0\nspurious = 0\nduplicate = 0").outcome == Outcome.PASS


def test_a_percentile_on_its_limit_passes_and_one_tick_more_fails(run_of):
    run = run_of([[1000] * 500 + [2000] * 500])
    assert verdict(run, '[all]\np99 = "2 us"').outcome == Outcome.PASS
    assert verdict(run, '[all]\np99 = "1999 ns"').outcome == Outcome.FAIL


@pytest.mark.parametrize(("count", "outcome"), [(367, "too few"), (368, "pass")])
def test_a_percentile_without_an_upper_bound_proves_nothing(run_of, count, outcome):
    found = verdict(run_of([[1000] * count]), '[all]\np99 = "1 ms"')
    assert found.outcome == outcome
    assert (found.checks[0].line == "367 samples; p99 needs 368") == (count == 367)


def test_the_samples_that_a_percentile_needs_are_told_in_groups_of_three_digits(run_of):
    found = verdict(run_of([[1000] * 1000]), '[all]\n"p99.99" = "1 ms"')
    assert found.checks[0].line == "1,000 samples; p99.99 needs 36,887"


@pytest.mark.parametrize("count", [12, 100, 1000])
def test_a_percentile_is_broken_where_even_the_least_it_may_be_is_beyond(run_of, count):
    # Of 12 samples p99 has a least: 0.99**12 is 0.89, so that all lie above it with 0.1.
    found = verdict(run_of([[1001] * count]), '[all]\np99 = "1 us"')
    assert (found.outcome, found.checks[0].reason) == (Outcome.FAIL, "")
    assert found.checks[0].found == 1001


def test_a_limit_within_the_interval_of_a_percentile_proves_nothing(run_of):
    values = list(range(1000, 2000))
    for limit in ("1495 ns", "1505 ns"):  # the median's interval: 1468 to 1530
        found = verdict(run_of([values]), f'[all]\np50 = "{limit}"')
        assert found.outcome == Outcome.TOO_FEW
        assert found.checks[0].reason == "the limit lies within the 95 % interval"
    assert verdict(run_of([values]), '[all]\np50 = "1460 ns"').outcome == Outcome.FAIL
    assert verdict(run_of([values]), '[all]\np50 = "1540 ns"').outcome == Outcome.PASS


def without(run, *names):
    """Return a run without events, whose chip leaves out figures of the latency."""
    channel = run.channels[0]
    rise, *others = channel.measurements
    statistics = dataclasses.replace(rise.statistics, **dict.fromkeys(names))
    measurements = (dataclasses.replace(rise, statistics=statistics), *others)
    channel = dataclasses.replace(channel, measurements=measurements)
    return dataclasses.replace(run, channels=(channel,), events=None)


BINNED = [10_000] * 64 + [20_000] * 64
"""Bins of 128 and 256 ticks: 9,984 to 10,111 and 19,968 to 20,223."""


@pytest.mark.parametrize(
    ("figure", "kept", "unknown", "broken"),
    [
        ("max", "20.3 us", "20.1 us", "19.9 us"),
        ("min", "9.9 us", "10.05 us", "10.2 us"),
        ("peak_to_peak", "10.3 us", "10 us", "9.8 us"),
        ("rms", "5.2 us", "5 us", "0.6 us"),  # between 9857 / sqrt(256) and 10239 / 2
        ("jitter128", "10.3 us", "5 us", None),
        ("jitter128_max", "10.3 us", "5 us", None),
    ],
)
def test_what_only_bins_tell_is_judged_by_their_ends(run_of, figure, kept, unknown, broken):
    run = without(run_of([BINNED]), "min_ticks", "max_ticks", "sum_sq_ticks2")
    for limit, outcome in ((kept, "pass"), (unknown, "too few"), (broken, "fail")):
        if limit is not None:
            found = verdict(run, f'[all]\n{figure} = "{limit}"')
            assert found.outcome == outcome, limit
            assert found.checks[0].found is None


@pytest.mark.parametrize(
    ("limit", "outcome"), [("4 us", "fail"), ("7.9 us", "too few"), ("8 us", "pass")]
)
def test_a_mean_whose_sum_is_not_known_is_judged_by_the_bins(run_of, limit, outcome):
    run = without(run_of([[5_000] * 64 + [22_000] * 64]))
    # Less the base half of the samples are clamped to 0, the others lie in 15,760 to 16,000.
    report = analyse(run, base_ticks=6_000)
    assert report.channels[0].rise.mean_ticks is None
    assert judge(report, parse(f'[all]\nmean = "{limit}"', "b")).outcome == outcome


def test_a_limit_inside_a_bin_proves_nothing(run_of):
    run = run_of([[10_000, 10_100] * 300], keep_events=False)
    found = verdict(run, '[all]\np50 = "10050 ns"')
    assert found.outcome == Outcome.TOO_FEW
    assert found.checks[0].reason == "the limit lies inside a bin of 101 ticks"


def test_a_broken_limit_outweighs_one_that_is_unproven(run_of):
    found = verdict(run_of([[1000, None]]), '[all]\nmissed = 0\np99 = "1 ms"')
    assert found.outcome == Outcome.FAIL


def test_jitter128_is_of_the_last_128_and_its_maximum_of_any_128(run_of):
    run = run_of([[1000, 1500] + [1000] * 100 + [1200] * 128])
    assert verdict(run, '[all]\njitter128 = "0 ns"').outcome == Outcome.PASS
    assert verdict(run, '[all]\njitter128_max = "500 ns"').outcome == Outcome.PASS
    assert verdict(run, '[all]\njitter128_max = "499 ns"').outcome == Outcome.FAIL


def test_fewer_than_128_samples_break_a_limit_on_their_span_and_keep_none(run_of):
    run = run_of([[1000] * 20 + [1101]])
    for figure in ("jitter128", "jitter128_max"):
        assert verdict(run, f'[all]\n{figure} = "100 ns"').outcome == Outcome.FAIL
        assert verdict(run, f'[all]\n{figure} = "101 ns"').outcome == Outcome.TOO_FEW


def test_jitter128_needs_128_samples(run_of):
    text = '[all]\njitter128 = "100 ns"'
    assert verdict(run_of([[1000] * 127]), text).outcome == Outcome.TOO_FEW
    assert verdict(run_of([[1000] * 127 + [1100]]), text).outcome == Outcome.PASS
    assert verdict(run_of([[1000] * 127 + [1101]]), text).outcome == Outcome.FAIL


def test_rms_and_peak_to_peak_are_compared_exactly(run_of):
    run = run_of([[1000, 1002]])  # deviation 1, span 2
    assert verdict(run, '[all]\nrms = "1 ns"\npeak_to_peak = "2 ns"').outcome == Outcome.PASS
    assert verdict(run, '[all]\nrms = "0.999 ns"').outcome == Outcome.FAIL
    assert verdict(run, '[all]\npeak_to_peak = "1 ns"').outcome == Outcome.FAIL


def test_a_goal_is_shown_and_never_breaks(run_of):
    found = verdict(run_of([[60 * US]], period=200 * US), '[all]\nmean = { goal = "50 us" }')
    assert found.checks[0].outcome == Outcome.FAIL
    assert found.outcome == Outcome.PASS
    assert found.broken == ()


def free_running(run):
    channel = run.channels[0]
    classes = dict(channel.classes) | {ResponseClass.STRIKES: 0}
    return dataclasses.replace(run, channels=(dataclasses.replace(channel, classes=classes),))


@pytest.mark.parametrize(("period", "outcome"), [(1100 * US, "pass"), (1100 * US + 1, "fail")])
def test_a_limit_of_free_channels_judges_the_period_of_a_device_that_runs_by_itself(
    run_of, period, outcome
):
    run = free_running(run_of([[0, 0, 0]], period=period))
    limits = '[struck]\nmax = "100 us"\n[free.period]\nmin = "900 us"\nmax = "1100 us"'
    found = verdict(run, limits)
    assert found.outcome == outcome
    assert [check.limit.label for check in found.checks] == ["period min", "period max seen"]


def test_a_channel_s_own_limit_replaces_that_of_all(run_of):
    text = '[all]\nmax = "2 us"\n[channel.TASK]\nmax = "10 us"'
    assert verdict(run_of([[1000], [9000]]), text).outcome == Outcome.PASS
    assert verdict(run_of([[3000], [9000]]), text).broken[0].channel == "ISR"


def test_limits_of_other_kinds_are_theirs_alone(run_of):
    run = run_of([[1000, 1000]], widths=100)
    assert verdict(run, '[all.width]\nmax = "100 ns"').outcome == Outcome.PASS
    assert verdict(run, '[all.width]\nmax = "99 ns"').outcome == Outcome.FAIL


def test_a_channel_without_a_sample_proves_nothing(run_of):
    found = verdict(run_of([[None]]), '[all]\nmax = "1 s"')
    assert (found.outcome, found.checks[0].reason) == (Outcome.TOO_FEW, "no samples")


def test_an_unknown_channel_is_an_error(run_of):
    with pytest.raises(ValueError, match='channel "ACK" is not in this run; it has ISR'):
        verdict(run_of([[1]]), '[channel.ACK]\nmax = "1 us"')


@pytest.mark.parametrize(
    ("limits", "outcome", "silent"),
    [
        ("[channel.ISR]\nmax = '9 us'", Outcome.TOO_FEW, ("TASK",)),
        ("[all]\nduplicate = 0", Outcome.TOO_FEW, ("TASK",)),
        ("[channel.TASK]\nmissed = 3\n[channel.ISR]\nmax = '9 us'", Outcome.PASS, ()),
        ("[channel.TASK]\nmissed = 2", Outcome.FAIL, ()),
        ("[all]\nmissed = 0", Outcome.FAIL, ("TASK",)),
    ],
)
def test_a_silent_channel_that_the_budget_does_not_name_leaves_all_unproven(
    run_of, limits, outcome, silent
):
    found = judge(analyse(run_of([[1000, 2000, 3000], [None] * 3])), parse(limits, "b"))
    assert (found.outcome, found.silent) == (outcome, silent)


def test_latencies_of_unknown_strikes_keep_no_limit_and_break_none(run_of):
    run = run_of([[None, 20_000, 30_000]])
    found = judge(analyse(run), parse("[all]\nmax = '1 us'\np50 = '1 s'\nmin = '1 s'", "b"))
    assert found.outcome == Outcome.NOT_COMPARABLE
    assert {check.outcome for check in found.checks} == {Outcome.NOT_COMPARABLE}
    assert {check.settles for check in found.checks} == {"strikes further apart would tell"}
    assert {check.reason for check in found.checks} == {"its answers may be those of other strikes"}
    counts = judge(analyse(run), parse("[all]\nmissed = 1\n[all.width]\nmax = '1 us'", "b"))
    assert counts.outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("at_least", "least", "most", "outcome"),
    [
        (False, 8, 10, "pass"),
        (False, 8, 11, "too few"),
        (False, 10, 11, "too few"),
        (False, 11, 12, "fail"),
        (False, None, 10, "pass"),
        (False, None, 11, "too few"),
        (False, 11, None, "fail"),
        (False, 10, None, "too few"),
        (True, 10, 12, "pass"),
        (True, 9, 12, "too few"),
        (True, 9, 10, "too few"),
        (True, 8, 9, "fail"),
        (True, 10, None, "pass"),
        (True, 9, None, "too few"),
        (True, None, 9, "fail"),
        (True, None, 10, "too few"),
    ],
)
def test_a_figure_is_judged_only_if_all_that_it_may_be_lies_on_one_side(
    at_least, least, most, outcome
):
    known = SimpleNamespace(least=least, most=most)
    assert budget._place(known, Fraction(10), at_least) == outcome
