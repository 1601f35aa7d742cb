# SPDX-License-Identifier: Apache-2.0
"""Records: packed little-endian without padding, as `struct` has them."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.protocol.records import Field, Record

RECORD = Record(
    "r",
    "",
    (
        Field("a", 8, "", ""),
        Field("b", 16, "", "", signed=True),
        Field("c", 64, "", "", signed=True),
        Field("d", 32, "", ""),
    ),
)


@given(
    st.integers(0, 255),
    st.integers(-(1 << 15), (1 << 15) - 1),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.integers(0, (1 << 32) - 1),
)
def test_a_record_is_packed_as_struct_does_and_comes_back(a, b, c, d):
    values = dict(zip("abcd", (a, b, c, d), strict=True))
    packed = RECORD.pack(values)
    assert packed == struct.pack("<BhqI", a, b, c, d)
    assert RECORD.unpack(packed) == values
    assert RECORD.size_bytes == 15


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("a", 256, "r.a: 256 does not fit in 8 bits"),
        ("a", -1, "r.a: -1 does not fit in 8 bits"),
        ("b", 1 << 15, "r.b: 32768 does not fit in 16 signed bits"),
        ("b", -(1 << 15) - 1, "r.b: -32769 does not fit in 16 signed bits"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(name, value, says):
    with pytest.raises(ValueError, match="does not fit") as caught:
        RECORD.pack({"a": 0, "b": 0, "c": 0, "d": 0} | {name: value})
    assert str(caught.value) == says


def test_fields_that_are_missing_or_unknown_are_refused_together():
    with pytest.raises(ValueError, match=r"r: fields \['d', 'e'\] missing or unknown"):
        RECORD.pack({"a": 0, "b": 0, "c": 0, "e": 0})


@pytest.mark.parametrize("size", [0, 14, 16])
def test_another_length_is_no_record(size):
    with pytest.raises(ValueError, match=f"r: {size} bytes; must be 15"):
        RECORD.unpack(bytes(size))


@pytest.mark.parametrize("bits", [0, 1, 24, 128])
def test_a_field_is_whole_words_of_bytes(bits):
    with pytest.raises(ValueError, match=f"field x: {bits} bits; must be one of"):
        Field("x", bits, "", "")
