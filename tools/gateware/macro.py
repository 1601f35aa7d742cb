# SPDX-License-Identifier: Apache-2.0
"""Macros: cells and routes that keep their places relative to each other wherever they are put.

A macro is data. For each cell it has a tile, as offset from the origin, and a place in the tile.
For each net it has a route: wires and switches in the tiles around the origin. The fabric repeats,
so a copy of a route has the delays of the original. nextpnr keeps cells with the attribute BEL, and
wires with the attribute ROUTING, where they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NUMBER = "#"
"""Placeholder in names for the number of the channel or output."""
_TILE = re.compile(r"^X(-?\d+)/Y(-?\d+)/")
_PLACE = re.compile(
    r"(?P<before>^X|\.->\.|(?<=/)(?=-?\d+\.-?\d+\.))(?P<x>-?\d+)(?P<between>/Y|\.)(?P<y>-?\d+)(?P<after>[/.])"
)
_LOCKED = "5"
"""nextpnr's PlaceStrength (common/kernel/nextpnr_types.h). No pass moves what is locked."""
_FIELDS = 3
"""Fields of a route's entry: a wire, the switch that drives it, and a strength."""


@dataclass(frozen=True)
class Macro:
    """Offsets are in tiles: x to the right, y down. `lags_ps` are the measured delays (skew)."""

    cells: dict[str, tuple[int, int, str]]
    nets: dict[str, tuple[tuple[str, str], ...]]
    lags_ps: tuple[int, ...] = ()

    def put(self, module: dict[str, Any], number: int, origin: tuple[int, int]) -> None:
        """Lock the cells and nets of channel or output `number` in a netlist.

        Raises KeyError with the name of any that the netlist lacks.
        """
        for name, (x, y, bel) in self.cells.items():
            cell = module["cells"][name.replace(NUMBER, str(number))]
            lock(cell, f"X{origin[0] + x}/Y{origin[1] + y}/{bel}")
        for name, route in self.nets.items():
            wires = (
                f"{_moved(wire, origin)};{_moved(switch, origin)};{_LOCKED}"
                for wire, switch in route
            )
            net = module["netnames"][name.replace(NUMBER, str(number))]
            net["attributes"]["ROUTING"] = ";".join(wires)


def lock(cell: dict[str, Any], bel: str) -> None:
    """Lock a netlist's cell in a place. An ECP5 flip-flop takes its data through the input M.

    Otherwise nextpnr moves a flip-flop behind a look-up table into its slice before it reads BEL.
    """
    cell["attributes"]["BEL"] = bel
    if cell["type"] == "TRELLIS_FF" and "DI" in cell["connections"]:
        for table in ("connections", "port_directions"):
            cell[table]["M"] = cell[table].pop("DI")
        cell["parameters"]["SD"] = "0"


def taken(
    placed: dict[str, Any],
    number: int,
    origin: tuple[int, int],
    cells: Mapping[str, str],
    nets: Iterable[str],
) -> Macro:
    """Return the macro of the cells and nets of channel or output `number` in nextpnr's output.

    `cells` maps names in the netlist, with NUMBER, to nextpnr's names. Raises KeyError for one that
    is missing, and ValueError for one that is in no tile.
    """
    back = (-origin[0], -origin[1])
    places: dict[str, tuple[int, int, str]] = {}
    routes: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, called in cells.items():
        bel = placed["cells"][called.replace(NUMBER, str(number))]["attributes"]["NEXTPNR_BEL"]
        tile = _TILE.match(bel)
        if tile is None:
            raise ValueError(f"{called}: {bel!r} is not a place in a tile")
        places[name] = (int(tile[1]) + back[0], int(tile[2]) + back[1], bel[tile.end() :])
    for name in nets:
        attributes = placed["netnames"][name.replace(NUMBER, str(number))]["attributes"]
        fields = attributes["ROUTING"].split(";")
        routes[name] = tuple(
            (_moved(fields[at], back), _moved(fields[at + 1], back))
            for at in range(0, len(fields), _FIELDS)
        )
    return Macro(places, routes)


def _moved(name: str, by: tuple[int, int]) -> str:
    """Return the name of a wire or switch `by` tiles away; iCE40 switches name tiles too."""

    def shifted(found: re.Match[str]) -> str:
        x, y = int(found["x"]) + by[0], int(found["y"]) + by[1]
        return f"{found['before']}{x}{found['between']}{y}{found['after']}"

    return _PLACE.sub(shifted, name)


def read(path: Path) -> dict[str, Macro]:
    """Return the macros of a file, by name."""
    table = json.loads(path.read_text())
    return {
        name: Macro(
            {cell: (x, y, bel) for cell, (x, y, bel) in macro["cells"].items()},
            {net: tuple((w, s) for w, s in route) for net, route in macro["nets"].items()},
            tuple(macro["lags_ps"]),
        )
        for name, macro in table.items()
    }


def write(path: Path, macros: dict[str, Macro]) -> None:
    """Write macros, one line for each cell and switch."""
    table = {name: asdict(macro) for name, macro in macros.items()}
    path.write_text(json.dumps(table, indent=1) + "\n")
