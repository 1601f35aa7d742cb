# SPDX-License-Identifier: Apache-2.0
"""`plexor replay`: the figures of a stored run or scan."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.commands.parameters import (
    budget_option,
    json_option,
    no_run_options,
)
from plexor.commands.specs import asks
from plexor.library.specs.options import Less


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path), metavar="FILE")
@asks(less=Less)
@budget_option
@json_option
def replay(path: Path, less: Less, budget: str | None, as_json: bool) -> int:
    """Print the figures of a stored run, sweep, phase scan or burst scan.

    FILE is its folder, or the raw bytes of a link (wire.bin). The folder of a phase scan also holds
    the run that it was taken from, as run.json.
    """
    from plexor.commands.conclude import RunUse, conclude, show  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run, load_budget  # noqa: PLC0415

    found = load(path)
    if not isinstance(found, Run):
        no_run_options(found.what)
        show(found, as_json)
        return found.exit_code()
    limits = None if budget is None else load_budget(budget)
    return conclude(found.less(**less.keywords()), RunUse(limits, as_json))
