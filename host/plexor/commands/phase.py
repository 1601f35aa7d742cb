"""`plexor phase`: latency over the phase of a device's tick, or of another output."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    RATE,
    Parsed,
    json_option,
    key_option,
    link_option,
    seed_option,
    time_option,
)
from plexor.commands.pins import described, response_pins
from plexor.errors import ExitCode
from plexor.model.settings import Channel, parse_reference
from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE

if TYPE_CHECKING:
    from plexor.model.results import RunResult
    from plexor.phase.model import PhaseResult
    from plexor.phase.run import Wanted

RESULT_FILE = "phase.json"
PAGE_FILE = "phase.html"
POINTS = 100
_PATH = click.Path(path_type=Path)


def parse_against(text: str) -> str:
    """Return the reference of `ch2`, `ch2.fall` or `strike1`; raise ValueError for others."""
    source, _ = parse_reference(text)
    if source in (SOURCE_STRIKE, SOURCE_LOAD):
        raise ValueError(f"against: {text!r}; must be ch0 to ch7 or strike1 to strike7")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `plexor phase`, by the names of their parameters."""

    link: str
    dut: str | None
    against: str
    period: Fraction | None
    span: Fraction | None
    rate: Fraction
    step: Fraction | None
    points: int | None
    repeats: int
    threshold: Fraction | None
    width: Fraction | None
    channels: tuple[Channel, ...]
    timeout: Fraction | None
    load: bool
    seed: int
    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    out: Path | None


@click.command()
@link_option("Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT or serial:PORT.")
@click.option(
    "--dut",
    metavar="NAME[:OPTIONS]",
    help="Simulated device: freertos (default), bare, synthetic or a manifest.toml; "
    "`plexor devices NAME` explains its options.",
)
@click.option(
    "--against",
    type=Parsed("reference", parse_against),
    required=True,
    metavar="EDGE",
    help="Reference edge from which phases are measured: that of a channel, such as ch2 or "
    "ch2.fall, or of another output, such as strike1.",
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
    type=click.IntRange(2, 100_000),
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
@click.option("--load", is_flag=True, help="Raise the load output during the run.")
@seed_option
@key_option
@json_option
@click.option(
    "--page",
    type=_PATH,
    metavar="FILE",
    help="Write an HTML page, or a picture if FILE ends in .svg.",
)
@click.option(
    "--out", type=_PATH, metavar="DIR", help="Keep the run, the scan and its page in a new folder."
)
def phase(**given: Any) -> int:
    """Strike at each phase of a tick or of another output, and find the phases that are masked.

    A strike is masked if it is missed, or if its latency exceeds the base by more than --threshold.
    The base is the median of the fastest quarter of strikes. A window is a range of phases with so
    many masked strikes that chance makes one in at most 5 % of scans. A single strike is not
    enough; with --repeats 3, a single step is.

    \b
      plexor phase --dut freertos:load=critical,critical_pin=2 --load --against ch2 --span 60us
             --step 1us --rate 5k --channel ISR=ch0
      plexor phase --link serial:/dev/ttyUSB1 --channel IRQ=ch0 --against ch2.fall --rate 2k
      plexor phase --dut bare --against strike1 --period 20us --points 200 --rate 10k
    """
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.commands.output import all_of, check_outputs, write_text  # noqa: PLC0415
    from plexor.phase.store import SCHEMA  # noqa: PLC0415
    from plexor.render.pictures.phase import phase_page, phase_picture  # noqa: PLC0415
    from plexor.render.terminal.phase import phase_text  # noqa: PLC0415
    from plexor.store.kept_json import document_of  # noqa: PLC0415

    options = Options(**given)
    wanted = _wanted(options)
    out = options.out
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise click.UsageError(f"--out {out}: already exists; name a new folder")
    check_outputs(options.page, folder=out)
    result, run = _take(options, wanted)
    text = json.dumps(document_of(SCHEMA, result), indent=1, ensure_ascii=False)
    if options.as_json:
        print(text)
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(phase_text(result, width=width, colour=wants_colour()), end="")
    sys.stdout.flush()
    path = options.page
    drawn = phase_picture if path is not None and path.suffix == ".svg" else phase_page
    all_of(
        lambda: None if out is None else _keep(run, out, text, phase_page(result)),
        lambda: None if path is None else write_text(path, drawn(result)),
    )
    if result.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.INVALID if result.invalid_reasons else ExitCode.PASS


def _keep(run: RunResult, out: Path, text: str, page: str) -> None:
    from plexor.commands.output import write_text  # noqa: PLC0415
    from plexor.store.run_folder import save  # noqa: PLC0415

    save(run, out)
    write_text(out / RESULT_FILE, f"{text}\n")
    write_text(out / PAGE_FILE, page)


def _wanted(options: Options) -> Wanted:
    from plexor.phase.run import Wanted  # noqa: PLC0415

    source, _ = parse_reference(options.against)
    ours = source >= SOURCE_STRIKE
    if options.step is not None and options.points is not None:
        raise click.UsageError(
            "--step and --points both set the steps of the phase; give one of them"
        )
    spans = {"step": options.step, "period": options.period, "span": options.span}
    for name, asked in spans.items():
        if asked is not None and asked <= 0:
            raise click.UsageError(f"--{name}: must be above 0")
    if ours and options.period is None:
        raise click.UsageError(f"--against {options.against}: give its --period too")
    if not ours and options.period is not None:
        raise click.UsageError(
            f"--period is for another output; the period of {options.against} is measured"
        )
    if ours and options.span is not None:
        raise click.UsageError(
            f"--span is for a reference without a period; the phases of {options.against} cover "
            "its period"
        )
    points = options.points or (POINTS if options.step is None else None)
    return Wanted(
        channels=options.channels
        or response_pins(options.link, options.dut, None if ours else source),
        against=options.against,
        rate_hz=options.rate,
        repeats=options.repeats,
        step_s=options.step,
        points=points,
        period_s=options.period,
        threshold_s=options.threshold,
        width_s=options.width,
        timeout_s=options.timeout,
        span_s=options.span,
        load=options.load,
        seed=options.seed,
    )


def _take(options: Options, wanted: Wanted) -> tuple[PhaseResult, RunResult]:
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor.commands.progress import ProgressLine  # noqa: PLC0415
    from plexor.device.device import Device  # noqa: PLC0415
    from plexor.link.open import open_link  # noqa: PLC0415
    from plexor.phase.run import run  # noqa: PLC0415

    uri = options.link
    description = described(uri, options.dut, dict(options.keys))
    with (
        Device(open_link(uri, options.dut)) as device,
        closing(ProgressLine()) as line,
        stop_on_signals() as stop,
    ):
        return run(device, wanted, line, description, stop)
