# SPDX-License-Identifier: Apache-2.0
"""Ways from pads to the look-up tables that are sampled, by place and route, over corners.

Loopback measures a way that a pin does not take (plexor.model.calibration). By how much it is
longer depends on the build. `plexor board calibrate` takes it from the host's table of builds,
which `keep` writes.

Bounds of a way, as if each had a corner of its own. The greatest is nextpnr's greatest, that of the
slowest corner. The least is nextpnr's least, but at most LEAST of the greatest: nextpnr has one
corner of an iCE40. Project IceStorm's tables have 0.80 of it over the process alone, at the voltage
and temperature that are slowest (icefuzz/timings_hx8k.txt).

nextpnr has no delay of pads' input buffers. Both ways have one of the same kind, in which they
differ by BUFFERS_PS at most: on an iCE40 HX it takes 1207 ps at the slowest corner (the same file,
IO_PAD and PRE_IO), and half of that at the fastest one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from plexor.base.jsonable import to_json
from plexor.experiments.calibration.ways import ROUTES_PS, TABLE, Bounds, Ways, read
from plexor.model.calibration import UNKNOWN_PS
from plexor_hdl.front.sampler import seen_name
from tools.gateware.board import Board
from tools.gateware.build import board_hash, build_id
from tools.gateware.families import FAMILIES, Family
from tools.gateware.sdf import Delays
from tools.gateware.skew import SAMPLER, pad_lag_ps

LEAST = 0.5
BUFFERS_PS = 600


def ways(board: Board, folder: Path, seed: int) -> Ways:
    """Return the ways of a build, from the delays in its folder. Raises ValueError without them."""
    family = FAMILIES[board.profile.family]
    greatest = Delays(folder / "top.sdf")
    least = Delays(folder / "top.sdf", least=True)
    geometry = board.geometry
    pins = tuple(
        _bounds(pad_lag_ps(family, least, channel), pad_lag_ps(family, greatest, channel))
        for channel in range(geometry.channels)
    )
    loops = tuple(
        tuple(
            _bounds(
                _loop_ps(family, least, output, channel),
                _loop_ps(family, greatest, output, channel),
            )
            for channel in range(geometry.channels)
        )
        for output in range(geometry.strikes)
    )
    return Ways(geometry.board, seed, BUFFERS_PS, pins, loops)


def _bounds(least_ps: int, greatest_ps: int) -> tuple[int, int]:
    return min(least_ps, int(greatest_ps * LEAST)), greatest_ps


def _loop_ps(family: Family, delays: Delays, output: int, channel: int) -> int:
    """Return the way from a strike's pad, read back, to the net that a channel samples."""
    table = family.after(f"{SAMPLER}.{seen_name(channel)}{family.table}", table=True)
    found = delays.between(f"front.output_{output}", table, family.ports[0])
    if found is None:
        raise ValueError(f"no way from the pad of output {output} to channel {channel}")
    return found


def section(table: Path = TABLE) -> str:
    """Return the part of docs/gateware.md about ways over pads."""
    rows = [_row(named, found) for named, found in read(table).items()] if table.exists() else []
    head = "| " + " | ".join(_COLUMNS) + " |\n|" + "---|" * len(_COLUMNS) + "\n"
    return _TEXT + head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(named: str, found: Ways) -> tuple[str, ...]:
    loops = [loop for loops in found.loops for loop in loops]
    detours = found.detours()
    return (
        f"`{found.board}`",
        str(found.seed),
        f"`{named}`",
        _range(found.pins),
        _range(loops),
        _range([(entry.least_ps, entry.greatest_ps) for entry in detours]),
        str(max(entry.greatest_ps - entry.least_ps + 1 for entry in detours) // 2),
    )


def _range(bounds: Sequence[Bounds]) -> str:
    return f"{min(least for least, _ in bounds)} to {max(greatest for _, greatest in bounds)}"


_COLUMNS = (
    *("board", "seed", "build id", "pins, ps", "loops, ps", "detours, ps"),
    "their error at most, ± ps",
)
_UNKNOWN = f"{sum(UNKNOWN_PS) / 2000:g} ± {(UNKNOWN_PS[1] - UNKNOWN_PS[0]) / 2000:g} ns"
_TEXT = f"""
## Ways over pads

From the input buffer of a pad to the look-up table that is sampled: of channels' pins, and of
strikes' pads that are read back for a loopback. From the least of any channel to the greatest, over
corners: the greatest are nextpnr's, the least are nextpnr's too, but {LEAST:.0%} of the greatest at
most. The pads' buffers are in neither; two of them differ by {BUFFERS_PS} ps at most.

- **detours**: by how much a loop is longer than the way of its channel's pin, as if each had a
  corner of its own.
- **their error**: half of the widest detour, which is a corrected latency's error without a jumper
  ([calibration.md](calibration.md)), but for bins and the oscillator.

Of another build of a board in this list, `plexor board calibrate` takes a detour for what lies
within {ROUTES_PS} ps of all of the board's. Of another board it takes it for {_UNKNOWN}.

"""


def keep(board: Board, folder: Path, seed: int, table: Path = TABLE) -> None:
    """Write a build's ways into the host's table, in place of the same board's and seed's."""
    own = ways(board, folder, seed)
    rows = {} if not table.exists() else read(table)
    named = f"{build_id(board, seed, board_hash(board)):016x}"
    rows = {key: row for key, row in rows.items() if (row.board, row.seed) != (own.board, seed)} | {
        named: own
    }
    by_board = sorted(rows.items(), key=lambda entry: (entry[1].board, entry[1].seed))
    lines = (f" {json.dumps(key)}: {json.dumps(to_json(row))}" for key, row in by_board)
    table.write_text("{\n" + ",\n".join(lines) + "\n}\n")
