# SPDX-License-Identifier: Apache-2.0
"""`plexor sim`: the simulated instrument as a program of its own."""

from __future__ import annotations

import os
import sys

import click

from plexor.library.upkeep.desk import need_simulator


@click.group(no_args_is_help=False)
def sim() -> None:
    """Work with the simulated instrument."""


@sim.command(
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": [],
    }
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS]")
def serve(arguments: tuple[str, ...]) -> None:
    """Serve a simulated instrument on a loopback port, for `--link tcp://`. See `--help`."""
    need_simulator()
    # It takes this process's place, so that a signal or an exit code needs no middleman.
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "plexor_sim.serve", *arguments])
