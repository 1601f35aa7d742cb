# SPDX-License-Identifier: Apache-2.0
"""`plexor board devices` and `plexor dut`: what can be measured here, and drafts of manifests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from plexor.base.errors import ExitCode, UsageError
from plexor.cli.conclude import print_json
from plexor.cli.declared.upkeep import Drafted
from plexor.cli.options import AsJson
from plexor.library.files import write_text
from plexor.library.upkeep.desk import available, checks_of, draft_of, options_of

_INDENT = 6


def devices(name: str | None, shown: AsJson) -> None:
    """Print what can be measured, or what a simulated device's options are."""
    if name is not None:
        found = options_of(name)
        if shown.as_json:
            print_json(found)
        else:
            click.echo("\n".join(_explanation(found)))
        return
    rows = list(available())
    if shown.as_json:
        print_json([{"name": where, "is": what} for where, what in rows])
        return
    for where, what in rows:
        click.echo(f"{where:<15} {what}".rstrip())


def init(top: str, files: tuple[str, ...], drafted: Drafted, shown: AsJson) -> None:
    """Write the draft of a manifest and print it."""
    path = drafted.file or Path(f"{top}.toml")
    if path.exists():
        raise UsageError(f"--to: {path} already exists; name a new file")
    if not path.parent.is_dir():
        raise UsageError(f"--to: {path.parent} is no folder")
    core: dict[str, str | list[str] | None] = {
        "target": drafted.target,
        "flags": list(drafted.flags),
        "libraries": list(drafted.libraries),
        "without": list(drafted.without),
    }
    given = {name: value for name, value in core.items() if value}
    made = draft_of(
        top,
        files,
        path.parent,
        given,
        dict(drafted.variables),
        drafted.vhdl_libraries,
        drafted.include,
        {name: _number_or_text(text) for name, text in drafted.parameters},
    )
    write_text(path, made["text"])
    if shown.as_json:
        print_json({"file": str(path), **made})
        return
    click.echo(made["text"], nl=False)
    where = path if path.is_absolute() else f"./{path}"
    click.echo(f"plexor: manifest {path}; try plexor measure --dut {where}", err=True)


def _number_or_text(text: str) -> int | str:
    """Return what a parameter is set to: a number, if it is one."""
    try:
        return int(text, 0)
    except ValueError:
        return text


def check(manifest: str, shown: AsJson) -> ExitCode:
    """Print what is right and wrong in a design; return BUDGET if anything is wrong."""
    found = checks_of(manifest)
    if shown.as_json:
        print_json({"manifest": manifest, "findings": found})
    else:
        for one in found:
            click.echo(f"{'ok' if one['right'] else 'LOOK':<5} {one['what']:<8} {one['text']}")
    return ExitCode.PASS if all(one["right"] for one in found) else ExitCode.BUDGET


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
