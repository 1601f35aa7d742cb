# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to a design alone, without an instrument."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plexor_sim.build import device_objects, find_tools
from plexor_sim.packages import make_once, sha256
from plexor_sim.riscv import DeviceBuild
from plexor_sim.toolchain import run_tool

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
    objects = device_objects(device, cache)
    headers = sorted(_DEVICE.glob("*.h"))

    def fill(directory: Path) -> None:
        command = (*find_tools().compiler, "-std=gnu++17", "-O1", f"-I{_DEVICE}", str(PLAYER))
        command += (*map(str, objects), "-o", str(directory / "player"), "-pthread")
        run_tool("compiling the player", command, directory)

    parts = [path.read_text() for path in (PLAYER, *headers)]
    parts += [item.parent.name for item in objects]
    key = sha256("\0".join(parts).encode())[:32]
    return make_once(cache / "player" / key, fill) / "player"


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
