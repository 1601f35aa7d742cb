# SPDX-License-Identifier: Apache-2.0
"""Where the runs of a scan are taken: in processes here, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

from plexor.base.errors import UsageError
from plexor.experiments.pool import FORMS, parse_executor
from plexor.library.specs.values import Naming, plain

__all__ = ["FORMS", "Opener", "executor", "live", "parse_executor", "workers_of"]

Opener = Callable[[], Executor]
"""Opens an executor."""


def executor(value: str | Opener) -> Opener:
    """Return what opens an executor: of `local`, `local:2`, `dask://HOST:PORT`, or itself."""
    return parse_executor(value) if isinstance(value, str) else value


def workers_of(link: str, opener: Opener | None, name: Naming = plain) -> Opener:
    """Return what opens the executor for a link; a real device gets one process.

    `opener` is what the option `executor` names. Raises UsageError if the link cannot use it.
    """
    live(link)
    if not link.startswith("sim:"):
        if opener is not None:
            raise UsageError(f"{name('executor')} applies only to simulated instruments (sim:)")
        return parse_executor("local:1")
    return parse_executor("local") if opener is None else opener


def live(link: str) -> None:
    """Raise UsageError for a link that is a recording: a scan asks for one run after the other."""
    if link.startswith("file:"):
        raise UsageError(f"link: {link!r}: is a recording; a scan needs an instrument")
