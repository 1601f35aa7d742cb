# SPDX-License-Identifier: Apache-2.0
"""`plexor --completion`: completes commands and options in a shell."""

from __future__ import annotations

import click

COMPLETING = "_PLEXOR_COMPLETE"
"""Environment variable by which a shell asks for completions."""
SHELLS = ("bash", "zsh", "fish")


def complete(ctx: click.Context, option: click.Parameter, shell: str | None) -> None:
    """Print what makes a shell complete the commands and options of plexor, and end."""
    del option
    if shell is None or ctx.resilient_parsing:
        return
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.command, {}, "plexor", COMPLETING).source())
    ctx.exit()
