# SPDX-License-Identifier: Apache-2.0
"""Defaults of options from `plexor.toml`, in the current folder or the nearest one above.

Each table is a command or a group, each key an option; a command in a group is [board.doctor].
`[all]` is for every command that has the option. The command line overrides them. The
file belongs to the user or to root. Shell commands are taken only from the folder in which the user
stands.

    [all]
    link = "serial:/dev/ttyUSB1"

    [measure]
    rate = "20k"
    channel = ["ISR=ch0", "TASK=ch1:deadline=50us"]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

import click

from plexor.base.errors import UsageError, reason_of
from plexor.cli.parameters import SpecOption
from plexor.cli.tree import now

FILE = "plexor.toml"
EVERY = "all"


class Defaults:
    """The defaults in a file."""

    def __init__(self, path: Path, tables: Mapping[str, Mapping[str, Any]]) -> None:
        self.path = path
        self._tables = tables

    def of(self, path: tuple[str, ...], root: click.Group) -> dict[str, Any]:
        """Return the defaults of a command by parameter, nested in the names of its groups.

        `path` is the names of the groups and of the command. Raises UsageError for a table that is
        no command, and for a key that is no option.
        """
        self._check_names(self._tables, root, "")
        values: dict[str, Any] = {}
        options = _of_path(root, path)
        own: Mapping[str, Any] = self._tables
        self._take(values, self._tables.get(EVERY, {}), EVERY, options, root)
        command: click.Command | None = root
        for depth, name in enumerate(path, 1):
            own = own.get(name, {})
            command = subcommands(command)[name]()
            self._take(values, own, ".".join(path[:depth]), options, command)
        for name in reversed(path):
            values = {name: values} if values else {}
        return values

    def _check_names(self, tables: Mapping[str, Any], group: click.Group, above: str) -> None:
        """Raise UsageError for a table that no command of a group has the name of."""
        known = subcommands(group)
        for name, table in tables.items():
            if name not in known and not (name == EVERY and not above):
                instead = "" if above else now(name)
                why = f"this is [{instead.split()[0]}] now" if instead else "no such command"
                raise self._error(f"[{above}{name}]: {why}; must be one of {', '.join(known)}")
            inner = _tables_in(table)
            if inner and name != EVERY and isinstance(found := known[name](), click.Group):
                self._check_names(inner, found, f"{above}{name}.")

    def _take(
        self,
        values: dict[str, Any],
        table: Mapping[str, Any],
        name: str,
        options: Mapping[str, click.Parameter],
        command: click.Command | None,
    ) -> None:
        """Add what a table says of options; raise UsageError for a key that nothing below has."""
        for key, value in table.items():
            if isinstance(value, dict) and key in subcommands(command):
                continue
            if key in options:
                values[options[key].name or key] = self._value(name, key, value, options[key])
            elif key not in options_of(command):
                words = "" if name == EVERY else f"{name.replace('.', ' ')} "
                raise self._error(f"[{name}] {key}: no such option; see plexor {words}--help")

    def _value(self, table: str, key: str, value: Any, option: click.Parameter) -> Any:
        """Return a value as the command line would give it."""
        if isinstance(option, SpecOption) and option.is_command and self.path.parent != Path.cwd():
            raise self._error(
                f"[{table}] {key}: a command comes from the command line, or from {FILE} in the "
                "folder where you stand; this one lies above"
            )
        if isinstance(option, click.Option) and option.is_flag:
            if not isinstance(value, bool):
                raise self._error(f"[{table}] {key}: {value!r}; must be true or false")
            return value
        if isinstance(option, click.Option) and option.multiple:
            entries = cast("list[object]", value) if isinstance(value, list) else [value]
            return [str(entry) for entry in entries]
        if isinstance(value, bool | list | dict):
            raise self._error(f"[{table}] {key}: {value!r}; must be a text or a number")
        return str(value)

    def _error(self, text: str) -> UsageError:
        return UsageError(f"{self.path}: {text}")


def _tables_in(table: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the tables in a table."""
    return {
        key: cast("Mapping[str, Any]", value)
        for key, value in table.items()
        if isinstance(value, dict)
    }


def subcommands(command: click.Command | None) -> dict[str, Callable[[], click.Command | None]]:
    """Return the commands of a group by name, each loaded when it is called; none for another."""
    if not isinstance(command, click.Group):
        return {}
    context = click.Context(command, resilient_parsing=True)
    names = command.list_commands(context)
    return {name: partial(command.get_command, context, name) for name in names}


def options_of(command: click.Command | None) -> dict[str, click.Parameter]:
    """Return the options of a command, or of all in a group, by long names without dashes."""
    inner = [options_of(load()) for load in subcommands(command).values()]
    if isinstance(command, click.Group):
        return {name: option for options in inner for name, option in options.items()}
    return {
        name.removeprefix("--"): option
        for option in (command.params if command is not None else ())
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
    }


def _of_path(root: click.Group, path: tuple[str, ...]) -> dict[str, click.Parameter]:
    """Return the options of the command at a path; none for a group."""
    command: click.Command | None = root
    for name in path:
        command = subcommands(command)[name]()
    return {} if isinstance(command, click.Group) else options_of(command)


def nearest(start: Path) -> Path | None:
    """Return the nearest `plexor.toml` from a folder upwards; None if there is none."""
    return next((p for folder in (start, *start.parents) if (p := folder / FILE).is_file()), None)


def read(path: Path) -> Defaults:
    """Return the defaults in a file. Raises UsageError with the path if it cannot be read."""
    from plexor.base.toml_text import parse_toml  # noqa: PLC0415 (only where there is a file)

    try:
        with path.open("rb") as file:
            _check_owners({os.fstat(file.fileno()).st_uid, path.lstat().st_uid})
            tables = parse_toml(file.read().decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise UsageError(f"{path}: {name}: must be a table, such as [measure]")
    return Defaults(path, cast("dict[str, dict[str, Any]]", tables))


def _check_owners(owners: set[int]) -> None:
    """Raise ValueError unless a file belongs to the user, to root, or to who called sudo.

    Anyone may put a file into a folder such as /tmp, which is above those of others.
    """
    if not hasattr(os, "getuid"):
        return
    caller = os.environ.get("SUDO_UID", "") if os.getuid() == 0 else ""
    trusted = {0, os.getuid(), *([int(caller)] if caller.isdecimal() else [])}
    foreign = sorted(owners - trusted)
    if foreign:
        raise ValueError(
            f"belongs to user {foreign[0]}; must belong to you (user {os.getuid()}) or to root: "
            "take it over with chown, or remove it"
        )
