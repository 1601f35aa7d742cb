# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a schedule: how long it will take, how far it is, and the live view."""

from __future__ import annotations

from plexor.base.units import format_seconds
from plexor_lab.mixed.drive import Looked
from plexor_lab.mixed.goal import wanted_of
from plexor_lab.mixed.live_text import mixed_live_text
from plexor_lab.mixed.run import Callbacks, OnRun, lasts_s, limits_of
from plexor_lab.mixed.spec import MixedSpec
from plexor_lab.mixed.text import schedule_text, steps
from plexor_lab.mixed.view import MixedView, view_of

__all__ = ["Callbacks", "Looked", "MixedView", "OnRun", "estimate_text", "live_text"]

DIGITS = 3


def estimate_text(asked: MixedSpec) -> str:
    """Return `5 runs, 38.5 s of the device's time`. Raises UsageError as `wanted_of`."""
    wanted = wanted_of(asked)
    runs = len(wanted.runs)
    return (
        f"{runs} {'run' if runs == 1 else 'runs'}, "
        f"{format_seconds(lasts_s(wanted), DIGITS)} of the device's time"
    )


def parameters(asked: MixedSpec, run: str) -> list[str]:
    """Return the parameters that the live view shows, one text each."""
    wanted = wanted_of(asked)
    mode, _, distance = run.partition("-")
    found = [f"mode {mode}", schedule_text(wanted.schedule, wanted.timecode)]
    found += [f"distance {steps(int(distance))}"] if distance else []
    return [*found, f"limit {format_seconds(wanted.limit_s)}"]


def live_text(
    looked: Looked, asked: MixedSpec, run: str, heading: str, *, width: int, colour: bool
) -> str:
    """Return the view of a run at this time, for a terminal of `width` columns."""
    tick_fs = looked.run.device.identity.tick_fs
    view = view_of(looked, limits_of(wanted_of(asked), tick_fs))
    return mixed_live_text(
        view, heading, parameters(asked, run), tick_fs, width=width, colour=colour
    )
