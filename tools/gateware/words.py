"""Places the core's flip-flops that hand words to the serialiser, beside the output's macro.

nextpnr checks no times between the core's clock and the phases'. Left alone, it puts some of these
flip-flops so far away that the hop to phase 0 misses its time.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from tools.gateware import macro
from tools.gateware.families import Family
from tools.gateware.skew import SERIALISER

_INPUTS = "ABCD"
_BEL = re.compile(r"X(\d+)/Y(\d+)/")


def place(family: Family, module: dict[str, Any], number: int, origin: tuple[int, int]) -> None:
    """Lock an output's flip-flops in the tiles nearest to its macro in which nothing is locked.

    Does nothing for a family whose hops have no places. Raises ValueError if places are too few.
    """
    if not family.hop_bels:
        return
    cells = module["cells"]
    bels = (_BEL.match(cell["attributes"].get("BEL", "")) for cell in cells.values())
    used = {(int(bel[1]), int(bel[2])) for bel in bels if bel}
    around = range(-family.reach, family.reach + 1)
    free = [
        (abs(x) + abs(y), tile)
        for x, y in product(around, around)
        if (tile := (origin[0] + x, origin[1] + y)) not in used
    ]
    places = [f"X{x}/Y{y}/{bel}" for _, (x, y) in sorted(free) for bel in family.hop_bels]
    names = handing(module, number)
    if len(places) < len(names):
        raise ValueError(f"output {number}: {len(places)} free places; needs {len(names)}")
    for name, bel in zip(names, places, strict=False):
        macro.lock(cells[name], bel)


def handing(module: dict[str, Any], number: int) -> list[str]:
    """Return the flip-flops of another clock in front of the output's `now` and `later`."""
    cells = module["cells"]
    taking = re.compile(rf"{re.escape(SERIALISER)}\.(now|later)_{number}_TRELLIS_FF")
    drivers = {
        bit: name
        for name, cell in cells.items()
        for port in ("Q", "Z")
        for bit in cell["connections"].get(port, ())
    }
    found: set[str] = set()
    for name, cell in cells.items():
        if cell["type"] != "TRELLIS_FF" or not taking.match(name):
            continue
        clock, left = cell["connections"]["CLK"], _sources(cell, drivers)
        while left:
            source = left.pop()
            if cells[source]["type"] != "TRELLIS_FF":
                left += _sources(cells[source], drivers)
            elif cells[source]["connections"]["CLK"] != clock:
                found.add(source)
    return sorted(found)


def _sources(cell: dict[str, Any], drivers: dict[object, str]) -> list[str]:
    """Return the cells that drive the data of a flip-flop, or the inputs of a look-up table."""
    ports = ("DI", "M") if cell["type"] == "TRELLIS_FF" else _INPUTS
    bits = (bit for port in ports for bit in cell["connections"].get(port, ()))
    return [drivers[bit] for bit in bits if bit in drivers]
