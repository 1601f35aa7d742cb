# SPDX-License-Identifier: Apache-2.0
"""Seconds to ticks: exact, half to even, refused beyond their bounds, each rounding kept."""

from fractions import Fraction

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.run.plan.rounding import Quantities

NS = Fraction(1, 10**9)
# One tick is half a nanosecond, a core clock has eight.
TICK_FS = 500_000


@pytest.fixture
def quantities():
    return Quantities(Geometry(tick_fs=TICK_FS))


@pytest.mark.parametrize(
    ("ticks", "taken"), [(Fraction(1, 2), 0), (Fraction(3, 2), 2), (Fraction(5, 2), 2), (3, 3)]
)
def test_whole_ticks_round_half_to_even_and_the_rounding_is_kept(quantities, ticks, taken):
    asked = 100 + ticks
    assert quantities.rounded("width", asked * NS / 2, 0, 1000) == 100 + taken
    (echo,) = quantities.echo
    assert (echo.name, echo.asked_s, echo.taken_s) == (
        "width",
        asked * NS / 2,
        (100 + taken) * NS / 2,
    )
    assert echo.error_s == (taken - ticks) * NS / 2


def test_a_time_above_0_that_rounds_to_none_is_refused(quantities):
    with pytest.raises(ValueError, match="at least one tick") as caught:
        quantities.rounded("phase", NS / 4, 0, 1000)
    assert str(caught.value) == (
        "phase: 0.5 ticks (0.25 ns); must be at least one tick (0.5 ns), or 0"
    )


def test_0_is_taken_without_a_note(quantities):
    assert quantities.rounded("phase", Fraction(0), 0, 1000) == 0
    assert quantities.signed("early", Fraction(0)) == 0
    assert quantities.echo == []


@pytest.mark.parametrize("ticks", [2, 10])
def test_both_bounds_are_allowed(quantities, ticks):
    assert quantities.rounded("width", ticks * NS / 2, 2, 10) == ticks


@pytest.mark.parametrize(
    ("ticks", "text"),
    [
        (1, "1 tick (0.5 ns); must be at least 2 ticks (1 ns)"),
        (11, "11 ticks (5.5 ns); must be at most 10 ticks (5 ns)"),
    ],
)
def test_beyond_a_bound_the_value_and_that_bound_are_told(quantities, ticks, text):
    with pytest.raises(ValueError, match="must be") as caught:
        quantities.rounded("width", ticks * NS / 2, 2, 10)
    assert str(caught.value) == f"width: {text}"


@pytest.mark.parametrize("ticks", [-(1 << 31), (1 << 31) - 1])
def test_signed_ticks_have_32_bits(quantities, ticks):
    assert quantities.signed("deadline", ticks * NS / 2) == ticks
    beyond = ticks + (1 if ticks > 0 else -1)
    with pytest.raises(ValueError, match="deadline"):
        quantities.signed("deadline", beyond * NS / 2)


@pytest.mark.parametrize(
    ("ticks", "clocks"), [(8, 1), (12, 2), (20, 2), (Fraction(35, 4), 1), (800, 100)]
)
def test_clocks_are_whole_and_what_they_take_is_kept(quantities, ticks, clocks):
    assert quantities.clocks("report", ticks * NS / 2) == clocks
    assert quantities.echo[0].taken_s == clocks * 8 * NS / 2


@pytest.mark.parametrize("ticks", [0, 4, (1 << 35)])
def test_no_clock_and_more_than_32_bits_of_them_are_refused(quantities, ticks):
    with pytest.raises(ValueError, match="report: "):
        quantities.clocks("report", ticks * NS / 2)


def test_a_short_time_is_whole_as_far_as_a_tick_is_known_and_a_long_one_exact():
    # 1/960 us is told as 1,041,667 fs: three such ticks are a femtosecond more than 1/320 us.
    quantities = Quantities(Geometry(tick_fs=1_041_667))
    assert quantities.short(Fraction(3, 960) / 10**6) == 3
    assert quantities.short(Fraction(96, 960) / 10**6) == Fraction(100_000_000, 1_041_667)
    assert quantities.short(NS) == Fraction(1_000_000, 1_041_667)


def test_a_feature_that_the_build_lacks_is_refused_by_name():
    quantities = Quantities(Geometry(features=ALL_FEATURES & ~Feature.DITHER, board="ice"))
    quantities.need(Feature.BURST, "strike0.burst")
    with pytest.raises(ValueError, match=r"^strike0.dither: board ice was built without DITHER"):
        quantities.need(Feature.DITHER, "strike0.dither")
