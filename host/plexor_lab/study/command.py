# SPDX-License-Identifier: Apache-2.0
"""`plexor table`: systems side by side, idle and loaded, beside a published study."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import json_option, time_option
from plexor.errors import ExitCode

JITTERS = ("jitter128", "peak-to-peak", "rms")
"""Measures of jitter; plexor_lab.study.table, which has them too, is imported later."""


@click.command()
@click.argument(
    "paths", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
@click.option(
    "--jitter",
    type=click.Choice(JITTERS),
    default=JITTERS[0],
    show_default=True,
    help="Measure of jitter: the span (maximum minus minimum) of the last 128 latencies or of all, "
    "or the standard deviation.",
)
@click.option(
    "--reference/--no-reference",
    default=True,
    show_default=True,
    help="Show separately what a published study says of Windows CE 3.0 and CE .NET.",
)
@time_option(
    "--interval", help="Show the study's advice for a system that must react at this interval."
)
@json_option
def table(
    paths: tuple[Path, ...], jitter: str, reference: bool, interval: Fraction | None, as_json: bool
) -> int:
    """Show systems side by side: latency, jitter and saturation frequency, idle and loaded.

    RUN is a folder of `plexor sweep --out` or of `plexor measure --out`. Latency and jitter come
    from the run, or from the lowest rate of the sweep if there is no run. The first pin is the
    interrupt's, the second the task's. A system has the name that was given with --key system=NAME,
    or else that of its device.

    \b
      plexor sweep --dut ce30 --load none,polygons --from 20k --to 200k --out s1
      plexor sweep --dut cenet --load none,polygons --from 20k --to 200k --out s2
      plexor table s1 s2
    """
    if interval is not None and interval <= 0:
        raise click.UsageError("--interval: must be above 0")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor_lab.study.table import table as side_by_side  # noqa: PLC0415

    found = side_by_side(paths, jitter=jitter, reference=reference, interval=interval)
    show(found, as_json)
    return ExitCode.PASS
