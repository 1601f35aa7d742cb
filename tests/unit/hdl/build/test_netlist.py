# SPDX-License-Identifier: Apache-2.0
"""Flip-flops that go into block RAMs and multipliers, in netlists made by hand."""

import copy

import pytest

from plexor_hdl.build.netlist import use_factor_registers, use_multipliers, use_output_registers

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


FACTORS, PRODUCT, KEPT = {"A0": 40, "B0": 41, "B1": 42}, {"P0": 50, "P2": 51}, {"P0": 60, "P2": 61}
DATA = {"A0": 70, "B0": 71, "B1": 72}


def multiplier(name=None, **changes):
    """Return a multiplier with a flip-flop at each pin in use, the named one changed."""
    wires = {port: [bit] for port, bit in {**FACTORS, **PRODUCT}.items()}
    wires |= {"A1": ["0"], "P1": [52], "SIGNEDA": ["0"]}
    cells = {
        "multiplier": {
            "type": "MULT18X18D",
            "parameters": {},
            "connections": wires,
            "port_directions": {port: "output" if port[0] == "P" else "input" for port in wires},
        }
    }
    flip_flops = {port: (DATA[port], bit) for port, bit in FACTORS.items()}
    flip_flops |= {port: (bit, KEPT[port]) for port, bit in PRODUCT.items()}
    for port, (bit, stored) in flip_flops.items():
        cells[port] = flip_flop(bit, stored, **(changes if port == name else {}))
    ports = {"out": {"bits": [*KEPT.values()]}, "in": {"bits": [*DATA.values()]}}
    return {"modules": {"top": {"ports": ports, "cells": cells}}}


def test_flip_flops_around_a_multiplier_become_its_registers():
    found = multiplier()
    assert use_factor_registers(found) == 5
    cells = found["modules"]["top"]["cells"]
    assert set(cells) == {"multiplier"}
    ends = cells["multiplier"]["connections"]
    assert {port: ends[port] for port in DATA} == {port: [bit] for port, bit in DATA.items()}
    assert {port: ends[port] for port in KEPT} == {port: [bit] for port, bit in KEPT.items()}
    assert (ends["A1"], ends["P1"]) == (["0"], [52])
    assert (ends["CLK0"], ends["CE0"], ends["RST0"]) == ([CLOCK], ["1"], ["0"])
    named = {f"REG_{name}_CLK": "CLK0" for name in ("INPUTA", "INPUTB", "OUTPUT")}
    assert cells["multiplier"]["parameters"] == named
    assert cells["multiplier"]["port_directions"]["CLK0"] == "input"


@pytest.mark.parametrize("name", ["A0", "B1", "P2"])
@pytest.mark.parametrize(
    "changes",
    [{"CEMUX": "CE "}, {"LSR": [ENABLE]}, {"CLK": [CLOCK + 1]}, {"REGSET": "SET"}, {"DI": [99]}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_multiplier_without_such_a_flip_flop_at_each_pin_stays_as_it_is(name, changes):
    if "DI" in changes and name != "P2":
        changes = {"Q": [99]}
    found = multiplier(name, **changes)
    if "DI" in changes:
        found["modules"]["top"]["ports"]["out"]["bits"].append(PRODUCT[name])
    before = copy.deepcopy(found)
    assert use_factor_registers(found) == 0
    assert found == before


@pytest.mark.parametrize("bit", [FACTORS["B0"], PRODUCT["P0"]])
def test_a_factor_or_product_that_is_used_elsewhere_keeps_its_flip_flops(bit):
    found = multiplier()
    found["modules"]["top"]["ports"]["other"] = {"bits": [bit]}
    assert use_factor_registers(found) == 0
    assert len(found["modules"]["top"]["cells"]) == 6


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
