# SPDX-License-Identifier: Apache-2.0
"""How codes come, as the code port's registers and back."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.codes import Codes, Port, Wires
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import CodeMode, address
from plexor.run.plan.codes import code_registers, codes_asked
from plexor.run.plan.rounding import Quantities
from plexor.wire.decode.register_image import RegisterImage

# A core clock is 8 ns.
GEOMETRY = Geometry(code_bits=10, features=ALL_FEATURES | Feature.CODES)
NS = Fraction(1, 10**9)


def values(codes, geometry=GEOMETRY):
    return {write.name: write.value for write in code_registers(codes, Quantities(geometry))}


def test_a_change_port_has_its_window_and_the_pins_of_its_bits():
    found = values(Codes(port=Port(settle_s=32 * NS, skew_s=16 * NS), bits=8))
    assert found["mode"] == CodeMode.CHANGE
    assert (found["settle_clocks"], found["skew_clocks"], found["mask"]) == (4, 2, 0xFF)


def test_a_strobed_port_has_its_channel():
    found = values(Codes(port=Port(strobe=3)))
    assert (found["mode"], found["strobe_channel"], found["mask"]) == (CodeMode.STROBED, 3, 0xFF)


@pytest.mark.parametrize("codes", [None, Codes(wires=Wires(2, 3))])
def test_a_port_that_is_not_used_is_off(codes):
    assert values(codes)["mode"] == CodeMode.OFF


def test_an_instrument_without_a_port_is_asked_for_nothing():
    plain = Geometry()
    assert values(None, plain) == values(Codes(wires=Wires(0, 1)), plain) == {}
    with pytest.raises(ValueError, match="built without CODES, code port; send codes on two"):
        values(Codes(port=Port()), plain)


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        (Codes(port=Port(), bits=12), "12 bits; this instrument has 10 code pins"),
        (Codes(port=Port(strobe=7)), "ch7; this instrument has channels ch0 to ch3"),
        (Codes(port=Port(settle_s=3 * NS)), "settle: 0 ticks"),
        (Codes(port=Port(settle_s=80 * NS)), "settle: 80 ticks"),
        (Codes(port=Port(skew_s=72 * NS)), "skew: 72 ticks"),
    ],
)
def test_a_port_that_cannot_be_set_is_refused(codes, said):
    with pytest.raises(ValueError, match=said):
        values(codes)


@pytest.mark.parametrize(
    "codes",
    [
        Codes(port=Port(settle_s=32 * NS, skew_s=8 * NS), bits=8),
        Codes(port=Port(strobe=2, settle_s=24 * NS, skew_s=0 * NS, without=(8, 9)), bits=10),
    ],
)
def test_a_recording_says_how_codes_came(codes):
    image = RegisterImage()
    assert codes_asked(image, GEOMETRY) is None
    for name, value in values(codes).items():
        image.words[address("code", name)] = value
    assert codes_asked(image, GEOMETRY) == codes
    assert codes_asked(image, replace(GEOMETRY, features=ALL_FEATURES, code_bits=0)) is None
    image.words[address("code", "mode")] = CodeMode.OFF
    assert codes_asked(image, GEOMETRY) is None
