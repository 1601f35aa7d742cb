"""What can go wrong, and the exit code each kind ends the program with."""

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
    """An error with one clear line for the user; `exit_code` ends the program."""

    exit_code: ExitCode = ExitCode.LINK


class UsageError(PlexorError):
    """What was asked cannot be done; the text says what, its value and what would be right."""

    exit_code = ExitCode.USAGE


class LinkError(PlexorError):
    """The link cannot be opened, broke, or stays silent."""


class InstrumentError(PlexorError):
    """The instrument answers, but not as its contract says."""


class IdentityError(InstrumentError):
    """What answers is no Plexor, or one of another protocol version."""


class StoreError(PlexorError):
    """A file of a run cannot be written or read; the text has its path."""

    exit_code = ExitCode.USAGE


class InvalidRunError(PlexorError):
    """The run proves nothing; the text says why."""

    exit_code = ExitCode.INVALID


class BudgetError(PlexorError):
    """A limit is broken."""

    exit_code = ExitCode.BUDGET
