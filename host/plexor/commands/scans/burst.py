"""`plexor burst`: how many strikes in a row a device answers, at what spacing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    Parsed,
    command_line,
    dut_option,
    json_option,
    key_option,
    link_option,
    load_option,
    option_name,
    page_option,
    seed_option,
    time_option,
    usage,
)
from plexor.commands.workers import executor_option
from plexor.library.scans.burst_asked import BurstAsked, check, parse_criterion
from plexor.units import format_seconds

if TYPE_CHECKING:
    from plexor.library.scans.burst import Job, Step

_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(BurstAsked):
    """The options of `plexor burst`, by the names of their parameters."""

    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    out: Path | None
    force: bool


@click.command()
@link_option()
@dut_option
@time_option(
    "--from", "low", required=True, help="Minimum spacing of the strikes in a burst, such as 2us."
)
@time_option("--to", "high", required=True, help="Maximum spacing, such as 50us.")
@click.option(
    "--points",
    type=click.IntRange(2, 1000),
    default=9,
    show_default=True,
    metavar="N",
    help="Number of spacings.",
)
@time_option(
    "--period",
    required=True,
    help="Time from burst to burst, long enough that the device is idle in between.",
)
@click.option(
    "--most", type=COUNT, default="64", show_default=True, metavar="N", help="Longest burst to try."
)
@click.option(
    "--criterion",
    type=Parsed("criterion", parse_criterion),
    default="missed<1%@95%",
    show_default=True,
    metavar="LIMIT",
    help="Limit on the missed strikes. For bursts of n strikes it is at most 1/(2n).",
)
@time_option("--width", help="Width of a strike. Default: half the spacing, at most 10us.")
@click.option(
    "--channel",
    "channels",
    type=CHANNEL,
    multiple=True,
    metavar="NAME=chN",
    help="A response pin, as in `plexor measure`. Repeat it for each pin.",
)
@load_option
@seed_option
@executor_option
@key_option
@json_option
@page_option
@click.option(
    "--out",
    type=_PATH,
    metavar="DIR",
    help="Keep the scan in this folder. A scan with the same options that is there already "
    "continues.",
)
@click.option("--force", is_flag=True, help="Replace the folder of --out.")
def burst(**given: Any) -> int:
    """Find the longest burst that a device answers completely, for each spacing of its strikes.

    A burst starts every --period and lasts at most half of it. A strike that is not answered within
    the other half is missed. Each length is tried until an exact test is certain.

    \b
      plexor burst --dut freertos --from 2us --to 40us --period 1ms
      plexor burst --link serial:/dev/ttyUSB1 --channel ISR=ch0 --from 1us --to 1ms --period 50ms
    """
    options = Options(**given)
    with usage():
        check(options, option_name)
    if options.force and options.out is None:
        raise click.UsageError("--force replaces the folder of --out; give --out too")
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_scan  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.library.scans.burst import scanned  # noqa: PLC0415

    check_outputs(options.page, folder=options.out, whole=False)
    found = scanned(
        options,
        device=dict(options.keys),
        out=options.out,
        force=options.force,
        on_step=_say,
        name=option_name,
        command=command_line(),
    )
    return conclude_scan(found, options.as_json, options.page)


def _say(job: Job, step: Step) -> None:
    swept = job.settings.strikes[0]
    spaced = "" if swept.spacing_s is None else f", {format_seconds(swept.spacing_s)} apart"
    words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
    line = f"plexor: bursts of {swept.burst}{spaced}: {words}"
    print(line, file=sys.stderr, flush=True)
