# SPDX-License-Identifier: Apache-2.0
"""Corrected samples: each edge in the middle of its bin, less the delay of its way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from plexor.figures.analyse.correct import UNLIKE_PS, Corrector, Delay, UncalibratedError
from plexor.figures.analyse.samples import Samples
from plexor.model.calibration import Instants, PinDelay, Scale
from plexor.model.results import Kind

from .planted import CALIBRATION, DOWN, OTHER, UP


def middle_ps(tick: int, bins: Instants) -> float:
    """Return the middle of the bin that tick ends, reckoned from both its instants."""
    instants = [k * 1000 + bins.late_ps[k % 4] for k in (tick - 1, tick)]
    return sum(instants) / 2


def samples(*pairs: tuple[int, int]) -> Samples:
    """Return samples from (start, end) ticks."""
    start, end = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    return Samples(end - start, np.maximum(start, end), np.arange(len(pairs)), start)


PAIRS = [(1000 + 7 * n, 1000 + 7 * n + 40 + n) for n in range(12)]


@pytest.fixture
def channel(run_of):
    """Return a function that gives channel 0 or 1 with a reference."""
    channels = run_of([[1000], [2000]]).channels

    def made(number=0, reference="strike0"):
        return replace(channels[number], reference=reference)

    return made


def corrector(channel, inverts=None, calibration=CALIBRATION):
    return Corrector(calibration, channel, inverts or {})


def expected(found, pairs, start, end, delay_ps):
    """Assert that values are the ends' middles less the starts' and the delay, to the ps."""
    for value, (begin, stop) in zip(found, pairs, strict=True):
        began = begin * 1000 if start is None else middle_ps(begin, start)
        assert value == pytest.approx(middle_ps(stop, end) - began - delay_ps, abs=1)


def test_a_latency_is_from_the_exact_tick_to_the_middle_of_the_bin(channel):
    found = corrector(channel()).correct(Kind.RISE, samples(*PAIRS))
    expected(found, PAIRS, None, UP, 1500)


def test_a_fall_latency_ends_at_the_edge_down(channel):
    found = corrector(channel()).correct(Kind.FALL, samples(*PAIRS))
    expected(found, PAIRS, None, DOWN, 1600)


def test_a_width_has_both_edges_and_the_difference_of_their_delays(channel):
    found = corrector(channel()).correct(Kind.WIDTH, samples(*PAIRS))
    expected(found, PAIRS, UP, DOWN, 100)


def test_a_period_has_no_delay(channel):
    found = corrector(channel()).correct(Kind.PERIOD, samples(*PAIRS))
    expected(found, PAIRS, UP, UP, 0)


def test_a_channel_that_is_active_low_has_the_edge_down_first(channel):
    found = corrector(channel(), {0: True}).correct(Kind.RISE, samples(*PAIRS))
    expected(found, PAIRS, None, DOWN, 1600)


def test_between_two_channels_the_difference_of_their_delays_is_taken_off(channel):
    found = corrector(channel(1, "ch0.fall")).correct(Kind.RISE, samples(*PAIRS))
    expected(found, PAIRS, DOWN, OTHER, 2000 - 1600)


def test_an_early_response_is_before_its_strike(channel):
    early = [(1000, 990), (2001, 1998)]
    found = corrector(channel()).correct(Kind.RISE, samples(*early))
    expected(found, early, None, UP, 1500)


@pytest.mark.parametrize(
    ("number", "reference", "says"),
    [
        (0, "load", "the load output has no calibration"),
        (0, "strike1", "no delay from strike1 to ch0 was measured"),
        (0, "ch3", "ch3 was not calibrated"),
    ],
)
def test_what_was_not_calibrated_is_said(channel, number, reference, says):
    with pytest.raises(UncalibratedError, match=says):
        corrector(channel(number, reference)).correct(Kind.RISE, samples(*PAIRS))


def wire(output, channel, rise_ps, fall_ps, error_ps=7):
    return PinDelay(output, channel, rise_ps, fall_ps, error_ps, error_ps, "2026")


def test_a_jumpers_way_is_taken_off_in_place_of_the_loops(channel):
    wired = replace(CALIBRATION, jumpers=(wire(0, 0, 800, 850),))
    one = corrector(channel(), calibration=wired)
    expected(one.correct(Kind.RISE, samples(*PAIRS)), PAIRS, None, UP, 800)
    assert one.delay(Kind.RISE) == Delay(800, 7, True)
    # Half of 1550 ps, and four standard errors of 5 ps.
    assert one.error_ps(Kind.RISE) == 7 + 775 + 20
    # Looped back, with 5000 ps of a simulation's detour.
    assert corrector(channel()).error_ps(Kind.RISE) == 90 + 5000 + 775 + 20


def test_between_channels_the_jumpers_of_one_output_are_taken_if_both_have_one(channel):
    jumpers = (wire(1, 0, 800, 850), wire(1, 1, 1000, 1100), wire(0, 0, 1, 1))
    wired = replace(CALIBRATION, jumpers=jumpers)
    found = corrector(channel(1, "ch0"), calibration=wired)
    expected(found.correct(Kind.RISE, samples(*PAIRS)), PAIRS, UP, OTHER, 1000 - 800)
    assert found.delay(Kind.RISE) == Delay(200, 14, True)
    assert found.error_ps(Kind.RISE) == 14 + 775 + 20 + 600 + 20
    half = replace(CALIBRATION, jumpers=jumpers[:1])
    found = corrector(channel(1, "ch0"), calibration=half)
    assert found.delay(Kind.RISE) == Delay(2000 - 1500, 2 * 5090, False)


def test_edges_of_unlike_directions_have_the_difference_of_their_delays_as_error(channel):
    # One pad may be the slower one for one direction: 100 ps of the loop, and what no pair shows.
    assert corrector(channel()).delay(Kind.FALL).error_ps == 90 + 5000 + 100 + UNLIKE_PS
    # Of one channel the detour is the same for both edges of a width.
    assert corrector(channel()).delay(Kind.WIDTH) == Delay(100, 2 * 90 + 100 + UNLIKE_PS, False)
    assert corrector(channel()).delay(Kind.PERIOD) == Delay(0, 0, False)
    # Two edges, each half of the widest bin of its direction.
    bins = 775 + 20 + 520 + 20
    assert corrector(channel()).error_ps(Kind.WIDTH) == 2 * 90 + 100 + UNLIKE_PS + bins


@pytest.mark.parametrize("fast_ppb", [-50_000, 20_000])
def test_a_fast_oscillators_ticks_are_shorter(channel, fast_ppb):
    scale = Scale(fast_ppb, 2000, "1 PPS on ch7", "2026")
    pairs = [(1000, 1_001_000), (4000, 4040)]
    scaled = corrector(channel(), calibration=replace(CALIBRATION, scale=scale))
    found = scaled.correct(Kind.RISE, samples(*pairs))
    plain = corrector(channel()).correct(Kind.RISE, samples(*pairs))
    for value, without in zip(found.tolist(), plain.tolist(), strict=True):
        assert value == pytest.approx(without / (1 + fast_ppb * 1e-9), abs=0.51)
