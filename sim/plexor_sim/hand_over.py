# SPDX-License-Identifier: Apache-2.0
"""Builds the gateware's simulator for a run that the twin cannot take, then becomes it.

    python -m plexor_sim.hand_over DUT_GEOMETRY_AND_CACHE ARGUMENTS

The twin calls it with the arguments of the simulator. Progress and errors go to stderr; the exit
codes are those of `plexor_sim.serve`.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from plexor.protocol.geometry import Feature, Geometry
from plexor_sim.entry import entered

_SEPARATOR = "\x1f"


def command(dut: str, geometry: Geometry, cache: Path, *, uart: bool = False) -> str:
    """Return the command by which a twin hands over, as it takes it."""
    shape = asdict(geometry) | {"features": int(geometry.features)}
    what = json.dumps({"dut": dut, "geometry": shape, "cache": str(cache), "uart": uart})
    return _SEPARATOR.join((sys.executable, "-m", "plexor_sim.hand_over", what))


def main(arguments: list[str] | None = None) -> int:
    """Build, then replace this process by the simulator; return an exit code if that fails."""
    # The import is here, because `serve` imports this module.
    from plexor_sim.serve import GATEWARE, prepared_or_code  # noqa: PLC0415

    what, *rest = sys.argv[1:] if arguments is None else arguments
    given = json.loads(what)
    shape = given["geometry"] | {"features": Feature(given["geometry"]["features"])}
    ready = prepared_or_code(
        given["dut"],
        Geometry(**shape),
        Path(given["cache"]),
        uart=given["uart"],
        core=GATEWARE,
    )
    if isinstance(ready, int):
        return ready
    os.execv(ready.executable, [str(ready.executable), *ready.arguments, *rest])


if __name__ == "__main__":
    sys.exit(entered(main))
