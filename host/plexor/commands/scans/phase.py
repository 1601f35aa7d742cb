"""`plexor phase`: latency over the phase of a device's tick, a code, or another output."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    RATE,
    Parsed,
    code_port_option,
    code_wires_option,
    codes_option,
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
from plexor.library.scans.phase_asked import MOST_POINTS, POINTS, PhaseAsked, check, parse_against

_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(PhaseAsked):
    """The options of `plexor phase`, by the names of their parameters."""

    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    out: Path | None


@click.command()
@link_option()
@dut_option
@click.option(
    "--against",
    type=Parsed("reference", parse_against),
    required=True,
    metavar="EDGE",
    help="Reference from which phases are measured: the edge of a channel, such as ch2 or "
    "ch2.fall, or of another output, such as strike1, or a code of the device, by its name or "
    "value, such as code:give, code:function:give or code:0x43.",
)
@time_option("--period", help="Period of the output that --against names.")
@time_option(
    "--span",
    help="Range of phases for a reference without a period: the time since its last edge, up to "
    "this.",
)
@click.option(
    "--rate",
    type=RATE,
    required=True,
    metavar="RATE",
    help="Maximum strikes per second, such as 5k. The actual rate is the next lower one that steps "
    "through the phases; the result names it.",
)
@time_option("--step", help="Step of the phase.")
@click.option(
    "--points",
    type=click.IntRange(2, MOST_POINTS),
    metavar="N",
    help=f"Number of steps in a period, instead of --step. Default: {POINTS}.",
)
@click.option(
    "--repeats",
    type=COUNT,
    default="8",
    show_default=True,
    metavar="N",
    help="Number of strikes per step, on average.",
)
@time_option(
    "--threshold",
    help="Excess over the base above which a latency is masked. Default: twice the spread of "
    "latencies at any phase.",
)
@time_option("--width", help="Width of a strike.")
@click.option(
    "--channel",
    "channels",
    type=CHANNEL,
    multiple=True,
    metavar="NAME=chN",
    help="A response pin, as in `plexor measure`. Repeat it for each pin.",
)
@time_option(
    "--timeout", help="Age at which an unanswered strike is missed. Default: 5/8 of the period."
)
@code_wires_option
@code_port_option
@codes_option
@load_option
@seed_option
@key_option
@json_option
@page_option
@click.option(
    "--out", type=_PATH, metavar="DIR", help="Keep the run, the scan and its page in a new folder."
)
def phase(**given: Any) -> int:
    """Strike at each phase of a tick, a code or another output, and find those that are masked.

    A strike is masked if it is missed, or if its latency exceeds the base by more than --threshold.
    The base is the median of the fastest quarter of strikes. A window is a range of phases with so
    many masked strikes that chance makes one in at most 5 % of scans. A single strike is not
    enough; with --repeats 3, a single step is.

    \b
      plexor phase --dut freertos:critical_pin=2 --load critical --against ch2 --span 60us
             --step 1us --rate 5k --channel ISR=ch0
      plexor phase --link serial:/dev/ttyUSB1 --channel IRQ=ch0 --against ch2.fall --rate 2k
      plexor phase --dut bare --against strike1 --period 20us --points 200 --rate 10k
    """
    options = Options(**given)
    with usage():
        check(options, option_name)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import conclude_scan  # noqa: PLC0415
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.commands.progress import ProgressLine  # noqa: PLC0415
    from plexor.library.instrument import Instrument  # noqa: PLC0415
    from plexor.library.keep import check_new  # noqa: PLC0415

    with usage():
        if options.out is not None:
            check_new(options.out, option_name("out"))
    check_outputs(options.page, folder=options.out)
    with (
        Instrument(
            options.link, dut=options.dut, calibration="none", load=options.load
        ) as instrument,
        closing(ProgressLine()) as line,
        stop_on_signals() as stop,
    ):
        found = instrument.phase(
            options,
            on_progress=line,
            stop=stop,
            device=dict(options.keys),
            out=options.out,
            command=command_line(),
        )
    return conclude_scan(found, options.as_json, options.page)
