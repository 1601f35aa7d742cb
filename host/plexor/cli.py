"""The command line: parses, calls, prints. Each command is loaded when it is used."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import click

from plexor.errors import ExitCode, PlexorError, UsageError

COMMANDS = {
    "measure": "plexor.commands.measure.command:measure",
    "sweep": "plexor.commands.sweep:sweep",
    "phase": "plexor.commands.phase:phase",
    "burst": "plexor.commands.burst:burst",
    "compare": "plexor.commands.compare:compare",
    "table": "plexor.commands.table:table",
    "replay": "plexor.commands.replay:replay",
    "report": "plexor.commands.report:report",
    "calibrate": "plexor.commands.calibrate:calibrate",
    "selftest": "plexor.commands.selftest:selftest",
    "devices": "plexor.commands.devices:devices",
    "doctor": "plexor.commands.doctor:doctor",
    "identify": "plexor.commands.identify:identify",
    "sim": "plexor.commands.sim:sim",
}
_HELP = {
    "measure": "Strike a device, time its responses, judge them.",
    "sweep": "Find the highest rate that a device sustains.",
    "phase": "Latency over the phase of a tick: the windows in which a device is deaf.",
    "burst": "How many strikes in a row a device answers, at what spacing.",
    "compare": "What differs between two runs or sweeps, and whether that is too much.",
    "table": "Systems side by side, idle and loaded, beside a published study.",
    "replay": "Figures of a run stored in a folder or recorded off a link.",
    "report": "The page of a stored run, or its picture.",
    "calibrate": "Where the bins of each channel end, to picoseconds.",
    "selftest": "What the instrument finds wrong with itself.",
    "devices": "Instruments and simulated devices at hand.",
    "doctor": "What keeps boards from working here, and what mends it.",
    "identify": "What the instrument at a link is.",
    "sim": "The simulated instrument.",
}


class _Lazy(click.Group):
    """A group that imports a command when it is called, and lists them without."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        return getattr(import_module(module), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_HELP.items()))


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 pass, 1 budget broken, 2 usage, 3 link or instrument, 4 invalid run "
    "or too few samples, 130 interrupted.",
)
@click.version_option(package_name="plexor")
def plexor() -> None:
    """A reflex hammer for real-time systems: strikes a pin, times the reflex."""


class _Pipe(io.FileIO):
    """A standard stream whose reader may leave: what comes then goes nowhere, and is no error.

    Raised in the middle of a command, it would cost the exit code of the verdict, or the run.
    """

    def write(self, data: Any, /) -> int:
        """Write bytes; where nobody reads any more, take them all."""
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return memoryview(data).nbytes


def _patient(stream: TextIO | None) -> TextIO:
    """Return a standard stream like this one that does not mind if its reader leaves or left."""
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    if stream.isatty():
        return stream
    try:
        stream.flush()
        raw = _Pipe(stream.fileno(), "wb", closefd=False)
    except (OSError, ValueError):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream is sys.stderr,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code, with one line on standard error for an error."""
    if arguments is None:
        arguments = sys.argv[1:]
        sys.stdout, sys.stderr = _patient(sys.stdout), _patient(sys.stderr)
        # Whoever ends the program politely gets what was measured so far, as with Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _check_text(arguments)
        with plexor.make_context("plexor", list(arguments) or ["--help"]) as context:
            code: object = plexor.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""
        return _fail(error.format_message() + hint, ExitCode.USAGE)
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
        return _fail(f"{where}{error.strerror}", ExitCode.USAGE)
    return code if isinstance(code, int) else ExitCode.PASS


def _check_text(arguments: Sequence[str]) -> None:
    """Raise UsageError for an argument that cannot be printed or written."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"argument {argument!r}: must be Unicode text") from error


def _fail(text: str, code: ExitCode) -> int:
    line = " ".join(text.split())
    try:
        print(f"plexor: {line}", file=sys.stderr)
    except OSError:
        return code
    return code
