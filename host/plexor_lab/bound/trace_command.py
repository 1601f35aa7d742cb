# SPDX-License-Identifier: Apache-2.0
"""`plexor bound trace`: a service's accesses, counted in the log of a simulated bus."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plexor.commands.parameters import json_option

_FILE = click.Path(path_type=Path)
MOST_PIN = 7
MOST_INTERRUPTS = 1000


@click.command()
@click.argument("log", type=_FILE, metavar="LOG")
@click.option(
    "--elf",
    type=_FILE,
    metavar="FILE",
    help="The firmware that ran. Default: the file that the simulated device left beside LOG.",
)
@click.option(
    "--pin",
    type=click.IntRange(0, MOST_PIN),
    default=0,
    show_default=True,
    metavar="N",
    help="Pin that the firmware keeps high while the service runs.",
)
@click.option(
    "--interrupts",
    type=click.IntRange(0, MOST_INTERRUPTS),
    default=0,
    show_default=True,
    metavar="N",
    help="Number of interrupts that may come during one call. What one adds is then a section.",
)
@click.option("--title", metavar="TEXT", help="Name of the service. Default: the name of LOG.")
@click.option("--out", type=_FILE, metavar="FILE", help="Write the model: a TOML or CSV file.")
@click.option(
    "--map",
    "map_out",
    type=_FILE,
    metavar="FILE",
    help="Write in which sections of the linker its regions lie: a TOML or CSV file.",
)
@json_option
def trace(
    log: Path,
    elf: Path | None,
    pin: int,
    interrupts: int,
    title: str | None,
    out: Path | None,
    map_out: Path | None,
    as_json: bool,
) -> None:
    """Count the accesses of a service, section by section, as a model for the other commands.

    LOG is a file of a simulated device's bus, from --dut freertos:bus=LOG. Instructions are counted
    as they retire; each is a read of its section, in a burst if it is behind the one before. What
    each step of N adds is a section that runs N times.

    \b
      plexor bound trace buslog/malloc --out walk.toml --map places.toml
      plexor bound trace buslog/malloc --pin 1 --title free --json
    """
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor_lab.bound.traced import suffix_of, trace_bus  # noqa: PLC0415

    for path in filter(None, (out, map_out)):
        suffix_of(path)
    check_outputs(out, map_out)
    found = trace_bus(log, elf, pin=pin, title=title or "", interrupts=interrupts)
    show(found, as_json)
    for path, write, what in ((out, found.write, "model"), (map_out, found.write_map, "map")):
        if path is not None:
            write(path)
            print(f"plexor: {what} {path}", file=sys.stderr)
