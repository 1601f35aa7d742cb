# SPDX-License-Identifier: Apache-2.0
"""How codes come: ways, channels and bits that cannot be are refused."""

import pytest

from plexor.model.codes import Codes, Port, Wires


def test_two_wires_are_two_channels():
    with pytest.raises(ValueError, match="ch2 is both clock and data"):
        Wires(2, 2)


@pytest.mark.parametrize("bits", [5, 17])
def test_bits_that_no_code_has_are_refused(bits):
    with pytest.raises(ValueError, match=f"{bits} bits"):
        Codes(wires=Wires(2, 3), bits=bits)


@pytest.mark.parametrize("ways", [{}, {"wires": Wires(0, 1), "port": Port()}])
def test_codes_come_one_way(ways):
    with pytest.raises(ValueError, match="on two wires or at a port, and not both"):
        Codes(**ways)


@pytest.mark.parametrize(("bits", "word"), [(6, 8), (8, 8), (9, 16), (10, 16), (16, 16)])
def test_a_code_is_sent_in_as_many_bytes_as_it_needs(bits, word):
    assert Codes(wires=Wires(0, 1), bits=bits).word_bits == word


@pytest.mark.parametrize(
    ("ways", "channels"),
    [
        ({"wires": Wires(4, 1)}, (4, 1)),
        ({"port": Port()}, ()),
        ({"port": Port(strobe=5)}, (5,)),
    ],
)
def test_channels_that_carry_codes_are_those_of_the_way(ways, channels):
    assert Codes(**ways).channels == channels
