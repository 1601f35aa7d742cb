"""`plexor replay`: the figures of a stored run or scan."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import base_option, budget_option, json_option, velocity_option


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path), metavar="FILE")
@base_option
@velocity_option
@budget_option
@json_option
def replay(
    path: Path, base: Fraction, velocity: Fraction | None, budget: str | None, as_json: bool
) -> int:
    """Print the figures of a stored run, sweep, phase scan or burst scan.

    FILE is its folder, or the raw bytes of a link (wire.bin). The folder of a phase scan also holds
    the run that it was taken from, as run.json.
    """
    from plexor.commands.conclude import Wanted, conclude, wants_colour  # noqa: PLC0415
    from plexor.commands.stored import no_run_options, read_run, read_scan  # noqa: PLC0415
    from plexor.judge.budget_file import load as load_budget  # noqa: PLC0415
    from plexor.units import ticks_of  # noqa: PLC0415

    scan = read_scan(path)
    if scan is not None:
        no_run_options(scan)
        width = shutil.get_terminal_size((100, 24)).columns
        text = json.dumps(scan.document, indent=1, ensure_ascii=False) + "\n"
        print(text if as_json else scan.text(width, wants_colour()), end="", flush=True)
        return scan.code
    limits = None if budget is None else load_budget(budget)
    result = read_run(path)
    base_ticks = round(ticks_of(base, result.tick_fs))
    return conclude(result, Wanted(limits, as_json, None, base_ticks, velocity))
