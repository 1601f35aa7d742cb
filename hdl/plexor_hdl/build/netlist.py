# SPDX-License-Identifier: Apache-2.0
"""Improves yosys' JSON netlists before place and route."""

import re
from collections import Counter, defaultdict
from typing import Any

READ_BITS = 18
"""Data outputs of a DP16KD's port (Lattice FPGA-TN-02204, ECP5 memory usage guide)."""
_FACTORS = re.compile(r"[ABP][0-9]+")
MULTIPLIER_BITS = 32
"""Bits of an SB_MAC16's output register."""


def use_output_registers(netlist: dict[str, Any]) -> int:
    """Move flip-flops behind ECP5 block RAMs into the RAMs' output registers; return how many.

    A port's flip-flops are moved if each output bit in use goes to exactly one flip-flop with the
    port's clock, without enable and reset. The port may have a read enable (CE), because the
    register has an enable of its own (OCE). Yosys has no such pass. Without the register, a block
    RAM's clock-to-output delay is 5.8 ns instead of 1 ns.
    """
    moved = 0
    for module in netlist["modules"].values():
        cells, loads = module["cells"], _loads(module)
        memories = [cell for cell in cells.values() if cell["type"] == "DP16KD"]
        for memory in memories:
            for side in "AB":
                moved += _move(memory, side, cells, loads)
    return moved


def _move(memory: dict[str, Any], side: str, cells: dict[str, Any], loads: dict) -> int:
    """Move all flip-flops behind one port, or none; return how many were moved."""
    behind = {}
    for number in range(READ_BITS):
        port = f"DO{side}{number}"
        bits = memory["connections"].get(port, [])
        users = loads[bits[0]] if bits else []
        if not users:
            continue
        name, pin = users[0]
        clock = memory["connections"][f"CLK{side}"]
        if len(users) > 1 or pin != "DI" or not _is_plain(cells[name], clock):
            return 0
        behind[port] = name
    if not behind or memory["parameters"][f"REGMODE_{side}"] != "NOREG":
        return 0
    for port, name in behind.items():
        memory["connections"][port] = cells.pop(name)["connections"]["Q"]
    memory["parameters"][f"REGMODE_{side}"] = "OUTREG"
    memory["connections"][f"OCE{side}"] = ["1"]
    return len(behind)


def _loads(module: dict[str, Any]) -> dict[Any, list[tuple[str, str]]]:
    """Return what each bit of a module goes to: names of cells, and their ports."""
    loads = defaultdict(list)
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for bit in bits:
                    loads[bit].append((name, port))
    for net in module["ports"].values():
        for bit in net["bits"]:
            loads[bit].append(("", "port"))
    return loads


def use_factor_registers(netlist: dict[str, Any]) -> int:
    """Move flip-flops around ECP5 multipliers into the multipliers; return how many.

    The flip-flops before both factors and those behind the product are moved, if all are there.
    Each goes to one pin, or comes from one, and has the clock of the others, no enable and no
    reset. Yosys has no such pass. Without these registers half of a clock is spent in the
    multiplier, and more on the way to it and back. The registers are those of Lattice
    FPGA-TN-02205, sysDSP usage guide.
    """
    moved = 0
    for module in netlist["modules"].values():
        cells, loads = module["cells"], _loads(module)
        behind = {
            cell["connections"]["Q"][0]: name
            for name, cell in cells.items()
            if cell["type"] == "TRELLIS_FF"
        }
        for multiplier in [cell for cell in cells.values() if cell["type"] == "MULT18X18D"]:
            moved += _move_factors(multiplier, cells, loads, behind)
    return moved


