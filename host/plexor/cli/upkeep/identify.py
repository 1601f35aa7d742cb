# SPDX-License-Identifier: Apache-2.0
"""`plexor board identify`: what the instrument at a link is."""

from __future__ import annotations

from typing import Any

import click

from plexor.base.counts import counted
from plexor.base.units import format_ticks
from plexor.cli.conclude import print_json
from plexor.cli.options import AsJson
from plexor.library.upkeep.desk import identified


def identify(link: str, shown: AsJson) -> None:
    """Print the identity of an instrument."""
    facts = identified(link)
    if shown.as_json:
        print_json(facts)
        return
    tick_fs = facts["tick_fs"]
    facts["tick_fs"] = f"{tick_fs:,} fs ({format_ticks(1, tick_fs)})"
    facts["features"] = ", ".join(facts["features"])
    carried_hz, sustained = facts.pop("link_events_hz"), facts.pop("sustained")
    for name, value in facts.items():
        click.echo(f"{name:<14} {value}")
    if carried_hz is not None:
        click.echo(f"{'link carries':<14} {carried_hz:,} events a second")
    for entry in sustained:
        if entry["hz"] is not None:
            click.echo(f"{'sustains':<14} {_sustained(entry)}")


def _sustained(entry: dict[str, Any]) -> str:
    count = entry["channels"]
    text = f"{entry['hz']:,.0f} strikes a second, {counted(count, 'channel')} matched"
    active_hz = entry.get("active_edges_hz")
    return text if active_hz is None else f"{text}; {active_hz:,.0f} with --edges active"
