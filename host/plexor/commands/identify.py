# SPDX-License-Identifier: Apache-2.0
"""`plexor identify`: what the instrument at a link is."""

from __future__ import annotations

import json

import click

from plexor.commands.parameters import json_option
from plexor.commands.specs import one_of
from plexor.library.specs.options import Target
from plexor.units import format_ticks


@click.command()
@one_of(Target, "link")
@json_option
def identify(link: str, as_json: bool) -> None:
    """Print the identity of the instrument at a link."""
    # Imported here so that --help and wrong options answer at once.
    from plexor.library.upkeep.desk import identified  # noqa: PLC0415

    facts = identified(link)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    tick_fs = facts["tick_fs"]
    facts["tick_fs"] = f"{tick_fs:,} fs ({format_ticks(1, tick_fs)})"
    facts["features"] = ", ".join(facts["features"])
    for name, value in facts.items():
        click.echo(f"{name:<14} {value}")
