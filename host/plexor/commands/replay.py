"""`plexor replay`: the figures of a run that was kept."""

from __future__ import annotations

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
    """Print the figures of a run again: FILE is its folder, or raw bytes off a link (wire.bin)."""
    from plexor.budget_file import load as load_budget  # noqa: PLC0415
    from plexor.commands.conclude import Wanted, conclude  # noqa: PLC0415
    from plexor.commands.stored import read_run  # noqa: PLC0415
    from plexor.units import ticks_of  # noqa: PLC0415

    limits = None if budget is None else load_budget(budget)
    result = read_run(path)
    base_ticks = round(ticks_of(base, result.tick_fs))
    return conclude(result, Wanted(limits, as_json, None, base_ticks, velocity))
