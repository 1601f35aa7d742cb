# SPDX-License-Identifier: Apache-2.0
"""`plexor completion`: completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from plexor.commands import COMPLETING

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes SHELL complete the commands and options of plexor.

    The folder of the file must exist; a new shell reads it.

    \b
      plexor completion bash > ~/.local/share/bash-completion/completions/plexor
      plexor completion zsh > ~/.zfunc/_plexor
      plexor completion fish > ~/.config/fish/completions/plexor.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "plexor", COMPLETING).source())
