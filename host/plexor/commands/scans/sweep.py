"""`plexor sweep`: the highest rate that a device sustains."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.defaults import CommandOption
from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    DUTY,
    RATE,
    Drawn,
    Parsed,
    command_line,
    dut_option,
    json_option,
    key_option,
    link_option,
    option_name,
    page_option,
    parse_duty,
    seed_option,
    time_option,
    usage,
)
from plexor.commands.workers import executor_option
from plexor.library.scans.sweep_asked import IDLE, SweepAsked, check, parse_criterion
from plexor.units import format_rate

if TYPE_CHECKING:
    from plexor.library.scans.sweep import Step

_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SweepAsked):
    """The options of `plexor sweep`, by the names of their parameters."""

    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    svg: Path | None
    out: Path | None
    force: bool


@click.command()
@link_option()
@dut_option
@click.option(
    "--from", "low", type=RATE, required=True, metavar="RATE", help="Lowest rate, such as 1k."
)
@click.option(
    "--to", "high", type=RATE, required=True, metavar="RATE", help="Highest rate, such as 200k."
)
@click.option(
    "--criterion",
    "criteria",
    type=Parsed("criterion", parse_criterion),
    multiple=True,
    metavar="LIMIT",
    help="A limit that a rate must keep: missed<0.1%@95% (default), late<1%, latency<50us:0.1%, "
    "duplicate<, spurious<, jitter<10us, jitter-rms<, jitter128<. Repeat it for each limit.",
)
@click.option(
    "--resolution",
    type=Parsed("part", parse_duty),
    default="1%",
    show_default=True,
    metavar="PART",
    help="Relative width of the bracket around the highest rate, at least 0.1%.",
)
@click.option(
    "--points",
    type=click.IntRange(2, 1000),
    default=9,
    show_default=True,
    metavar="N",
    help="Number of rates in the first scan.",
)
@click.option(
    "--both-ways",
    is_flag=True,
    help="Also scan up and down in one run, which shows hysteresis and recovery.",
)
@click.option(
    "--dwell",
    type=COUNT,
    default="1",
    metavar="N",
    help="Minimum number of strikes at each rate, if the test needs fewer.",
)
@time_option(
    "--longest", default="60s", help="Maximum time at each rate, in the instrument's time."
)
@click.option(
    "--load",
    "loads",
    default=IDLE,
    show_default=True,
    metavar="NAME,...",
    help="Loads to put on one after the other: none, those of the simulated device, such as cpu, "
    "or on, which raises the load output; on a board every name but none does.",
)
@click.option(
    "--load-on",
    cls=CommandOption,
    metavar="COMMAND",
    help="Shell command that starts a load, such as 'ssh dut stress-ng …'.",
)
@click.option(
    "--load-off",
    cls=CommandOption,
    metavar="COMMAND",
    help="Shell command that ends the load. Without it, the command of --load-on is terminated.",
)
@time_option("--width", help="Width of a strike at every rate.")
@click.option(
    "--duty",
    type=DUTY,
    metavar="PART",
    help="Width of a strike as a part of the mean period, at every rate, such as 20%.",
)
@time_option(
    "--dither", default="0", help="Range of a random deviation of the period, such as 1024ns."
)
@seed_option
@click.option(
    "--channel",
    "channels",
    type=CHANNEL,
    multiple=True,
    metavar="NAME=chN[:after=EDGE,...]",
    help="A response pin, as in `plexor measure`. Repeat it for each pin.",
)
@time_option(
    "--timeout", help="Age at which an unanswered strike is missed. Default: four periods."
)
@time_option("--deadline", help="Latency above which a response is late.")
@executor_option
@key_option
@json_option
@page_option
@click.option("--svg", type=Drawn(".svg"), metavar="FILE", help="Write the picture to FILE.svg.")
@click.option(
    "--out",
    type=_PATH,
    metavar="DIR",
    help="Keep the sweep in this folder. A sweep with the same options that is there already "
    "continues.",
)
@click.option("--force", is_flag=True, help="Replace the folder of --out.")
def sweep(**given: Any) -> int:
    """Find the highest rate that a device sustains, for each channel and each load.

    A first scan covers all rates. Bisection follows, between the lowest rate that fails and the
    highest below it that passes. Each rate is tried until an exact test is certain.

    \b
      plexor sweep --dut bare --from 10k --to 1M --dither 1024ns
      plexor sweep --from 1k --to 100k --load none,cpu,polygons --criterion 'missed<1%' --out s1
    """
    options = Options(**given)
    with usage():
        check(options, option_name)
    if options.force and options.out is None:
        raise click.UsageError("--force replaces the folder of --out; give --out too")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_scan  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.scans.sweep import swept  # noqa: PLC0415

    check_outputs(options.page, options.svg, folder=options.out, whole=False)
    found = swept(
        options,
        device=dict(options.keys),
        out=options.out,
        force=options.force,
        on_step=Teller().step,
        name=option_name,
        command=command_line(),
    )
    return conclude_scan(found, options.as_json, options.page, options.svg)


class Teller:
    """Prints each step on standard error, with the time that the rest may take."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def step(self, step: Step, taken: int, expected: int) -> None:
        """Print one step and the number of steps."""
        words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
        left_s = (time.monotonic() - self._began) / taken * max(expected - taken, 0)
        print(
            f"plexor: step {taken} of about {max(expected, taken)}, {left_s:.0f} s left: "
            f"{step.load} {format_rate(step.rate_hz)}: {words}",
            file=sys.stderr,
            flush=True,
        )
