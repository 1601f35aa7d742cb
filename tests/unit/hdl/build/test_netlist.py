"""Flip-flops that go into block RAMs and multipliers, in netlists made by hand."""

import pytest

from plexor_hdl.build.netlist import use_multipliers, use_output_registers

CLOCK, WORD, STORED, ENABLE = 2, (10, 11), (20, 21), 30


def flip_flop(bit, stored, **changes):
    cell = {
        "type": "TRELLIS_FF",
        "parameters": {"CLKMUX": "CLK ", "CEMUX": "1 ", "REGSET": "RESET"},
        "connections": {"CLK": [CLOCK], "DI": [bit], "LSR": ["0"], "Q": [stored]},
        "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
    }
    for name, value in changes.items():
        cell["connections" if name in cell["connections"] else "parameters"][name] = value
    return cell


def netlist(**changes):
    """Return two bits of a memory's port B with a flip-flop each, the second one changed."""
    connections = {"CLKB": [CLOCK], "OCEB": ["0"], **{f"DOB{n}": [WORD[n]] for n in range(2)}}
    memory = {
        "type": "DP16KD",
        "parameters": {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"},
        "connections": connections,
        "port_directions": {
            name: "output" if name.startswith("DO") else "input" for name in connections
        },
    }
    cells = {
        "memory": memory,
        "first": flip_flop(WORD[0], STORED[0]),
        "second": flip_flop(WORD[1], STORED[1], **changes),
    }
    return {"modules": {"top": {"ports": {"out": {"bits": [*STORED]}}, "cells": cells}}}


def test_flip_flops_behind_a_port_become_its_output_register():
    found = netlist()
    assert use_output_registers(found) == 2
    cells = found["modules"]["top"]["cells"]
    assert set(cells) == {"memory"}
    memory = cells["memory"]
    assert [memory["connections"][f"DOB{n}"] for n in range(2)] == [[bit] for bit in STORED]
    assert memory["parameters"] == {"REGMODE_A": "NOREG", "REGMODE_B": "OUTREG"}
    assert memory["connections"]["OCEB"] == ["1"]


@pytest.mark.parametrize(
    "changes",
    [{"CEMUX": "CE "}, {"LSR": [ENABLE]}, {"CLK": [CLOCK + 1]}, {"REGSET": "SET"}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_port_with_another_kind_of_flip_flop_stays_as_it_is(changes):
    found = netlist(**changes)
    assert use_output_registers(found) == 0
    assert found == netlist(**changes)


def test_a_bit_that_is_used_twice_keeps_its_port_as_it_is():
    found = netlist()
    found["modules"]["top"]["ports"]["word"] = {"bits": [WORD[0]]}
    assert use_output_registers(found) == 0
    assert set(found["modules"]["top"]["cells"]) == {"memory", "first", "second"}


def settings(count, enable, start, behind=()):
    """Return flip-flops with an enable, by name; those in `behind` behind a table of their own."""
    cells = {}
    for number in range(start, start + count):
        cells[f"ff{number}"] = {
            "type": "SB_DFFE",
            "connections": {"C": [CLOCK], "D": [number], "E": [enable], "Q": [number + 500]},
            "port_directions": {"C": "input", "D": "input", "E": "input", "Q": "output"},
        }
        if number in behind:
            cells[f"table{number}"] = {
                "type": "SB_LUT4",
                "connections": {"O": [number]},
                "port_directions": {"O": "output"},
            }
    return cells


def test_the_greatest_groups_of_flip_flops_go_into_multipliers():
    cells = settings(3, 30, 100) | settings(5, 31, 200, behind=[204]) | settings(4, 32, 300)
    netnames = {"stopped": {"bits": [9]}}
    found = {"modules": {"top": {"cells": cells, "netnames": netnames, "ports": {}}}}
    assert use_multipliers(found, 2, "stopped") == 8
    kept = {name for name in cells if cells[name]["type"] == "SB_DFFE"}
    assert kept == {"ff100", "ff101", "ff102", "ff204"}
    one, other = (cells[f"registers{number}"]["connections"] for number in range(2))
    assert {one["CE"][0], other["CE"][0]} == {31, 32}
    for connections in (one, other):
        assert connections["CLK"] == [CLOCK]
        assert connections["ORSTTOP"] == connections["ORSTBOT"] == [9]
        assert connections["O"][:4] == [bit + 500 for bit in connections["D"][:4]]
        assert len(connections["O"]) == len(set(connections["O"])) == 32
        assert len(connections["C"]) == len(connections["D"]) == 16
