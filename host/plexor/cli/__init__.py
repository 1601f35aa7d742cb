# SPDX-License-Identifier: Apache-2.0
"""The command line: it parses, calls and prints. Each command is loaded when it is used."""

from __future__ import annotations

import errno
import logging
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from plexor.base.ending import own_signals
from plexor.base.errors import ExitCode, PlexorError, UsageError, unexpected
from plexor.base.streams import guarded, printable_line
from plexor.cli.defaults import nearest, read
from plexor.library.parts import extensions
from plexor.library.parts.extensions import Command

COMPLETING = "_PLEXOR_COMPLETE"
"""Environment variable by which a shell asks for completions."""

COMMANDS = {
    "measure": Command(
        "Strike a device, time its responses and judge them.",
        "plexor.cli.declared.live:measure",
    ),
    "scope": Command(
        "Show a live page: strike a device, and watch its reflexes.",
        "plexor.cli.declared.live:scope",
    ),
    "sweep": Command(
        "Find the highest rate that a device sustains.",
        "plexor.cli.declared.scans:sweep",
    ),
    "phase": Command(
        "Find the phases of a tick at which a device is deaf, and for how long.",
        "plexor.cli.declared.scans:phase",
    ),
    "burst": Command(
        "Find how many strikes in a row a device answers, at each spacing.",
        "plexor.cli.declared.scans:burst",
    ),
    "compare": Command(
        "Compare two runs or sweeps, and judge whether the change is too large.",
        "plexor.cli.declared.archive:compare",
    ),
    "archive": Command(
        "Keep runs in one folder, and ask how their figures changed.",
        "plexor.cli.declared.archive:archive",
    ),
    "farm": Command(
        "Measure a matrix of instruments, loads and builds into an archive.",
        "plexor.cli.declared.archive:farm",
    ),
    "replay": Command(
        "Print the figures of a stored run, or of one recorded from a link.",
        "plexor.cli.declared.stored:replay",
    ),
    "report": Command(
        "Write the page of a stored run, or its picture.",
        "plexor.cli.declared.stored:report",
    ),
    "why": Command(
        "Find the late answers of a stored run, and how they recur.",
        "plexor.cli.declared.stored:why",
    ),
    "timeline": Command(
        "Show what the tasks and interrupts of a device did in a stored run.",
        "plexor.cli.declared.stored:timeline",
    ),
    "profile": Command(
        "Show where the functions of a device spent their time in a stored run.",
        "plexor.cli.declared.stored:profile",
    ),
    "trace-header": Command(
        "Write the C headers with which firmware says what it does.",
        "plexor.cli.declared.stored:trace_header",
    ),
    "export": Command(
        "Write a stored run as files of other tools.",
        "plexor.cli.declared.stored:export",
    ),
    "import": Command(
        "Make a run of the capture of another analyser.",
        "plexor.cli.declared.stored:import_capture",
    ),
    "calibrate": Command(
        "Measure where the bins of each channel end, in picoseconds.",
        "plexor.cli.declared.upkeep:calibrate",
    ),
    "selftest": Command("Test the instrument itself.", "plexor.cli.declared.upkeep:selftest"),
    "prove": Command(
        "Prove an instrument step by step, with wires, and keep what was proven.",
        "plexor.cli.declared.upkeep:prove",
    ),
    "dut": Command(
        "Make and check a manifest of your own design.",
        "plexor.cli.declared.upkeep:dut",
    ),
    "devices": Command(
        "List the instruments and simulated devices that are available.",
        "plexor.cli.declared.upkeep:devices",
    ),
    "doctor": Command(
        "Find what keeps boards from working here, and print the commands that fix it.",
        "plexor.cli.declared.upkeep:doctor",
    ),
    "identify": Command(
        "Print what the instrument at a link is.",
        "plexor.cli.declared.upkeep:identify",
    ),
    "sim": Command(
        "Run the simulated instrument as a program of its own.",
        "plexor.cli.declared.upkeep:sim",
    ),
    "completion": Command(
        "Complete commands and options in bash, zsh or fish.",
        "plexor.cli.declared.upkeep:completion",
    ),
}
"""Plexor's own commands. Other packages add theirs by entry points."""


_UNIT_APART = re.compile(r"unexpected extra argument \(([kM]?Hz|[munpµμ]?s|%)\)$", re.IGNORECASE)
"""What click says of `--rate 20 kHz`."""
_INSTEAD = {"--svg": "no such option any more; write the picture with --page FILE.svg"}
"""Options that were there once, and what does the same."""
_OWN = "plexor"
"""The distribution of Plexor itself, and of `plexor_lab`."""


