# SPDX-License-Identifier: Apache-2.0
"""Commands about stored runs: replay, report, export, import, and what explains a run."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.options import (
    AsJson,
    Budgeted,
    Keyed,
    Paged,
    Shown,
    Written,
)
from plexor.cli.specs import command
from plexor.library.explain.specs import VIEWS, ProfileSpec, TimelineSpec, WhySpec
from plexor.library.specs.import_spec import ImportSpec
from plexor.library.specs.options import Less, NewFolder
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import path_of

SUFFIXES = (
    ".csv, .parquet, .npz (events); .vcd, .fst, .sr (waveforms); .pftrace (Perfetto); .hlog "
    "(HdrHistogram); .om, .prom (metrics); .md (Markdown); with --budget also .xml (JUnit) and "
    ".codequality (GitLab)"
)
_KEPT = click.Path(exists=True, path_type=Path)


@command("plexor.cli.replay:replay", less=Less, judged=Budgeted, shown=AsJson)
@click.argument("path", type=_KEPT, metavar="FILE")
def replay() -> None:
    """Print the figures of a stored run, sweep, phase scan or burst scan.

    FILE is its folder, or the raw bytes of a link (wire.bin). The folder of a phase scan also holds
    the run that it was taken from, as run.json.
    """


class Reported(Paged, told={"page": "Default: report.html in the run's folder."}):
    """The file of a report."""


@command("plexor.cli.report:report", drawn=Reported, less=Less, judged=Budgeted)
@click.argument("paths", type=_KEPT, nargs=-1, required=True, metavar="RUN...")
def report() -> None:
    """Write the page of RUN, which is a folder of --out or the raw bytes of a link.

    RUN holds a run, a sweep, a phase scan or a burst scan. A picture (--page FILE.svg, .png or
    .pdf) can show several runs on the same axes: its title says what they have in common, and each
    plot which run it is of.
    """


class Exported(Written, told={"files": f"The run: {SUFFIXES}."}):
    """Files of a run."""


@command("plexor.cli.export:export", written=Exported, judged=Budgeted)
@click.argument("run", type=_KEPT, metavar="RUN")
def export(written: Exported) -> None:
    """Write RUN as files of other tools.

    RUN is a folder of --out, or the raw bytes of a link (wire.bin). A file appears when it is
    complete.

    \b
      plexor export run1 --to run1.vcd --to run1.pftrace
      plexor export run1 --to checks.xml --budget budget.toml
    """
    if not written.files:
        raise UsageError(f"--to: names no file; its suffix is one of {SUFFIXES}")


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
    replayed, reported, compared and exported as any other. It says that it is imported.

    \b
      plexor import capture.vcd
      plexor import capture.vcd --strike trig --channel ISR=irq_out:deadline=5us --out run1
    """
    if place.out is None and asked.names_signals:
        raise UsageError("--out: is missing; name a new folder for the run")


@command("plexor.cli.explain.why:why", asked=WhySpec, shown=AsJson)
@click.argument("run", type=_KEPT, metavar="RUN")
def why() -> None:
    """Find the late answers of RUN, the clusters in which they lie, and how each cluster recurs.

    RUN is a folder of --out, or the raw bytes of a link. A cluster is parted from earlier answers
    by a gap that chance does not leave. It recurs at each n-th answer, at a period, or irregularly.

    \b
      plexor why run1
      plexor why run1 --over 50us
    """


class LanesFiles(
    Written,
    told={
        "files": "All lanes: .csv (a row for each span), .vcd (a string for each lane) or .pftrace."
    },
):
    """Files of lanes."""


@command(
    "plexor.cli.explain.timeline:timeline",
    asked=TimelineSpec,
    shown=Shown,
    written=LanesFiles,
)
@click.argument("run", type=_KEPT, metavar="RUN")
def timeline() -> None:
    """Show when each task and interrupt ran, waited and slept, and who ran after whom.

    RUN is a folder of --out, of a run that was measured with --code-port or --code-wires. Each
    lane's times in all states add up to the run's length.

    \b
      plexor timeline coded
      plexor timeline coded --from 1ms --until 2ms --page timeline.html
      plexor timeline coded --cursor 1.2ms --cursor 1.4ms --to lanes.pftrace
    """


class CallsFile(Spec):
    """Files of calls."""

    speedscope: Path | None = option(
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Write all calls as a file for speedscope.app.",
    )


@command("plexor.cli.explain.profile:profile", asked=ProfileSpec, shown=AsJson, calls=CallsFile)
@click.argument("run", type=_KEPT, metavar="RUN")
@click.argument("view", type=click.Choice(VIEWS), default="top", metavar="[VIEW]")
def profile() -> None:
    """Show which functions of a device took how long, by the codes at their entries and exits.

    RUN is a folder of --out, of a run that was measured with --code-port or --code-wires. VIEW is
    top (functions), modules, tree (paths of calls), butterfly (callers and callees of one
    function), graph (edges from caller to callee) or trace (each call). Own time leaves out
    callees, interrupts and other tasks.

    \b
      plexor profile coded
      plexor profile coded butterfly --function control.v:update
      plexor profile coded trace --base 120ns --speedscope coded.speedscope.json
    """


@command("plexor.cli.explain.trace_header:trace_header", name="trace-header")
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[DIR]")
def trace_header() -> None:
    """Write plexor_trace.h and plexor_freertos.h to DIR (the current folder).

    Firmware that includes plexor_trace.h says on spare pins what it does: for `plexor timeline`,
    `plexor profile` and `plexor why`. plexor_freertos.h has the trace hooks of FreeRTOS.

    \b
      plexor trace-header firmware/include
    """
