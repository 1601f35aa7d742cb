# SPDX-License-Identifier: Apache-2.0
"""Places the flip-flops at which words pass between the core and the phases, beside the macros.

nextpnr checks no times between the core's clock and the phases'. Left alone, it puts some of these
flip-flops so far away that the hop to phase 0, or that to the core, misses its time. The flip-flop
behind which an output runs reaches all of its phases within one period, so it is placed there too.
"""

from __future__ import annotations

import re
from typing import Any

from tools.gateware import macro
from tools.gateware.families import Family
from tools.gateware.hop_places import nearest
from tools.gateware.skew import SAMPLER, SERIALISER

_INPUTS = "ABCD"
_BEL = re.compile(r"X(\d+)/Y(\d+)/")


def place(family: Family, module: dict[str, Any], number: int, origin: tuple[int, int]) -> None:
    """Lock an output's flip-flops in the nearest tiles in which nothing is locked.

    Those that take its words, each with the look-up table in front of it, and the one that lets it
    run are beside the macro. Those that hand its words over are beside these. Does nothing for a
    family whose hops have no places. Raises ValueError if tiles are too few.
    """
    if not family.hop_bels:
        return
    cells, (left, top) = module["cells"], origin
    bels = (_BEL.match(cell["attributes"].get("BEL", "")) for cell in cells.values())
    used = {(int(bel[1]) - left, int(bel[2]) - top) for bel in bels if bel}
    now, later = (_taking(cells, number, which) for which in ("now", "later"))
    words, drivers = handing(module, number), _drivers(cells)
    places = nearest(family, (now, later, _running(cells, number)), used)
    used |= {place[:2] for place in places.values()}
    centre = places[now[0]][:2] if now else (0, 0)
    places |= nearest(family, [words], used, centre)
    for name, (x, y, bel) in places.items():
        at = f"X{left + x}/Y{top + y}/{bel}"
        macro.lock(cells[name], at)
        if name in now:
            for table in _tables(cells, name, drivers):
                macro.lock(cells[table], at.replace("FF", "K"))


def place_taken(
    family: Family, module: dict[str, Any], number: int, origin: tuple[int, int]
) -> None:
    """Lock the flip-flops of the core that take a channel's word, next to those that hold it.

    They are in the nearest tiles in which nothing is locked. Does nothing for a family whose hops
    have no places. Raises ValueError if tiles are too few.
    """
    if not family.hop_bels:
        return
    cells, (left, top) = module["cells"], origin
    word = set(module["netnames"][f"{SAMPLER}.word_{number}"]["bits"])
    used: set[tuple[int, int]] = set()
    holding: dict[object, tuple[int, int]] = {}
    for cell in cells.values():
        if bel := _BEL.match(cell["attributes"].get("BEL", "")):
            tile = int(bel[1]) - left, int(bel[2]) - top
            used.add(tile)
            holding |= {bit: tile for bit in cell["connections"].get("Q", ()) if bit in word}
    taking: dict[tuple[int, int], list[str]] = {}
    for name, cell in sorted(cells.items()):
        data = [bit for port in ("DI", "M") for bit in cell["connections"].get(port, ())]
        if cell["type"] == "TRELLIS_FF" and data and data[0] in holding:
            taking.setdefault(holding[data[0]], []).append(name)
    for centre, names in sorted(taking.items()):
        places = nearest(family, [names], used, centre)
        used |= {place[:2] for place in places.values()}
        for name, (x, y, bel) in places.items():
            macro.lock(cells[name], f"X{left + x}/Y{top + y}/{bel}")


def handing(module: dict[str, Any], number: int) -> list[str]:
    """Return the flip-flops of another clock in front of the output's `now` and `later`."""
    cells = module["cells"]
    drivers = _drivers(cells)
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


def _drivers(cells: dict[str, Any]) -> dict[object, str]:
    """Return the flip-flop or look-up table that drives each bit."""
    return {
        bit: name
        for name, cell in cells.items()
        for port in ("Q", "Z")
        for bit in cell["connections"].get(port, ())
    }


def _tables(cells: dict[str, Any], name: str, drivers: dict[object, str]) -> list[str]:
    """Return the look-up table in front of a flip-flop, if there is one."""
    return [source for source in _sources(cells[name], drivers) if cells[source]["type"] == "LUT4"]


def _taking(cells: dict[str, Any], number: int, which: str) -> list[str]:
    """Return the flip-flops of phase 0 that take an output's words, by the names of their nets."""
    taking = re.compile(rf"{re.escape(SERIALISER)}\.({which})_{number}_TRELLIS_FF")
    return sorted(
        name for name, cell in cells.items() if cell["type"] == "TRELLIS_FF" and taking.match(name)
    )


def _running(cells: dict[str, Any], number: int) -> list[str]:
    """Return the last of the flip-flops through which an output learns that it runs."""
    repeats = re.compile(rf"front\.running_{number}_\d+_TRELLIS_FF")
    return sorted(name for name in cells if repeats.match(name))[-1:]


def _sources(cell: dict[str, Any], drivers: dict[object, str]) -> list[str]:
    """Return the cells that drive the data of a flip-flop, or the inputs of a look-up table."""
    ports = ("DI", "M") if cell["type"] == "TRELLIS_FF" else _INPUTS
    bits = (bit for port in ports for bit in cell["connections"].get(port, ()))
    return [drivers[bit] for bit in bits if bit in drivers]
