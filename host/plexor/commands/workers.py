"""The option that says where simulated instruments run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

import click

from plexor.commands.parameters import Parsed
from plexor.sweep.executor import FORMS, parse_executor

executor_option = click.option(
    "--executor",
    type=Parsed("executor", parse_executor),
    metavar="WHERE",
    help=f"Where simulated instruments run: {FORMS}. Default: local, all cores.",
)


def executor_of(link: str, opener: Callable[[], Executor] | None) -> Callable[[], Executor]:
    """Return what opens the executor for a link; a real device gets one process.

    `opener` is what the option names. Raises click.UsageError if the link cannot use it.
    """
    if not link.startswith("sim:"):
        if opener is not None:
            raise click.UsageError("--executor applies only to simulated instruments (sim:)")
        return parse_executor("local:1")
    return parse_executor("local") if opener is None else opener
