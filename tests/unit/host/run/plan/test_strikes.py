# SPDX-License-Identifier: Apache-2.0
"""An output's strikes: their period, phase, width and number in registers, and which cannot be."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base.units import seconds_of
from plexor.model.identity import Identity
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import Trigger, register
from plexor.run.plan.registers import plan_of

# One tick is a nanosecond, a core clock has eight.
NS = Fraction(1, 10**9)
IDENTITY = Identity(Geometry(), 1)


def plan(*strikes, identity=IDENTITY, **settings):
    return plan_of(Settings(strikes=strikes, **settings), identity)


def stimulus(*strikes, **settings):
    writes = plan(*strikes, **settings).registers
    return {w.name: w.value for w in writes if (w.block, w.copy) == ("stimulus", 0)}


# Between 8 and 9 ticks, a time that is whole within what is known of a tick is taken as whole.
@given(
    st.fractions(min_value=9, max_value=10**12) | st.fractions(Fraction(81, 10), Fraction(89, 10))
)
def test_the_period_is_the_nearest_in_two_to_the_minus_32_tick(ticks):
    made = plan(Stimulus(0, ticks * NS))
    value = made.value("stimulus", "interval_ticks") + Fraction(
        made.value("stimulus", "interval_fraction"), 1 << 32
    )
    assert abs(value - ticks) <= Fraction(1, 1 << 33)
    echo = next(entry for entry in made.echo if entry.name == "strike0.period")
    assert echo.error_s == (value - ticks) * NS


def test_a_third_of_a_tick_becomes_its_fraction_rounded_half_to_even():
    values = stimulus(Stimulus(0, (100 + Fraction(1, 3)) * NS))
    assert (values["interval_ticks"], values["interval_fraction"]) == (100, 0x55555555)
    half = Fraction(1, 1 << 33)
    assert stimulus(Stimulus(0, (100 + half) * NS))["interval_fraction"] == 0
    assert stimulus(Stimulus(0, (100 + 3 * half) * NS))["interval_fraction"] == 2


def test_a_burst_keeps_its_period_from_first_strike_to_first_strike():
    values = stimulus(Stimulus(0, 10_000 * NS, burst=4, spacing_s=1000 * NS))
    assert values["spacing_ticks"] == 1000
    assert values["interval_ticks"] + 3 * values["spacing_ticks"] == 10_000
    assert values["burst_count"] == 4


@pytest.mark.parametrize("ticks", range(2, 8))
def test_below_a_clock_a_period_is_an_endless_burst(ticks):
    values = stimulus(Stimulus(0, ticks * NS, count=1000))
    assert values["burst_count"] == 0
    assert values["spacing_ticks"] == ticks
    assert 1 <= values["width_ticks"] <= ticks - 1
    assert values["interval_ticks"] >= 16
    assert values["strike_count"] == 1000


def test_a_toggle_every_tick_is_a_strike_of_one_tick_every_two():
    values = stimulus(Stimulus(0, 2 * NS))
    assert (values["spacing_ticks"], values["width_ticks"]) == (2, 1)


def test_without_a_period_there_is_one_strike():
    values = stimulus(Stimulus(0))
    assert (values["strike_count"], values["burst_count"]) == (1, 1)
    assert values["width_ticks"] < values["interval_ticks"]


def test_phases_of_outputs_are_as_asked_from_the_first_tick_on():
    made = plan(Stimulus(0, 1000 * NS), Stimulus(1, 1000 * NS, phase_s=300 * NS))
    assert [made.value("stimulus", "phase_ticks", output) for output in (0, 1)] == [0, 300]


def test_poisson_intervals_have_the_mean_asked():
    # The gateware's rule, with another random generator.
    period, width, samples = 100, 10, 8
    values = stimulus(Stimulus(0, period * NS, poisson=True, width_s=width * NS))
    threshold = values["poisson_threshold"]
    generator = random.Random(1)
    last, strikes, clocks = -1000, 0, 400_000
    for clock in range(clocks):
        if generator.getrandbits(48) < threshold:
            time = clock * samples + generator.randrange(samples)
            if time - last >= width + samples:
                last, strikes = time, strikes + 1
    mean = clocks * samples / strikes
    assert mean == pytest.approx(period, rel=0.02)


def test_width_defaults_to_half_the_spacing_and_ten_microseconds_at_most():
    assert stimulus(Stimulus(0, 1000 * NS))["width_ticks"] == 500
    assert stimulus(Stimulus(0, 10**9 * NS))["width_ticks"] == 10_000
    assert stimulus(Stimulus(0, 1000 * NS, duty=Fraction(1, 4)))["width_ticks"] == 250


DUTIES = {
    "plain": ({}, 500),
    # 10 µs and 8192 ns of dither leave 5.904 µs between some strikes.
    "dithered": ({"period_s": 10_000 * NS, "dither_s": 8192 * NS}, 5000),
    "in bursts": ({"period_s": 10_000 * NS, "burst": 4, "spacing_s": 300 * NS}, 150),
    "one burst": ({"period_s": None, "burst": 4, "spacing_s": 300 * NS}, 150),
    "before the next burst": (
        {"period_s": 1000 * NS, "burst": 2, "spacing_s": 800 * NS, "duty": Fraction(1, 5)},
        160,
    ),
    "Poisson": ({"poisson": True}, 500),
    "faster than a clock": ({"period_s": 6 * NS}, 3),
}


@pytest.mark.parametrize("name", DUTIES)
def test_a_duty_is_a_part_of_the_mean_period_and_in_bursts_of_the_spacing(name):
    change, width = DUTIES[name]
    asked = Stimulus(0, **({"period_s": 1000 * NS, "duty": Fraction(1, 2)} | change))
    assert stimulus(asked)["width_ticks"] == width


def test_a_count_goes_to_outputs_that_start_with_the_run_and_have_none():
    made = plan(
        Stimulus(0, 1000 * NS, count=3),
        Stimulus(1, 1000 * NS, trigger=Trigger.STRIKE, trigger_source=0),
        count=9,
    )
    assert made.value("stimulus", "strike_count", 0) == 3
    assert made.value("stimulus", "strike_count", 1) == 0


BAD = {
    "at most every 2 ticks": [Stimulus(0, 1 * NS)],
    "strike0.rate: 1e": [Stimulus(0, Fraction(1, 10**12 * 10**6))],
    "whole number of ticks": [Stimulus(0, Fraction(5, 2) * NS)],
    "with dither or Poisson": [Stimulus(0, 4 * NS, dither_s=2 * NS)],
    "strike0.spacing: 1 tick ": [Stimulus(0, 1000 * NS, burst=2, spacing_s=1 * NS)],
    "below 8 ticks it must be a whole": [
        Stimulus(0, 1000 * NS, burst=2, spacing_s=Fraction(7, 2) * NS)
    ],
    "give the spacing": [Stimulus(0, 1000 * NS, burst=2)],
    "must be at least 16 ticks": [Stimulus(0, 20 * NS, burst=2, spacing_s=5 * NS)],
    "must be at least 8 ticks": [Stimulus(0, 1000 * NS, burst=10, spacing_s=111 * NS)],
    "strike0.period: 1e+18 ticks": [Stimulus(0, Fraction(10**9))],
    "strike0.width: 1000 ticks": [Stimulus(0, 1000 * NS, width_s=1000 * NS)],
    "strike0.width: 0.1 ticks": [Stimulus(0, 1000 * NS, width_s=NS / 10)],
    "strike0.duty: 1.0": [Stimulus(0, 1000 * NS, duty=Fraction(1))],
    "strike0.duty: 60% of 10000 ticks (10 µs) is 6000 ticks (6 µs), but the shortest time between "
    "strikes leaves 5903 ticks (5.903 µs); at most 59%": [
        Stimulus(0, 10_000 * NS, dither_s=8192 * NS, duty=Fraction(3, 5))
    ],
    "strike0.duty: 50% of 800 ticks (800 ns) is 400 ticks (400 ns), but the shortest time between "
    "strikes leaves 199 ticks (199 ns); at most 24.8%": [
        Stimulus(0, 1000 * NS, burst=2, spacing_s=800 * NS, duty=Fraction(1, 2))
    ],
    "strike0.duty: 50%; without a rate or period": [Stimulus(0, duty=Fraction(1, 2))],
    "of 1000 ticks (1 µs) is less than a tick": [Stimulus(0, 1000 * NS, duty=Fraction(1, 9999))],
    "give one of them": [Stimulus(0, 1000 * NS, duty=Fraction(1, 2), width_s=5 * NS)],
    "strike0.phase: -5 ticks": [Stimulus(0, 1000 * NS, phase_s=-5 * NS)],
    "strike0.seed": [Stimulus(0, 1000 * NS, seed=-1)],
    "cannot have bursts or dither": [Stimulus(0, 1000 * NS, poisson=True, dither_s=4 * NS)],
    "Poisson strikes of": [Stimulus(0, 20 * NS, poisson=True, width_s=10 * NS)],
    "need a rate or period": [Stimulus(0, poisson=True)],
    "there is one burst": [Stimulus(0, count=5)],
    "another output that is enabled": [Stimulus(0, 1000 * NS, trigger=Trigger.STRIKE)],
    "strike2: this instrument has strike0 to strike1": [Stimulus(2, 1000 * NS)],
    "strike0: given 2 times": [Stimulus(0, 1000 * NS), Stimulus(0, 1000 * NS)],
    "the burst must be at least 1": [Stimulus(0, 1000 * NS, burst=0)],
}


@pytest.mark.parametrize("text", BAD)
def test_a_strike_that_cannot_be_is_refused_with_what_is_wrong(text):
    with pytest.raises(ValueError, match=r".") as caught:
        plan(*BAD[text])
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("samples", "tick_fs", "rate_mhz", "ticks"), [(16, 520_833, 480, 4), (8, 1_041_667, 120, 8)]
)
def test_short_periods_and_spacings_are_whole_ticks_as_far_as_a_tick_is_known(
    samples, tick_fs, rate_mhz, ticks
):
    identity = Identity(Geometry(samples=samples, tick_fs=tick_fs), 1)
    short_s = Fraction(1, rate_mhz * 10**6)
    exact_s = seconds_of(ticks, tick_fs)
    for one, other in (
        (Stimulus(0, short_s), Stimulus(0, exact_s)),
        (
            Stimulus(0, 1000 * NS, burst=3, spacing_s=short_s),
            Stimulus(0, 1000 * NS, burst=3, spacing_s=exact_s),
        ),
    ):
        assert plan(one, identity=identity).registers == plan(other, identity=identity).registers


def test_from_a_period_of_a_clock_on_strikes_are_one_by_one_and_below_it_drawn_from_a_pattern():
    """W = 8 ticks: a word holds a whole period."""
    seen = {}
    for ticks in (7, 8, 9):
        made = plan(Stimulus(0, ticks * NS, count=10))
        seen[ticks] = [
            made.value("stimulus", name)
            for name in ("interval_ticks", "burst_count", "spacing_ticks")
        ]
    assert seen == {7: [16, 0, 7], 8: [8, 1, 0], 9: [9, 1, 0]}


def test_a_period_of_a_clock_can_have_parts_of_a_tick_and_a_shorter_one_cannot():
    assert plan(Stimulus(0, Fraction(33, 4) * NS)).value("stimulus", "interval_fraction") == 1 << 30
    with pytest.raises(ValueError, match="below 8 ticks it must be a whole number of ticks"):
        plan(Stimulus(0, Fraction(31, 4) * NS))


LIMITS = {
    # What is asked, by a number of ticks or strikes, and the bits that docs/PROTOCOL.md says.
    "seed": (lambda n: Stimulus(0, 1000 * NS, seed=n), 64),
    "strike_count": (lambda n: Stimulus(0, 1000 * NS, count=n), 48),
    "phase_ticks": (lambda n: Stimulus(0, 1000 * NS, phase_s=n * NS), 48),
    "width_ticks": (lambda n: Stimulus(0, Fraction(100), width_s=n * NS), 32),
    "spacing_ticks": (lambda n: Stimulus(0, Fraction(100), burst=2, spacing_s=n * NS), 32),
    "interval_ticks": (lambda n: Stimulus(0, n * NS), 48),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_register_takes_the_greatest_value_that_it_holds_and_the_next_is_refused(name):
    asked, bits = LIMITS[name]
    assert register("stimulus", name).bits == bits
    assert stimulus(asked((1 << bits) - 1))[name] == (1 << bits) - 1
    usual = name.removesuffix("_ticks")
    option = {"strike_count": "count", "interval": "period"}.get(usual, usual)
    with pytest.raises(ValueError, match=rf"^strike0\.{option}: .*must be (at most|0 to) "):
        plan(asked(1 << bits))


def test_a_count_of_the_run_is_each_outputs_own_up_to_what_its_register_holds():
    assert stimulus(Stimulus(0, 1000 * NS), count=(1 << 48) - 1)["strike_count"] == (1 << 48) - 1
    assert stimulus(Stimulus(0, 1000 * NS, count=7), count=9)["strike_count"] == 7
    with pytest.raises(ValueError, match=rf"strike0.count: {1 << 48}; must be at most"):
        plan(Stimulus(0, 1000 * NS), count=1 << 48)


@pytest.mark.parametrize("samples", [8, 16])
@pytest.mark.parametrize("width", [1, 7, 8, 9, 15, 16, 17, 100])
def test_a_poisson_threshold_leaves_the_free_clocks_that_the_mean_interval_has(samples, width):
    """Strikes are blocked while less than a width and a clock has passed since the last one.

    For each pair of offsets in their clocks, the blocked clocks are counted one by one.
    """
    blocked = sum(
        clocks * samples + second - first < width + samples
        for first in range(samples)
        for second in range(samples)
        for clocks in range(1, 2 + (width + 2 * samples) // samples)
    )
    mean = Fraction(1000, samples) - Fraction(blocked, samples**2)
    asked = Stimulus(0, 1000 * NS, poisson=True, width_s=width * NS)
    made = plan(asked, identity=Identity(Geometry(samples=samples, tick_fs=10**6), 1))
    assert made.value("stimulus", "poisson_threshold") == round((1 << 48) / mean)


def test_where_every_free_clock_strikes_the_threshold_is_the_greatest_and_less_is_refused():
    """A strike of a tick blocks the next clock for 36 of the 64 pairs of offsets of 8 ticks."""
    shortest = 8 * (1 + Fraction(36, 64))
    values = stimulus(Stimulus(0, shortest * NS, poisson=True, width_s=NS))
    assert values["poisson_threshold"] == (1 << 48) - 1
    with pytest.raises(ValueError, match="Poisson strikes of 1 ticks need at least 17 ticks"):
        plan(Stimulus(0, (shortest - Fraction(1, 1000)) * NS, poisson=True, width_s=NS))


def test_no_period_at_all_is_an_endless_rate():
    for period_s in (Fraction(0), -NS):
        with pytest.raises(ValueError, match=r"strike0.rate: endless; .* every 2 ticks, 500 MHz"):
            plan(Stimulus(0, period_s))
    with pytest.raises(ValueError, match=r"strike0.rate: 1000 MHz; "):
        plan(Stimulus(0, NS))
