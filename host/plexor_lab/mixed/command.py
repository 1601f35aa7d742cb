# SPDX-License-Identifier: Apache-2.0
"""`plexor lab mixed` on the command line: what it asks, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.options import AsJson, Keyed, Live, drawn
from plexor.cli.parameters import given
from plexor.cli.specs import command
from plexor.library.specs.options import Target
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import flag
from plexor_lab.mixed.spec import MixedSpec, check, check_line


class Rows(Spec):
    """Whether lists are printed."""

    rows: bool = option(converter=flag, default=False, help="Print the list of every run.")


class Lamps(Live, told={"live": "Lamps and the schedule too."}):
    """What is shown of a schedule under way."""


class RowsFile(Spec):
    """Where lists are written."""

    csv: Path | None = option(
        first=True,
        converter=maybe(drawn(".csv")),
        default=None,
        metavar="FILE",
        help="Write the lists of all runs to FILE.csv.",
    )


@command(
    "plexor_lab.mixed.body:mixed",
    target=Target,
    asked=MixedSpec,
    printed=Rows,
    watched=Lamps,
    described=Keyed,
    shown=AsJson,
    lists=RowsFile,
)
def mixed(asked: MixedSpec, target: Target) -> None:
    """Run a schedule on one time base with a device, and show what was done, late, early or missed.

    The instrument shows a timecode on pins. At each step the host issues the entries that are due
    --distance steps later: to the device over its serial line, and to the instrument, which times
    the codes that the device fires.

    The exit code is 1 if an entry of mode verify is not done, or if no distance is safe.

    \b
      plexor lab mixed --distance 1,2 --count 4
      plexor lab mixed --mode mixed --rate 2 --ids random --seed 7 --count 4 --csv rows.csv
      plexor lab mixed --link serial:/dev/ttyUSB1 --device-serial 'serial:/dev/ttyUSB2?baud=9600'
    """
    if not given(click.get_current_context().params):
        raise UsageError("say what to run, such as --mode mixed or --count 20")
    check(asked)
    check_line(asked, target.link)
