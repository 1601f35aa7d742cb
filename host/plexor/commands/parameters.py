# SPDX-License-Identifier: Apache-2.0
"""Types of command-line values: exact durations, rates and counts; options of several commands."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from plexor.errors import UsageError
from plexor.library.drawing import SHOWN, check_converter
from plexor.units import parse_count, parse_duration

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:
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
        """Return the parsed value; fail with the function's own words."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return what a shell completes: files where a file is named, folders for a folder."""
        del ctx, param
        kind = {"FILE": "file", "DIR": "dir"}.get(self.name)
        return [] if kind is None else [CompletionItem(incomplete, type=kind)]


class Drawn(_ParamType):
    """A file whose suffix says what is written to it: a page, a picture, or rows.

    A pipe or a device, such as /dev/stdout, may have any name and takes the first of them.
    """

    name = "file"

    def __init__(self, *suffixes: str) -> None:
        self._suffixes = suffixes

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the path; fail for another suffix, with those that can be written."""
        from plexor.library.files import is_direct  # noqa: PLC0415

        path = Path(str(value))
        try:
            writable = path.suffix in self._suffixes or is_direct(path)
        except (OSError, ValueError):  # a name that no file can have
            writable = False
        if not writable:
            kinds = ((_listed(own), what) for what, own in _by_kind(self._suffixes))
            known = ", or ".join(f"{own} for {what}" for own, what in kinds)
            self.fail(f"{path}: its suffix must be {known}", param, ctx)
        try:
            check_converter(path)
        except UsageError as error:
            self.fail(str(error), param, ctx)
        return path


_WHAT = {**{suffix: f"a {what}" for suffix, what in SHOWN.items()}, ".csv": "rows"}


def _by_kind(suffixes: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return what can be written, and by which of these suffixes."""
    kinds: dict[str, list[str]] = {}
    for suffix in suffixes:
        kinds.setdefault(_WHAT[suffix], []).append(suffix)
    return list(kinds.items())


def _listed(words: list[str]) -> str:
    """Return `.svg, .png or .pdf`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def parse_key(text: str) -> tuple[str, str]:
    """Return (`os`, `FreeRTOS`) of `os=FreeRTOS`; raise ValueError."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ValueError(f"description: {text!r}; must be NAME=TEXT, such as os=FreeRTOS")
    return name.strip(), value.strip()


DURATION = Parsed("time", parse_duration)
COUNT = Parsed("count", parse_count)
KEY = Parsed("name=text", parse_key)
time_option = partial(click.option, type=DURATION, metavar="TIME")
"""Decorator for an option that is a duration."""
budget_option = click.option(
    "--budget", metavar="FILE", help="Limits by which the run is judged: a TOML file, or omac."
)
STRICT = "plexor.strict"
"""Where a command's context keeps --strict."""
STRICT_KEYS = ("os", "board", "build", "driver", "test")
"""Keys without which a report does not say what was measured."""


def _set_strict(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.meta[STRICT] = value


def _check_keys(
    context: click.Context, parameter: click.Parameter, keys: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Raise BadParameter if --strict asks for keys that are missing."""
    given = {name for name, text in keys if text.strip()}
    missing = [name for name in STRICT_KEYS if name not in given]
    if context.meta.get(STRICT) and missing:
        raise click.BadParameter(
            f"{', '.join(missing)}: missing; --strict needs --key NAME=TEXT for each of "
            f"{', '.join(STRICT_KEYS)}",
            context,
            parameter,
        )
    return keys


def key_option(command: F) -> F:
    """Add --key, and --strict, which asks for the keys of STRICT_KEYS."""
    for option in (
        click.option(
            "--strict",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_set_strict,
            help=f"Refuse to start without these keys: {', '.join(STRICT_KEYS)}.",
        ),
        click.option(
            "--key",
            "keys",
            type=KEY,
            multiple=True,
            callback=_check_keys,
            metavar="NAME=TEXT",
            help="A description of the device, such as os=FreeRTOS. Repeat it for each entry.",
        ),
    ):
        command = option(command)
    return command


def pages_option(*suffixes: str, default: str = "") -> Callable[[F], F]:
    """Return the decorator of a command that writes a page, or a picture, by its suffix."""
    known = ", or ".join(f"{what} to FILE{_listed(own)}" for what, own in _by_kind(suffixes))
    return click.option(
        "--page", type=Drawn(*suffixes), metavar="FILE", help=f"Write {known}.{default}"
    )


page_option = pages_option(*SHOWN)
only_page_option = pages_option(".html")


def files_option(what: str, suffixes: str) -> Callable[[F], F]:
    """Return the decorator of a command that writes files of other tools, by their suffixes."""
    return click.option(
        "--to",
        "files",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FILE",
        help=f"Write {what} to FILE, whose suffix names its format: {suffixes}. Repeat it for each "
        "file.",
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print only a JSON document.")


def command_line() -> tuple[str, ...]:
    """Return the words of the command line that runs; none in a test of one command."""
    words: object = click.get_current_context().find_root().obj
    return tuple(map(str, cast("tuple[object, ...]", words))) if isinstance(words, tuple) else ()


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


def no_run_options(what: str) -> None:
    """Raise UsageError if the command line has an option that only a run has; `what` is none."""
    context = click.get_current_context()
    for name in ("base", "velocity", "budget"):
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} applies only to runs; this is a {what}")
