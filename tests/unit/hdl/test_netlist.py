"""Flip-flops behind a block RAM, in netlists made by hand."""

import pytest

from plexor_hdl.netlist import use_output_registers

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
