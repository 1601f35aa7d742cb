# SPDX-License-Identifier: Apache-2.0
"""`plexor burst`: how many strikes in a row a device answers, at what spacing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plexor.commands.parameters import (
    json_option,
    key_option,
    page_option,
    usage,
)
from plexor.commands.specs import asks
from plexor.library.scans.burst_spec import BurstSpec, check
from plexor.library.specs.options import Target
from plexor.units import format_seconds

if TYPE_CHECKING:
    from plexor.library.scans.burst_spec import Job, RateStep


@click.command()
@asks(target=Target, asked=BurstSpec)
@key_option
@json_option
@page_option
def burst(
    target: Target,
    asked: BurstSpec,
    keys: tuple[tuple[str, str], ...],
    as_json: bool,
    page: Path | None,
) -> int:
    """Find the longest burst that a device answers completely, for each spacing of its strikes.

    A burst starts every --period and lasts at most half of it. A strike that is not answered within
    the other half is missed. Each length is tried until an exact test is certain.

    \b
      plexor burst --dut freertos --from 2us --to 40us --period 1ms
      plexor burst --link serial:/dev/ttyUSB1 --channel ISR=ch0 --from 1us --to 1ms --period 50ms
    """
    with usage():
        check(asked, target)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_scan  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.commands.progress import StepLines  # noqa: PLC0415
    from plexor.library.scans.burst import scanned  # noqa: PLC0415

    check_outputs(page, folder=asked.out, whole=False)
    lines = StepLines("step", "about ")

    def on_step(job: Job, step: RateStep, taken: int, expected: int) -> None:
        swept = job.settings.strikes[0]
        spaced = "" if swept.spacing_s is None else f", {format_seconds(swept.spacing_s)} apart"
        words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
        lines.say(f"bursts of {swept.burst}{spaced}: {words}", taken, expected)

    asked = replace(asked, device=dict(keys), on_step=on_step)
    found = scanned(asked, target)
    return conclude_scan(found, as_json, page)
