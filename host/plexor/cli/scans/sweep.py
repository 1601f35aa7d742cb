# SPDX-License-Identifier: Apache-2.0
"""`plexor sweep`: the highest rate that a device sustains."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plexor.base.units import format_rate
from plexor.cli.conclude import conclude_scan
from plexor.cli.options import Keyed, Shown
from plexor.cli.output import check_outputs
from plexor.cli.progress import StepLines
from plexor.library.scans.sweep import swept
from plexor.library.scans.sweep_spec import SweepSpec
from plexor.library.specs.options import Target

if TYPE_CHECKING:
    from plexor.library.scans.sweep_spec import RateStep


def sweep(target: Target, asked: SweepSpec, described: Keyed, shown: Shown) -> int:
    """Find the highest rate, print it and return the exit code."""
    check_outputs(shown.page, folder=asked.out, whole=False)
    lines = StepLines("step", "about ")

    def on_step(step: RateStep, taken: int, expected: int) -> None:
        words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
        lines.say(f"{step.load} {format_rate(step.rate_hz)}: {words}", taken, expected)

    asked = replace(asked, device=described.device, on_step=on_step)
    return conclude_scan(swept(asked, target), shown, asked.out)
