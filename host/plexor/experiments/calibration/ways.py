# SPDX-License-Identifier: Apache-2.0
"""What place and route says of the ways of known builds, from the table `ways.json`.

`make gateware-report` and `make gateware` write the table, with a row for each build id. Another
build of a board has other routes: it is within ROUTES_PS of all that is known of the board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from plexor.base.jsonable import from_json, parse_json
from plexor.model.calibration import Detour

TABLE = Path(__file__).with_name("ways.json")
ROUTES_PS = 1000
"""What another build's routes may add to the bounds of all known builds of a board.

Seeds change the skew of a board's channels by up to 0.9 ns (docs/gateware.md).
"""
Bounds = tuple[int, ...]
"""Least and greatest delay, in ps."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways of one build from pads to the tables that are sampled, over the vendor's corners."""

    board: str
    """The name in the board's identity."""
    seed: int
    buffers_ps: int
    """By how much two pads' input buffers differ at most; the ways begin behind these."""
    pins: tuple[Bounds, ...]
    """By channel: from its pad."""
    loops: tuple[tuple[Bounds, ...], ...]
    """By output and channel: from the output's pad, read back."""

    def detours(self) -> tuple[Detour, ...]:
        """Return by how much each loop is longer than the way of the channel's pin."""
        return tuple(
            Detour(
                output,
                channel,
                loop[0] - pin[1] - self.buffers_ps,
                loop[1] - pin[0] + self.buffers_ps,
            )
            for output, loops in enumerate(self.loops)
            for channel, (pin, loop) in enumerate(zip(self.pins, loops, strict=True))
        )


def detours_of(build_id: int, board: str, known: Mapping[str, Ways] | None = None) -> Detours:
    """Return what is known of a build's loops, or else of all builds of its board.

    There are none if neither is in the table; `known` is one in place of the host's.
    """
    rows = _known() if known is None else known
    own = rows.get(f"{build_id:016x}")
    if own is not None:
        return Detours(own.detours(), True)
    others = [entry for row in rows.values() if row.board == board for entry in row.detours()]
    if not others:
        return Detours((), False)
    least_ps = min(entry.least_ps for entry in others) - ROUTES_PS
    greatest_ps = max(entry.greatest_ps for entry in others) + ROUTES_PS
    pairs = dict.fromkeys((entry.output, entry.channel) for entry in others)
    return Detours(tuple(Detour(*pair, least_ps, greatest_ps) for pair in pairs), False)


def read(path: Path) -> dict[str, Ways]:
    """Return the ways in a table, by build id in hexadecimal digits."""
    rows: dict[str, object] = parse_json(path.read_bytes())
    return {named: from_json(Ways, row, named) for named, row in rows.items()}


@dataclass(frozen=True, slots=True)
class Detours:
    """By how much loops are longer than the ways of pins."""

    bounds: tuple[Detour, ...]
    own: bool
    """Whether they are those of the build itself."""


@cache
def _known() -> dict[str, Ways]:
    return read(TABLE)
