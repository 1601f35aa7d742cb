"""The option that says where simulated instruments run."""

from __future__ import annotations

import click

from plexor.commands.parameters import Parsed
from plexor.library.scans.workers import FORMS, parse_executor

executor_option = click.option(
    "--executor",
    type=Parsed("executor", parse_executor),
    metavar="WHERE",
    help=f"Where simulated instruments run: {FORMS}. Default: local, all cores.",
)
