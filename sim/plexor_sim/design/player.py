# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to a design alone, without an instrument."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plexor_sim.build import device_objects, digest
from plexor_sim.packages import make_once
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import COMPILE, LIGHT, Unit, compile_units, find_tools, run_tool

_DEVICE = Path(__file__).parents[1] / "device"
PLAYER = _DEVICE / "player.cpp"

Edges = list[tuple[int, int, int]]
"""(time_ps, channel, level)."""
Strikes = Sequence[tuple[int, int]]
"""(time_ps, levels of all strikes). A time below 0 gives the levels at which they idle."""


@dataclass(frozen=True)
class Played:
    """What a design did."""

    edges: Edges
    levels: int
    """Levels of the responses at time zero."""
    code: int
    said: str
    """What it printed, and why it ended if it did."""


def player(device: DeviceBuild, cache: Path) -> Path:
    """Return the program that plays to a device. Raises as `build`."""
    objects = [*_player_object(cache).glob("*.o"), *device_objects(device, cache)]

    def link(directory: Path) -> None:
        output = ("-o", str(directory / "player"), "-pthread")
        run_tool("link", (*find_tools().compiler, *map(str, objects), *output), directory)

    key = digest("player", *(item.parent.name for item in objects))
    return make_once(cache / "player" / key, link) / "player"


def _player_object(cache: Path) -> Path:
    """Return the folder with the object of the player, which is that of every design."""
    tools, headers = find_tools(), sorted(_DEVICE.glob("*.h"))

    def fill(directory: Path) -> None:
        compile_units(tools, [Unit(PLAYER, (LIGHT,))], directory, (_DEVICE,), verilated=False)

    key = digest("player", tools.compiler_key, *COMPILE, LIGHT, PLAYER, *headers)
    return make_once(cache / "objects" / f"player-{key}", fill)


def played(program: Path, options: str, strikes: Strikes, end_ps: int, step_ps: int = 0) -> Played:
    """Play strikes to a design with options; return what it did until a time.

    With a step the design is asked at least so often, otherwise at strikes alone.
    """
    done = subprocess.run(
        [program, options, str(end_ps), str(step_ps)],
        input="".join(f"{time_ps} {levels} 0\n" for time_ps, levels in strikes),
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    edges = [(time_ps, channel, level) for time_ps, channel, level in rows[1:]]
    return Played(edges, rows[0][0] if rows else 0, done.returncode, done.stderr)
