# SPDX-License-Identifier: Apache-2.0
"""Dither: a power of two of ticks, or refused with the two nearest; what was taken is kept."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.base.units import parse_duration
from plexor.model.identity import Identity
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.run.plan.registers import plan_of
from plexor.run.plan.strikes import dither_at_most

# One tick is a nanosecond.
NS = Fraction(1, 10**9)
IDENTITY = Identity(Geometry(), 1)


def plan(*strikes, identity=IDENTITY):
    return plan_of(Settings(strikes=strikes), identity)


def stimulus(*strikes):
    writes = plan(*strikes).registers
    return {w.name: w.value for w in writes if (w.block, w.copy) == ("stimulus", 0)}


BAD = {
    "strike0.dither: 0.5 ticks (0.5 ns); must be a power of two of ticks: 2 ticks (2 ns) or 4": [
        Stimulus(0, 1000 * NS, dither_s=NS / 2)
    ],
    "strike0.dither: 1000 ticks (1 µs); must be a power of two of ticks: 512 ticks (512 ns) or "
    "1024 ticks (1.024 µs)": [Stimulus(0, 20_000 * NS, dither_s=1000 * NS)],
    "must be a power of two of ticks: 2147483648 ticks (2.147483648 s) or 4294967296": [
        Stimulus(0, Fraction(100), dither_s=Fraction(4))
    ],
    "must be a power of two of ticks: 4294967296 ticks (4.294967296 s)": [
        Stimulus(0, Fraction(100), dither_s=Fraction(8))
    ],
}


@pytest.mark.parametrize("text", BAD)
def test_a_dither_that_there_is_not_is_refused_with_the_nearest(text):
    with pytest.raises(ValueError, match=r".") as caught:
        plan(*BAD[text])
    assert text in str(caught.value)


@settings(max_examples=300)
@given(
    st.integers(2, 10**10),
    st.integers(1, 10**13),
    st.sampled_from([500_000, 416_667, 2_604_167, 992_063]),
    st.integers(1, 3),
)
def test_each_dither_that_a_refusal_names_is_taken(period_ns, dither_ps, tick_fs, burst):
    """The times of the text, typed as they are, on instruments whose ticks are no round numbers."""
    identity = Identity(Geometry(tick_fs=tick_fs), 1)

    def dithered(dither_s):
        spacing_s = 20 * NS if burst > 1 else None
        strike = Stimulus(
            0, period_ns * NS, burst=burst, spacing_s=spacing_s, width_s=3 * NS, dither_s=dither_s
        )
        return plan(strike, identity=identity)

    try:
        dithered(Fraction(dither_ps, 10**12))
    except ValueError as error:
        for time in re.findall(r"ticks \(([^)]+)\)", str(error).partition("power of two")[2]):
            dithered(parse_duration(time))


def test_a_period_without_room_for_any_dither_says_so():
    with pytest.raises(ValueError, match=r"; a period of 8 ticks \(8 ns\) has no room for dither"):
        plan(Stimulus(0, 8 * NS, dither_s=3 * NS))


def test_a_dither_is_taken_by_the_name_that_its_refusal_gives_and_kept_as_taken():
    identity = Identity(Geometry(tick_fs=416_667), 1)
    with pytest.raises(ValueError, match=r"1024 ticks \(426\.667 ns\)"):
        plan(Stimulus(0, 10_000 * NS, dither_s=427 * NS), identity=identity)
    asked_s = Fraction(426_667, 10**12)
    made = plan(Stimulus(0, 10_000 * NS, dither_s=asked_s), identity=identity)
    assert made.value("stimulus", "dither_bits") == 10
    (kept,) = [entry for entry in made.echo if entry.name == "strike0.dither"]
    assert (kept.asked_s, kept.taken_s) == (asked_s, Fraction(1024 * 416_667, 10**15))


@pytest.mark.parametrize("seconds", [NS, 2 * NS, 3 * NS, 1000 * NS, 1024 * NS, Fraction(9)])
def test_the_greatest_dither_up_to_a_time_is_one_that_there_is(seconds):
    found = dither_at_most(seconds, 1_000_000)
    assert found <= seconds
    if found:
        assert stimulus(Stimulus(0, Fraction(100), dither_s=found))["dither_bits"]
        assert 2 * found > min(seconds, (1 << 32) * NS)


def test_dither_keeps_the_mean_period():
    values = stimulus(Stimulus(0, 10_000 * NS, dither_s=128 * NS))
    assert values["dither_bits"] == 7  # uniform 0 to 127
    interval = values["interval_ticks"] + Fraction(values["interval_fraction"], 1 << 32)
    assert interval + Fraction(127, 2) == 10_000
