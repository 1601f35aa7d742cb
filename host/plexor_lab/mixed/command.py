# SPDX-License-Identifier: Apache-2.0
"""`plexor mixed`: a schedule on one time base, run by the device, the host, or both."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plexor.commands.parameters import (
    Drawn,
    json_option,
    key_option,
    option_name,
    usage,
)
from plexor.commands.specs import asks
from plexor.errors import ExitCode, PlexorError, StoreError
from plexor.library.specs.options import Target
from plexor_lab.mixed.spec import MixedSpec, check, check_line

if TYPE_CHECKING:
    from plexor_lab.mixed.mixed import Mixed


@click.command()
@asks(target=Target, asked=MixedSpec)
@click.option("--rows", is_flag=True, help="Print the list of every run.")
@click.option("--live", is_flag=True, help="Show lamps, schedule and results during the run.")
@key_option
@json_option
@click.option(
    "--csv", type=Drawn(".csv"), metavar="FILE", help="Write the lists of all runs to FILE.csv."
)
def mixed(
    target: Target,
    asked: MixedSpec,
    rows: bool,
    live: bool,
    keys: tuple[tuple[str, str], ...],
    as_json: bool,
    csv: Path | None,
) -> int:
    """Run a schedule on one time base with a device, and show what was done, late, early or missed.

    The instrument shows a timecode on pins. At each step the host issues the entries that are due
    --distance steps later: to the device over its serial line, and to the instrument, which times
    the codes that the device fires.

    The exit code is 1 if an entry of mode verify is not done, or if no distance is safe.

    \b
      plexor mixed --distance 1,2 --count 4
      plexor mixed --mode mixed --rate 2 --ids random --seed 7 --count 4 --csv rows.csv
      plexor mixed --link serial:/dev/ttyUSB1 --device-serial 'serial:/dev/ttyUSB2?baud=9600'
    """
    with usage():
        check(asked, option_name)
        check_line(asked, target.link, option_name)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.instrument import Instrument  # noqa: PLC0415
    from plexor.library.keep import check_new  # noqa: PLC0415
    from plexor_lab.mixed.mixed import measured  # noqa: PLC0415
    from plexor_lab.mixed.place import place_of  # noqa: PLC0415
    from plexor_lab.mixed.watch import Watch  # noqa: PLC0415

    with usage():
        if asked.out is not None:
            check_new(asked.out, option_name("out"))
    check_outputs(csv, folder=asked.out)
    link, dut = place_of(asked, target)
    with (
        Instrument(link, dut=dut, calibration="none") as instrument,
        closing(Watch(asked, live=live)) as watch,
        stop_on_signals() as stop,
    ):
        asked = replace(asked, told=watch.told, stop=stop, device=dict(keys))
        found = measured(instrument, **asked.keywords())
    return _conclude(found, as_json, csv, rows=rows)


def _conclude(found: Mixed, as_json: bool, csv: Path | None, *, rows: bool) -> ExitCode:
    """Print a schedule that was run now, write its lists and return the exit code.

    The first failure to write is raised afterwards.
    """
    from plexor.commands.conclude import draw, show, text_width, wants_colour  # noqa: PLC0415
    from plexor.commands.output import raise_first  # noqa: PLC0415
    from plexor.library.files import write_text  # noqa: PLC0415

    if as_json:
        show(found, as_json)
    else:
        draw(found.text(rows=rows, width=text_width(), colour=wants_colour()))
    failures: list[PlexorError] = [] if found.unsaved is None else [found.unsaved]
    try:
        if csv is not None:
            write_text(csv, found.csv())
            print(f"plexor: lists {csv}", file=sys.stderr)
    except StoreError as error:
        failures.append(error)
    raise_first(failures)
    return ExitCode.INTERRUPTED if found.interrupted else found.exit_code()
