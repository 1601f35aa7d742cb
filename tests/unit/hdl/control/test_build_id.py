# SPDX-License-Identifier: Apache-2.0
"""Ids of builds: never a simulation's for a bitstream."""

import pytest

from plexor.protocol.geometry import PLACED, Geometry
from plexor_hdl.control.build_id import identity_values, placed, simulated

HASHES = (0, 1, 0xFFFF_FFFF_FFFF_FFFF, 0x9E37_79B9_7F4A_7C15)


@pytest.mark.parametrize("gateware", HASHES)
def test_a_simulation_is_never_taken_for_a_bitstream(gateware):
    assert placed(gateware, "seed 1") & PLACED
    assert not simulated(gateware) & PLACED
    assert placed(gateware) ^ PLACED != simulated(gateware)
    assert 0 < simulated(gateware) < placed(gateware, "seed 1") < 1 << 64


def test_all_that_a_placement_depends_on_is_in_its_id():
    assert len({placed(number) for number in HASHES}) == len(HASHES)
    assert len({simulated(number) for number in HASHES}) == len(HASHES)
    ways = [("seed 1",), ("seed 2",), ("seed 1", "yosys 0.70"), ("seed 1yosys 0.70",), ()]
    assert len({placed(7, *way) for way in ways}) == len(ways)
    assert placed(7, "a", b"b") == placed(7, "a", "b")


def test_a_hash_or_an_id_of_more_than_64_bits_is_refused():
    for wrong, name in (((1 << 64, 0), "gateware_hash"), ((0, 1 << 64), "build_id")):
        with pytest.raises(ValueError, match=name):
            identity_values(Geometry(), *wrong)
