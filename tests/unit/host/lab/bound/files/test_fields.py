# SPDX-License-Identifier: Apache-2.0
"""Single values of files: what is taken, exactly, and what is said of others."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor_lab.bound.files import fields
from plexor_lab.bound.formula import MOST
from plexor_lab.bound.model import AccessKind, Repetition


@pytest.mark.parametrize("value", [0, 13, MOST, "0", "13", "007", str(MOST)])
def test_a_count_is_a_whole_number(value):
    assert fields.whole(value) == int(value)


@pytest.mark.parametrize(
    "value",
    [-1, "-1", Decimal("1.5"), "1.5", Decimal(1), True, "", "x", "1e3", None, MOST + 1, "9" * 30],
)
def test_a_negative_or_fractional_count_is_refused(value):
    with pytest.raises(ValueError, match=f"; must be a whole number from 0 to {MOST}"):
        fields.whole(value)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (14, Fraction(14)),
        (Decimal("13.889"), Fraction(13889, 1000)),
        (Decimal("1E+2"), Fraction(100)),
        ("13.889", Fraction(13889, 1000)),
        ("125/9", Fraction(125, 9)),
        (" 14 ", Fraction(14)),
        (0, Fraction(0)),
        ("1000/72", Fraction(125, 9)),
    ],
)
def test_a_time_is_exact(value, found):
    assert fields.time_ns(value) == found


@given(st.decimals(0, 10**6, places=9))
def test_every_decimal_is_taken_as_it_is_written(value):
    assert fields.time_ns(value) == Fraction(value) == fields.time_ns(str(value))


@pytest.mark.parametrize(
    "value",
    [
        *(-1, "-1", Decimal("-0.5"), Decimal("inf"), Decimal("nan"), Decimal("1e999"), "1e999"),
        *("14 ns", "20%", "1/0", "1/2/3", "", "x", True, None, [14], {"ns": 14}, 10**40, "125/-9"),
        1.5,
    ],
)
def test_a_time_that_is_none_is_refused(value):
    with pytest.raises(
        ValueError, match=r"; must be nanoseconds of at least 0, such as 14, 13\.889"
    ):
        fields.time_ns(value)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1, Repetition(1)),
        ("12", Repetition(12)),
        ("N", Repetition(1, of_n=True)),
        ("2*N", Repetition(2, of_n=True)),
        (" 3 * N ", Repetition(3, of_n=True)),
    ],
)
def test_a_repetition_is_a_number_n_or_a_multiple_of_n(value, found):
    assert fields.repetition(value) == found


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, Decimal("1.5"), True, "0", "0*N", "-1*N", "N*2", "2N", "n", "M", "", "N+1", None),
        *("9" * 14 + "*N", "9" * 14, []),
    ],
)
def test_a_repetition_that_is_none_is_refused(value):
    with pytest.raises(ValueError, match=r"; must be a whole number of at least 1, N, or such as"):
        fields.repetition(value)


@pytest.mark.parametrize(("value", "found"), [(True, True), ("yes", True), ("no", False)])
def test_a_section_blocks_or_does_not(value, found):
    assert fields.flag(value) is found


@pytest.mark.parametrize("value", ["true", "Y", "", 1, 0, None])
def test_what_says_neither_is_refused(value):
    with pytest.raises(ValueError, match="; must be true or false in TOML, yes or no in CSV"):
        fields.flag(value)


@pytest.mark.parametrize("value", ["", " ", "a\nb", "\x1b[2J", 3, "x" * 101])
def test_a_name_that_cannot_be_printed_is_refused(value):
    with pytest.raises(ValueError, match="; must be a name of "):
        fields.name(value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("stack", ("stack", AccessKind.ANY)),
        ("heap.read", ("heap", AccessKind.READ)),
        (".text.burst_write", (".text", AccessKind.BURST_WRITE)),
        (".text", (".text", AccessKind.ANY)),
        ("a.any", ("a", AccessKind.ANY)),
        ("a.fetch", ("a.fetch", AccessKind.ANY)),
        (".read", (".read", AccessKind.ANY)),
    ],
)
def test_a_column_is_a_region_and_a_kind(text, found):
    assert fields.column(text) == found


def test_a_kind_of_access_is_one_of_five():
    assert [fields.access(kind) for kind in AccessKind] == list(AccessKind)
    with pytest.raises(
        ValueError,
        match="'fetch'; must be a kind of access: read, write, burst_read, burst_write, any",
    ):
        fields.access("fetch")


def test_a_long_value_is_cut_in_messages():
    assert len(fields.shown("x" * 1000)) < 70
    assert fields.shown(Decimal("1.50")) == "1.50"


def test_a_value_is_shown_whole_up_to_60_characters():
    assert fields.shown(Decimal("1" * 60)) == "1" * 60
    assert fields.shown(Decimal("1" * 61)) == "1" * 60 + "…"
    assert fields.shown("x" * 59) == "'" + "x" * 59 + "…"
