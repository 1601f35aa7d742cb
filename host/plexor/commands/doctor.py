"""`plexor doctor`: what is missing here, and the commands that fix it."""

from __future__ import annotations

import json

import click

from plexor.commands.parameters import json_option
from plexor.errors import ExitCode


@click.command()
@click.option("--udev", is_flag=True, help="Print only the udev rules for all boards.")
@json_option
def doctor(udev: bool, as_json: bool) -> int:
    """Find what keeps boards from working: permissions, drivers, latency timers, baud, programs.

    Nothing is changed. Below each missing item is the command that fixes it. The exit code is 1 if
    something is missing.
    """
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.desk.doctor import Level, examine, udev_rules  # noqa: PLC0415
    from plexor.jsonable import to_json  # noqa: PLC0415
    from plexor.render.terminal.columns import Paint  # noqa: PLC0415

    if udev:
        click.echo(udev_rules(), nl=False)
        return ExitCode.PASS
    seen = examine()
    missing = [entry for entry in seen if entry.level == Level.MISSING]
    if as_json:
        click.echo(json.dumps([to_json(entry) for entry in seen], indent=2))
        return ExitCode.BUDGET if missing else ExitCode.PASS
    paint = Paint(wants_colour())
    styles = {Level.OK: "good", Level.NOTE: "doubt", Level.MISSING: "bad"}
    for entry in seen:
        click.echo(paint(f"{entry.level:<8} {entry.what}", styles[entry.level]))
        if entry.command:
            click.echo(f"         {entry.command}")
    return ExitCode.BUDGET if missing else ExitCode.PASS
