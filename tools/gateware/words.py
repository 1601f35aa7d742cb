"""Places the flip-flops at which the core's words reach the serialiser, beside the output's macro.

nextpnr checks no times between the core's clock and the phases'. Left alone, it puts some of these
flip-flops so far away that the hop to phase 0 misses its time.
"""

from __future__ import annotations

import re
from typing import Any

from tools.gateware import macro
from tools.gateware.families import Family
from tools.gateware.hop_places import nearest
from tools.gateware.skew import SERIALISER

_INPUTS = "ABCD"
_BEL = re.compile(r"X(\d+)/Y(\d+)/")


def place(family: Family, module: dict[str, Any], number: int, origin: tuple[int, int]) -> None:
    """Lock an output's flip-flops in the tiles nearest to its macro in which nothing is locked.

    They are those that hand its words over, and those that take them. Does nothing for a family
    whose hops have no places. Raises ValueError if tiles are too few.
    """
    if not family.hop_bels:
        return
    cells, (left, top) = module["cells"], origin
    bels = (_BEL.match(cell["attributes"].get("BEL", "")) for cell in cells.values())
    used = {(int(bel[1]) - left, int(bel[2]) - top) for bel in bels if bel}
    taking = (_taking(cells, number, which) for which in ("now", "later"))
    groups = (*taking, handing(module, number))
    for name, (x, y, bel) in nearest(family, groups, used).items():
        macro.lock(cells[name], f"X{left + x}/Y{top + y}/{bel}")


def handing(module: dict[str, Any], number: int) -> list[str]:
    """Return the flip-flops of another clock in front of the output's `now` and `later`."""
    cells = module["cells"]
    drivers = {
        bit: name
        for name, cell in cells.items()
        for port in ("Q", "Z")
        for bit in cell["connections"].get(port, ())
    }
    found: set[str] = set()
    for name in _taking(cells, number, "now|later"):
        clock, left = cells[name]["connections"]["CLK"], _sources(cells[name], drivers)
        while left:
            source = left.pop()
            if cells[source]["type"] != "TRELLIS_FF":
                left += _sources(cells[source], drivers)
            elif cells[source]["connections"]["CLK"] != clock:
                found.add(source)
    return sorted(found)


def _taking(cells: dict[str, Any], number: int, which: str) -> list[str]:
    """Return the flip-flops of phase 0 that take an output's words, by the names of their nets."""
    taking = re.compile(rf"{re.escape(SERIALISER)}\.({which})_{number}_TRELLIS_FF")
    return sorted(
        name for name, cell in cells.items() if cell["type"] == "TRELLIS_FF" and taking.match(name)
    )


def _sources(cell: dict[str, Any], drivers: dict[object, str]) -> list[str]:
    """Return the cells that drive the data of a flip-flop, or the inputs of a look-up table."""
    ports = ("DI", "M") if cell["type"] == "TRELLIS_FF" else _INPUTS
    bits = (bit for port in ports for bit in cell["connections"].get(port, ()))
    return [drivers[bit] for bit in bits if bit in drivers]
