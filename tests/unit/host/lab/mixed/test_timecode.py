# SPDX-License-Identifier: Apache-2.0
"""The timecode's steps come where a 48.32 divider puts them, for ever without drift."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.mixed.timecode import SEED8751, StepClock, Timecode

TICK_FS = 500_000


def test_the_preset_is_an_8_bit_counter_at_14_0625_steps_a_second():
    assert SEED8751.bits == 8
    assert 1 / SEED8751.period_s == Fraction(140_625, 10_000)
    assert SEED8751.period_s == Fraction(16, 225)
    wrap_s = 256 * SEED8751.period_s
    assert round(wrap_s, 3) == Fraction("18.204")


def test_a_million_steps_of_the_preset_are_each_on_the_tick_of_the_divider():
    clock = SEED8751.clock(TICK_FS)
    # 16/225 s are 142,222,222 2/9 ticks; a divider of 32 bits after the point holds 954437177/2^32.
    assert clock.interval_ticks == 142_222_222 + Fraction(954_437_177, 1 << 32)
    whole, fraction, accumulated, time = 142_222_222, 954_437_177, 0, 142_222_222
    for step in range(1, 1_000_001):
        if step % 997 == 0 or step < 100:
            assert clock.at(step) == time
        accumulated += fraction
        time += whole + (accumulated >> 32)
        accumulated &= (1 << 32) - 1
    # After 10^6 steps the divider's rounding is less than a tick.
    assert abs(clock.at(10**6) - 10**6 * Fraction(16, 225) * 2 * 10**9) < 1


@given(interval=st.fractions(16, 10**9, max_denominator=1 << 32), step=st.integers(0, 10**6))
def test_the_last_step_that_came_is_the_one_whose_time_has_come(interval, step):
    clock = StepClock(interval)
    time = clock.at(step)
    assert clock.step_at(time) == step
    assert clock.step_at(time - 1) == max(step - 1, 0)
    assert clock.step_at(clock.at(step + 1) - 1) == step


@pytest.mark.parametrize(
    ("bits", "period", "says"), [(0, 1, "0 bits"), (17, 1, "17 bits"), (8, 0, "above 0")]
)
def test_a_timecode_that_cannot_be_is_refused(bits, period, says):
    with pytest.raises(ValueError, match=says):
        Timecode(bits, Fraction(period))


def test_a_timecode_counts_in_binary_unless_gray_code_is_asked_for():
    assert not Timecode(8, Fraction(1)).gray
    assert not SEED8751.gray
