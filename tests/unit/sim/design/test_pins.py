# SPDX-License-Identifier: Apache-2.0
"""Pins by their texts; what is wrong is kept with the others."""

from __future__ import annotations

import pytest

from plexor_sim.design.pins import Pin, pin_of, pins_of, texts_of


@pytest.mark.parametrize(("text", "pin"), [("q", Pin("q", 0)), ("wide[39]", Pin("wide", 39))])
def test_a_pin_is_a_port_and_a_bit(text: str, pin: Pin) -> None:
    assert Pin.parse(text) == pin
    assert pin.text == text


def test_what_names_no_pin_is_a_fault_and_the_others_stay() -> None:
    faults: list[str] = []
    assert pins_of("k", ["a", "b(", 3, "c[1]"], 4, faults) == (Pin("a", 0), Pin("c", 1))
    assert faults == ["k: 3; must be text", "k: 'b('; must be name or name[bit]"]
    assert pin_of("k", None, faults) is None
    assert texts_of("t", ["x", 1], faults) == ["x"]
    assert pins_of("k", ["a"] * 5, 4, faults) == ()
    assert faults[2:] == ["t: 1; must be text", "k: 5 pins; must be 1 to 4"]
