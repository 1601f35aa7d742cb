# SPDX-License-Identifier: Apache-2.0
"""`plexor lab mixed`: a schedule on one time base, run by the device, the host, or both."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from plexor.base.errors import ExitCode, PlexorError, StoreError
from plexor.cli.conclude import draw, show, text_width, wants_colour
from plexor.cli.interrupts import stop_on_signals
from plexor.cli.options import AsJson, Keyed
from plexor.cli.output import check_outputs, raise_first
from plexor.cli.parameters import option_name, usage
from plexor.library.files import write_text
from plexor.library.instrument import Instrument
from plexor.library.keep import check_new
from plexor.library.specs.options import Target
from plexor_lab.mixed.command import Lamps, Rows, RowsFile
from plexor_lab.mixed.mixed import Mixed, measured
from plexor_lab.mixed.place import place_of
from plexor_lab.mixed.spec import MixedSpec
from plexor_lab.mixed.watch import Watch


def mixed(
    target: Target,
    asked: MixedSpec,
    printed: Rows,
    watched: Lamps,
    described: Keyed,
    shown: AsJson,
    lists: RowsFile,
) -> int:
    """Run a schedule, print what came of it, write its lists and return the exit code."""
    with usage():
        if asked.out is not None:
            check_new(asked.out, option_name("out"))
    check_outputs(lists.csv, folder=asked.out)
    link, dut = place_of(asked, target)
    with (
        Instrument(link, dut=dut, calibration="none") as instrument,
        closing(Watch(asked, live=watched.live)) as watch,
        stop_on_signals() as stop,
    ):
        asked = replace(asked, told=watch.told, stop=stop, device=described.device)
        found = measured(instrument, **asked.keywords())
    return _conclude(found, shown.as_json, lists.csv, rows=printed.rows)


def _conclude(found: Mixed, as_json: bool, csv: Path | None, *, rows: bool) -> ExitCode:
    """Print a schedule that was run now, write its lists and return the exit code.

    The first failure to write is raised afterwards.
    """

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
