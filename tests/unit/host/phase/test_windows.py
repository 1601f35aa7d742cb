"""Masked windows of strikes whose windows are planted."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.phase.fold import MISSED, Folded
from plexor.phase.model import Reference
from plexor.phase.windows import scan

PERIOD, BASE = 1000, 50
THRESHOLD = 2
"""Of latencies that do not spread."""


def folded(phases, latencies, span=PERIOD, periodic=True):
    reference = Reference("ch1", 99, Fraction(span) if periodic else None, span, span)
    return Folded(
        np.array(phases, np.int64), np.array(latencies, np.int64), span, reference, {}, 0, 0
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
    phases = [n * step % PERIOD for n in range(-(-PERIOD // step))]
    found = scan("A", folded(phases, waiting(phases, start, width)), Fraction(step))
    (window,) = found.windows
    assert found.base_ticks == BASE
    assert abs((window.start_ticks - start + PERIOD // 2) % PERIOD - PERIOD // 2) <= step
    assert abs(window.width_ticks - width) <= step + THRESHOLD
    off = (window.end_ticks - start - width + PERIOD // 2) % PERIOD - PERIOD // 2
    assert abs(off) <= window.end_error_ticks
    assert window.end_error_ticks <= (step + THRESHOLD) / 2
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


def test_all_missed_is_one_window_of_all_phases_without_an_edge():
    phases = list(range(0, PERIOD, 10))
    found = scan("A", folded(phases, [MISSED] * len(phases)), Fraction(10))
    (window,) = found.windows
    assert window.whole
    assert (window.width_ticks, window.missed, window.delay_ticks) == (PERIOD, 100, None)
    assert found.base_ticks is None


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


def test_one_delayed_strike_among_many_makes_its_step_masked():
    phases = [p for p in range(0, PERIOD, 10) for _ in range(9)]
    latencies = [BASE] * len(phases)
    latencies[45 * 9 + 4] = BASE + 300
    (window,) = scan("A", folded(phases, latencies), Fraction(10)).windows
    assert window.start_ticks - window.start_error_ticks == 440
    assert window.delay_ticks == 300


def test_without_a_period_a_window_does_not_wrap():
    phases = list(range(0, 500, 10))
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
    with pytest.raises(ValueError, match=r"step: .* must be a tick or more, and make 2"):
        scan("A", folded([1, 2], [3, 4]), step)


def test_a_step_may_be_a_part_of_a_tick_more():
    phases = list(range(PERIOD))
    found = scan("A", folded(phases, [BASE] * PERIOD), Fraction(PERIOD, 300))
    assert len(found.bins) == 300
    assert sum(entry.strikes for entry in found.bins) == PERIOD
    assert {entry.strikes for entry in found.bins} == {3, 4}
