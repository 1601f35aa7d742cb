# SPDX-License-Identifier: Apache-2.0
"""`plexor measure` alone: strikes at a usual rate until Ctrl-C, as cyclictest does."""

from __future__ import annotations

from dataclasses import replace

from plexor.library.run_spec import RunSpec
from plexor.library.specs.options import Target
from plexor.library.specs.values import hertz

RATE = "1k"
"""Strikes per second, as cyclictest's."""
_SAID = ("rate", "count", "time", "strikes", "stop_on")
"""Options that say how often to strike, or how long."""


def alone(asked: RunSpec, target: Target) -> bool:
    """Return whether nothing says how often to strike or how long; a recording says both itself."""
    return not target.link.startswith("file:") and not any(getattr(asked, name) for name in _SAID)


def at_usual_rate(asked: RunSpec) -> RunSpec:
    """Return what is asked of a run with the usual rate."""
    return replace(asked, rate=hertz(RATE))
