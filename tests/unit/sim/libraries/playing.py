# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to libraries without an instrument."""

from __future__ import annotations

from pathlib import Path

import plexor_sim
from plexor_sim.design.player import Played, Strikes, played, player
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache
from plexor_sim.riscv import DeviceBuild

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
HOSTILE = Path(__file__).parent / "hostile.c"
END_PS = 100_000_000


def play(manifest: Path, strikes: Strikes, own: str = "", step_ps: int = 0) -> Played:
    """Return what the device of a manifest does."""
    cache = default_cache()
    device = find_device(str(manifest), cache, own)
    options = option_text(str(manifest), device, own)
    return play_device(device, options, strikes, step_ps)


def play_device(device: DeviceBuild, options: str, strikes: Strikes, step_ps: int = 0) -> Played:
    """Return what a device does."""
    return played(player(device, default_cache()), options, strikes, END_PS, step_ps)


def of_libraries(folder: Path, *tables: str) -> Path:
    """Return a new manifest with these tables [[library]]."""
    path = folder / "dut.toml"
    path.write_text("".join(f"[[library]]\n{table}\n" for table in tables))
    return path
