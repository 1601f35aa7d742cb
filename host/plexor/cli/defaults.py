# SPDX-License-Identifier: Apache-2.0
"""Defaults of options from `plexor.toml`, in the current folder or the nearest one above.

Each table is a command, each key one of its options; `[all]` is for every command that has the
option. The command line and presets override them. The file belongs to the user or to root. Shell
commands are taken only from the folder in which the user stands.

    [all]
    link = "serial:/dev/ttyUSB1"

    [measure]
    rate = "20k"
    channel = ["ISR=ch0", "TASK=ch1:deadline=50us"]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import click

from plexor.base.errors import UsageError

FILE = "plexor.toml"
EVERY = "all"
Load = Callable[[str], click.Command | None]
"""Returns the command of a name."""


class CommandOption(click.Option):
    """An option whose value is a shell command."""


class Defaults:
    """The defaults in a file."""

    def __init__(self, path: Path, tables: Mapping[str, Mapping[str, Any]]) -> None:
        self.path = path
        self._tables = tables

    def of(self, name: str, load: Load, names: list[str]) -> dict[str, Any]:
        """Return the defaults of a command, by parameter.

        `names` are all commands. Raises UsageError for a key that is no option.
        """
        for table in self._tables:
            if table != EVERY and table not in names:
                raise self._error(f"[{table}]: no such command; must be one of {', '.join(names)}")
        found: dict[str, Any] = {}
        for table in (EVERY, name):
            options = options_of(load(name))
            for key, value in self._tables.get(table, {}).items():
                if key in options:
                    found[options[key].name or key] = self._value(table, key, value, options[key])
                elif table != EVERY or not any(key in options_of(load(each)) for each in names):
                    raise self._error(f"[{table}] {key}: no such option; see plexor {name} --help")
        return found

    def _value(self, table: str, key: str, value: Any, option: click.Parameter) -> Any:
        """Return a value as the command line would give it."""
        if isinstance(option, CommandOption) and self.path.parent != Path.cwd():
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


def options_of(command: click.Command | None) -> dict[str, click.Parameter]:
    """Return the options of a command, or of all in a group, by long names without dashes."""
    if isinstance(command, click.Group):
        every = [options_of(each) for each in command.commands.values()]
        return {name: option for options in every for name, option in options.items()}
    return {
        name.removeprefix("--"): option
        for option in (command.params if command is not None else ())
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
    }


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
        raise UsageError(f"{path}: cannot read: {error.strerror or error}") from error
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
