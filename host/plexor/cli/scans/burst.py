# SPDX-License-Identifier: Apache-2.0
"""`plexor burst`: how many strikes in a row a device answers, at what spacing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plexor.base.units import format_seconds
from plexor.cli.conclude import conclude_scan
from plexor.cli.options import Keyed, Shown
from plexor.cli.output import check_outputs
from plexor.cli.progress import StepLines
from plexor.library.scans.burst import scanned
from plexor.library.scans.burst_spec import BurstSpec
from plexor.library.specs.options import Target

if TYPE_CHECKING:
    from plexor.library.scans.burst_spec import Job, RateStep


def burst(target: Target, asked: BurstSpec, described: Keyed, shown: Shown) -> int:
    """Find the longest bursts, print them and return the exit code."""
    check_outputs(shown.page, folder=asked.out, whole=False)
    lines = StepLines("step", "about ")

    def on_step(job: Job, step: RateStep, taken: int, expected: int) -> None:
        swept = job.settings.strikes[0]
        spaced = "" if swept.spacing_s is None else f", {format_seconds(swept.spacing_s)} apart"
        words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
        lines.say(f"bursts of {swept.burst}{spaced}: {words}", taken, expected)

    asked = replace(asked, device=described.device, on_step=on_step)
    return conclude_scan(scanned(asked, target), shown, asked.out)
