# SPDX-License-Identifier: Apache-2.0
"""Forms of options: what a value says in the device's units, and which values are refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from plexor_sim.device_forms import (
    DISTRIBUTIONS,
    MOST_PS,
    Distribution,
    Rate,
    Share,
    Text,
    Time,
    Times,
    Whole,
    time_text,
)

UNITS = {"s": 10**12, "ms": 10**9, "us": 10**6, "µs": 10**6, "μs": 10**6, "ns": 10**3, "ps": 1}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("number", ["1", "250", "0.5", ".25", "3."])
def test_a_time_is_a_number_of_whole_picoseconds(unit: str, number: str) -> None:
    exact = Fraction(number.rstrip(".")) * UNITS[unit]
    if exact.denominator == 1:
        assert Time().value(number + unit) == exact
    else:
        with pytest.raises(ValueError):  # noqa: PT011
            Time().value(number + unit)


@pytest.mark.parametrize(
    ("form", "taken", "refused"),
    [
        (
            Time(),
            ["0", "0ns", "1000s", "2000fs"],
            ["1", "1001s", "-1ns", "1 ns", "1e3ns", "ns", ""],
        ),
        (Time(low=2, high=10), ["2ps", "10ps", "0.01ns"], ["1ps", "0", "11ps"]),
        (Time(low=2, high=10, or_zero=True), ["0", "0s", "2ps"], ["1ps", "11ps"]),
        (Time(unit="fs", high=500), ["500fs", "0.5ps", "0"], ["501fs", "0.1fs", "1ps"]),
        (Whole(-3, 12), ["-3", "+12", "007"], ["-4", "13", "1.0", "", "1e1", "0x1", " 1"]),
        (Rate(10**9), ["0", "1GHz", "1000M", "20k", "300Hz", ".5MHz"], ["1.1G", "3 k", "3m", "-1"]),
        (Share(), ["0", "1", "0.25", "1e-3", ".5"], ["1.01", "-0.1", "nan", "inf", "", "1e400"]),
        (Text("NAME", pattern=r"ch\d(-fall)?"), ["ch0", "ch7-fall"], ["ch", "ch10", "ch0-rise"]),
    ],
)
def test_values_at_the_ends_are_taken_and_those_beyond_are_refused(form, taken, refused) -> None:
    for text in taken:
        form.read(text)
    for text in refused:
        with pytest.raises(ValueError):  # noqa: PT011
            form.read(text)


def test_several_times_are_in_order_or_the_second_is_below_the_first() -> None:
    rising = Times("LOW:HIGH", (Time(), Time()))
    below = Times("PERIOD:SPAN[:START]", (Time(low=2), Time(low=1), Time()), True, True)
    assert rising.read("1ns:1ns") == "1000:1000"
    assert below.read("3ns:2ns") == "3000:2000"
    assert below.read("3ns:2ns:9ns") == "3000:2000:9000"
    for form, texts in (
        (rising, ["2ns:1ns", "1ns", "1ns:2ns:3ns", "1ns:"]),
        (below, ["3ns:3ns", "3ns", "3ns:2ns:1ns:1ns", "3ns:0"]),
    ):
        for text in texts:
            with pytest.raises(ValueError):  # noqa: PT011
                form.read(text)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("5ns", "5000"),
        ("fixed:5ns", "fixed:5000"),
        ("uniform:1ns:1ns", "uniform:1000:1000"),
        ("normal:1us:0", "normal:1000000:0"),
        ("lognormal:1us:10", "lognormal:1000000:10"),
        ("exponential:2ps", "exponential:2"),
        ("list:/a:b", "list:/a:b"),
        ("0*1ns+2*list:x", "0*1000+2*list:x"),
        (".5*uniform:1ns:2ns+1e3*7ps", ".5*uniform:1000:2000+1e3*7"),
    ],
)
def test_each_distribution_has_its_times_in_picoseconds(text: str, taken: str) -> None:
    assert Distribution().read(text) == taken


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("uniform:2ns:1ns", "2ns is above 1ns"),
        ("1*1ns+2ns", "each part of a mixture"),
        ("0*1ns+0*2ns", "at least one weight must be above 0"),
        ("lognormal:1us:10.1", ""),
        ("uniform:1ns", ""),
        ("normal:1ns:1ns:1ns", ""),
        ("gamma:1ns:1ns", ""),
        ("fixed:", ""),
        ("1*", ""),
    ],
)
def test_a_distribution_that_is_none_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        Distribution().read(text)
    assert reason in str(caught.value)
    assert bool(str(caught.value)) == bool(reason)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_every_distribution_that_is_explained_is_one(name: str) -> None:
    sigma = "2" if name.startswith("lognormal") else "1ns"
    words = {"TIME": "3ns", "LOW": "1ns", "HIGH": "2ns", "MEAN": "1ns", "MEDIAN": "1ns"}
    words |= {"SIGMA": sigma, "+...": ""}
    if "*" in name:
        words |= {"P*": "1*", "Q*": "2*", "one": "1ns", "other": "2ns"}
    for text in name.split(" or "):
        for word, value in words.items():
            text = text.replace(word, value)  # noqa: PLW2901
        Distribution().read(text)


@pytest.mark.parametrize(
    ("units", "unit", "text"),
    [
        (0, "ps", "0"),
        (MOST_PS, "ps", "1000s"),
        (1500, "ps", "1500ps"),
        (2000, "ps", "2ns"),
        (1, "fs", "1fs"),
        (10**6, "fs", "1ns"),
        (60 * 10**9, "ps", "60ms"),
    ],
)
def test_a_time_is_told_in_its_largest_whole_unit_and_read_back(units, unit, text) -> None:
    assert time_text(units, unit) == text
    assert Time(unit=unit, high=MOST_PS * 1000).value(text) == units
