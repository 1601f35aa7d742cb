# SPDX-License-Identifier: Apache-2.0
"""Bounds on the terminal: every digit of every figure, and lines that fit."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.bound.files.model_file import read_model
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.formula import Formula
from plexor_lab.bound.text import bound_text, check_text, exact, formula_text, overestimation
from plexor_lab.bound.verdict import MeasuredMaximum, bounded

from .createthread import (
    BLOCKED_NS,
    COLUMNS_NS,
    EXAMPLES,
    MEASURED_NS,
    OVER_PERCENT,
    PLATFORMS,
    TOTAL_NS,
    N,
    example,
    platform_file,
    to_the_cycle,
)

MODEL = read_model(EXAMPLES / "createthread.toml")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(56_728), "56,728"),
        (Fraction("14099.527"), "14,099.527"),
        (Fraction("0.001"), "0.001"),
        (Fraction(1, 8), "0.125"),
        (Fraction(126_895, 9), "14,099 4/9"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-338, 9), "-37 5/9"),
        (Fraction("-1.5"), "-1.5"),
    ],
)
def test_a_number_is_not_rounded(value, text):
    assert exact(value) == text


@given(st.fractions(max_denominator=10**6))
def test_every_number_is_printed_exactly(value):
    text = exact(value).replace(",", "")
    sign = -1 if text.startswith("-") else 1
    assert sign * sum(map(Fraction, text.removeprefix("-").split())) == value


@pytest.mark.parametrize(
    ("fixed", "per_n", "text"),
    [
        ("41752", "1152", "41,752 + 1,152 N"),
        ("0", "18", "18 N"),
        ("52", "0", "52"),
        ("0", "0", "0"),
        ("0.5", "1/3", "0.5 + (1/3) N"),
    ],
)
def test_a_formula_is_as_short_as_it_can_be(fixed, per_n, text):
    assert formula_text(Formula(Fraction(fixed), Fraction(per_n))) == text


def printed(number, ns=(N,), **options):
    return bound_text(
        MODEL,
        read_platform(platform_file(number)),
        example(number),
        ns,
        **{"width": 100, "colour": False} | options,
    )


@pytest.mark.parametrize("number", PLATFORMS)
def test_the_table_shows_the_figures_of_the_study(number):
    lines = printed(number).splitlines()
    last = {line.split("  ")[0]: line.split()[-1] for line in lines if "  " in line}
    assert last["in all"] == f"{TOTAL_NS[number]:,}"
    assert last["blocking"] == f"{BLOCKED_NS[number]:,}"
    columns = list(last)[-9:]
    assert [last[name] for name in columns] == [f"{ns:,}" for ns in COLUMNS_NS[number]]
    assert lines[1].startswith("computed")


def test_the_place_of_a_region_is_shown_where_there_is_a_map():
    text = bound_text(
        MODEL,
        read_platform(EXAMPLES / "memory.toml"),
        to_the_cycle(),
        (N,),
        width=100,
        colour=False,
    )
    assert "lie in" in text
    assert "14,099 4/9" in text
    assert "lie in" not in printed(2)


def test_without_an_n_only_formulas_are_shown():
    text = printed(1, ns=())
    assert "41,752 + 1,152 N" in text
    assert "N = " not in text.replace("T(N) = ", "")


@pytest.mark.parametrize("width", [20, 40, 72, 200])
def test_no_line_is_wider_than_the_terminal(width):
    verdict = bounded(
        Fraction(126_895, 9),
        MeasuredMaximum(
            Fraction("14137.5"),
            "on-width of a channel",
            "measured on ulx3s-12f",
            500_000,
            400,
            3,
            "generated 1 = received 1",
            ("a counter is saturated",),
        ),
    )
    platform = read_platform(platform_file(2))
    texts = [
        printed(3, ns=(0, 1, 50), width=width),
        check_text(MODEL, platform, 13, verdict, width=width, colour=False),
    ]
    for text in texts:
        assert max(map(len, text.splitlines())) <= max(width, 40)


def checked(number, **known):
    measured = MeasuredMaximum(
        Fraction(MEASURED_NS[number]), "on-width of CT", "simulated", **known
    )
    platform = read_platform(platform_file(number))
    return check_text(
        MODEL, platform, N, bounded(Fraction(TOTAL_NS[number]), measured), width=200, colour=False
    )


@pytest.mark.parametrize("number", PLATFORMS)
def test_a_check_shows_both_conventions_and_the_mark(number):
    text = checked(number)
    over_measured, over_estimate = OVER_PERCENT[number]
    assert f"{over_measured} % of what was measured, {over_estimate} % of the estimate" in text
    assert "86 % reported for RTEMS by A. Colin and I. Puaut" in text
    assert text.count("SAFE") == 1
    assert "UNSAFE" not in text


def test_an_excess_that_rounds_to_zero_has_no_sign():
    measured = MeasuredMaximum(Fraction(1_000_001), "on-width of CT", "simulated")
    assert overestimation(bounded(Fraction(1_000_000), measured)) == (
        "0.000 % of what was measured, 0.000 % of the estimate"
    )


def test_what_was_measured_has_uncertainty_samples_missed_strikes_and_origin():
    text = checked(1, tick_fs=520_833, samples=4_000, missed=2, books="generated 9 = received 9")
    assert (
        "measured  51,111 ns ± 0.520833 ns (a tick), maximum on-width of CT, simulated, "
        "4,000 samples, 2 strikes missed\n" in text
    )
    assert "generated 9 = received 9" in text
    assert "NOT PROVEN" in text
    assert "strikes were missed: " in text


def test_an_unsafe_estimate_an_invalid_run_and_a_margin_below_a_tick_are_told():
    measured = MeasuredMaximum(Fraction(14_137), "maximum", "given")
    platform = read_platform(EXAMPLES / "memory.toml")
    text = check_text(
        MODEL, platform, N, bounded(Fraction(126_895, 9), measured), width=100, colour=False
    )
    assert "UNSAFE: what was measured exceeds the estimate" in text
    assert "margin    -37 5/9 ns" in text
    close = replace(measured, tick_fs=10**6, samples=1, invalid_reasons=("a clock was lost",))
    text = check_text(
        MODEL, platform, None, bounded(Fraction(28_275, 2), close), width=100, colour=False
    )
    assert "INVALID RUN: a clock was lost" in text
    assert "the margin is smaller than a tick" in text
    assert ", N = " not in text


def test_a_part_of_nothing_is_not_defined():
    measured = MeasuredMaximum(Fraction(1), "maximum", "given")
    text = check_text(
        MODEL,
        read_platform(platform_file(1)),
        0,
        bounded(Fraction(0), measured),
        width=100,
        colour=False,
    )
    assert "not defined of the estimate" in text
