# SPDX-License-Identifier: Apache-2.0
"""`plexor lab table` on the command line: what it asks."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.cli.options import AsJson
from plexor.cli.specs import command
from plexor_lab.study.spec import TableSpec


@command("plexor_lab.study.body:table", asked=TableSpec, shown=AsJson)
@click.argument(
    "paths", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
def table() -> None:
    """Show systems side by side: latency, jitter and saturation frequency, idle and loaded.

    RUN is a folder of `plexor sweep --out` or of `plexor measure --out`. Latency and jitter come
    from the run, or from the lowest rate of the sweep if there is no run. The first pin is the
    interrupt's, the second the task's. A system has the name that was given with --label
    system=NAME, or else that of its device.

    \b
      plexor sweep --dut ce30 --load none,polygons --from 20k --to 200k --out s1
      plexor sweep --dut cenet --load none,polygons --from 20k --to 200k --out s2
      plexor lab table s1 s2
    """
