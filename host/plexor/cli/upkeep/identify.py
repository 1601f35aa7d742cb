# SPDX-License-Identifier: Apache-2.0
"""`plexor board identify`: what the instrument at a link is."""

from __future__ import annotations

import json

import click

from plexor.base.units import format_ticks
from plexor.cli.options import AsJson
from plexor.library.upkeep.desk import identified


def identify(link: str, shown: AsJson) -> None:
    """Print the identity of an instrument."""
    facts = identified(link)
    if shown.as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    tick_fs = facts["tick_fs"]
    facts["tick_fs"] = f"{tick_fs:,} fs ({format_ticks(1, tick_fs)})"
    facts["features"] = ", ".join(facts["features"])
    for name, value in facts.items():
        click.echo(f"{name:<14} {value}")
