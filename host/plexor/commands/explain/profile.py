# SPDX-License-Identifier: Apache-2.0
"""`plexor profile`: where the functions of a device spent their time in a stored run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from plexor.commands.parameters import json_option
from plexor.commands.specs import asks
from plexor.library.explain.specs import VIEWS, ProfileSpec


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path), metavar="RUN")
@click.argument("view", type=click.Choice(VIEWS), default="top", metavar="[VIEW]")
@asks(asked=ProfileSpec)
@json_option
@click.option(
    "--speedscope",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write all calls as a file for speedscope.app.",
)
def profile(run: Path, asked: ProfileSpec, as_json: bool, speedscope: Path | None) -> int:
    """Show which functions of a device took how long, by the codes at their entries and exits.

    RUN is a folder of --out, of a run that was measured with --code-port or --code-wires. VIEW is
    top (functions), modules, tree (paths of calls), butterfly (callers and callees of one
    function), graph (edges from caller to callee) or trace (each call). Own time leaves out
    callees, interrupts and other tasks.

    \b
      plexor profile coded
      plexor profile coded butterfly --function control.v:update
      plexor profile coded trace --base 120ns --speedscope coded.speedscope.json
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.library.files import write_text  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run  # noqa: PLC0415

    check_outputs(speedscope)
    found = load(run)
    if not isinstance(found, Run):
        raise UsageError(f"{run}: holds a {found.what}; only runs have a profile")
    drawn = found.profile(**asked.keywords())
    show(drawn, as_json)
    if speedscope is not None:
        write_text(speedscope, json.dumps(drawn.speedscope(), ensure_ascii=False) + "\n")
        print(f"plexor: wrote {speedscope}", file=sys.stderr)
    return found.exit_code()
