# SPDX-License-Identifier: Apache-2.0
"""`plexor completion`: completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from plexor.cli import COMPLETING


def completion(shell: str) -> None:
    """Print what makes a shell complete the commands and options of plexor."""
    kind = get_completion_class(shell)
    assert kind is not None
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "plexor", COMPLETING).source())
