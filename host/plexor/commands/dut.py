# SPDX-License-Identifier: Apache-2.0
"""`plexor dut`: a manifest of one's own design."""

from __future__ import annotations

import json
from pathlib import Path

import click

from plexor.commands.declared.upkeep import Drafted
from plexor.commands.options import AsJson
from plexor.errors import UsageError
from plexor.library.files import write_text
from plexor.library.upkeep.desk import draft_of


def init(top: str, files: tuple[str, ...], drafted: Drafted, shown: AsJson) -> None:
    """Write the draft of a manifest and print it."""
    path = drafted.file or Path(f"{top}.toml")
    if path.exists():
        raise UsageError(f"--to: {path} already exists; name a new file")
    if not path.parent.is_dir():
        raise UsageError(f"--to: {path.parent} is no folder")
    made = draft_of(top, files, path.parent)
    write_text(path, made["text"])
    if shown.as_json:
        click.echo(json.dumps({"file": str(path), **made}, indent=2))
        return
    click.echo(made["text"], nl=False)
    where = path if path.is_absolute() else f"./{path}"
    click.echo(f"plexor: manifest {path}; try plexor measure --dut {where}", err=True)
