# SPDX-License-Identifier: Apache-2.0
"""Where a schedule runs: a board, or a simulated instrument that waits for the host."""

from __future__ import annotations

import math
from fractions import Fraction

from plexor.library.parts.run import sim_device
from plexor.library.specs.options import Target
from plexor_lab.mixed.goal import timecode_of
from plexor_lab.mixed.spec import MixedSpec

EXECUTOR = "freertos:program=executor"
"""Simulated device, unless another one is named."""
NO_EXECUTOR = "synthetic"
"""The same where only the host answers."""
PACE_PART = Fraction(34, 275)
"""From one of the host's frames to the next, in steps of the timecode, in simulation. Steps are no
multiple of it, so that the host sees them at each phase: 275/34 is near five golden ratios."""
LEAST_PACE_NS = 20_000
"""Least pace that a simulated instrument takes."""
_PACE = "pace="
_NS = 10**9


def place_of(asked: MixedSpec, target: Target) -> tuple[str, str | None]:
    """Return the link and the simulated device of a schedule.

    A simulated instrument goes on by about an eighth of a step with each of the host's frames, by
    20 µs at least, unless its link has a `pace` of its own. So a run does not depend on how busy
    the computer is. That of a board is no exception: by itself it would be ahead of any host.
    """
    if not target.link.startswith("sim:"):
        return target.link, target.dut
    usual = NO_EXECUTOR if asked.mode == "normal" else EXECUTOR
    dut = target.dut if target.dut or sim_device(target.link) else usual
    _, mark, query = target.link.partition("?")
    if any(item.startswith(_PACE) for item in query.split("&")):
        return target.link, dut
    pace_s = timecode_of(asked).period_s * PACE_PART
    pace = f"{_PACE}{max(math.floor(pace_s * _NS), LEAST_PACE_NS)}ns"
    return f"{target.link}{'&' if query else '' if mark else '?'}{pace}", dut