def _move_factors(
    multiplier: dict[str, Any], cells: dict[str, Any], loads: dict, behind: dict[Any, str]
) -> int:
    """Move all flip-flops around a multiplier, or none; return how many were moved."""
    ends, before, after = multiplier["connections"], {}, {}
    for port, bits in ends.items():
        if not _FACTORS.fullmatch(port) or not isinstance(bits[0], int):
            continue
        users = loads[bits[0]]
        if port[0] in "AB":
            before[port] = behind.get(bits[0])
            if before[port] is None or len(users) > 1:
                return 0
        elif users:
            after[port], pin = users[0]
            if len(users) > 1 or pin != "DI":
                return 0
    names = [*before.values(), *after.values()]
    clocks = [cells[name]["connections"].get("CLK") for name in names]
    if not before or not after or not all(_is_plain(cells[name], clocks[0]) for name in names):
        return 0
    for port, name in before.items():
        ends[port] = cells.pop(name)["connections"]["DI"]
    for port, name in after.items():
        ends[port] = cells.pop(name)["connections"]["Q"]
    ends |= {"CLK0": clocks[0], "CE0": ["1"], "RST0": ["0"]}
    multiplier["port_directions"] |= dict.fromkeys(("CLK0", "CE0", "RST0"), "input")
    for register in ("INPUTA", "INPUTB", "OUTPUT"):
        multiplier["parameters"][f"REG_{register}_CLK"] = "CLK0"
    return len(names)


def _is_plain(cell: dict[str, Any], clock: list[Any] | None) -> bool:
    """Return whether a cell is a flip-flop that a register without enable and reset can replace."""
    if cell["type"] != "TRELLIS_FF":
        return False
    connections, parameters = cell["connections"], cell["parameters"]
    return (
        connections["CLK"] == clock
        and parameters["CLKMUX"].strip() == "CLK"
        and parameters["CEMUX"].strip() == "1"
        and connections.get("LSR", ["0"]) == ["0"]
        and parameters["REGSET"] == "RESET"
    )


def use_multipliers(netlist: dict[str, Any], most: int, reset: str) -> int:
    """Move flip-flops into registers of up to `most` UltraPlus multipliers; return how many.

    Up to 32 flip-flops with the same clock and enable become the output register of an SB_MAC16. It
    loads its inputs C and D and adds nothing (FPGA-TN-02007, DSP function usage guide). The largest
    groups are moved first. A flip-flop behind its own look-up table stays, because the two share a
    cell. `reset` is a net that is high until the clocks run. It sets all bits to 0, as
    configuration does for flip-flops.
    """
    moved = 0
    for module in netlist["modules"].values():
        cells = module["cells"]
        drivers, loads, greatest = {}, Counter(), 0
        for cell in cells.values():
            for port, bits in cell["connections"].items():
                for bit in bits:
                    greatest = max(greatest, bit if isinstance(bit, int) else 0)
                    if cell["port_directions"][port] == "output":
                        drivers[bit] = cell["type"]
                    else:
                        loads[bit] += 1
        groups = defaultdict(list)
        for name, cell in cells.items():
            ends = cell["connections"]
            if cell["type"] == "SB_DFFE" and not (
                drivers.get(ends["D"][0]) == "SB_LUT4" and loads[ends["D"][0]] == 1
            ):
                groups[ends["C"][0], ends["E"][0]].append(name)
        chosen = sorted(groups.items(), key=lambda item: (-len(item[1]), item[1]))[:most]
        for number, ((clock, enable), group) in enumerate(chosen):
            names = group[:MULTIPLIER_BITS]
            data = [cells[name]["connections"]["D"][0] for name in names]
            stored = [cells.pop(name)["connections"]["Q"][0] for name in names]
            free = range(greatest + 1, greatest + 1 + MULTIPLIER_BITS - len(names))
            greatest += len(free)
            data += ["0"] * len(free)
            connections = {
                "CLK": [clock],
                "CE": [enable],
                "D": data[: MULTIPLIER_BITS // 2],
                "C": data[MULTIPLIER_BITS // 2 :],
                "O": [*stored, *free],
            }
            for side in ("TOP", "BOT"):
                connections[f"ORST{side}"] = module["netnames"][reset]["bits"]
                connections[f"OLOAD{side}"] = ["1"]
            cells[f"registers{number}"] = {
                "hide_name": 0,
                "type": "SB_MAC16",
                "parameters": {"TOPOUTPUT_SELECT": "01", "BOTOUTPUT_SELECT": "01"},
                "attributes": {},
                "port_directions": {
                    port: "output" if port == "O" else "input" for port in connections
                },
                "connections": connections,
            }
            moved += len(names)
    return moved
