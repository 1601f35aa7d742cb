# SPDX-License-Identifier: Apache-2.0
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
        "front.running_0_0_TRELLIS_FF_Q": flip_flop(FAST, 93, 94),
        "front.running_0_1_TRELLIS_FF_Q": flip_flop(FAST, 94, 95),
        "front.running_1_1_TRELLIS_FF_Q": flip_flop(FAST, 96, 97),
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


def tile(bel):
    x, y = re.match(r"X(\d+)/Y(\d+)/", bel).groups()
    return int(x), int(y)


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
    tiles = [tile(bel) for bel in bels]
    # Four tiles of eight, and none with two clocks or enables.
    assert len(set(tiles)) == 4
    assert len(set(tiles[:8])) == len(set(tiles[8:16])) == 1
    away = [
        (abs(x - 20) + abs(y - 30), abs(x - tiles[0][0]) + abs(y - tiles[0][1])) for x, y in tiles
    ]
    # Those that take words are beside the macro, those that hand them over beside these.
    assert {macro for macro, _ in away[:16]} == {1}
    assert {taking for _, taking in away[16:]} == {1}
    assert "BEL" not in netlist["cells"]["else"]["attributes"]
    # What is locked takes its data through M.
    assert netlist["cells"]["joined0"]["connections"]["M"] == [81]


def test_a_table_is_in_the_slice_of_the_flip_flop_that_takes_its_word():
    netlist = module(8)
    words.place(FAMILIES["ecp5"], netlist, 0, (20, 30))
    for bit in range(8):
        name = f"front.serialiser.now_0_TRELLIS_FF_Q_{bit}"
        at, table = (
            netlist["cells"][cell]["attributes"]["BEL"] for cell in (name, f"{name}_DI_LUT4_Z")
        )
        assert re.fullmatch(r"X\d+/Y\d+/SLICE[A-D]\.FF[01]", at)
        assert table == at.replace("FF", "K")


def test_the_last_flip_flop_before_an_output_runs_is_beside_the_macro():
    cells = module()["cells"]
    words.place(FAMILIES["ecp5"], {"cells": cells}, 0, (20, 30))
    x, y = tile(cells["front.running_0_1_TRELLIS_FF_Q"]["attributes"]["BEL"])
    assert abs(x - 20) + abs(y - 30) == 1
    for name in ("front.running_0_0_TRELLIS_FF_Q", "front.running_1_1_TRELLIS_FF_Q"):
        assert "BEL" not in cells[name]["attributes"]


def test_a_family_without_places_for_hops_is_left_alone():
    netlist = module()
    words.place(FAMILIES["ice40"], netlist, 0, (20, 30))
    assert "BEL" not in netlist["cells"]["joined0"]["attributes"]


def test_more_flip_flops_than_places_are_an_error():
    with pytest.raises(ValueError, match="no tile is free of 80; needs more"):
        words.place(FAMILIES["ecp5"], module(400), 0, (20, 30))


def test_the_cores_flip_flops_that_take_a_channels_word_stand_next_to_those_that_hold_it():
    held = {
        f"word_2_{bit}": flip_flop(FAST, 200 + bit, 100 + bit)
        | {"attributes": {"BEL": f"X30/Y{9 if bit < 4 else 17}/SLICEA.FF{bit % 4}"}}
        for bit in range(8)
    }
    taking = {f"instrument.{bit}": flip_flop(CORE, 100 + bit, 300 + bit) for bit in range(8)}
    other = {"else": flip_flop(CORE, 300, 400)}
    nets = {"front.sampler.word_2": {"bits": list(range(100, 108))}}
    netlist = {"cells": held | taking | other, "netnames": nets}
    words.place_taken(FAMILIES["ecp5"], netlist, 2, (30, 13))
    for bit in range(8):
        x, y = tile(netlist["cells"][f"instrument.{bit}"]["attributes"]["BEL"])
        assert abs(x - 30) + abs(y - (9 if bit < 4 else 17)) == 1
    bels = [cell["attributes"].get("BEL") for cell in netlist["cells"].values()]
    assert bels.count(None) == 1
    assert len(set(bels)) == len(bels)
    words.place_taken(FAMILIES["ice40"], netlist | {"cells": other}, 2, (30, 13))
    assert "BEL" not in other["else"]["attributes"]
