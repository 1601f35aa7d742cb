# SPDX-License-Identifier: Apache-2.0
"""The command line: it parses, calls and prints. Each command is loaded when it is used."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Iterator, Sequence

import click

from plexor.base.ending import own_signals
from plexor.base.errors import ExitCode, PlexorError, UsageError, unexpected
from plexor.base.streams import guarded, printable_line
from plexor.cli.completion import COMPLETING, SHELLS, complete
from plexor.cli.defaults import subcommands
from plexor.cli.groups import Root
from plexor.cli.meant import check_dashes, check_prompt, told
from plexor.cli.tree import TOP

_INSTEAD = {
    "--svg": "no such option any more; write the picture with --page FILE.svg",
    "--page": "no such option here; write the page with --to FILE.html",
    "--speedscope": "no such option any more; write the calls with --to FILE.json",
    "--key": "no such option any more; describe the device with --label NAME=TEXT",
}
"""Options that were there once, and what does the same."""
WELCOME = """\
Plexor strikes a pin of a real-time system and times its answer.

  plexor measure --rate 20k --count 10k   time a simulated system
  plexor scope                            the same, live in the browser
  plexor examples                         designs, budgets, CI files to try

Which boards are here: plexor board devices. What was kept: plexor show RUN.
All commands: plexor --help. The options of one: plexor measure --help.
"""
"""What is printed where nothing is asked."""


def command_names() -> list[str]:
    """Return the names of the top level: commands and groups."""
    return list(TOP)


def command_of(name: str) -> click.Command | None:
    """Return the command of a name, such as `measure` or `board doctor`; None if there is none.

    Raises UsageError for one of another package that cannot be imported, or that two packages have.
    """
    found: click.Command | None = plexor
    for word in name.split():
        inner = subcommands(found)
        found = inner[word]() if word in inner else None
    return found


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Yield each command that does something with its whole name; groups are not among them."""
    waiting = [(name, command_of(name)) for name in TOP]
    while waiting:
        name, command = waiting.pop(0)
        inner = subcommands(command)
        waiting = [*((f"{name} {own}", load()) for own, load in inner.items()), *waiting]
        if command is not None and not isinstance(command, click.Group):
            yield name, command


@click.group(
    cls=Root,
    context_settings={"max_content_width": 100},
    epilog="plexor COMMAND --help explains one; --help all has every option of it.\n\n"
    "Exit codes: 0 pass, 1 budget broken, 2 wrong usage, 3 link or instrument failed, 4 "
    "invalid run or too few samples, 5 disk full or broken, 6 results that cannot be compared, 70 "
    "a fault of Plexor itself, 130 interrupted.",
)
@click.version_option(package_name="plexor")
@click.option(
    "--completion",
    type=click.Choice(SHELLS),
    expose_value=False,
    is_eager=True,
    callback=complete,
    help="Print what completes commands and options in a shell, for its start file.",
)
def plexor() -> None:
    """Strike a pin of a real-time system and time its reflex."""


class _Lines(logging.Handler):
    """Prints what a user must know of files as lines on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line."""
        _fail(record.getMessage(), ExitCode.PASS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. An error prints one line on standard error."""
    Root.package = ""
    try:
        return _main(arguments)
    except Exception as error:
        return _fail(unexpected(error, Root.package), ExitCode.UNEXPECTED)


def _main(arguments: Sequence[str] | None) -> int:
    if arguments is None:
        if sys.getfilesystemencoding() == "ascii":
            _as_utf8()
        arguments = sys.argv[1:]
        sys.stdout, sys.stderr = guarded(sys.stdout), guarded(sys.stderr, messages=True)
        own_signals()
    logger = logging.getLogger("plexor")
    if not any(isinstance(handler, _Lines) for handler in logger.handlers):
        logger.addHandler(_Lines())
    try:
        asked = os.environ.get(COMPLETING)
        if asked:
            from click.shell_completion import shell_complete  # noqa: PLC0415

            return shell_complete(plexor, {}, "plexor", COMPLETING, asked)
        _check_text(arguments)
        check_dashes(arguments)
        check_prompt(arguments)
        words = ("plexor", *arguments)
        if not arguments:
            print(WELCOME, end="", flush=True)
            return ExitCode.PASS
        with plexor.make_context("plexor", list(arguments), obj=words) as context:
            code: object = plexor.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.NoSuchOption as error:
        instead = _INSTEAD.get(error.option_name)
        said = told(error, arguments) if instead is None else f"{error.option_name}: {instead}"
        return _fail(said + _see(error), ExitCode.USAGE)
    except click.UsageError as error:
        return _fail(told(error, arguments) + _see(error), ExitCode.USAGE)
    except click.ClickException as error:
        return _fail(error.format_message(), ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except PlexorError as error:
        return _fail(str(error), error.exit_code)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = f"{error.filename}: " if error.filename else "output: "
        return _fail(f"{where}{error.strerror}", ExitCode.UNWRITTEN)
    return code if isinstance(code, int) else ExitCode.PASS


def _see(error: click.UsageError) -> str:
    """Return where the options are explained that were used wrongly."""
    return f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""


def _as_utf8() -> None:
    """Begin anew with UTF-8, which names of files and figures need.

    Python itself does so in the locale C, unless it is told not to.
    """
    os.environ["PYTHONUTF8"] = "1"
    os.execv(sys.executable, [sys.executable, "-X", "utf8", "-m", "plexor", *sys.argv[1:]])


def _check_text(arguments: Sequence[str]) -> None:
    """Raise UsageError for an argument that cannot be printed or written."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"argument {argument!r}: must be Unicode text") from error


def _fail(text: str, code: ExitCode) -> int:
    line = printable_line(" ".join(text.split()))
    try:
        print(f"plexor: {line}", file=sys.stderr)
    except OSError:
        return code
    return code
