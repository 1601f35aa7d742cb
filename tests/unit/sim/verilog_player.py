# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to the design of a manifest alone, without an instrument."""

from __future__ import annotations

from pathlib import Path

from plexor_sim.design.player import Played, Strikes, played, player
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache


def play_design(
    manifest: Path, strikes: Strikes, end_ps: int, options: str = "", *, step_ps: int = 0
) -> Played:
    """Play strikes to the design of a manifest with a user's options."""
    cache = default_cache()
    device = find_device(str(manifest), cache, options)
    text = option_text(str(manifest), device, options)
    return played(player(device, cache), text, strikes, end_ps, step_ps)
