"""Runs as files of other tools, and captures of other tools as runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from plexor.errors import UsageError
from plexor.export import formats
from plexor.imports.run import READERS, import_run
from plexor.imports.wanted import (
    ChannelSignal,
    StrikeSignal,
    Wanted,
    parse_channel_signal,
    parse_strike_signal,
)
from plexor.judge.budget import Budget
from plexor.judge.budget_file import load as load_budget
from plexor.library.run import Run
from plexor.library.specs.values import Time, path_of, seconds
from plexor.protocol.registers import Policy

T = TypeVar("T")

FORMATS: Mapping[str, str] = {suffix: entry.meaning for suffix, entry in formats.FORMATS.items()}
"""Suffixes of the files that `export` writes, with what they are for."""
CAPTURES: tuple[str, ...] = tuple(READERS)
"""Suffixes of the files that `import_capture` reads."""
POLICIES: tuple[str, ...] = tuple(policy.name.lower() for policy in Policy)


def export(
    run: Run,
    path: str | Path | Sequence[str | Path],
    budget: Budget | str | None = None,
) -> None:
    """Write a run to a file, or to several, in the format that each file's suffix names.

    `budget` is a budget, a budget file or the name of a built-in budget. Raises UsageError for a
    file that this run cannot be written to, StoreError if a file cannot be written.
    """
    paths = [path] if isinstance(path, str | Path) else list(path)
    limits = load_budget(budget) if isinstance(budget, str) else budget
    formats.export(run.result, [path_of(each) for each in paths], limits)


def import_capture(
    path: str | Path,
    channels: Sequence[ChannelSignal | str],
    strikes: Sequence[StrikeSignal | str] = (),
    *,
    policy: str = "oldest",
    timeout: Time | None = None,
    window: Time = 0,
    early: Time = 0,
    deadline: Time | None = None,
    device: Mapping[str, str] | None = None,
) -> Run:
    """Return the run in the capture of another analyser: a .vcd or .sr file.

    `channels` are such as `ISR=irq_out:deadline=50us`, by names of signals in the file, and
    `strikes` such as `trig` or `trig:invert`. Responses are matched with strikes as in a run.
    `deadline` is that of channels without one of their own. Raises UsageError for a file that
    cannot be read and for options that do not fit.
    """
    try:
        limit = None if deadline is None else seconds(deadline)
        wanted = Wanted(
            channels=tuple(entry.due(limit) for entry in _each(channels, parse_channel_signal)),
            strikes=tuple(_each(strikes, parse_strike_signal)),
            policy=Policy[policy.upper()],
            timeout_s=None if timeout is None else seconds(timeout),
            window_min_s=seconds(window),
            early_s=seconds(early),
            device=device or {},
        )
    except KeyError as error:
        raise UsageError(f"policy: {policy!r}; must be one of {', '.join(POLICIES)}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Run(import_run(path_of(path), wanted))


def _each(entries: Sequence[T | str], parse: Callable[[str], T]) -> list[T]:
    return [parse(entry) if isinstance(entry, str) else entry for entry in entries]
