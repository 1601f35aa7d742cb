# SPDX-License-Identifier: Apache-2.0
"""The twin's header says what plexor.protocol declares."""

import re

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space, entries
from plexor.protocol.registers import BLOCKS, StopOn, address
from plexor_sim.twin.contract import geometry_text, header


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def test_each_register_has_its_address_and_bits():
    found = dict(re.findall(r"constexpr Reg k(\w+)\{(\d+, \d+), ", header()))
    expected = {
        camel(block.name) + camel(entry.name): f"{address(block.name, entry.name)}, {entry.bits}"
        for block in BLOCKS
        for entry in block.registers
    }
    assert found == expected


def test_members_of_enumerations_have_their_values():
    found = dict(re.findall(r"constexpr uint32_t k(\w+) = (\d+);", header()))
    assert {name: int(found[f"StopOn{name.capitalize()}"]) for name in StopOn.__members__} == {
        name: int(member) for name, member in StopOn.__members__.items()
    }


def test_a_geometry_is_told_with_the_entries_of_its_spaces():
    shape = Geometry(channels=3)
    told = dict(item.split("=") for item in geometry_text(shape, 1, 2).split(","))
    assert told["channels"] == "3"
    assert (told["gateware_hash"], told["build_id"]) == ("1", "2")
    assert all(int(told[f"entries{int(space)}"]) == entries(shape, space) for space in Space)
