# SPDX-License-Identifier: Apache-2.0
"""Dither: any range that the period has room for, as the nearest power of two of ticks."""

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
from plexor.run.plan.strikes import dither_at_most, dither_taken

# One tick is a nanosecond.
NS = Fraction(1, 10**9)
IDENTITY = Identity(Geometry(), 1)


def plan(*strikes, identity=IDENTITY):
    return plan_of(Settings(strikes=strikes), identity)


def stimulus(*strikes):
    writes = plan(*strikes).registers
    return {w.name: w.value for w in writes if (w.block, w.copy) == ("stimulus", 0)}


BAD = {
    "strike0.dither: 0.5 ticks (0.5 ns); must be at least 2 ticks (2 ns)": Stimulus(
        0, 1000 * NS, dither_s=NS / 2
    ),
    # A clock is 8 ticks, so strikes may come 992 ticks early, of 2 * 992.
    "strike0.dither: 2000 ticks (2 µs); must be at most 1985 ticks (1.985 µs)": Stimulus(
        0, 1000 * NS, dither_s=2000 * NS
    ),
    "strike0.dither: 3 ticks (3 ns); a period of 8 ticks (8 ns) has no room for dither": Stimulus(
        0, 8 * NS, dither_s=3 * NS
    ),
    "must be at most 4294967296 ticks (4.294967296 s)": Stimulus(
        0, Fraction(100), dither_s=Fraction(8)
    ),
}


@pytest.mark.parametrize("text", BAD)
def test_a_dither_without_room_is_refused_with_what_there_is_room_for(text):
    with pytest.raises(ValueError, match=r".") as caught:
        plan(BAD[text])
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("asked_ns", "bits"),
    [
        (1000, 10),
        (1024, 10),
        (1100, 10),
        (1448, 10),
        (1449, 11),
        (2000, 11),
        (2, 1),
        (3, 2),
        (724, 9),
    ],
)
def test_the_power_of_two_that_is_nearest_by_its_factor_is_taken(asked_ns, bits):
    """1448 is below, 1449 above sqrt(2) times 1024."""
    made = plan(Stimulus(0, 20_000 * NS, dither_s=asked_ns * NS))
    assert made.value("stimulus", "dither_bits") == bits
    (kept,) = [entry for entry in made.echo if entry.name == "strike0.dither"]
    assert (kept.asked_s, kept.taken_s) == (asked_ns * NS, (1 << bits) * NS)
    assert dither_taken(asked_ns * NS, 1_000_000) == (1 << bits) * NS


def test_where_the_nearest_has_no_room_the_next_below_is_taken():
    made = plan(Stimulus(0, 1000 * NS, dither_s=1500 * NS))  # room for 1985 ticks, not for 2048
    assert made.value("stimulus", "dither_bits") == 10


@settings(max_examples=300)
@given(
    st.integers(16, 10**10),
    st.integers(1, 10**13),
    st.sampled_from([500_000, 416_667, 2_604_167, 992_063]),
    st.integers(1, 3),
)
def test_each_dither_is_taken_to_a_factor_of_two_or_its_limit_is_named(
    period_ns, dither_ps, tick_fs, burst
):
    """Limits, typed as they are named, are taken where ticks are no round numbers, too."""
    identity = Identity(Geometry(tick_fs=tick_fs), 1)

    def dithered(dither_s):
        spacing_s = 20 * NS if burst > 1 else None
        strike = Stimulus(
            0, period_ns * NS, burst=burst, spacing_s=spacing_s, width_s=3 * NS, dither_s=dither_s
        )
        return plan(strike, identity=identity)

    asked_s = Fraction(dither_ps, 10**12)
    try:
        (kept,) = [e for e in dithered(asked_s).echo if e.name == "strike0.dither"]
        tick_s = Fraction(tick_fs, 10**15)
        assert kept.taken_s / 2 <= asked_s + tick_s <= 3 * kept.taken_s
    except ValueError as error:
        for time in re.findall(r"ticks \(([^)]+)\)", str(error).partition("must be at")[2]):
            dithered(parse_duration(time))


def test_a_dither_of_whole_ticks_in_decimals_is_taken_and_kept_as_taken():
    identity = Identity(Geometry(tick_fs=416_667), 1)
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


def test_a_dither_in_bursts_has_the_room_that_a_burst_leaves():
    """Of 1000 ticks a burst of 3, 20 ticks apart, takes 40, and a clock is 8: 952 are left."""

    def made(dither_ns):
        burst = {"burst": 3, "spacing_s": 20 * NS, "width_s": 3 * NS}
        return plan(Stimulus(0, 1000 * NS, dither_s=dither_ns * NS, **burst))

    assert made(1905).value("stimulus", "dither_bits") == 10
    with pytest.raises(ValueError, match=r"1906 ticks .*; must be at most 1905 ticks"):
        made(1906)
