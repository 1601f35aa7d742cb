# SPDX-License-Identifier: Apache-2.0
"""Print what a user meets of the command line: how much each command's help has on its first page.

    .venv/bin/python -m tools.surface

For each command: the lines of `--help`, the options in it, and the options in `--help all`. Then
how many commands the top level has. Exits with 1 where a first page has more than 12 options, or
the top level more than 15 commands.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import click

from plexor import cli
from plexor.cli.helping import MOST, first_page, options_of

MOST_COMMANDS = 15
_WIDTH = 80


class Page(NamedTuple):
    """The first page of a command's help."""

    name: str
    lines: int
    options: int
    every: int
    """Options that the command has."""


def pages() -> Iterator[Page]:
    """Yield the first page of each command."""
    for name, command in cli.every_command():
        context = click.Context(command, info_name=f"plexor {name}", terminal_width=_WIDTH)
        every = options_of(command)
        lines = command.get_help(context).splitlines()
        yield Page(name, len(lines), len(first_page(every)), len(every))


def main() -> int:
    """Print the figures; return 1 if there is too much of something."""
    found = list(pages())
    print(f"{'command':<20} {'lines':>5} {'options':>7} {'of':>3}")
    for page in found:
        print(f"{page.name:<20} {page.lines:>5} {page.options:>7} {page.every:>3}")
    top = cli.command_names()
    print(f"top level: {len(top)} of at most {MOST_COMMANDS}: {' '.join(top)}")
    crowded = [page.name for page in found if page.options > MOST]
    if crowded:
        print(f"more than {MOST} options on the first page: {', '.join(crowded)}")
    return int(bool(crowded) or len(top) > MOST_COMMANDS)


if __name__ == "__main__":
    sys.exit(main())
