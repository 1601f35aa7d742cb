"""`plexor measure` on the command line: its options, and what it does with them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from plexor.commands.measure.options import Options, settings_asked
from plexor.commands.measure.presets import overridden, preset_option
from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    DUTY,
    RATE,
    START,
    STOP,
    STRIKE,
    base_option,
    budget_option,
    code_port_option,
    code_wires_option,
    codes_option,
    command_line,
    dut_option,
    json_option,
    key_option,
    link_option,
    load_option,
    page_option,
    time_option,
    velocity_option,
)
from plexor.library.asked import MODES, POLICIES

_PATH = click.Path(path_type=Path)


@click.command()
@link_option(
    "Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT, serial:PORT or file:PATH."
)
@dut_option
@preset_option
@click.option(
    "--fallback",
    is_flag=True,
    help="If the parts of a simulated device are not available, say so and use a simpler device: "
    "bare for freertos, synthetic for bare.",
)
@click.option(
    "--rate",
    type=RATE,
    metavar="RATE",
    help="Strikes (or bursts) per second, such as 20k. Without it the device runs by itself.",
)
@click.option(
    "--count",
    type=COUNT,
    metavar="N",
    help="Number of strikes of --rate, such as 10k. The run ends after them.",
)
@time_option("--time", help="Time after which the run stops, such as 2s.")
@time_option("--width", help="Width of a strike.")
@click.option(
    "--duty",
    type=DUTY,
    metavar="PART",
    help="Width of a strike as a part of the mean period, or in bursts of --spacing, such as 20%.",
)
@time_option("--phase", default="0", help="Time from the start to the first strike.")
@time_option(
    "--dither", default="0", help="Range of a random deviation of the period, such as 1024ns."
)
@click.option("--poisson", is_flag=True, help="Strike at random times, at --rate on average.")
@click.option("--burst", type=COUNT, default="1", metavar="N", help="Number of strikes in a burst.")
@time_option("--spacing", help="Time between the strikes in a burst.")
@click.option(
    "--seed",
    type=click.IntRange(1, (1 << 64) - 1),
    default=1,
    metavar="N",
    help="Seed for the random parts of the strikes.",
)
@click.option("--active-low", is_flag=True, help="Make strikes active low.")
@click.option(
    "--start",
    type=START,
    default="run",
    show_default=True,
    metavar="WHAT",
    help="What starts the strikes: run (the start of the run), gate (while the gate input is "
    "high), strikeN (a strike of another output) or code:NUMBER (a code at the code port).",
)
@click.option(
    "--strike",
    "strikes",
    type=STRIKE,
    multiple=True,
    metavar="N:KEY=VALUE,...",
    help="Another output N. Repeat it for each output. Its keys are rate, count, width, duty, "
    "phase, dither, poisson, burst, spacing, seed, active-low and start. Without a rate it "
    "strikes once per start.",
)
@click.option(
    "--channel",
    "channels",
    type=CHANNEL,
    multiple=True,
    metavar="NAME=chN[:after=EDGE,deadline=TIME,filter=TIME,invert]",
    help="A response pin. Repeat it for each pin. EDGE is the edge that it answers, such as "
    "strike0 or ch0.fall.",
)
@click.option(
    "--policy",
    type=click.Choice(POLICIES),
    default="oldest",
    show_default=True,
    help="Rule that selects the outstanding strike that a response answers.",
)
@time_option("--window", default="0", help="Minimum latency, for --policy window.")
@time_option(
    "--timeout",
    help="Age at which an unanswered strike is missed. Default: the period; in bursts --spacing.",
)
@time_option("--deadline", help="Latency above which a response is late.")
@time_option("--early", default="0", help="How long before its strike a response may come.")
@click.option(
    "--calibration",
    type=_PATH,
    metavar="FILE",
    help="Correct latencies to picoseconds with a file from `plexor calibrate`. Default: the file "
    "kept for this board, if there is one; for a simulated instrument none. With none, latencies "
    "are not corrected.",
)
@load_option
@click.option(
    "--mode",
    type=click.Choice(list(MODES)),
    show_default="stream; dump, if the instrument sends no events",
    help="stream: send events during the run. dump: collect results on the chip and send them "
    "after the run. deep: send the events after the run too, if the instrument has a deep "
    "memory.",
)
@click.option(
    "--stop-on",
    "stop_on",
    type=STOP,
    multiple=True,
    metavar="CONDITION",
    help="Stop on latency>50us or missed, and keep the events around that point. With a code port "
    "also on stall:code>1ms, when no code came for that time, and on code=0x43. Repeat it for each "
    "condition.",
)
@code_wires_option
@code_port_option
@codes_option
@base_option
@velocity_option
@budget_option
@key_option
@click.option(
    "--live",
    is_flag=True,
    help="Show histograms, persistence and figures of each channel while the run is under way.",
)
@json_option
@page_option
@click.option("--out", type=_PATH, metavar="DIR", help="Keep the run in a new folder.")
@click.option(
    "--wire", is_flag=True, help="Keep the raw bytes of the link too, in the folder of --out."
)
@click.option("--force", is_flag=True, help="Replace the folder of --out.")
@click.pass_context
def measure(context: click.Context, **given: Any) -> int:
    """Strike a device, time its responses and judge them.

    Times need a unit: 50us, 1.5ms, 2s. Rates and counts may have k, M or G.

    \b
      plexor measure --rate 20k --count 10k
      plexor measure --dut bare --rate 1k --time 2s --budget omac --json
      plexor measure --preset cots5k --count 10k --strike 1:start=strike0,phase=5us,width=1us
      plexor measure --link serial:/dev/ttyUSB1 --rate 5k --duty 20% --time 60s --out run1
    """
    options = replace(Options(**given), **dict.fromkeys(overridden(context)))
    settings = settings_asked(options)
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.output import check_outputs, check_run_folder, kept  # noqa: PLC0415
    from plexor.library.keep import recording  # noqa: PLC0415
    from plexor.library.run import load_budget  # noqa: PLC0415

    budget = None if options.budget is None else load_budget(options.budget)
    out = options.out
    if options.wire and out is None:
        raise click.UsageError("--wire keeps the bytes in the folder of --out; give --out too")
    if options.force and out is None:
        raise click.UsageError("--force replaces the folder of --out; give --out too")
    place = check_run_folder(out, force=options.force)
    check_outputs(options.page, folder=out)
    from plexor.commands.conclude import Wanted, conclude  # noqa: PLC0415
    from plexor.commands.measure.take import take  # noqa: PLC0415

    with ExitStack() as stack:
        tap = stack.enter_context(recording(place)) if options.wire and place else None
        run = take(options, settings, tap, budget).taken_by(command_line())
        unsaved = None if place is None else kept(run, place, tap)
    return conclude(
        run.less(options.base, options.velocity),
        Wanted(budget, options.as_json, options.page, taken_now=True, unsaved=unsaved),
    )
