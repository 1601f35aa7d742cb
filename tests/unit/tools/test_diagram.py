# SPDX-License-Identifier: Apache-2.0
"""The drawing of the instrument's stages, and the netlist that it is read from."""

from dataclasses import replace
from functools import cache

import pytest
from tools import diagram
from tools.stages import Netlist, Wires, netlist_of

from plexor.show.pictures.svg import svg_picture
from plexor_hdl.build import boards


@cache
def netlist(name: str) -> Netlist:
    """Return the netlist of a board's instrument."""
    return netlist_of(boards.simulated(name))


@pytest.mark.parametrize(
    "name",
    [
        boards.DEFAULT,
        *(pytest.param(name, marks=pytest.mark.full) for name in ("hx8k-evn", "icebreaker")),
    ],
)
def test_the_instrument_of_each_profile_only_wires(name):
    assert netlist(name).logic == ()


def test_the_drawing_in_docs_is_the_one_of_the_netlist():
    drawn = svg_picture(diagram.draw(netlist(boards.DEFAULT))) + "\n"
    assert diagram.DRAWING.read_text(encoding="utf-8") == drawn


def places() -> Netlist:
    """Return a netlist with one wire from run control to each stage."""
    names = (diagram.DATA.keys() | diagram.CONTROL.keys()) - {"run"}
    return Netlist(tuple(Wires("run", name, 1) for name in sorted(names)), ())


def test_a_stage_without_a_place_is_named():
    found = places()
    with pytest.raises(diagram.PlaceError, match=r"stages: filter; each must have one place"):
        diagram.draw(replace(found, wires=(*found.wires, Wires("run", "filter", 1))))


def test_a_place_without_a_stage_is_named():
    found = places()
    with pytest.raises(diagram.PlaceError, match=r"stages: bank; each must have one place"):
        diagram.draw(replace(found, wires=found.wires[1:]))


def test_wires_both_ways_are_one_arrow_and_single_bits_none():
    wires = (
        Wires("counts", "dumper", 32),
        Wires("dumper", "counts", 61),
        Wires("packetizer", "dumper", 1),
        Wires("dumper", "packetizer", 10),
        Wires("run", "counts", 8),
    )
    assert diagram.arrows_of(wires) == (
        diagram.Arrow("dumper", "counts", 61, 32),
        diagram.Arrow("dumper", "packetizer", 10, 0),
    )
