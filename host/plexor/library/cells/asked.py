# SPDX-License-Identifier: Apache-2.0
"""What the cells of a farm ask, as texts, and how two farms differ in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields

from plexor.base.jsonable import to_json
from plexor.library.cells.cell import Cell
from plexor.library.specs.said import differing
from plexor.library.specs.values import plain

Asked = Mapping[str, str]


def asked_of(cell: Cell) -> dict[str, str]:
    """Return what a cell asks, by the names in the farm's file, without what it does not ask."""
    own = {entry.name: getattr(cell, entry.name) for entry in fields(cell)}
    own |= {**own.pop("options"), **own.pop("keys")}
    del own["names"]
    return {
        name.replace("_", "-"): value if isinstance(value, str) else json.dumps(to_json(value))
        for name, value in own.items()
        if value not in (None, "")
    }


def differing_cells(now: Mapping[str, Asked], there: Mapping[str, Asked]) -> Iterator[str]:
    """Yield how cells differ; a difference of several cells once, with their names.

    No names are said where all cells have it.
    """
    for cells, what in ((now.keys() - there.keys(), "new"), (there.keys() - now.keys(), "gone")):
        if cells:
            yield f"{', '.join(sorted(cells))} {'is' if len(cells) == 1 else 'are'} {what}"
    both = [name for name in now if name in there]
    of: dict[str, list[str]] = {}
    for cell in both:
        for difference in differing(now[cell], there[cell], plain):
            of.setdefault(difference, []).append(cell)
    for difference, cells in of.items():
        yield difference if cells == both else f"{difference}, in {', '.join(cells)}"
