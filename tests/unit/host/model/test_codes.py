"""How codes come: channels and bits that cannot be are refused."""

import pytest

from plexor.model.codes import Codes


@pytest.mark.parametrize(
    ("given", "said"),
    [((2, 2, 16), "ch2 is both clock and data"), ((2, 3, 5), "5 bits"), ((2, 3, 17), "17 bits")],
)
def test_codes_that_cannot_be_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        Codes(*given)


@pytest.mark.parametrize(("bits", "word"), [(6, 8), (8, 8), (9, 16), (10, 16), (16, 16)])
def test_a_code_is_sent_in_as_many_bytes_as_it_needs(bits, word):
    assert Codes(0, 1, bits).word_bits == word


def test_the_wires_are_clock_and_data():
    assert Codes(4, 1).wires == (4, 1)
