"""The flip-flops that hand words to the serialiser: which they are, and where they are put."""

import re

import pytest
from tools.gateware import words
from tools.gateware.families import FAMILIES

CORE, FAST = 1, 2


def flip_flop(clock, data, out):
    return {
        "type": "TRELLIS_FF",
        "attributes": {},
        "parameters": {"SD": "1"},
        "port_directions": {"DI": "input"},
        "connections": {"CLK": [clock], "DI": [data], "Q": [out]},
    }


def module(width=1):
    """Return a netlist: `width` words' bits go straight to `later_0`, as many through a table."""
    cells = {
        "macro": {"type": "LUT4", "attributes": {"BEL": "X20/Y30/SLICEA.K0"}, "connections": {}},
        # Of the core, but not in front of output 0.
        "else": flip_flop(CORE, 90, 91),
        "front.serialiser.later_1_TRELLIS_FF_Q": flip_flop(FAST, 91, 92),
    }
    for bit in range(width):
        straight, joined, later, table = (1000 * n + bit for n in range(2, 6))
        cells |= {
            f"straight{bit}": flip_flop(CORE, 80, straight),
            f"joined{bit}": flip_flop(CORE, 81, joined),
            f"front.serialiser.later_0_TRELLIS_FF_Q_{bit}": flip_flop(FAST, straight, later),
            f"front.serialiser.now_0_TRELLIS_FF_Q_{bit}_DI_LUT4_Z": {
                "type": "LUT4",
                "attributes": {},
                "connections": {"A": [joined], "B": [later], "C": ["0"], "Z": [table]},
            },
            f"front.serialiser.now_0_TRELLIS_FF_Q_{bit}": flip_flop(FAST, table, 6000 + bit),
        }
    return {"cells": cells}


def test_those_of_the_core_are_found_straight_and_through_a_table():
    assert words.handing(module(), 0) == ["joined0", "straight0"]
    assert words.handing(module(), 1) == ["else"]


def test_they_are_locked_in_the_nearest_tiles_in_which_nothing_is_locked():
    netlist = module(8)
    words.place(FAMILIES["ecp5"], netlist, 0, (20, 30))
    now, later = (
        [f"front.serialiser.{which}_0_TRELLIS_FF_Q_{bit}" for bit in range(8)]
        for which in ("now", "later")
    )
    names = [*now, *later, *words.handing(netlist, 0)]
    bels = [netlist["cells"][name]["attributes"]["BEL"] for name in names]
    assert len(set(bels)) == len(names) == 32
    tiles = [re.match(r"X(\d+)/Y(\d+)/", bel).groups() for bel in bels]
    # Four tiles of eight, all beside the macro's, and none with two clocks or enables.
    assert len(set(tiles)) == 4
    assert len(set(tiles[:8])) == len(set(tiles[8:16])) == 1
    assert {abs(int(x) - 20) + abs(int(y) - 30) for x, y in tiles} == {1}
    assert "BEL" not in netlist["cells"]["else"]["attributes"]
    # What is locked takes its data through M.
    assert netlist["cells"]["joined0"]["connections"]["M"] == [81]


def test_a_family_without_places_for_hops_is_left_alone():
    netlist = module()
    words.place(FAMILIES["ice40"], netlist, 0, (20, 30))
    assert "BEL" not in netlist["cells"]["joined0"]["attributes"]


def test_more_flip_flops_than_places_are_an_error():
    with pytest.raises(ValueError, match="no tile is free of 80; needs more"):
        words.place(FAMILIES["ecp5"], module(400), 0, (20, 30))
