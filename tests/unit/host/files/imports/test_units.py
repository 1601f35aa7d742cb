# SPDX-License-Identifier: Apache-2.0
"""Prefixes are those of the SI brochure; units of time are read in all spellings."""

from fractions import Fraction

import pytest

from plexor.files.imports.units import scale_of, unit_fs_of


def test_prefixes_are_those_of_the_international_system():
    scales = {"G": 10**9, "M": 10**6, "k": 10**3, "": 1}
    scales |= {
        sign: Fraction(1, 10**digits) for sign, digits in zip("mnpf", (3, 9, 12, 15), strict=True)
    }
    assert {sign: scale_of(sign) for sign in scales} == scales
    # Both signs of Unicode that look like a mu.
    assert scale_of("u") == scale_of("\N{MICRO SIGN}") == scale_of("\N{GREEK SMALL LETTER MU}")
    assert scale_of("u") == Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("texts", "unit_fs"),
    [
        (("s", "S", "sec", "second", "Seconds"), 10**15),
        (("ms", "mS", "msec", "Millisecond", "milliseconds", "millis"), 10**12),
        (("us", "\N{MICRO SIGN}s", "\N{GREEK SMALL LETTER MU}s", "uSec", "microseconds"), 10**9),
        (("ns", "NS", "nanosecond", "nanos"), 10**6),
        (("ps", "picoseconds"), 10**3),
        (("fs", "femtosecond"), 1),
    ],
)
def test_a_unit_of_time_is_read_in_any_spelling(texts, unit_fs):
    assert {unit_fs_of(text) for text in texts} == {unit_fs}
