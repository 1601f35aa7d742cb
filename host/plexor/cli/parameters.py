# SPDX-License-Identifier: Apache-2.0
"""Values of the command line, read by functions; and what the command line that runs says."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import click
from click.core import ParameterSource

from plexor.base.errors import UsageError

T = TypeVar("T")

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from plexor.library.specs.spec import Option

    _ParamType = click.ParamType[Any, Any]
else:  # generic since click 8.4
    _ParamType = click.ParamType


class Parsed(_ParamType, Generic[T]):
    """A value read by a function that raises ValueError with one clear line."""

    def __init__(self, name: str, parse: Callable[[str], T]) -> None:
        self.name = name
        self._parse = parse

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the parsed value; fail with the function's own words, the option named once."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError as error:
            flag = "" if param is None else param.opts[0].lstrip("-")
            self.fail(str(error).removeprefix(f"{flag}: "), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return what a shell completes: files where a file is named, folders for a folder."""
        del ctx, param
        from click.shell_completion import CompletionItem  # noqa: PLC0415 (only in a shell)

        kind = {"FILE": "file", "DIR": "dir"}.get(self.name)
        return [] if kind is None else [CompletionItem(incomplete, type=kind)]


class SpecOption(click.Option):
    """An option that a Spec declares."""

    def __init__(self, *names: Any, said: Option, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.is_command = said.is_command
        """Whether its value is a shell command."""
        self.first = said.first
        """Whether the first page of the help has it."""
        self.topic = said.topic
        """What it is about; empty: nothing else is."""


def only_one(context: click.Context, option: click.Parameter, given: Any) -> Any:
    """Return the only value of an option that names a file; refuse two, of which one would go."""
    del context
    if len(given) > 1:
        raise click.BadParameter("is given twice; give one", param=option)
    return given[0] if given else None


def command_line() -> tuple[str, ...]:
    """Return the words of the command line that runs; none in a test of one command."""
    words: object = click.get_current_context().find_root().obj
    return tuple(map(str, cast("tuple[object, ...]", words))) if isinstance(words, tuple) else ()


def given(names: Iterable[str]) -> list[str]:
    """Return those parameters of the command that runs which its command line has."""
    context = click.get_current_context()
    typed = ParameterSource.COMMANDLINE
    return [name for name in names if context.get_parameter_source(name) == typed]


def option_name(name: str) -> str:
    """Return a parameter of the command that runs as its option on the command line."""
    context = click.get_current_context(silent=True)
    known = [] if context is None else context.command.params
    plain = f"--{name.replace('_', '-')}"
    return next((entry.opts[0] for entry in known if entry.name == name), plain)


@contextmanager
def usage() -> Generator[None]:
    """Have a UsageError name the help of the command that runs."""
    try:
        yield
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def refuse(names: Iterable[str], why: str) -> None:
    """Raise UsageError if the command line has one of these parameters; `why` follows its flag."""
    for name in given(names):
        raise click.UsageError(f"{option_name(name)} {why}")


def no_run_options(what: str) -> None:
    """Raise UsageError if the command line has an option that only a run has; `what` is none."""
    refuse(("base", "columns", "budget"), f"applies only to runs; this is a {what}")
