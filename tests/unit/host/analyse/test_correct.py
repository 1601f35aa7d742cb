"""Corrected samples: each edge in the middle of its bin, less the delay of its way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from plexor.analyse.correct import Corrector, UncalibratedError
from plexor.analyse.samples import Samples
from plexor.model.calibration import Instants
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
