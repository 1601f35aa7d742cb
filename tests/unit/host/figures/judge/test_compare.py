# SPDX-License-Identifier: Apache-2.0
"""What differs between two runs: exact differences, and intervals that hold."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.compare import Difference, OpenEnd, differences, differing_keys
from plexor.figures.judge.configuration import configuration
from plexor.figures.judge.gate import judge, parse_fail_on
from plexor.figures.judge.verdict import Outcome

NS = Fraction(1, 10**9)


def by_figure(before, after, wanted=()):
    found = differences(analyse(before), analyse(after), wanted)
    return {(entry.channel, entry.figure): entry for entry in found}


def test_latencies_of_unknown_strikes_are_not_compared_and_leave_a_gate_open(run_of):
    known = analyse(run_of([[1000, 2000, 3000]]))
    other = analyse(run_of([[None, 20_000, 30_000]]))
    found = differences(known, other, ["mean", "p99", "missed"])
    latencies = [entry for entry in found if entry.unit == "s"]
    assert [(e.figure, e.before, e.after) for e in latencies] == [
        ("mean", None, None),
        ("p99", None, None),
    ]
    assert {e.reason for e in latencies} == {"in B its answers may be those of other strikes"}
    (verdict,) = judge(found, parse_fail_on("p99>+5%"))
    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_COMPARABLE, latencies[0].reason)


def test_differences_are_exact(run_of):
    runs = run_of([[1000, 2000, 3000]]), run_of([[1100, 2000, 3900]])
    found = by_figure(*runs, ["p50", "p99.9"])
    for figure, before, after in (
        ("min", 1000, 1100),
        ("max", 3000, 3900),
        ("mean", 2000, Fraction(7000, 3)),
        ("peak_to_peak", 2000, 2800),
        ("p50", 2000, 2000),
    ):
        entry = found["ISR", figure]
        assert (entry.before, entry.after) == (before * NS, after * NS), figure
    assert found["ISR", "max"].change == Fraction(900, 3000)
    assert found["ISR", "p99.9"].interval.most is None
    assert found["ISR", "max"].law is None


def test_a_percentile_of_too_few_samples_has_no_value_unless_it_is_asked_for(run_of):
    """An upper bound of p99 with 97.5 % needs n samples with 0.99^n <= 0.025: 368."""
    runs = run_of([[1000] * 367]), run_of([[2000] * 368])
    entry = by_figure(*runs)["ISR", "p99"]
    assert (entry.before, entry.after, entry.change, entry.needs) == (None, 2000 * NS, None, 368)
    assert entry.interval.least is None
    asked = by_figure(*runs, ["p99"])["ISR", "p99"]
    assert (asked.before, asked.after, asked.needs) == (1000 * NS, 2000 * NS, None)
    enough = by_figure(runs[1], runs[1])["ISR", "p99"]
    assert (enough.before, enough.after, enough.needs) == (2000 * NS, 2000 * NS, None)


def test_variances_are_compared_in_square_seconds_by_their_exact_ratio(run_of):
    """Of (1, 3) µs it is 1 µs²; of (1, 5) µs 4 µs²: four times as much."""
    entry = by_figure(run_of([[1000, 3000]]), run_of([[1000, 5000]]))["ISR", "variance"]
    assert (entry.before, entry.after, entry.unit) == ((1000 * NS) ** 2, (2000 * NS) ** 2, "s²")
    assert (entry.ratio, entry.law) == (4, None)


def test_a_run_without_a_variance_has_no_difference_of_variances(run_of):
    assert ("ISR", "variance") not in by_figure(run_of([[1000]]), run_of([[None]]))


def test_classes_are_shares_and_those_that_never_came_are_left_out(run_of):
    found = by_figure(run_of([[1000] * 9 + [None]]), run_of([[1000] * 8 + [None] * 2]))
    entry = found["ISR", "missed"]
    assert (entry.before, entry.after) == (Fraction(1, 10), Fraction(2, 10))
    assert ("ISR", "late") not in found


def test_what_is_asked_for_is_there_though_a_run_has_none(run_of):
    found = by_figure(run_of([[1000, 1000]]), run_of([[None, None]]), ["p99", "mean", "late"])
    for figure in ("p99", "mean"):
        entry = found["ISR", figure]
        assert (entry.before, entry.after, entry.law) == (1000 * NS, None, None)
    assert (found["ISR", "late"].before, found["ISR", "late"].after) == (0, 0)
    assert ("ISR", "p50") not in found


def test_the_interval_of_a_difference_holds_what_was_planted_and_most_often(run_of):
    random, held, sure = np.random.default_rng(5), 0, 0
    for _ in range(40):
        one, other = (random.exponential(1000, 400).astype(int) + shift for shift in (0, 300))
        entry = by_figure(run_of([one.tolist()]), run_of([other.tolist()]))["ISR", "p50"]
        interval = entry.interval
        held += interval.least <= 300 * NS <= interval.most
        sure += interval.least > 0
    assert held >= 37
    assert sure >= 35  # two intervals of 97.5 %, each against the other, are sure in 26


def test_a_quantile_that_is_asked_for_is_there(run_of):
    found = by_figure(run_of([list(range(2000))]), run_of([list(range(2000))]), ["p75"])
    assert found["ISR", "p75"].before == 1499 * NS
    assert found["ISR", "p75"].interval.least < 0 < found["ISR", "p75"].interval.most


def test_channels_go_by_name_and_those_of_one_run_alone_are_left_out(run_of):
    one = run_of([[1000], [2000]], names=["a", "b"])
    other = run_of([[3000], [4000]], names=["b", "c"])
    found = by_figure(one, other)
    assert {channel for channel, _ in found} == {"b"}
    assert found["b", "min"].after == 3000 * NS


def test_the_keys_that_differ_are_named(run_of):
    run = run_of([[1000]])
    one = analyse(dataclasses.replace(run, device={"os": "CE 3.0", "board": "x"}))
    other = analyse(dataclasses.replace(run, device={"os": "CE .NET", "board": "x", "rev": "2"}))
    assert differing_keys(configuration(one.result), configuration(other.result)) == ("os", "rev")
    loaded = dataclasses.replace(run.settings, load=True)
    third = analyse(dataclasses.replace(one.result, settings=loaded))
    assert differing_keys(configuration(one.result), configuration(third.result)) == ("load",)


def p99_of(run_of, before, after):
    return by_figure(run_of([before]), run_of([after]))["ISR", "p99"]


def test_the_interval_of_a_ratio_scales_with_it_and_holds_no_change_as_the_difference_does(run_of):
    random = np.random.default_rng(2)
    one = (1000 + random.exponential(300, 800)).astype(int).tolist()
    other = (1000 + random.exponential(300, 800)).astype(int).tolist()
    same, thrice = (
        p99_of(run_of, one, [n * value for value in other]).ratio_interval for n in (1, 3)
    )
    for end, three_times in ((same.least, thrice.least), (same.most, thrice.most)):
        assert abs(float(three_times / end) - 3) < 1e-3
    assert same.least < 1 < same.most
    entry = p99_of(run_of, one, [3 * value for value in other])
    assert entry.interval.least > 0
    assert entry.ratio_interval.least > 1


def test_the_interval_of_a_ratio_holds_the_planted_one_most_often(run_of):
    random = np.random.default_rng(7)
    held = 0
    for _ in range(40):
        one, other = (random.exponential(3_000, 400).astype(int) + 1 for _ in range(2))
        found = p99_of(run_of, one.tolist(), (2 * other).tolist()).ratio_interval
        held += found.least <= 2 <= found.most
    assert held >= 36


def test_a_share_that_may_be_none_bounds_its_ratio_above_alone(run_of):
    rare = [None if n == 57 else 1000 for n in range(600)]
    often = [None if n % 100 == 57 else 1000 for n in range(600)]
    down = by_figure(run_of([often]), run_of([rare]))["ISR", "missed"].ratio_interval
    assert down.most is not None
    assert down.least is None or down.least < 1


def test_without_a_law_or_a_ratio_there_is_no_interval_of_one(run_of):
    entry = by_figure(run_of([[1000] * 500]), run_of([[2000] * 500]))["ISR", "max"]
    assert entry.ratio == 2
    assert (entry.ratio_interval.least, entry.ratio_interval.most) == (None, None)


@pytest.mark.parametrize(
    ("before", "after", "least", "most"),
    [
        (None, None, True, True),
        (None, OpenEnd.ABOVE, True, False),
        (None, OpenEnd.BELOW, False, True),
        (OpenEnd.ABOVE, None, False, True),
        (OpenEnd.BELOW, None, True, False),
        (OpenEnd.ABOVE, OpenEnd.ABOVE, False, False),
        (OpenEnd.BELOW, OpenEnd.BELOW, False, False),
        (OpenEnd.BELOW, OpenEnd.ABOVE, True, False),
        (OpenEnd.ABOVE, OpenEnd.BELOW, False, True),
    ],
)
def test_a_change_has_the_ends_that_what_is_known_of_both_figures_gives_it(
    before, after, least, most
):
    """From 4 to 5 s it is a quarter; from at most 4 to at least 5 s it is at least that."""
    found = Difference(
        "ISR", "max", Fraction(4), Fraction(5), before_bound=before, after_bound=after
    )
    quarter = Fraction(1, 4)
    assert found.change_ends == (quarter if least else None, quarter if most else None)
    known = before is None and after is None
    assert found.change == (quarter if known else None)
    assert found.ratio == (Fraction(5, 4) if known else None)


def test_there_is_no_part_or_multiple_of_nothing():
    for before, after in ((Fraction(0), Fraction(5)), (None, Fraction(5)), (Fraction(4), None)):
        found = Difference("ISR", "max", before, after)
        assert (found.change, found.ratio, found.change_ends) == (None, None, (None, None))
