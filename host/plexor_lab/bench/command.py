# SPDX-License-Identifier: Apache-2.0
"""`plexor lab bench` on the command line: what it asks, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.options import HtmlShown, Keyed
from plexor.cli.parameters import option_name, refuse
from plexor.cli.specs import command
from plexor.library.specs.options import NewFolder, check_kept
from plexor_lab.bench.spec import BenchShown, BenchSpec
from plexor_lab.bench.suites import SUITES

_SHOWING = ("suite", "iterations")
"""What of a measurement a kept run is asked too."""


@command(
    "plexor_lab.bench.body:bench",
    asked=BenchSpec,
    how=BenchShown,
    described=Keyed,
    shown=HtmlShown,
    place=NewFolder,
)
@click.argument("suite", type=click.Choice(tuple(SUITES)), metavar="SUITE")
@click.argument(
    "run", type=click.Path(exists=True, path_type=Path), metavar="[RUN]", required=False
)
def bench(run: Path | None, asked: BenchSpec, place: NewFolder) -> None:
    """Measure each operation of a kernel from outside, by a code before it and one behind it.

    SUITE is osbench, threadmetric or kernel. The device runs the suite's firmware, and begins as
    output 0 strikes. All samples are kept, and the time of an empty pair of codes is subtracted.
    RUN is a folder of --out: its figures are computed again, and nothing is measured.

    The exit code is 4 if samples are missing, or if the firmware counted other operations.

    \b
      plexor lab bench osbench --iterations 50 --frames osbench.txt
      plexor lab bench kernel --iterations 20 --self --out kernel1
      plexor lab bench kernel kernel1 --skip-first --page kernel.html
    """
    if run is not None:
        measuring = (*BenchSpec.options(), *Keyed.options(), "out")
        refuse(
            (name for name in measuring if name not in _SHOWING),
            f"is for a measurement; {run} is one",
        )
    check_kept(place, option_name)
    if asked.time <= 0:
        raise UsageError("--time: must be above 0, such as 10s")
    if asked.counts_itself and asked.dut is not None and asked.dut.partition(":")[0] != "freertos":
        raise UsageError(
            f"--self: {asked.dut} is no device that counts itself; freertos is one, and so is "
            "firmware that is compiled with BENCH_SELF=1"
        )
