# SPDX-License-Identifier: Apache-2.0
"""A register takes what its bits hold, in two's complement if it has a sign."""

import pytest

from plexor.protocol.register_kinds import Access, Register


@pytest.mark.parametrize(
    ("bits", "signed", "value", "pattern"),
    [
        (1, False, 0, 0),
        (1, False, 1, 1),
        (48, False, (1 << 48) - 1, 0xFFFF_FFFF_FFFF),
        (32, True, (1 << 31) - 1, 0x7FFF_FFFF),
        (32, True, -1, 0xFFFF_FFFF),
        (32, True, -(1 << 31), 0x8000_0000),
        (8, True, -3, 0xFD),
    ],
)
def test_a_value_becomes_its_bits(bits, signed, value, pattern):
    assert Register("r", bits, Access.READ, "", "", signed=signed).check(value) == pattern


@pytest.mark.parametrize(
    ("bits", "signed", "value", "least", "most"),
    [
        (1, False, 2, 0, 1),
        (1, False, -1, 0, 1),
        (16, False, 1 << 16, 0, 65_535),
        (8, True, 128, -128, 127),
        (8, True, -129, -128, 127),
    ],
)
def test_a_value_beyond_its_bits_is_refused_with_what_fits(bits, signed, value, least, most):
    with pytest.raises(ValueError, match=f"^r: {value}; must be {least} to {most}$"):
        Register("r", bits, Access.READ, "", "", signed=signed).check(value)


@pytest.mark.parametrize(("bits", "words"), [(1, 1), (32, 1), (33, 2), (48, 2), (64, 2), (65, 3)])
def test_a_register_has_as_many_words_as_its_bits_fill(bits, words):
    assert Register("r", bits, Access.READ, "", "").words == words
