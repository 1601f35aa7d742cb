# SPDX-License-Identifier: Apache-2.0
"""Ticks and seconds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base import units


@given(st.integers(0, 1 << 64), st.integers(1000, (1 << 32) - 1))
def test_ticks_to_seconds_and_back_is_exact(ticks, tick_fs):
    assert units.ticks_of(units.seconds_of(ticks, tick_fs), tick_fs) == ticks


def test_a_tick_of_a_million_femtoseconds_is_a_nanosecond():
    assert units.seconds_of(1, 1_000_000) == Fraction(1, 10**9)


def test_half_a_tick_rounds_to_even():
    halves = [Fraction(n, 2 * 10**9) for n in (1, 3, 5)]
    assert [units.whole_ticks(half, 1_000_000) for half in halves] == [0, 2, 2]


@given(st.integers(1, 100_000), st.integers(1, 2000))
def test_a_time_is_whole_ticks_of_a_clock_whose_period_is_no_whole_femtosecond(ticks, clock_mhz):
    period_fs = Fraction(10**9, clock_mhz)
    told_fs = round(period_fs)
    assert units.known_ticks(ticks * period_fs / 10**15, told_fs) == ticks
    # Beyond what is known of so many ticks.
    for off in (Fraction(ticks, told_fs), -Fraction(ticks, told_fs)):
        assert units.known_ticks(units.seconds_of(ticks + off, told_fs), told_fs) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10us", Fraction(1, 100_000)),
        ("1.5 ms", Fraction(3, 2000)),
        ("2s", Fraction(2)),
        ("0.3ns", Fraction(3, 10**10)),
        ("7µs", Fraction(7, 10**6)),
        ("-5ns", Fraction(-5, 10**9)),
        ("1h", Fraction(3600)),
        ("1e3ns", Fraction(1, 10**6)),
        ("10US", Fraction(1, 100_000)),
        ("5S", Fraction(5)),
        ("1_500 ns", Fraction(3, 2 * 10**6)),
        ("0", Fraction(0)),
    ],
)
def test_durations_parse_exactly(text, seconds):
    assert units.parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "us", "5", "5 parsecs", "1.2.3s", "nan", "1e9999s", "5M"])
def test_what_is_no_duration_is_refused_with_its_text(text):
    with pytest.raises(ValueError, match=r"must be a|did you mean") as caught:
        units.parse_duration(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "hertz"),
    [
        ("20k", 20_000),
        ("1.5M", 1_500_000),
        ("300Hz", 300),
        ("0.1", Fraction(1, 10)),
        ("2kHz", 2000),
        ("20K", 20_000),
        ("20 KHz", 20_000),
        ("2Mhz", 2_000_000),
        ("1_000", 1000),
        ("1_000.5kHz", 1_000_500),
    ],
)
def test_rates_parse_exactly(text, hertz):
    assert units.parse_rate(text) == hertz


@pytest.mark.parametrize(
    "text", ["0", "-5", "k", "20 apples", "inf", "20m", "1__0", "_1", "2_", "20,000"]
)
def test_what_is_no_rate_is_refused(text):
    with pytest.raises(ValueError, match=r"must be a|did you mean"):
        units.parse_rate(text)


@pytest.mark.parametrize(
    ("text", "metres"),
    [("1100m/s", 1100), ("36 km/h", 10), ("2.5mm/s", Fraction(1, 400)), ("1e3 m/s", 1000)],
)
def test_velocities_are_exact_metres_a_second(text, metres):
    assert units.parse_velocity(text) == metres


@pytest.mark.parametrize("text", ["1100", "0m/s", "-1m/s", "1100m", "1100 m/h", "fast", "m/s", ""])
def test_a_velocity_without_unit_or_not_above_zero_is_refused(text):
    with pytest.raises(ValueError, match=r"must be a number above 0 with a unit|did you mean"):
        units.parse_velocity(text)


@pytest.mark.parametrize(
    ("metres", "text"),
    [
        (Fraction(275, 10**5), "2.75 mm"),
        (0, "0 m"),
        (-0.0123456, "-12.35 mm"),
        (4e-7, "400 nm"),
        (3e-6, "3 µm"),
        (1, "1 m"),
        (12345, "12.35 km"),
    ],
)
def test_distances_are_printed_with_their_unit(metres, text):
    assert units.format_metres(metres) == text


@pytest.mark.parametrize(
    ("text", "count"),
    [("10k", 10_000), ("1", 1), ("2.5k", 2500), ("10K", 10_000), ("1_000_000", 10**6)],
)
def test_counts_parse(text, count):
    assert units.parse_count(text) == count


@pytest.mark.parametrize("text", ["0", "1.5", "-3", "many", "10us"])
def test_what_is_no_count_is_refused(text):
    with pytest.raises(ValueError, match=r"must be a|did you mean"):
        units.parse_count(text)


@pytest.mark.parametrize(
    ("ticks", "text"),
    [(0, "0 s"), (1, "1 ns"), (1234, "1.234 µs"), (-1500, "-1.5 µs"), (2_000_000_000, "2 s")],
)
def test_times_print_with_a_fitting_unit(ticks, text):
    assert units.format_ticks(ticks, 1_000_000) == text


@pytest.mark.parametrize(
    ("ticks2", "tick_fs", "text"),
    [
        (0, 1_000_000, "0 s²"),
        (Fraction(1, 4), 1_000_000, "0.25 ns²"),
        (1, 1_000_000, "1 ns²"),
        # A tick of 0.5 ns: four square ticks are a square nanosecond.
        (2, 500_000, "0.5 ns²"),
        (Fraction(2_000_000, 3), 1_000_000, "666,667 ns²"),
        (999_999, 1_000_000, "999,999 ns²"),
        (10**6, 1_000_000, "1 µs²"),
        # Variances of a published study: 0.000378 and 36.52 square milliseconds.
        (378 * 10**6, 1_000_000, "378 µs²"),
        (36_520_000 * 10**6, 1_000_000, "36.52 ms²"),
        (10**18, 1_000_000, "1 s²"),
    ],
)
def test_a_variance_prints_in_the_square_of_the_unit_of_its_root(ticks2, tick_fs, text):
    assert units.format_variance(Fraction(ticks2), tick_fs) == text


@pytest.mark.parametrize("text", ["1e999s", "1e-999s", "1" + "0" * 400 + "s", "1e31s"])
def test_a_time_beyond_all_measure_is_refused(text):
    with pytest.raises(ValueError, match=r"must be a|did you mean"):
        units.parse_duration(text)


@given(st.fractions())
def test_an_exact_text_is_the_number_again(value):
    text = units.decimal_text(value)
    assert Fraction(text) == value
    assert "e" not in text.lower()


def test_a_decimal_has_no_needless_digits():
    texts = [units.decimal_text(Fraction(text)) for text in ("0", "20000", "1/2", "-3/1000", "1/3")]
    assert texts == ["0", "20000", "0.5", "-0.003", "1/3"]


@pytest.mark.parametrize(
    ("mean", "variance", "count", "text"),
    [
        # The error is sqrt(variance / count) ns: 0.117, 0.0026, 30 and 2000.
        (156_124, 6.859e6, 500, "156.1 ns"),
        (156_124, 6.859e6, 10**6, "156.124 ns"),
        (156_100, 6.859e6, 10**6, "156.100 ns"),
        (156_124, 9e9, 10, "160 ns"),
        (156_124, 4e13, 10, "200 ns"),
        (9_576_500, 0, 100, "9.5765 µs"),  # all are equal
        (1_234_567_891, 0, 100, "1.23456789 ms"),
        (9_576_543, 0, 1, "9.577 µs"),
        (0, 0, 7, "0 s"),
    ],
)
def test_a_mean_has_the_digits_that_its_error_reaches(mean, variance, count, text):
    """In ticks of 1 ps."""
    assert units.format_mean(mean, variance, count, 1000) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (1, "1 s"),
        (Fraction(1, 10**3), "1 ms"),
        (Fraction(999, 10**6), "999 µs"),
        (Fraction(1, 10**6), "1 µs"),
        (Fraction(-1, 10**9), "-1 ns"),
        (Fraction(1, 10**10), "0.1 ns"),
        (90, "90 s"),
    ],
)
def test_a_time_has_the_greatest_unit_that_it_reaches(seconds, text):
    assert units.format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999.94e-6, "999.9 µs"),
        (999.96e-6, "1 ms"),
        (-999.96e-6, "-1 ms"),
        (999.96e-9, "1 µs"),
        (0.99996, "1 s"),
        (1e-13, "0.0001 ns"),
    ],
)
def test_a_thousand_of_a_unit_is_one_of_the_next(value, text):
    assert units.format_seconds(value) == text


def test_a_rate_of_a_thousand_kilohertz_is_a_megahertz():
    assert [units.format_rate(rate) for rate in (999_960, 999_940, 0.5)] == [
        "1 MHz",
        "999.9 kHz",
        "0.5 Hz",
    ]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (999.5e-6, 1.001e-3, ("0.9995 ms", "1.001 ms")),
        (999.99e-6, 1e-3, ("1 ms", "1 ms")),
        (49.72e-6, 50.25e-6, ("49.72 µs", "50.25 µs")),
        (2e-6, 1.5e-3, ("2 µs", "1.5 ms")),
        (0, 1e-3, ("0 s", "1 ms")),
        (-1.2e-6, 380e-9, ("-1.2 µs", "0.38 µs")),
    ],
)
def test_both_ends_of_a_range_have_one_unit_unless_it_is_long(low, high, texts):
    assert units.format_range(low, high) == texts
    assert units.format_tick_range(low * 1e12, high * 1e12, 1000) == texts


@pytest.mark.parametrize(
    ("text", "examples"),
    [
        ("20", "20us, 20ms or 20s"),
        (" 20 ", "20us, 20ms or 20s"),
        ("999999", "999999us, 999999ms or 999999s"),
        ("1000000", "10us, 1.5ms or 2s"),
        ("x", "10us, 1.5ms or 2s"),
        ("", "10us, 1.5ms or 2s"),
        ("\u0661", "10us, 1.5ms or 2s"),
    ],
)
def test_a_number_without_a_unit_is_told_what_it_may_have_been(text, examples):
    with pytest.raises(ValueError, match=f"a number with a unit, such as {examples}$"):
        units.parse_duration(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [("0.2", "1/5"), ("1e-3", "1/1000"), ("20%", "1/5"), (" 20 % ", "1/5"), ("1/5", "1/5"),
     ("150%", "3/2"), ("0", "0")],
)  # fmt: skip
def test_a_part_is_a_decimal_a_percentage_or_a_ratio(text, part):
    assert units.parse_part(text) == Fraction(part)


@pytest.mark.parametrize("text", ["", "%", "x", "1/0", "1/", "20us", "1us/5", "1/5us", "5m%"])
def test_what_is_no_part_is_refused(text):
    with pytest.raises(ValueError, match=r"such as 0\.2, 20%|did you mean"):
        units.parse_part(text)