class _Lazy(click.Group):
    """A group that imports a command only when it is called; listing commands imports none."""

    package = ""
    """The package of the command that was called; empty for Plexor's own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        try:
            return command_of(cmd_name)
        except UsageError:
            if ctx.resilient_parsing:
                return None
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and its defaults in plexor.toml. A wrong name gets the nearest one."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches  # noqa: PLC0415

            near = get_close_matches(args[0], command_names(), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        found = super().resolve_command(ctx, args)
        name, command, _ = found
        offer = None if name in COMMANDS else extensions.offer_of(extensions.COMMANDS, name or "")
        self.package = "" if offer is None or offer.package == _OWN else offer.package
        if name is not None:
            own = _defaults(ctx, name)
            grouped = isinstance(command, click.Group)
            ctx.default_map = {name: dict.fromkeys(command.commands, own) if grouped else own}
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands. What is wrong with one of another package is a line of its own."""
        rows = [(name, command.help) for name, command in COMMANDS.items()]
        for name in extensions.names(extensions.COMMANDS):
            try:
                offer, command = _offered(name)
                if name in COMMANDS:
                    text = f"package {offer.package} offers it, and Plexor has it; uninstall it"
                    raise UsageError(f"{name}: {text}")
                rows += [(name, command.help)]
            except UsageError as error:
                _fail(str(error), ExitCode.PASS)
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def command_names() -> list[str]:
    """Return the names of all commands: Plexor's own, and those of other packages."""
    others = extensions.names(extensions.COMMANDS)
    return [*COMMANDS, *(name for name in others if name not in COMMANDS)]


def command_of(name: str) -> click.Command | None:
    """Return the command of a name; None if there is none.

    Raises UsageError for one of another package that cannot be imported, or that two packages have.
    """
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name].target.partition(":")
        return getattr(import_module(module), attribute)
    if name not in extensions.names(extensions.COMMANDS):
        return None
    offer, command = _offered(name)
    return offer.loaded(command.target, click.Command)


def _offered(name: str) -> tuple[extensions.Offer, Command]:
    """Return the command that a package offers under a name; raise UsageError as `command_of`."""
    offer = extensions.offer_of(extensions.COMMANDS, name)
    assert offer is not None
    return offer, offer.load(Command)


def _whole(name: str) -> click.Command | None:
    """Return the command of a name, for its options; None for one that cannot be imported."""
    try:
        return command_of(name)
    except UsageError:
        return None


def _defaults(context: click.Context, name: str) -> dict[str, Any]:
    """Return the defaults of a command in the nearest plexor.toml, and say which file that is."""
    path = nearest(Path.cwd())
    if path is None:
        return {}
    known = read(path)
    found = known.of(name, _whole, command_names())
    if found and not context.resilient_parsing:
        print(f"plexor: defaults from {known.path}", file=sys.stderr)
    return found


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 pass, 1 budget broken, 2 wrong usage, 3 link or instrument failed, 4 "
    "invalid run or too few samples, 5 disk full or broken, 6 results that cannot be compared, 70 "
    "a fault of Plexor itself, 130 interrupted.",
)
@click.version_option(package_name="plexor")
def plexor() -> None:
    """Strike a pin of a real-time system and time its reflex."""


class _Lines(logging.Handler):
    """Prints what a user must know of files as lines on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line."""
        _fail(record.getMessage(), ExitCode.PASS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. An error prints one line on standard error."""
    plexor.package = ""
    try:
        return _main(arguments)
    except Exception as error:
        return _fail(unexpected(error, plexor.package), ExitCode.UNEXPECTED)


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
        words = ("plexor", *arguments)
        with plexor.make_context("plexor", list(arguments) or ["--help"], obj=words) as context:
            code: object = plexor.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.NoSuchOption as error:
        instead = _INSTEAD.get(error.option_name)
        said = error.format_message() if instead is None else f"{error.option_name}: {instead}"
        return _fail(said + _see(error), ExitCode.USAGE)
    except click.UsageError as error:
        apart = _UNIT_APART.search(said := error.format_message())
        hint = f"; a number and its unit are one word, such as 20{apart[1]}" if apart else ""
        return _fail(said + hint + _see(error), ExitCode.USAGE)
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
