# SPDX-License-Identifier: Apache-2.0
"""`plexor board doctor`: what is missing here, and the commands that fix it."""

from __future__ import annotations

import click

from plexor.base.errors import ExitCode
from plexor.cli.conclude import show
from plexor.cli.declared.upkeep import UdevRules
from plexor.cli.options import AsJson
from plexor.library.upkeep.desk import examined, udev_rules


def doctor(link: str | None, rules: UdevRules, shown: AsJson) -> int:
    """Print what is missing, or the rules of udev, and return the exit code."""
    if rules.udev:
        click.echo(udev_rules(), nl=False)
        return ExitCode.PASS
    found = examined(link)
    show(found, shown.as_json)
    return found.exit_code()
