# SPDX-License-Identifier: Apache-2.0
"""`plexor measure` on the command line: its options, and what it does with them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from plexor.commands.measure.presets import overridden, preset_option
from plexor.commands.parameters import (
    budget_option,
    command_line,
    json_option,
    key_option,
    option_name,
    page_option,
    usage,
)
from plexor.commands.specs import asks
from plexor.library.run_spec import RunSpec, settings_of
from plexor.library.specs.options import Less, NewFolder, Source, check_kept


@click.command()
@asks(source=Source, asked=RunSpec, less=Less, place=NewFolder)
@preset_option
@budget_option
@key_option
@click.option(
    "--live",
    is_flag=True,
    help="Show histograms, persistence and figures of each channel while the run is under way.",
)
@json_option
@page_option
@click.option(
    "--wire", is_flag=True, help="Keep the raw bytes of the link too, in the folder of --out."
)
@click.pass_context
def measure(
    context: click.Context,
    source: Source,
    asked: RunSpec,
    place: NewFolder,
    less: Less,
    budget: str | None,
    keys: tuple[tuple[str, str], ...],
    live: bool,
    as_json: bool,
    page: Path | None,
    wire: bool,
) -> int:
    """Strike a device, time its responses and judge them.

    Times need a unit: 50us, 1.5ms, 2s. Rates and counts may have k, M or G.

    \b
      plexor measure --rate 20k --count 10k
      plexor measure --dut bare --rate 1k --time 2s --budget omac --json
      plexor measure --preset cots5k --count 10k --strike 1:start=strike0,phase=5us,width=1us
      plexor measure --link serial:/dev/ttyUSB1 --rate 5k --duty 20% --time 60s --out run1
    """
    asked = replace(asked, **dict.fromkeys(overridden(context)))
    with usage():
        settings = settings_of(asked, option_name)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.output import check_outputs, check_run_folder, kept  # noqa: PLC0415
    from plexor.library.keep import recording  # noqa: PLC0415
    from plexor.library.run import load_budget  # noqa: PLC0415

    limits = None if budget is None else load_budget(budget)
    if wire and place.out is None:
        raise click.UsageError("--wire keeps the bytes in the folder of --out; give --out too")
    with usage():
        check_kept(place, option_name)
    target = check_run_folder(place.out, force=place.force)
    check_outputs(page, folder=place.out)
    from plexor.commands.conclude import RunUse, conclude  # noqa: PLC0415
    from plexor.commands.measure.take import take  # noqa: PLC0415

    with ExitStack() as stack:
        tap = stack.enter_context(recording(target)) if wire and target else None
        run = take(source, asked, settings, tap, limits, dict(keys), live=live)
        run = run.taken_by(command_line())
        unsaved = None if target is None else kept(run, target, tap)
    return conclude(
        run.less(**less.keywords()),
        RunUse(limits, as_json, page, taken_now=True, unsaved=unsaved),
    )
