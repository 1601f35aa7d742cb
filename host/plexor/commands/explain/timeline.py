# SPDX-License-Identifier: Apache-2.0
"""`plexor timeline`: what the tasks and interrupts of a device did in a stored run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.parameters import files_option, json_option, page_option
from plexor.commands.specs import asks
from plexor.library.drawing import write_shown
from plexor.library.explain.specs import TimelineSpec


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path), metavar="RUN")
@asks(asked=TimelineSpec)
@json_option
@page_option
@files_option("all lanes", ".csv (a row for each span), .vcd (a string for each lane) or .pftrace")
def timeline(
    run: Path, asked: TimelineSpec, as_json: bool, page: Path | None, files: tuple[Path, ...]
) -> int:
    """Show when each task and interrupt ran, waited and slept, and who ran after whom.

    RUN is a folder of --out, of a run that was measured with --code-port or --code-wires. Each
    lane's times in all states add up to the run's length.

    \b
      plexor timeline coded
      plexor timeline coded --from 1ms --until 2ms --page timeline.html
      plexor timeline coded --cursor 1.2ms --cursor 1.4ms --to lanes.pftrace
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run  # noqa: PLC0415

    check_outputs(page, *files)
    found = load(run)
    if not isinstance(found, Run):
        raise UsageError(f"{run}: holds a {found.what}; only runs have a timeline")
    drawn = found.timeline(**asked.keywords())
    show(drawn, as_json)
    if page is not None:
        word = write_shown(page, drawn.page, drawn.picture)
        print(f"plexor: {word} {page}", file=sys.stderr)
    drawn.export(*files)
    for path in files:
        print(f"plexor: wrote {path}", file=sys.stderr)
    return found.exit_code()
