"""The kinds of errors, and the exit code with which each ends the program."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    PASS = 0
    BUDGET = 1  # a limit of the budget is broken
    USAGE = 2  # arguments, settings, or a file or folder that was named
    LINK = 3  # the link or the instrument
    INVALID = 4  # the run proves nothing: accounting, saturation, too few samples
    INTERRUPTED = 130


class PlexorError(Exception):
    """An error with one clear line for the user. The program ends with `exit_code`."""

    exit_code: ExitCode = ExitCode.LINK


class UsageError(PlexorError):
    """A request that cannot be met. The text says what was wrong, the value and what is right."""

    exit_code = ExitCode.USAGE


class LinkError(PlexorError):
    """A link that cannot be opened, broke or stays silent."""


class InstrumentError(PlexorError):
    """An instrument that answers, but not as its contract says."""


class IdentityError(InstrumentError):
    """An answer from something that is not a Plexor, or speaks another protocol version."""


class StoreError(PlexorError):
    """A file of a run that cannot be written or read. The text contains its path."""

    exit_code = ExitCode.USAGE


class InvalidRunError(PlexorError):
    """A run that proves nothing. The text says why."""

    exit_code = ExitCode.INVALID


class BudgetError(PlexorError):
    """A limit that is broken."""

    exit_code = ExitCode.BUDGET
