"""What place and route says of the ways of known builds, from the table `ways.json`.

`make gateware-report` and `make gateware` write the table, with a row for each build id.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from plexor.jsonable import from_json, parse_json
from plexor.model.calibration import Detour

TABLE = Path(__file__).with_name("ways.json")
Bounds = tuple[int, ...]
"""Least and greatest delay, in ps."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways of one build from pads to the tables that are sampled, over the vendor's corners."""

    board: str
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


def detours_of(build_id: int) -> tuple[Detour, ...]:
    """Return what is known of a build's loops; nothing of a build that is not in the table."""
    found = _known().get(f"{build_id:016x}")
    return () if found is None else found.detours()


def read(path: Path) -> dict[str, Ways]:
    """Return the ways in a table, by build id in hexadecimal digits."""
    rows: dict[str, object] = parse_json(path.read_bytes())
    return {named: from_json(Ways, row, named) for named, row in rows.items()}


@cache
def _known() -> dict[str, Ways]:
    return read(TABLE)
