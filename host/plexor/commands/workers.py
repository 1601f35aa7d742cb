"""The option that says where simulated instruments run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import click

from plexor.commands.parameters import Parsed
from plexor.sweep.executor import FORMS, parse_executor

executor_option = click.option(
    "--executor",
    type=Parsed("executor", parse_executor),
    metavar="WHERE",
    help=f"Where simulated instruments run: {FORMS}. Default: local, all cores.",
)


def executor_of(options: Mapping[str, Any]) -> Callable[[], Executor]:
    """Return what opens the executor; a device of which there is one is struck by one process."""
    opener: Callable[[], Executor] | None = options["executor"]
    if not options["link"].startswith("sim:"):
        if opener is not None:
            raise click.UsageError("--executor: is for simulated instruments, sim:")
        return parse_executor("local:1")
    return parse_executor("local") if opener is None else opener
