# SPDX-License-Identifier: Apache-2.0
"""Commands about stored runs: `plexor show`, `plexor explain` and `plexor import`."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.options import AsJson, Budgeted, Keyed, Written
from plexor.cli.specs import command
from plexor.library.explain.specs import VIEWS, ProfileSpec, TimelineSpec, WhySpec
from plexor.library.specs.import_spec import ImportSpec
from plexor.library.specs.options import Less, NewFolder
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import choice

SUFFIXES = (
    ".csv, .parquet, .npz (events); .vcd, .fst, .sr (waveforms); .pftrace (Perfetto); .hlog "
    "(HdrHistogram); .om, .prom (metrics); .md (Markdown); with --budget also .xml (JUnit) and "
    ".codequality (GitLab)"
)
EXPLAINED = ("why", "timeline", "profile", *VIEWS[1:])
_KEPT = click.Path(exists=True, path_type=Path)


class Files(
    Written,
    told={"files": f"Page: .html; picture: .svg, .png, .pdf; a run also: {SUFFIXES}."},
):
    """Files of what is stored."""


class Noted(Spec, topic="Results"):
    """What is noted on a run."""

    note: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="TEXT",
        help="Keep a note beside RUN, such as 'board was warm'. Its figures stay as they are.",
    )


@command(
    "plexor.cli.show:show", written=Files, less=Less, judged=Budgeted, noted=Noted, shown=AsJson
)
@click.argument("paths", type=_KEPT, nargs=-1, required=True, metavar="RUN...")
def show() -> None:
    """Print the figures of RUN, or write its page, its picture, or files of other tools.

    RUN is a folder of --out, of a run, a sweep, a phase scan or a burst scan, or the raw bytes of a
    link (wire.bin). The folder of a phase scan also holds the run that it was taken from, as
    run.json. A file appears when it is complete. A page of several runs or sweeps compares each
    with the first: a sentence, the changes, and the runs drawn on top of each other. A picture can
    show several runs on the same axes: its title says what they have in common, and each plot
    which run it is of.

    \b
      plexor show run1
      plexor show run1 --to run1.html --to run1.vcd
      plexor show idle loaded --to both.html
      plexor show run1 --to checks.xml --budget budget.toml
      plexor show run1 --note "board was warm"
    """


class View(Spec):
    """What explains a run."""

    view: str | None = option(
        converter=maybe(choice(EXPLAINED)),
        default=None,
        choices=EXPLAINED,
        first=True,
        help="Only this. why: late answers and how they recur; timeline: tasks and interrupts; "
        "profile: functions, and modules, tree (paths of calls), butterfly (callers and callees of "
        "one function), graph (edges from caller to callee) or trace (each call) of them. Default: "
        "why, and timeline and profile of a run with codes.",
    )


class LanesFiles(
    Written,
    told={
        "files": "A page of all views: .html. The timeline: .svg, .png, .pdf, .csv (a row for each "
        "span), .vcd (a string for each lane) or .pftrace. All calls: .json, for speedscope.app."
    },
):
    """Files of what explains a run."""


@command(
    "plexor.cli.explain:explain",
    viewed=View,
    late=WhySpec,
    drawn=TimelineSpec,
    called=ProfileSpec,
    written=LanesFiles,
    shown=AsJson,
)
@click.argument("run", type=_KEPT, metavar="RUN")
def explain() -> None:
    """Find the late answers of RUN and how they recur, and what its tasks and functions did.

    RUN is a folder of --out, or the raw bytes of a link. A cluster of late answers is parted from
    earlier ones by a gap that chance does not leave. It recurs at each n-th answer, at a period, or
    irregularly.

    A run that was measured with --code-port or --code-wires also has a timeline: when each task and
    interrupt ran, waited and slept, and who ran after whom. Each lane's times in all states add up
    to the run's length. Its profile says which functions took how long: own time leaves out
    callees, interrupts and other tasks.

    \b
      plexor explain run1 --view why --over 50us
      plexor explain coded --from 1ms --until 2ms --to explained.html
      plexor explain coded --view timeline --cursor 1.2ms --cursor 1.4ms --to lanes.pftrace
      plexor explain coded --view butterfly --function control.v:update
    """


@command(
    "plexor.cli.import_capture:import_capture",
    name="import",
    asked=ImportSpec,
    place=NewFolder,
    described=Keyed,
    shown=AsJson,
)
@click.argument("capture", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_capture(asked: ImportSpec, place: NewFolder) -> None:
    """Make a run of CAPTURE, a file of another analyser, oscilloscope or simulator.

    Without --channel and --strike, list its signals and propose a command. VCD, FST, GHW, sigrok
    sessions and CSV are read, VCD and CSV packed by gzip too. SIGNAL is a name in the file, with
    its scopes if it is there more than once, or a bit of a vector: PORTB[2]. The run can be
    shown, explained and compared as any other. It says that it is imported.

    \b
      plexor import capture.vcd
      plexor import capture.vcd --strike trig --channel ISR=irq_out:deadline=5us --out run1
    """
    if place.out is None and asked.names_signals:
        raise UsageError("--out: is missing; name a new folder for the run")
