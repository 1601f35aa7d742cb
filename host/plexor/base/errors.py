# SPDX-License-Identifier: Apache-2.0
"""The kinds of errors, and the exit code with which each ends the program."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from enum import IntEnum, unique

_MOST_SAID = 300
"""Characters of an error's own text in a message."""


@unique
class ExitCode(IntEnum):
    """Exit codes of the command line."""

    PASS = 0
    BUDGET = 1  # a limit of the budget is broken
    USAGE = 2  # arguments, settings, or a file or folder that was named
    LINK = 3  # the link or the instrument
    INVALID = 4  # the run proves nothing: accounting, saturation, too few samples
    UNWRITTEN = 5  # a disk that is full or broken: something was not kept
    APART = 6  # results that have nothing in common that could be compared
    UNEXPECTED = 70  # a fault of Plexor itself, or no memory; EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130


class PlexorError(Exception):
    """An error with one clear line for the user. The program ends with `exit_code`."""

    exit_code: ExitCode = ExitCode.LINK


class UsageError(PlexorError):
    """A request that cannot be met. The text says what was wrong, the value and what is right."""

    exit_code = ExitCode.USAGE


class ApartError(UsageError):
    """Results that cannot be compared. The text says what they have instead."""

    exit_code = ExitCode.APART


class LinkError(PlexorError):
    """A link that cannot be opened, broke or stays silent."""


class InstrumentError(PlexorError):
    """An instrument that answers, but not as its contract says."""


class IdentityError(InstrumentError):
    """An answer from something that is not a Plexor, or speaks another protocol version."""


class StoreError(PlexorError):
    """A file of a run that cannot be written or read. The text contains its path."""

    exit_code = ExitCode.USAGE


class UnwrittenError(StoreError):
    """A result that could not be kept, because a disk is full or broken. It is no wrong use."""

    exit_code = ExitCode.UNWRITTEN


class InvalidRunError(PlexorError):
    """A run that proves nothing. The text says why."""

    exit_code = ExitCode.INVALID


class UnexpectedError(PlexorError):
    """A fault of Plexor itself, in a process that has reported it."""

    exit_code = ExitCode.UNEXPECTED


def unexpected(error: BaseException, package: str = "") -> str:
    """Return one line for an error that nothing foresaw, and how to report it.

    `package` is the one whose fault it is, if it is another than Plexor.
    A file in the folder for temporary files has the command, the versions and the traceback.
    """
    kind, text = type(error).__name__, " ".join(str(error).split())[:_MOST_SAID]
    what = f"{kind}: {text}" if text else kind
    place = _reported(error)
    details = "" if place is None else f"; {place} has the command, the versions and the traceback"
    if isinstance(error, MemoryError):
        return f"not enough memory: {what}{details}"
    whose = f"package {package}" if package else "Plexor itself"
    return f"a fault of {whose}: {what}{details or ', which could not be written'}; report it"


def _reported(error: BaseException) -> str | None:
    """Write what a report needs; return the path, None if that cannot be written."""
    try:
        # Imported here because hardly any process needs them.
        import platform  # noqa: PLC0415
        import tempfile  # noqa: PLC0415
        from importlib import metadata  # noqa: PLC0415

        lines = (
            f"command: {shlex.join(sys.argv)}",
            f"plexor {metadata.version('plexor')}, python {platform.python_version()}",
            platform.platform(),
            "",
            *traceback.format_exception(error),
        )
        handle, path = tempfile.mkstemp(".txt", "plexor-")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("\n".join(lines))
    except (OSError, ValueError, MemoryError, RecursionError, ImportError):
        return None
    return path


def reason_of(error: OSError | ValueError) -> str:
    """Return why a file cannot be read or written, as the disk says it."""
    if isinstance(error, IsADirectoryError):
        # 'Is a directory' says what is wrong, and not what would be right.
        return "is a folder; name a file in it"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
