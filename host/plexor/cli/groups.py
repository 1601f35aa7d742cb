# SPDX-License-Identifier: Apache-2.0
"""Groups whose commands are imported only when they are called; listing them imports none."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from plexor.base.errors import UsageError
from plexor.base.meant import MEANT
from plexor.base.meant import nearest as nearest_word
from plexor.base.streams import printable_line
from plexor.cli import tree
from plexor.cli.defaults import nearest, read, subcommands
from plexor.cli.helping import HelpedGroup
from plexor.cli.tree import Command, CommandGroup

_OPTIONS = {
    "help": "plexor --help, or plexor COMMAND --help",
    "version": "plexor --version",
    "completion": "plexor --completion SHELL",
}
"""What is no command, and an option."""
_OTHER_WORDS = {
    "note": "show RUN --note TEXT",
    "notes": "show RUN --note TEXT",
    "run": "measure",
    "diff": "compare",
    "plot": "show RUN --to FILE",
    "live": "scope",
    "capture": "measure",
    "record": "measure",
    "start": "measure",
    "cyclictest": "measure",
    "latmon": "measure",
    "hyperfine": "measure --budget FILE.toml, or compare A B",
    "sigrok-cli": "import CAPTURE",
    "open": "show RUN",
    "view": "show RUN",
    "scan": "board devices",
    "list": "board devices",
    "ls": "board devices",
}
"""What is no command, and which one does that."""
_OWN = "plexor"
"""The distribution of Plexor itself, and of `plexor_lab`."""


class _Lazy(HelpedGroup, ABC):
    """A group of the tree."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        try:
            return self.load(cmd_name)
        except UsageError:
            if ctx.resilient_parsing:
                return None
            raise

    @abstractmethod
    def load(self, name: str) -> click.Command | None:
        """Return the command of a name; None if there is none.

        Raises UsageError for a command of another package that cannot be loaded.
        """

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command. A wrong name gets what it is called now, or the nearest one."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            _refuse(args[0], ctx)
        return super().resolve_command(ctx, args)

    @abstractmethod
    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield topic, name and sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by their topics."""
        topics: dict[str, list[tuple[str, str]]] = {}
        for topic, name, text in self.rows():
            topics.setdefault(topic, []).append((name, text))
        wide = max((len(name) for rows in topics.values() for name, _ in rows), default=0)
        for topic, rows in topics.items():
            with formatter.section(topic):
                formatter.write_dl([(name.ljust(wide), text) for name, text in rows])


class Branch(_Lazy):
    """A group of commands under a name of their own."""

    def __init__(self, name: str, group: CommandGroup) -> None:
        super().__init__(name, help=group.help, no_args_is_help=False)
        self.branch = name

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_group(self.branch).commands)

    def load(self, name: str) -> click.Command | None:
        group = _group(self.branch)
        if name not in group.commands:
            return None
        found = tree.offered(name) if self.branch == tree.OPEN else None
        if found is None:
            return _imported(group.commands[name])
        offer, command = found
        Root.package = "" if offer.package == _OWN else offer.package
        return offer.loaded(command.target, click.Command)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield each command. What is wrong with one of another package is a line of its own."""
        for name, command in _group(self.branch).commands.items():
            try:
                found = tree.offered(name) if self.branch == tree.OPEN else None
                yield "Commands", name, (command if found is None else found[1]).help
            except UsageError as error:
                _say(error)
        if self.branch == tree.OPEN:
            for error in tree.taken():
                _say(error)


class Root(_Lazy):
    """The command line: all commands, and their defaults in plexor.toml."""

    package = ""
    """The package of the command that was called; empty for Plexor's own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(tree.TOP)

    def load(self, name: str) -> click.Command | None:
        group = tree.TOP.get(name)
        if isinstance(group, CommandGroup):
            return Branch(name, group)
        return None if group is None else _imported(group)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and its defaults."""
        found = super().resolve_command(ctx, args)
        ctx.default_map = _defaults(ctx, self, args)
        return found

    def rows(self) -> Iterator[tuple[str, str, str]]:
        for topic, commands in tree.TOPICS.items():
            for name, command in commands.items():
                inner = tree.group_of(name)
                names = "" if inner is None else f" Commands: {', '.join(inner.commands)}."
                yield topic, name, command.help + names


def _group(name: str) -> CommandGroup:
    group = tree.group_of(name)
    assert group is not None
    return group


def _imported(command: Command) -> click.Command:
    module, _, attribute = command.target.partition(":")
    return getattr(import_module(module), attribute)


def _refuse(name: str, ctx: click.Context) -> NoReturn:
    """Raise what is said of a name that is no command here."""
    above = ctx.command_path.split()[1:]
    instead = "" if above else tree.now(name)
    if instead:
        raise UsageError(f"{name}: this is `plexor {instead}` now")
    if name.casefold() in _OPTIONS:
        raise UsageError(f"{name}: is an option{MEANT} {_OPTIONS[name.casefold()]}?")
    if not above and name.casefold() in _OTHER_WORDS:
        raise UsageError(f"{name}: no such command{MEANT} plexor {_OTHER_WORDS[name.casefold()]}?")
    known = {
        path[-1]: path for path in reversed(tree.paths()) if not above or path[:1] == (*above,)
    }
    near = nearest_word(name, known)
    hint = f" Did you mean {' '.join(known[near])!r}?" if near else ""
    ctx.fail(f"No such command {' '.join((*above, name))!r}.{hint}")


def _defaults(context: click.Context, root: click.Group, words: list[str]) -> dict[str, Any]:
    """Return the defaults of a command in the nearest plexor.toml, and say which file that is."""
    path = nearest(Path.cwd())
    if path is None:
        return {}
    known = read(path)
    found = known.of(_path(root, words), root)
    if found and not context.resilient_parsing:
        print(f"plexor: defaults from {known.path}", file=sys.stderr)
    return found


def _path(root: click.Group, words: list[str]) -> tuple[str, ...]:
    """Return the names of a command and its groups that a command line begins with."""
    path: list[str] = []
    here: click.Command | None = root
    for word in words:
        inner = subcommands(here)
        if word not in inner:
            break
        path.append(word)
        here = inner[word]()
    return tuple(path)


def _say(error: UsageError) -> None:
    """Print an error of another command that hinders none."""
    print(f"plexor: {printable_line(' '.join(str(error).split()))}", file=sys.stderr)
