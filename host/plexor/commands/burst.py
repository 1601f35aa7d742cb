"""`plexor burst`: how many strikes in a row a device answers, at what spacing."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    Parsed,
    json_option,
    key_option,
    link_option,
    seed_option,
    time_option,
)
from plexor.commands.pins import response_pins
from plexor.commands.workers import executor_of, executor_option
from plexor.errors import ExitCode
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.sweep.criterion import Criterion, What, parse_criterion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plexor.burst.model import BurstResult, Limit
    from plexor.burst.scan import Wanted
    from plexor.sweep.job import Job
    from plexor.sweep.model import Step

RESULT_FILE = "burst.json"
PAGE_FILE = "burst.html"
_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `plexor burst`, by the names of their parameters."""

    link: str
    dut: str | None
    low: Fraction
    high: Fraction
    points: int
    period: Fraction
    most: int
    criterion: Criterion
    width: Fraction | None
    channels: tuple[Channel, ...]
    load: bool
    seed: int
    executor: Callable[[], Executor] | None
    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    out: Path | None
    force: bool


@click.command()
@link_option("Link to the instrument: sim:, tcp://HOST:PORT, udp://HOST:PORT or serial:PORT.")
@click.option(
    "--dut",
    metavar="NAME[:OPTIONS]",
    help="Simulated device: freertos (default), bare, synthetic or a manifest.toml; "
    "`plexor devices NAME` explains its options.",
)
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
@click.option("--load", is_flag=True, help="Raise the load output during the runs.")
@seed_option
@executor_option
@key_option
@json_option
@click.option(
    "--page",
    type=_PATH,
    metavar="FILE",
    help="Write an HTML page, or a picture if FILE ends in .svg.",
)
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
    from plexor.burst.scan import burst_scan  # noqa: PLC0415
    from plexor.burst.store import SCHEMA  # noqa: PLC0415
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.commands.output import all_of, check_outputs, write_text  # noqa: PLC0415
    from plexor.render.pictures.burst import burst_page, burst_picture  # noqa: PLC0415
    from plexor.render.terminal.burst import burst_text  # noqa: PLC0415
    from plexor.store.kept_json import document_of  # noqa: PLC0415
    from plexor.sweep.executor import Workers  # noqa: PLC0415
    from plexor.sweep.store import StepStore, question_of  # noqa: PLC0415

    options = Options(**given)
    check_outputs(options.page, folder=options.out, whole=False)
    wanted = _wanted(options)
    out = options.out
    if options.force and out is None:
        raise click.UsageError("--force replaces the folder of --out; give --out too")
    question = question_of("burst", wanted, [wanted.dut])
    store = StepStore(out, question, force=options.force)
    with Workers(executor_of(options.link, options.executor)) as workers:
        limits, steps, end = burst_scan(wanted, workers, store, _say)
    if not steps:
        # Nothing is known of a device then, not even whether it is simulated.
        if end.error is not None:
            raise end.error
        raise KeyboardInterrupt
    result = _result(options, wanted, limits, steps, end.interrupted)
    text = json.dumps(document_of(SCHEMA, result), indent=1, ensure_ascii=False)
    if options.as_json:
        print(text)
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(burst_text(result, width=width, colour=wants_colour()), end="")
    sys.stdout.flush()
    path = options.page
    drawn = burst_picture if path is not None and path.suffix == ".svg" else burst_page
    kept = out if out is not None and out.exists() else None
    all_of(
        lambda: None if kept is None else write_text(kept / RESULT_FILE, f"{text}\n"),
        lambda: None if kept is None else write_text(kept / PAGE_FILE, burst_page(result)),
        lambda: None if path is None else write_text(path, drawn(result)),
    )
    if end.error is not None:
        raise end.error
    return ExitCode.INTERRUPTED if end.interrupted else ExitCode.PASS


def _say(job: Job, step: Step) -> None:
    from plexor.units import format_seconds  # noqa: PLC0415

    swept = job.settings.strikes[0]
    spaced = "" if swept.spacing_s is None else f", {format_seconds(swept.spacing_s)} apart"
    words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
    line = f"plexor: bursts of {swept.burst}{spaced}: {words}"
    print(line, file=sys.stderr, flush=True)


def _wanted(options: Options) -> Wanted:
    from plexor.burst.scan import LONGEST_PART, Wanted  # noqa: PLC0415

    low, high, period = options.low, options.high, options.period
    if not 0 < low < high:
        raise click.UsageError("--from and --to: both must be above 0, and --to above --from")
    if high > period * LONGEST_PART:
        raise click.UsageError("--to: must be at most half of --period, or no burst fits")
    if options.criterion.what != What.MISSED:
        raise click.UsageError(f"--criterion {options.criterion.text}: must limit missed")
    stimulus = Stimulus(period_s=period, width_s=options.width, seed=options.seed)
    channels = options.channels or response_pins(options.link, options.dut)
    return Wanted(
        options.link,
        options.dut,
        Settings(strikes=(stimulus,), channels=channels, load=options.load),
        low,
        high,
        options.points,
        period,
        options.most,
        options.criterion,
    )


def _result(
    options: Options,
    wanted: Wanted,
    limits: Sequence[Limit],
    steps: Sequence[Step],
    interrupted: bool,
) -> BurstResult:
    from plexor.burst.model import BurstResult  # noqa: PLC0415
    from plexor.commands.pins import described  # noqa: PLC0415
    from plexor.session.session import versions  # noqa: PLC0415

    return BurstResult(
        steps[0].tick_fs if steps else 0,
        any(step.simulated for step in steps),
        wanted.criterion.text,
        wanted.period_s,
        wanted.timeout_s,
        tuple(limits),
        interrupted,
        wanted.settings.load,
        described(options.link, options.dut, dict(options.keys)),
        versions(),
        steps[0].drawn,
    )
