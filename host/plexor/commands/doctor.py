# SPDX-License-Identifier: Apache-2.0
"""`plexor doctor`: what is missing here, and the commands that fix it."""

from __future__ import annotations

import click

from plexor.commands.parameters import json_option
from plexor.commands.specs import one_of
from plexor.errors import ExitCode
from plexor.library.specs.options import Target


@click.command()
@one_of(
    Target,
    "link",
    default=None,
    shows_default=False,
    help="Walk it instead: its port, rate, identity, every value of a byte, the clock. That "
    "ends where the link fails, with what came in place of an answer.",
)
@click.option("--udev", is_flag=True, help="Print only the udev rules for all boards.")
@json_option
def doctor(link: str | None, udev: bool, as_json: bool) -> int:
    """Find what keeps boards from working: permissions, drivers, rates, programs, silent links.

    Nothing is changed. Below each missing item is the command that fixes it. The exit code is 1 if
    something is missing.

    \b
      plexor doctor --link serial:/dev/ttyUSB1
    """
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.library.upkeep.desk import examined, udev_rules  # noqa: PLC0415

    if udev and link is not None:
        raise click.UsageError("--udev prints rules only; leave out --link")
    if udev:
        click.echo(udev_rules(), nl=False)
        return ExitCode.PASS
    found = examined(link)
    show(found, as_json, indent=2)
    return found.exit_code()
