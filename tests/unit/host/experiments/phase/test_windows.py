# SPDX-License-Identifier: Apache-2.0
"""Masked windows of strikes whose windows are planted."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.experiments.phase.fold import MISSED, Folded
from plexor.experiments.phase.model import PhaseReference
from plexor.experiments.phase.windows import scan

PERIOD, BASE = 1000, 50
TIMEOUT = 10**6


def folded(phases, latencies, span=PERIOD, periodic=True):
    reference = PhaseReference("ch1", 99, Fraction(span) if periodic else None, span, span)
    return Folded(
        np.array(phases, np.int64),
        np.array(latencies, np.int64),
        span,
        reference,
        {},
        0,
        list(latencies).count(MISSED),
        TIMEOUT,
    )


def waiting(phases, start, width, timeout=10**9):
    """Return latencies of a device that is masked for `width` from phase `start` on."""
    latencies = []
    for phase in phases:
        into = (phase - start) % PERIOD
        latency = BASE + (width - into if into < width else 0)
        latencies.append(latency if latency <= timeout else MISSED)
    return latencies


@settings(max_examples=200)
@given(start=st.integers(0, PERIOD - 1), width=st.integers(25, 800), step=st.integers(1, 12))
def test_a_window_is_found_to_one_step_wherever_it_lies(start, width, step):
    phases = [n * step % PERIOD for n in range(-(-PERIOD // step)) for _ in range(4)]
    found = scan("A", folded(phases, waiting(phases, start, width)), Fraction(step))
    (window,) = found.windows
    assert found.base_ticks == BASE
    assert abs((window.start_ticks - start + PERIOD // 2) % PERIOD - PERIOD // 2) <= step
    assert abs(window.width_ticks - width) <= step + found.threshold_ticks
    off = (window.end_ticks - start - width + PERIOD // 2) % PERIOD - PERIOD // 2
    assert abs(off) <= window.end_error_ticks
    assert window.end_error_ticks <= (step + found.threshold_ticks) / 2
    assert window.chance < 0.05
    # Two ticks where latency does not spread, more where fewer strikes show that it does not.
    assert 2 <= found.threshold_ticks <= 2 + width // 25
    assert width - step < window.delay_ticks <= width
    assert (window.waits_until_ticks - start - width) % PERIOD == 0


@settings(max_examples=60)
@given(
    start=st.integers(0, PERIOD - 1),
    width=st.integers(60, 500),
    step=st.integers(5, 20),
    seed=st.integers(0, 100),
)
def test_the_stated_errors_hold_for_strikes_anywhere_in_their_steps(start, width, step, seed):
    phases = np.random.default_rng(seed).integers(0, PERIOD, 40 * PERIOD // step).tolist()
    found = scan("A", folded(phases, waiting(phases, start, width)), Fraction(step))
    window = found.windows[0]
    for value, error, truth in (
        (window.start_ticks, window.start_error_ticks, start),
        (window.end_ticks, window.end_error_ticks, start + width),
    ):
        off = (value - truth + PERIOD // 2) % PERIOD - PERIOD // 2
        assert abs(off) <= error <= step + found.threshold_ticks / 2


def test_the_widest_of_several_windows_is_named_first():
    phases = list(range(0, PERIOD, 10))
    one, other = waiting(phases, 100, 60), waiting(phases, 950, 120)
    found = scan("A", folded(phases, np.maximum(one, other)), Fraction(10))
    first, second = found.windows
    assert abs(first.width_ticks - 120) <= 20
    assert abs(second.width_ticks - 60) <= 20
    assert found.windows[0].end_ticks > PERIOD


def test_missed_strikes_are_masked_whatever_their_latency():
    phases = list(range(0, PERIOD, 10))
    found = scan("A", folded(phases, waiting(phases, 300, 400, timeout=200)), Fraction(10))
    (window,) = found.windows
    assert abs(window.start_ticks - 300) <= 10
    assert abs(window.end_ticks - 700) <= 10
    # Missed are those that would wait for more than 150: phases 300 to 540.
    assert window.missed == 25
    assert window.delay_ticks == 150
    assert [entry.missed for entry in found.bins] == [int(300 <= p < 550) for p in phases]


def test_the_end_of_a_deaf_window_lies_between_two_strikes_without_the_threshold():
    phases = list(range(0, PERIOD, 10))
    spread = [phase % 7 for phase in phases]
    latencies = [
        MISSED if 300 <= p < 400 else BASE + s for p, s in zip(phases, spread, strict=True)
    ]
    (window,) = scan("A", folded(phases, latencies), Fraction(10)).windows
    assert (window.start_ticks, window.start_error_ticks) == (295, 5)
    assert (window.end_ticks, window.end_error_ticks) == (395, 5)
    assert (window.masked, window.missed, window.delay_ticks) == (10, 10, None)


def test_where_strikes_wait_the_end_may_be_later_by_what_no_delay_shows():
    phases = list(range(0, PERIOD, 10))
    waits = waiting(phases, 300, 100)
    latencies = [wait + phase % 7 for wait, phase in zip(waits, phases, strict=True)]
    found = scan("A", folded(phases, latencies), Fraction(10))
    (window,) = found.windows
    unseen = found.threshold_ticks + found.base_ticks - min(latencies)
    last = max(p for p, v in zip(phases, latencies, strict=True) if v > found.base_ticks + unseen)
    assert window.end_ticks - window.end_error_ticks <= last + 10
    assert window.end_ticks - window.end_error_ticks <= 400 <= window.end_ticks + unseen


def test_where_all_is_missed_no_phase_differs_and_there_is_no_window():
    phases = list(range(0, PERIOD, 10))
    found = scan("A", folded(phases, [MISSED] * len(phases)), Fraction(10))
    assert (found.windows, found.suspect, found.base_ticks) == ((), None, None)
    assert found.stray_strikes == len(phases)


def test_nothing_masked_is_no_window():
    phases = list(range(PERIOD))
    latencies = [BASE + phase % 7 for phase in phases]
    assert scan("A", folded(phases, latencies), Fraction(10)).windows == ()


def test_no_strike_is_no_window_and_every_step_is_empty():
    found = scan("A", folded([], []), Fraction(10))
    assert (found.windows, found.strikes, found.empty_phases) == ((), 0, 100)


def test_steps_without_a_strike_widen_the_error_and_are_counted():
    phases = [p for p in range(0, PERIOD, 10) if not 380 <= p < 430 and p != 550]
    found = scan("A", folded(phases, waiting(phases, 400, 300)), Fraction(10))
    (window,) = found.windows
    assert found.empty_phases == 6
    assert window.empty_phases == 1
    assert window.start_error_ticks == Fraction(430 - 370, 2)
    assert abs(window.start_ticks - 400) <= window.start_error_ticks


@pytest.mark.parametrize("latency", [BASE + 300, MISSED])
def test_one_masked_strike_among_many_is_a_suspect_and_no_window(latency):
    phases = [p for p in range(0, PERIOD, 10) for _ in range(9)]
    latencies = [BASE] * len(phases)
    latencies[45 * 9 + 4] = latency
    found = scan("A", folded(phases, latencies), Fraction(10))
    assert found.windows == ()
    assert found.stray_strikes == 1
    assert found.suspect.start_ticks - found.suspect.start_error_ticks == 440
    assert found.suspect.delay_ticks == (None if latency == MISSED else 300)
    assert found.suspect.chance == 1


@pytest.mark.parametrize("latency", [BASE + 300, MISSED])
@pytest.mark.parametrize("repeats", [2, 3, 8])
def test_strikes_masked_in_one_step_of_a_hundred_are_a_window(repeats, latency):
    phases = [p for p in range(0, PERIOD, 10) for _ in range(repeats)]
    latencies = [latency if phase == 450 else BASE for phase in phases]
    found = scan("A", folded(phases, latencies), Fraction(10))
    (window,) = found.windows
    assert (window.masked, window.strikes) == (repeats, repeats)
    assert window.start_ticks - window.start_error_ticks >= 440
    # So many orders of all strikes have those masked next to each other, doubled for two looks.
    exact = math.factorial(repeats) * math.prod(1 / (len(phases) - n) for n in range(1, repeats))
    assert exact <= window.chance <= 4 * exact
    assert (found.stray_strikes, found.suspect) == (0, None)


def test_a_channel_of_several_has_its_part_of_the_chance():
    phases = [p for p in range(0, PERIOD, 10) for _ in range(2)]
    latencies = [MISSED if phase == 450 else BASE for phase in phases]
    alone = scan("A", folded(phases, latencies), Fraction(10))
    (window,) = alone.windows
    one_of_four = scan("A", folded(phases, latencies), Fraction(10), channels=4)
    assert one_of_four.windows == ()
    assert one_of_four.suspect.chance == pytest.approx(4 * window.chance)


def test_the_threshold_lies_beyond_what_latency_varies_by_anywhere():
    phases = list(range(PERIOD))
    # As of a device whose tick is made of its clock of 50 ticks: 20 ramps, each step sees a part.
    latencies = [BASE - phase % 50 for phase in phases]
    found = scan("A", folded(phases, latencies), Fraction(10))
    assert found.windows == ()
    assert found.stray_strikes == 0
    assert found.threshold_ticks > 50


def test_a_threshold_within_the_devices_own_spread_makes_no_window():
    phases = [p for p in range(0, PERIOD, 2) for _ in range(4)]
    latencies = [BASE - phase % 100 for phase in phases]
    found = scan("A", folded(phases, latencies), Fraction(10), threshold_ticks=40)
    assert found.windows == ()
    assert found.stray_strikes > 0


def test_without_a_period_a_window_does_not_wrap():
    phases = list(range(0, 500, 5))
    latencies = [BASE + 200 if phase < 100 or phase >= 450 else BASE for phase in phases]
    found = scan("A", folded(phases, latencies, 500, periodic=False), Fraction(10))
    first, second = found.windows
    assert first.start_ticks - first.start_error_ticks == 0
    assert second.end_ticks + second.end_error_ticks == 500
    assert first.waits_until_ticks is None


def test_latencies_that_spread_evenly_are_not_masked():
    rng = np.random.default_rng(7)
    phases = list(range(PERIOD))
    for spread in (2, 30, 400):
        latencies = BASE + rng.integers(0, spread, PERIOD)
        found = scan("A", folded(phases, latencies), Fraction(10))
        assert found.windows == ()
        # All of the spread is no mask, and twice of it is not missed by far.
        assert spread - 1 <= found.threshold_ticks <= 3 * spread


@pytest.mark.parametrize("step", [Fraction(1, 2), Fraction(1000)])
def test_a_step_that_makes_no_scan_is_refused(step):
    with pytest.raises(ValueError, match=r"step: .* must be at least a tick, and make 2"):
        scan("A", folded([1, 2], [3, 4]), step)


def test_a_step_may_be_a_part_of_a_tick_more():
    phases = list(range(PERIOD))
    found = scan("A", folded(phases, [BASE] * PERIOD), Fraction(PERIOD, 300))
    assert len(found.bins) == 300
    assert sum(entry.strikes for entry in found.bins) == PERIOD
    assert {entry.strikes for entry in found.bins} == {3, 4}


@pytest.mark.parametrize(
    ("latencies", "three"),
    [
        ([7], (7, 7, 7)),
        ([9, 5, 7], (5, 7, 9)),
        # Of an even number the median is the lower one of the middle: a latency that was seen.
        ([9, 5, 8, 7], (5, 7, 9)),
        ([9, MISSED, 5, 8, 7, MISSED], (5, 7, 9)),
        ([MISSED], (None, None, None)),
    ],
)
def test_a_bin_has_the_least_the_median_and_the_most_of_its_answers(latencies, three):
    there = [100] * len(latencies)
    phases = [phase for phase in range(0, PERIOD, 100) if phase != 100 for _ in range(4)]
    found = scan("A", folded(there + phases, latencies + [5] * len(phases)), Fraction(100))
    (one,) = [entry for entry in found.bins if entry.phase_ticks == 100]
    assert (one.min_ticks, one.median_ticks, one.max_ticks) == three
    assert (one.strikes, one.missed) == (len(latencies), latencies.count(MISSED))
