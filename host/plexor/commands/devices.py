# SPDX-License-Identifier: Apache-2.0
"""`plexor devices`: what can be measured from here, and what a simulated device's options are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import click

from plexor.commands.options import AsJson
from plexor.library.upkeep.desk import available, options_of

_INDENT = 6


def devices(name: str | None, shown: AsJson) -> None:
    """Print what can be measured, or what a simulated device's options are."""
    if name is not None:
        found = options_of(name)
        if shown.as_json:
            click.echo(json.dumps(found, indent=2))
        else:
            click.echo("\n".join(_explanation(found)))
        return
    rows = list(available())
    if shown.as_json:
        click.echo(json.dumps([{"name": where, "is": what} for where, what in rows], indent=2))
        return
    for where, what in rows:
        click.echo(f"{where:<15} {what}".rstrip())


def _explanation(found: dict[str, Any]) -> Iterator[str]:
    yield f"--dut {found['device']}:OPTION=VALUE,OPTION=VALUE,..."
    groups = {
        False: "Options:",
        True: "Options of channels: NAME=VALUE sets all channels, chN.NAME=VALUE sets channel N:",
    }
    for of_channel, heading in groups.items():
        options = [entry for entry in found["options"] if entry["of_channel"] == of_channel]
        if options:
            yield from ("", heading)
        for entry in options:
            yield f"  {entry['name']}={entry['value']}"
            yield from _indented(
                f"{entry['meaning']}; {entry['range']} (default: {entry['default']})"
            )
    if found["distributions"]:
        yield from ("", "DIST, a random time:")
        for form, meaning in found["distributions"].items():
            yield f"  {form}"
            yield from _indented(meaning)
    yield from ("", "Times need a unit: fs, ps, ns, us, ms or s.")
    if found["preset"]:
        yield from ("", f"{found['device']} is synthetic with these options, followed by your own:")
        for name, value in found["preset"].items():
            yield f"  {name}={value}"


def _indented(text: str) -> list[str]:
    space = " " * _INDENT
    return wrap(text, 100, initial_indent=space, subsequent_indent=space)
