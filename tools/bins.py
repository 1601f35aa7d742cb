# SPDX-License-Identifier: Apache-2.0
"""Print the table of docs/boards.md: the bins of each board, of a perfect PLL and by its sheet.

    .venv/bin/python -m tools.bins

Nothing is measured: the sheets' numbers and the rules are in plexor.experiments.calibration.sheet.
"""

from __future__ import annotations

import sys

from plexor.experiments.calibration.sheet import SHEETS, Range, bins
from plexor_hdl.build import boards

_HEAD = (
    "| board | tick, ps | perfect PLL, ps | one duty cycle for all, ps | each clock its own, ps |\n"
    "|---|---|---|---|---|\n"
)


def table() -> str:
    """Return the table in Markdown, boards with the same bins in one row."""
    names: dict[str, list[str]] = {}
    for name in boards.files():
        geometry = boards.read(name).geometry
        sheet = SHEETS[geometry.board]
        common, own = (bins(sheet, geometry.tick_fs, independent=way) for way in (False, True))
        typical = _span([Range(r.typical_ps, r.typical_ps, r.typical_ps) for r in common])
        cells = (f"{geometry.tick_fs / 1000:.0f}", typical, _span(common), _span(own))
        names.setdefault(" | ".join(cells), []).append(f"`{name}`")
    return _HEAD + "".join(f"| {', '.join(of)} | {row} |\n" for row, of in names.items())


def _span(ranges: list[Range]) -> str:
    least = min(one.least_ps for one in ranges)
    greatest = max(one.greatest_ps for one in ranges)
    return f"{least:.0f}" if round(least) == round(greatest) else f"{least:.0f} to {greatest:.0f}"


if __name__ == "__main__":
    sys.stdout.write(table())
