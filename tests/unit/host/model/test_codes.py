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


def test_the_wires_are_clock_and_data():
    assert Codes(4, 1).wires == (4, 1)
