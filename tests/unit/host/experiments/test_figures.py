# SPDX-License-Identifier: Apache-2.0
"""Whether a device falls behind, its answers repeat, and its latencies are known."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.experiments.criterion import DEFAULT
from plexor.experiments.figures import behind, cycle, falls_behind, figures_of, judged
from plexor.experiments.step import RateFigures
from plexor.figures.analyse.pairing import PairedBy, Pairing, Standing
from plexor.protocol.memory import ResponseClass


@settings(max_examples=100)
@given(
    count=st.integers(256, 4000),
    step=st.integers(1, 50),
    seed=st.integers(0, 1000),
)
def test_a_steady_growth_is_seen_whatever_its_jitter_if_that_is_less_than_a_quarters(
    count, step, seed
):
    random = np.random.default_rng(seed)
    spread = max((count // 4 - 3) * step, 1)
    latency = np.arange(count) * step + random.integers(0, spread, count)
    assert falls_behind(latency)


@pytest.mark.parametrize(
    "latency",
    [
        np.full(1000, 5),
        np.arange(1000)[::-1],
        np.r_[np.arange(500), np.full(500, 500)],  # has settled at the end
        np.repeat([0, 0, 100, 150], 250),  # grows half as fast at the end: it may settle
        np.r_[np.full(999, 3), 10**6],
        np.tile(np.arange(10), 100),
        np.arange(100),  # too few to tell
        np.zeros(0, np.int64),
    ],
    ids=["constant", "falling", "settled", "settles", "one", "periodic", "few", "none"],
)
def test_what_does_not_grow_to_the_end_does_not_fall_behind(latency):
    assert not falls_behind(latency)


def test_noise_is_no_growth():
    random = np.random.default_rng(3)
    assert not any(falls_behind(random.integers(0, 1000, 400)) for _ in range(500))


@pytest.mark.parametrize("backlog", [0, 1, 3, 7])
def test_what_waits_more_at_the_end_is_counted_in_strikes(backlog):
    # Latency grows by a period for each strike more that waits, within the middle of the run.
    latency = 300 + 1000 * np.clip(np.arange(400) - 100, 0, backlog)
    assert behind(latency, 1000.0) == backlog


def test_what_waits_less_at_the_end_is_not():
    assert behind(np.linspace(9000, 300, 400).astype(np.int64), 1000.0) == 0
    assert behind(np.array([5, 9]), 1.0) == 0


@settings(max_examples=200)
@given(
    st.lists(st.integers(-1, 5), min_size=1, max_size=12),
    st.lists(st.integers(6, 9), max_size=20),
    st.integers(0, 11),
)
def test_answers_that_come_again_have_the_least_such_cycle(once, settling, more):
    count = max(4 * len(once), len(settling)) + 1
    answers = np.array(settling + once * count + once[: more % len(once)])
    least = next(n for n in range(1, len(once) + 1) if once * 2 == (once[:n] * 99)[: 2 * len(once)])
    assert cycle(answers) == least


@pytest.mark.parametrize(
    "answers",
    [
        np.arange(400),
        np.r_[np.full(399, 7), 8],
        np.r_[np.full(299, 7), 8, np.full(100, 7)],  # in the latter half
        np.tile(np.arange(102), 4)[:406],  # less than twice in the latter half
        np.random.default_rng(1).integers(0, 3, 4000),
        np.zeros(0, np.int64),
        np.zeros(1, np.int64),
    ],
    ids=["rising", "last", "once", "long", "random", "none", "one"],
)
def test_answers_that_do_not_come_again_have_no_cycle(answers):
    assert cycle(answers) is None


PROVEN = Pairing(Standing.PROVEN, PairedBy.INTERVALS)
SUPPORTED = Pairing(Standing.SUPPORTED, PairedBy.LAGS)
AMBIGUOUS = Pairing(Standing.AMBIGUOUS, PairedBy.NOTHING)


@pytest.mark.parametrize(
    ("pairings", "known"),
    [
        ([PROVEN], True),
        ([PROVEN, SUPPORTED], True),
        ([None], True),
        ([AMBIGUOUS], False),
        ([PROVEN, AMBIGUOUS], False),
    ],
)
def test_latencies_whose_strikes_are_not_known_in_any_run_are_left_out(pairings, known):
    counts = dict.fromkeys(ResponseClass, 0)
    asked = RateFigures("pin", 1000, counts, 100, 300, 200, 250, 9.5, 150)
    found = judged(asked, (DEFAULT,), 0, 0, 1_000_000, pairings)
    left = (found.min_ticks, found.max_ticks, found.p50_ticks, found.p99_ticks)
    left = (*left, found.rms_ticks, found.jitter128_ticks)
    assert found.shifted == (not known)
    assert left == ((100, 300, 200, 250, 9.5, 150) if known else (None,) * 6)


def test_a_steps_figures_are_those_of_all_its_runs_together(run_of):
    """Of 20 and 12 strikes; quantiles are by rank: the 16th of 31 answers, and the last."""
    first = [1000 + 10 * n for n in range(20)]
    second = [*[3000 - 10 * n for n in range(11)], None]
    runs = [run_of([values]) for values in (first, second)]
    (found,) = figures_of(runs, (DEFAULT,), 0, 0, Fraction(20_000))
    together = sorted(filter(None, first + second))
    assert (found.strikes, found.classes[ResponseClass.MISSED]) == (32, 1)
    assert (found.min_ticks, found.max_ticks) == (1000, 3000)
    assert found.p50_ticks == together[15] == 1150
    assert found.p99_ticks == together[30]
    assert found.rms_ticks == pytest.approx(np.std(together))
    assert found.falls_behind is None  # a strike is missing
    (whole,) = figures_of(runs[:1], (DEFAULT,), 0, 0, Fraction(20_000))
    assert (whole.min_ticks, whole.max_ticks, whole.falls_behind) == (1000, 1190, False)


def test_a_step_that_nothing_answered_has_no_latencies(run_of):
    (found,) = figures_of([run_of([[None] * 9])], (DEFAULT,), 0, 0, Fraction(20_000))
    assert (found.strikes, found.min_ticks, found.max_ticks) == (9, None, None)
    assert (found.p50_ticks, found.p99_ticks, found.rms_ticks) == (None, None, None)
