# SPDX-License-Identifier: Apache-2.0
"""`plexor bench`: operations of a kernel, timed from outside, by the codes around each."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.parameters import (
    COUNT,
    json_option,
    key_option,
    option_name,
    time_option,
)
from plexor.commands.specs import one_of
from plexor.library.specs.options import Coded, Loaded, Target

if TYPE_CHECKING:
    from plexor.errors import PlexorError
    from plexor.library.run import Run
    from plexor_lab.bench.taken import BenchAsked

_PATH = click.Path(path_type=Path)
SUITES = ("osbench", "threadmetric", "kernel")
"""The same as plexor_lab.bench.suites has, which is imported later."""


@click.command()
@click.argument("suite", type=click.Choice(SUITES), metavar="SUITE")
@click.argument(
    "run", type=click.Path(exists=True, path_type=Path), metavar="[RUN]", required=False
)
@one_of(Target, "link")
@one_of(Target, "dut")
@click.option(
    "--iterations",
    type=COUNT,
    default="100",
    show_default=True,
    metavar="N",
    help="Samples of each test, up to 1M. A simulated device takes so many; of another one, fewer "
    "make the figures invalid.",
)
@click.option(
    "--skip-first", is_flag=True, help="Leave the first sample of each test out of its figures."
)
@click.option(
    "--self",
    "counts_itself",
    is_flag=True,
    help="Have the simulated device's firmware count cycles itself, and show its error.",
)
@one_of(Coded, "code_port")
@one_of(Coded, "codes")
@time_option(
    "--time", default="10s", show_default=True, help="Time after which the run stops in any case."
)
@one_of(Loaded, "load")
@key_option
@json_option
@click.option(
    "--frames", type=_PATH, metavar="FILE", help="Write the figures as a report of OSBench."
)
@click.option("--out", type=_PATH, metavar="DIR", help="Keep the run in a new folder.")
@click.option("--force", is_flag=True, help="Replace the folder of --out.")
@click.pass_context
def bench(
    context: click.Context,
    suite: str,
    run: Path | None,
    link: str,
    dut: str | None,
    iterations: int,
    skip_first: bool,
    counts_itself: bool,
    code_port: Any,
    codes: Path | None,
    time: Fraction,
    load: str | None,
    keys: tuple[tuple[str, str], ...],
    as_json: bool,
    frames: Path | None,
    out: Path | None,
    force: bool,
) -> int:
    """Measure each operation of a kernel from outside, by a code before it and one behind it.

    SUITE is osbench, threadmetric or kernel. The device runs the suite's firmware, and begins as
    output 0 strikes. All samples are kept, and the time of an empty pair of codes is subtracted.
    RUN is a folder of --out: its figures are computed again, and nothing is measured.

    The exit code is 4 if samples are missing, or if the firmware counted other operations.

    \b
      plexor bench osbench --iterations 50 --frames osbench.txt
      plexor bench kernel --iterations 20 --self --out kernel1
      plexor bench kernel kernel1 --skip-first
    """
    given = {
        name
        for name in context.params
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
    }
    if run is not None:
        measuring = (
            "link",
            "dut",
            "counts_itself",
            "code_port",
            "codes",
            "time",
            "load",
            "keys",
            "out",
        )
        wrong = next((name for name in measuring if name in given), None)
        if wrong is not None:
            raise click.UsageError(f"{option_name(wrong)} is for a measurement; {run} is one")
    if force and out is None:
        raise click.UsageError("--force replaces the folder of --out; give --out too")
    if time <= 0:
        raise click.UsageError("--time: must be above 0, such as 10s")
    if counts_itself and dut is not None and dut.partition(":")[0] != "freertos":
        raise click.UsageError(
            f"--self: {dut} is no device that counts itself; freertos is one, and so is firmware "
            "that is compiled with BENCH_SELF=1"
        )
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import show  # noqa: PLC0415
    from plexor.commands.output import (  # noqa: PLC0415
        check_outputs,
        check_run_folder,
        kept,
        raise_first,
    )
    from plexor.library.files import write_text  # noqa: PLC0415
    from plexor_lab.bench.bench import Bench  # noqa: PLC0415
    from plexor_lab.bench.taken import BenchAsked  # noqa: PLC0415

    place = check_run_folder(out, force=force)
    check_outputs(frames, folder=out)
    failures: list[PlexorError] = []
    if run is None:
        asked = BenchAsked(
            suite=suite,
            link=link,
            dut=dut,
            iterations=iterations,
            counts_itself=counts_itself,
            code_port=code_port,
            codes=codes,
            time_s=time,
            load=load,
        )
        measured = _take(asked, dict(keys))
        unsaved = None if place is None else kept(measured, place)
        failures += [] if unsaved is None else [unsaved]
    else:
        measured = _load(run)
    wanted = iterations if run is None or "iterations" in given else None
    found = Bench(measured, suite, iterations=wanted, skip_first=skip_first)
    show(found, as_json)
    if frames is not None:
        write_text(frames, found.frames())
        print(f"plexor: wrote {frames}", file=sys.stderr)
    raise_first(failures)
    return found.exit_code()


def _take(asked: BenchAsked, keys: dict[str, str]) -> Run:
    """Take the run. The first SIGINT or SIGTERM stops it; what was taken is kept."""
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor_lab.bench.taken import taken  # noqa: PLC0415

    with stop_on_signals() as stop:
        return taken(asked, keys=keys, stop=stop, name=option_name)


def _load(path: Path) -> Run:
    """Return the run in a folder; raise UsageError for something else."""
    from plexor.errors import UsageError  # noqa: PLC0415
    from plexor.library.load import load  # noqa: PLC0415
    from plexor.library.run import Run  # noqa: PLC0415

    found = load(path)
    if not isinstance(found, Run):
        raise UsageError(f"{path}: holds a {found.what}; only runs have samples")
    return found
