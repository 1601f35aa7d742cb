# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bound` on the command line: what it asks, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.helping import HelpedGroup
from plexor.cli.options import AsJson, HtmlShown, Keyed
from plexor.cli.parameters import option_name, refuse
from plexor.cli.specs import command
from plexor.library.run_spec import RunSpec
from plexor.library.specs.options import Replaced, Source
from plexor_lab.bound.spec import (
    SWEPT,
    AtEach,
    Compared,
    FitSpec,
    Mapped,
    Maximum,
    Modelled,
    OfRun,
    OnPlatform,
    TracedFiles,
    TraceSpec,
)

_FILE = click.Path(path_type=Path)


class SweptRuns(
    Replaced,
    told={"out": "It has a run for each N. What was begun there with the same options continues."},
):
    """Where the runs of a sweep are kept."""


@click.group(cls=HelpedGroup, no_args_is_help=False)
def bound() -> None:
    """Compute what a service takes at most, and check it against what was measured."""


@command(
    "plexor_lab.bound.body:evaluate",
    name="eval",
    platform=OnPlatform,
    mapped=Mapped,
    at=AtEach,
    shown=AsJson,
)
@click.argument("model", type=_FILE, metavar="MODEL")
def evaluate() -> None:
    """Show what a service takes at most on a platform, part by part, as T(N) = A + B N.

    MODEL is a TOML or CSV file: the sections of the service, how often each runs, whether it
    blocks, and how many accesses it makes. All times are exact, in nanoseconds.

    \b
      plexor lab bound eval createthread.toml --platform platform-1.toml --n 13
      plexor lab bound eval createthread.csv --platform memory.toml --map map.toml
    """


@command(
    "plexor_lab.bound.body:check",
    modelled=Modelled,
    platform=OnPlatform,
    mapped=Mapped,
    asked=OfRun,
    known=Maximum,
    shown=HtmlShown,
)
@click.argument(
    "run", type=click.Path(exists=True, path_type=Path), metavar="[RUN]", required=False
)
def check(run: Path | None, known: Maximum, shown: HtmlShown) -> None:
    """Check that nothing which was measured exceeds what the service takes at most.

    RUN is a folder of --out, or the raw bytes of a link; or give --measured. The estimate is SAFE
    if the maximum does not exceed it. The overestimation is shown as a part of what was measured,
    and of the estimate.

    The exit code is 1 for an UNSAFE estimate, and 4 if the run is invalid or strikes were missed.

    \b
      plexor lab bound check --model createthread.toml --platform platform-1.toml --n 13
             --measured 51111ns
    """
    if (run is None) == (known.measured is None):
        raise UsageError("name a RUN, or the maximum with --measured; give one of them")
    if run is None:
        refuse(("channel", "kind"), "is for a RUN; --measured is a time itself")
    if known.scan is not None and shown.page is None:
        raise UsageError("--phase is for --page; give a page too")


@command("plexor_lab.bound.body:trace", asked=TraceSpec, files=TracedFiles, shown=AsJson)
@click.argument("log", type=_FILE, metavar="LOG")
def trace() -> None:
    """Count the accesses of a service, section by section, as a model for the other commands.

    LOG is a file of a simulated device's bus, from --dut freertos:bus=LOG, or a CSV file made of
    another simulator's trace, with the columns what, address, bytes and value. Instructions are
    counted as they retire; each is a read of its section, in a burst if it is behind the one
    before. What each step of N adds is a section that runs N times.

    \b
      plexor lab bound trace buslog/malloc --to walk.toml --map places.toml
      plexor lab bound trace buslog/malloc --pin 1 --title free --json
    """


@command("plexor_lab.bound.body:fit", asked=FitSpec, shown=AsJson)
@click.argument("measured", type=_FILE, metavar="MEASURED...", nargs=-1, required=True)
def fit(asked: FitSpec) -> None:
    """Fit what a core adds to the times of its memories, by services that were measured.

    MEASURED is a CSV file with the columns model, platform, map, n and measured: files of a service
    and of a platform, N, and a time such as 51111ns, or the folder of a run. Columns channel and of
    say what of a run is taken, as in `plexor lab bound check`; N may be its key. Accesses without a
    time on the platform get one: of `branch`, or of all. The least squares of relative errors are
    taken, and no time is below 0. The sum without the core's part is shown beside it.

    \b
      plexor lab bound fit measured.csv
      plexor lab bound fit measured.csv --try tried.csv --platform sdram.toml --to fitted.toml
    """
    if (asked.platform is None) != (asked.out is None):
        raise UsageError("--platform and --to need each other; give both or none")
    for name in ("bound", "models", "region_map"):
        if getattr(asked, name) and asked.out is None:
            raise UsageError(f"{option_name(name)} is for --to; give --platform and --to too")


@command(
    "plexor_lab.bound.body:sweep",
    source=Source,
    asked=RunSpec,
    modelled=Modelled,
    platform=OnPlatform,
    mapped=Mapped,
    compared=Compared,
    described=Keyed,
    place=SweptRuns,
    shown=AsJson,
)
@click.argument("ns", metavar="N=N1,N2,...")
def sweep(source: Source, asked: RunSpec) -> None:
    """Measure a simulated device's service at one N after the other, and check each.

    {N} in --dut stands for N. The other options are those of `plexor measure`, which takes each
    run, and of `plexor lab bound check`, which judges it. With --out each run is kept in its
    folder, and measured.csv names them for `plexor lab bound fit`. The same command continues a
    sweep that was ended early, and one with more N measures only those.

    The exit code is 1 if an estimate is UNSAFE at any N, and 4 if one is not proven.

    \b
      plexor lab bound sweep N=0,13,50 --dut 'freertos:program=malloc,blocks={N}' --rate 500
             --phase 300us --count 20 --channel malloc=ch0 --of on-width --model malloc.toml
             --platform sdram-bound.toml --out walk
    """
    if source.dut is None or SWEPT not in source.dut:
        raise UsageError(
            f"--dut: {source.dut or 'is missing'}; must have {SWEPT} where N goes, such as "
            f"freertos:program=malloc,blocks={SWEPT}; measure a board at each N with "
            "--label N=..., and check each run"
        )
    if len(asked.channels) > 1:
        raise UsageError("--channel: is given twice; the bound is of one")


for _part in (evaluate, check, sweep, trace, fit):
    bound.add_command(_part)
