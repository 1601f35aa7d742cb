# SPDX-License-Identifier: Apache-2.0
"""`plexor sweep`: the highest rate that a device sustains."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plexor.commands.parameters import (
    Drawn,
    json_option,
    key_option,
    page_option,
    usage,
)
from plexor.commands.specs import asks
from plexor.library.scans.sweep_spec import SweepSpec, check
from plexor.library.specs.options import Target
from plexor.units import format_rate

if TYPE_CHECKING:
    from plexor.library.scans.sweep_spec import RateStep


@click.command()
@asks(target=Target, asked=SweepSpec)
@key_option
@json_option
@page_option
@click.option("--svg", type=Drawn(".svg"), metavar="FILE", help="Write the picture to FILE.svg.")
def sweep(
    target: Target,
    asked: SweepSpec,
    keys: tuple[tuple[str, str], ...],
    as_json: bool,
    page: Path | None,
    svg: Path | None,
) -> int:
    """Find the highest rate that a device sustains, for each channel and each load.

    A first scan covers all rates. Bisection follows, between the lowest rate that fails and the
    highest below it that passes. Each rate is tried until an exact test is certain.

    \b
      plexor sweep --dut bare --from 10k --to 1M --dither 1024ns
      plexor sweep --from 1k --to 100k --load none,cpu,polygons --criterion 'missed<1%' --out s1
    """
    with usage():
        check(asked, target)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_scan  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.commands.progress import StepLines  # noqa: PLC0415
    from plexor.library.scans.sweep import swept  # noqa: PLC0415

    check_outputs(page, svg, folder=asked.out, whole=False)
    lines = StepLines("step", "about ")

    def on_step(step: RateStep, taken: int, expected: int) -> None:
        words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
        lines.say(f"{step.load} {format_rate(step.rate_hz)}: {words}", taken, expected)

    asked = replace(asked, device=dict(keys), on_step=on_step)
    found = swept(asked, target)
    return conclude_scan(found, as_json, page, svg)
