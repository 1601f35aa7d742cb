# SPDX-License-Identifier: Apache-2.0
"""`plexor bound` on the command line: what it asks, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.options import AsJson, HtmlShown
from plexor.cli.parameters import option_name, refuse
from plexor.cli.specs import command
from plexor_lab.bound.spec import (
    AtEach,
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


@click.group(no_args_is_help=False)
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
      plexor bound eval createthread.toml --platform platform-1.toml --n 13
      plexor bound eval createthread.csv --platform memory.toml --map map.toml
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
      plexor bound check --model createthread.toml --platform platform-1.toml --n 13
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
      plexor bound trace buslog/malloc --out walk.toml --map places.toml
      plexor bound trace buslog/malloc --pin 1 --title free --json
    """


@command("plexor_lab.bound.body:fit", asked=FitSpec, shown=AsJson)
@click.argument("measured", type=_FILE, metavar="MEASURED...", nargs=-1, required=True)
def fit(asked: FitSpec) -> None:
    """Fit what a core adds to the times of its memories, by services that were measured.

    MEASURED is a CSV file with the columns model, platform, map, n and measured: files of a service
    and of a platform, N, and a time such as 51111ns, or the folder of a run. Columns channel and of
    say what of a run is taken, as in `plexor bound check`; N may be its key. Accesses without a
    time on the platform get one: of `branch`, or of all. The least squares of relative errors are
    taken, and no time is below 0. The sum without the core's part is shown beside it.

    \b
      plexor bound fit measured.csv
      plexor bound fit measured.csv --try tried.csv --platform sdram.toml --out fitted.toml
    """
    if (asked.platform is None) != (asked.out is None):
        raise UsageError("--platform and --out need each other; give both or none")
    for name in ("bound", "models", "region_map"):
        if getattr(asked, name) and asked.out is None:
            raise UsageError(f"{option_name(name)} is for --out; give --platform and --out too")


for _part in (evaluate, check, trace, fit):
    bound.add_command(_part)
