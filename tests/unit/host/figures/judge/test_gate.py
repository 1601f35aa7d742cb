# SPDX-License-Identifier: Apache-2.0
"""What a gate says of changes: broken, kept, or too few samples and how many it takes."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from plexor.experiments.sweep.compare import differences as sweep_differences
from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.change_bounds import ExcessBounds
from plexor.figures.judge.compare import Difference, differences
from plexor.figures.judge.gate import By, judge, needed, parse_fail_on
from plexor.figures.judge.verdict import Outcome, worst

from ... import sweeps


def gate(before, after, text, by=By.INTERVAL):
    conditions = parse_fail_on(text)
    wanted = [condition.figure for condition in conditions]
    return judge(differences(analyse(before), analyse(after), wanted), conditions, by)


def outcomes(judgements):
    return {entry.condition.text: entry.outcome for entry in judgements}


@pytest.mark.parametrize(
    ("text", "before", "after", "breaks"),
    [
        ("max>+5%", 100, 105, False),
        ("max>+5%", 100, Fraction(10501, 100), True),
        ("max>5%", 100, 106, True),
        ("max<-2%", 100, 98, False),
        ("max<-2%", 100, 97, True),
        ("max>+0%", 0, 1, True),
        ("max>+0%", 0, 0, False),
        ("max<-2%", 0, 1, False),
        ("max>-50%", 100, 60, True),
        ("min>+5%", -100, -96, False),
        ("min>+5%", -100, -94, True),
    ],
)
def test_an_estimate_at_its_limit_passes_and_a_little_more_does_not(text, before, after, breaks):
    (condition,) = parse_fail_on(text)
    entry = Difference("ISR", condition.figure, Fraction(before), Fraction(after))
    (found,) = judge([entry], [condition], By.ESTIMATE)
    assert found.outcome == (Outcome.FAIL if breaks else Outcome.PASS)


def test_conditions_are_read_as_they_are_written():
    found = parse_fail_on("p99.9>+5%, max>+10%,saturation<-2%,missed>0%")
    assert [entry.text for entry in found] == [
        "p99.9>+5%",
        "max>+10%",
        "saturation<-2%",
        "missed>+0%",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "max", "max>5", "median>5%", "p0>5%", "p100>5%", "max=5%", "max>5%,"),
        *("strikes>1%", "max<-101%"),
    ],
)
def test_what_is_no_condition_is_refused_in_one_line(text):
    with pytest.raises(
        ValueError, match=r"must be a figure|did you mean (max|p50)>[+]?5%[?]$"
    ) as caught:
        parse_fail_on(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("after", "outcome"),
    [(1000, "pass"), (1050, "pass"), (1051, "fail"), (900, "pass")],
)
def test_a_device_that_never_varies_is_judged_to_the_tick(run_of, after, outcome):
    found = gate(run_of([[1000] * 600]), run_of([[after] * 600]), "p99>+5%,p50>+5%,mean>+5%")
    assert set(outcomes(found).values()) == {outcome}


def exponential(run_of, seed, count, scale=1000, missed=0):
    values = np.rint(np.random.default_rng(seed).exponential(scale, count)).astype(int).tolist()
    return run_of([values + [None] * missed], period=100_000)


def test_a_change_that_is_within_the_noise_is_too_few_samples_and_how_many_it_takes(run_of):
    # The same law twice: by the estimate this pair breaks.
    for seed in range(100):
        runs = exponential(run_of, seed, 4000), exponential(run_of, seed + 1000, 4000)
        if gate(*runs, "p99>+5%", By.ESTIMATE)[0].outcome == Outcome.FAIL:
            break
    (found,) = gate(*runs, "p99>+5%")
    assert found.outcome == Outcome.TOO_FEW
    assert found.least < 0.05 < found.most
    # A quantile's deviation is sqrt(q (1 - q) / n) / density: 9.95 / sqrt(n) where it is 4.6.
    exact = (9.95 / 4.6 * 2**0.5 * 1.645 * 1.5 / 0.05) ** 2
    assert exact / 3 < needed(found).count < exact * 3
    assert not needed(found).at_least


def test_a_great_change_is_broken_and_its_bound_is_beyond_the_limit(run_of):
    found = gate(exponential(run_of, 1, 600), exponential(run_of, 2, 600, 2000), "p50>+5%,mean>+5%")
    assert set(outcomes(found).values()) == {Outcome.FAIL}
    assert all(entry.least > 0.05 for entry in found)


def test_with_too_few_samples_for_any_bound_the_least_count_is_named(run_of):
    (found,) = gate(run_of([[1000] * 100]), run_of([[1000] * 100]), "p99.9>+5%")
    assert (found.outcome, found.most) == (Outcome.TOO_FEW, None)
    assert (needed(found).count, needed(found).at_least) == (3000, True)


def test_a_limit_of_no_change_that_nothing_changed_takes_no_number_of_samples(run_of):
    run = exponential(run_of, 1, 600)
    (found,) = gate(run, run, "p50>+0%")
    assert (found.outcome, needed(found)) == (Outcome.TOO_FEW, None)


def test_missed_strikes_from_none_need_five_to_be_sure(run_of):
    runs = [exponential(run_of, 1, 4000 - n, missed=n) for n in (0, 4, 5)]
    assert gate(runs[0], runs[1], "missed>+5%")[0].outcome == Outcome.TOO_FEW
    # Of 5 in the second run alone the chance is 2**-5.
    assert gate(runs[0], runs[2], "missed>+5%")[0].outcome == Outcome.FAIL
    assert gate(runs[0], runs[2], "missed>+5%")[0].least is None


def test_none_missed_in_either_is_kept_once_a_thousandth_would_show(run_of):
    found = gate(run_of([[1000] * 3000]), run_of([[1000] * 3000]), "missed>+0%")
    assert found[0].outcome == Outcome.PASS
    assert found[0].reason == "none in either run, which any share of up to 0.10% explains"
    (found,) = gate(run_of([[1000] * 3000]), run_of([[1000] * 2990]), "missed>+0%")
    assert (found.outcome, needed(found).count) == (Outcome.TOO_FEW, 3000)


def test_what_there_is_already_is_never_what_is_needed(run_of):
    """The chance change of 400 samples lies near the limit: 400 would tell no change from it."""
    spread = np.tile(np.arange(32, 42), 40)
    # The mean rises by half a tick from 36.5, so by 1.4 %.
    later = spread + np.arange(400) % 2
    (found,) = gate(run_of([spread.tolist()]), run_of([later.tolist()]), "mean>+2%")
    assert found.outcome == Outcome.TOO_FEW
    assert needed(found).count > 400
    # A mean of 102 is 2 % more than 100, to the limit: no number of samples tells it from there.
    around = np.arange(399) % 3 - 1
    runs = (run_of([(mean + around).tolist()]) for mean in (100, 102))
    (found,) = gate(*runs, "mean>+2%")
    assert (found.outcome, needed(found)) == (Outcome.TOO_FEW, None)


def test_a_run_without_a_response_proves_no_latency_and_breaks_a_share(run_of):
    found = gate(run_of([[1000] * 400]), run_of([[None] * 400]), "p99>+5%,mean>+5%,answered<-2%")
    assert outcomes(found) == {
        "p99>+5%": Outcome.TOO_FEW,
        "mean>+5%": Outcome.TOO_FEW,
        "answered<-2%": Outcome.FAIL,
    }
    assert found[0].reason == "B has no samples"
    assert worst(found) == Outcome.FAIL


def test_a_channel_that_answers_in_neither_run_is_not_judged_by_its_latency(run_of):
    runs = [run_of([[1000] * 400, [None] * 400]) for _ in range(2)]
    (found,) = gate(*runs, "p99>+5%")
    assert (found.difference.channel, found.outcome) == ("ISR", Outcome.PASS)


@pytest.mark.parametrize("figure", ["max", "min", "peak_to_peak"])
def test_figures_of_single_samples_are_judged_when_asked_and_refused_else(run_of, figure):
    runs = run_of([[1000, 1001, 1002] * 300]), run_of([[2000, 2002, 2004] * 300])
    with pytest.raises(ValueError, match="the error of its change is not known"):
        gate(*runs, f"{figure}>+5%")
    assert gate(*runs, f"{figure}>+5%", By.ESTIMATE)[0].outcome == Outcome.FAIL


class Fixed:
    """A law that keeps what it is asked."""

    counts = (10, 10)

    def __init__(self):
        self.asked = []

    def excess(self, part, least_error, most_error, times=1):
        self.asked.append((least_error, most_error))
        return ExcessBounds(Fraction(-1), Fraction(1))

    def least_count(self, error):
        return 1


@pytest.mark.parametrize(("way", "errors"), [(">", (0.0125, 0.05)), ("<", (0.05, 0.0125))])
def test_the_error_of_a_failure_is_the_whole_gate_s_and_shared_by_its_figures(way, errors):
    law = Fixed()
    found = [Difference(c, "p99", Fraction(1), Fraction(1), law) for c in ("a", "b", "c", "d")]
    judge(found, parse_fail_on(f"p99{way}5%"))
    assert set(law.asked) == {errors}


def knees(low, high, other_low, other_high, text):
    results = [
        sweeps.result([], [sweeps.knee("none", "IST", *ends)])
        for ends in ((low, high), (other_low, other_high))
    ]
    conditions = parse_fail_on(text)
    return judge(sweep_differences(*results), conditions)


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ((1000, 1010, 1000, 1010), "pass"),  # 1000 / 1010 is -0.99 %
        ((1000, 1030, 1000, 1030), "too few"),
        ((1000, 1010, 970, 979), "fail"),
        ((1000, 1010, 970, 981), "too few"),
        ((1000, 1010, None, 500), "fail"),  # nothing is sustained any more
        ((1000, 1010, 1200, None), "pass"),
        ((1000, None, 1000, None), "too few"),  # above 1000, both, by any amount
        ((1200, None, 1000, None), "too few"),
        ((None, 500, None, 400), "too few"),  # below, by any amount
        ((None, None, None, 400), "too few"),
        ((None, 500, 600, 700), "pass"),
        ((1000, None, 900, 950), "fail"),
        ((1000, None, 990, 1000), "too few"),
    ],
)
def test_saturation_is_judged_by_its_brackets(ends, outcome):
    assert knees(*ends, "saturation<-2%")[0].outcome == outcome


def test_brackets_that_are_too_wide_say_what_width_it_takes():
    (found,) = knees(1000, 1030, 1000, 1030, "saturation<-2%")
    assert found.reason == "the brackets are too wide"
    assert found.settles == "they must be 2 % or narrower: plexor sweep --resolution 2%"
    assert needed(found) is None
    (found,) = knees(1000, None, 990, 1000, "saturation<-2%")
    assert (found.reason, "--to" in found.settles) == ("no rate failed", True)
    assert "--from" in knees(None, 500, None, 400, "saturation<-2%")[0].settles


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ((1000, None, 900, 950), "fail"),
        ((1000, None, 1000, 1010), "too few"),
        ((1000, 1010, 1200, None), "pass"),
        ((1000, 1010, 900, None), "too few"),
        ((1000, None, 1000, None), "too few"),
        ((1000, 1010, None, 500), "fail"),
        ((None, 500, 600, 700), "pass"),
    ],
)
def test_estimates_of_bounds_are_judged_as_bounds(ends, outcome):
    results = [
        sweeps.result([], [sweeps.knee("none", "IST", *two)]) for two in (ends[:2], ends[2:])
    ]
    (found,) = judge(sweep_differences(*results), parse_fail_on("saturation<-2%"), By.ESTIMATE)
    assert found.outcome == outcome


def test_bins_are_in_the_interval_of_a_change(run_of):
    # All in the bin from 9984 to 10111, 1.3 % wide: within 1 % cannot be told, within 2 % can.
    runs = [run_of([[10_000] * 600], keep_events=False, period=100_000) for _ in range(2)]
    spread = [10_000 - 16, 10_111]
    runs += [run_of([spread * 300], keep_events=False, period=100_000) for _ in range(2)]
    assert gate(*runs[:2], "p50>+1%")[0].outcome == Outcome.PASS  # min and max bound the cell
    assert gate(*runs[2:], "p50>+1%")[0].outcome == Outcome.TOO_FEW
    assert gate(*runs[2:], "p50>+2%")[0].outcome == Outcome.PASS


def test_sums_that_are_not_known_prove_nothing(run_of):
    run = run_of([[1000, 1002] * 100], keep_events=False)
    channel = run.channels[0]
    rise, *others = channel.measurements
    rise = dataclasses.replace(
        rise, statistics=dataclasses.replace(rise.statistics, sum_sq_ticks2=None)
    )
    channel = dataclasses.replace(channel, measurements=(rise, *others))
    run = dataclasses.replace(run, channels=(channel,))
    (found,) = gate(run, run, "mean>+5%")
    assert (found.outcome, found.reason) == (Outcome.TOO_FEW, "its sums are not known")


@pytest.mark.parametrize("by", By)
def test_a_figure_that_cannot_be_compared_is_not_one_of_too_few_samples(by):
    reason = "in B its answers may be those of other strikes"
    entry = Difference("ISR", "p99", None, None, reason=reason)
    (found,) = judge([entry], parse_fail_on("p99>+5%"), by)
    assert (found.outcome, found.reason, found.settles) == (Outcome.NOT_COMPARABLE, reason, "")


@pytest.mark.parametrize("counts", [(500, 20_000), (20_000, 500)])
def test_as_many_samples_are_needed_whichever_run_has_fewer(run_of, counts):
    runs = [exponential(run_of, seed, count) for seed, count in enumerate(counts)]
    (found,) = gate(*runs, "p50>+5%")
    # The deviation of a median is 1 / (2 density sqrt(n)): 1 / sqrt(n) where it is ln 2.
    exact = (1 / 0.693 * 2**0.5 * 1.645 * 1.5 / 0.05) ** 2
    assert exact / 3 < needed(found).count < exact * 3
