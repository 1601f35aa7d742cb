"""`plexor replay`: the figures of a run that was kept."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click

from plexor.commands.parameters import DURATION


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path), metavar="FILE")
@click.option("--base", type=DURATION, default="0", metavar="TIME",
              help="Take a base result off each latency.")
@click.option("--budget", metavar="FILE", help="Limits to judge the run by: a TOML file, or omac.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def replay(path: Path, base: Fraction, budget: str | None, as_json: bool) -> int:  # fmt: skip
    """Print the figures of a run again: FILE is its folder, or raw bytes off a link (wire.bin)."""
    from plexor.budget_file import load as load_budget  # noqa: PLC0415
    from plexor.commands.conclude import Wanted, conclude  # noqa: PLC0415
    from plexor.commands.stored import read_run  # noqa: PLC0415
    from plexor.units import ticks_of  # noqa: PLC0415

    limits = None if budget is None else load_budget(budget)
    result = read_run(path)
    base_ticks = round(ticks_of(base, result.tick_fs))
    return conclude(result, Wanted(limits, as_json, None, base_ticks))
