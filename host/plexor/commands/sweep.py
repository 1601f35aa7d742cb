"""`plexor sweep`: the highest rate that a device sustains."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    DUTY,
    RATE,
    Parsed,
    json_option,
    key_option,
    link_option,
    parse_duty,
    seed_option,
    time_option,
)
from plexor.commands.pins import response_pins
from plexor.commands.workers import executor_of, executor_option
from plexor.desk.load import IDLE, switched
from plexor.errors import ExitCode
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import MAX_STEPS
from plexor.sweep.criterion import DEFAULT, Criterion, What, parse_criterion

if TYPE_CHECKING:
    from plexor.sweep.model import Step, SweepResult
    from plexor.sweep.sweep import Found, Load, Wanted

LEAST_WIDTH = Fraction(1, 1000)
MOST_POINTS = (MAX_STEPS - 1) // 2
"""Limit of --both-ways: every rate but the highest is taken up and down, then two steps at rest."""
_PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `plexor sweep`, by the names of their parameters."""

    link: str
    dut: str | None
    low: Fraction
    high: Fraction
    criteria: tuple[Criterion, ...]
    resolution: Fraction
    points: int
    both_ways: bool
    dwell: int
    longest: Fraction
    loads: str
    load_on: str | None
    load_off: str | None
    width: Fraction | None
    duty: Fraction | None
    dither: Fraction
    seed: int
    channels: tuple[Channel, ...]
    timeout: Fraction | None
    deadline: Fraction | None
    executor: Callable[[], Executor] | None
    keys: tuple[tuple[str, str], ...]
    as_json: bool
    page: Path | None
    svg: Path | None
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
    help="Loads to run one after the other: none, on (the load output), or loads of the device.",
)
@click.option(
    "--load-on",
    metavar="COMMAND",
    help="Shell command that starts a load, such as 'ssh dut stress-ng …'.",
)
@click.option(
    "--load-off",
    metavar="COMMAND",
    help="Shell command that ends the load. Without it, the command of --load-on is terminated.",
)
@time_option("--width", help="Width of a strike at every rate.")
@click.option(
    "--duty",
    type=DUTY,
    metavar="PART",
    help="Width of a strike as a part of the period, at every rate, such as 20%.",
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
@click.option("--page", type=_PATH, metavar="FILE", help="Write an HTML page.")
@click.option("--svg", type=_PATH, metavar="FILE", help="Write only the picture.")
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
    from plexor.commands.conclude import wants_colour  # noqa: PLC0415
    from plexor.commands.output import all_of, check_outputs  # noqa: PLC0415
    from plexor.render.terminal.sweep import sweep_text  # noqa: PLC0415
    from plexor.sweep.executor import Workers  # noqa: PLC0415
    from plexor.sweep.store import StepStore, question_of, save  # noqa: PLC0415
    from plexor.sweep.sweep import sweep as run  # noqa: PLC0415

    options = Options(**given)
    check_outputs(options.page, options.svg, folder=options.out, whole=False)
    wanted = _wanted(options)
    if options.force and options.out is None:
        raise click.UsageError("--force replaces the folder of --out; give --out too")
    question = question_of("sweep", wanted, [load.dut for load in wanted.loads.values()])
    store = StepStore(options.out, question, force=options.force)
    switch = switched(options.load_on, options.load_off)
    with Workers(executor_of(options.link, options.executor)) as workers:
        found = run(wanted, workers, store, Teller().step, switch)
    if not found.steps:
        # Nothing is known of a device then, not even whether it is simulated.
        if found.error is not None:
            raise found.error
        raise KeyboardInterrupt
    result = _result(options, wanted, found)
    if options.as_json:
        from plexor.jsonable import to_json  # noqa: PLC0415

        print(json.dumps(to_json(result), indent=1, ensure_ascii=False))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(sweep_text(result, width=width, colour=wants_colour()), end="")
    sys.stdout.flush()
    all_of(
        lambda: None if options.out is None else save(result, options.out),
        lambda: _write(result, options.page, options.svg),
    )
    if found.error is not None:
        raise found.error
    return ExitCode.INTERRUPTED if found.interrupted else ExitCode.PASS


def _write(result: SweepResult, page: Path | None, svg: Path | None) -> None:
    """Write the page and the picture that are wanted."""
    from plexor.commands.output import write_text  # noqa: PLC0415
    from plexor.render.sweep_page import sweep_page, sweep_svg  # noqa: PLC0415

    for path, content, what in ((page, sweep_page, "page"), (svg, sweep_svg, "picture")):
        if path is not None:
            write_text(path, content(result))
            print(f"plexor: {what} {path}", file=sys.stderr)


class Teller:
    """Prints each step on standard error, with the time that the rest may take."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def step(self, step: Step, taken: int, expected: int) -> None:
        """Print one step and the number of steps."""
        from plexor.units import format_rate  # noqa: PLC0415

        words = ", ".join(f"{entry.name} {entry.verdict}" for entry in step.channels)
        left_s = (time.monotonic() - self._began) / taken * max(expected - taken, 0)
        print(
            f"plexor: step {taken} of about {max(expected, taken)}, {left_s:.0f} s left: "
            f"{step.load} {format_rate(step.rate_hz)}: {words}",
            file=sys.stderr,
            flush=True,
        )


def _wanted(options: Options) -> Wanted:
    from plexor.sweep.sweep import Wanted  # noqa: PLC0415

    low, high = options.low, options.high
    if low >= high:
        raise click.UsageError(f"--from {low} --to {high}: --to must be above --from")
    if options.resolution < LEAST_WIDTH:
        raise click.UsageError("--resolution: must be at least 0.1%")
    if options.both_ways and options.points > MOST_POINTS:
        raise click.UsageError(
            f"--points {options.points}: must be at most {MOST_POINTS} with --both-ways"
        )
    if options.width is not None and options.duty is not None:
        raise click.UsageError(
            "--width and --duty both set the width of a strike; give one of them"
        )
    criteria = options.criteria or (DEFAULT,)
    deadline = _deadline(options, criteria)
    channels = options.channels or response_pins(options.link, options.dut)
    settings = Settings(
        strikes=(
            Stimulus(
                period_s=1 / low,
                width_s=options.width,
                duty=options.duty,
                dither_s=options.dither,
                seed=options.seed,
            ),
        ),
        channels=tuple(_with_deadline(channel, deadline) for channel in channels),
        timeout_s=options.timeout,
    )
    return Wanted(
        options.link,
        _loads(options),
        settings,
        low,
        high,
        criteria,
        options.resolution,
        options.points,
        options.dwell,
        options.longest,
        options.both_ways,
    )


def _deadline(options: Options, criteria: tuple[Criterion, ...]) -> Fraction | None:
    limits = [entry.most_s for entry in criteria if entry.what == What.LATENCY]
    deadline = options.deadline
    if len(limits) > 1 or (limits and deadline is not None):
        raise click.UsageError(
            "--criterion latency< sets a deadline; give only one of them, or --deadline"
        )
    if not limits and deadline is None and any(entry.what == What.LATE for entry in criteria):
        raise click.UsageError("--criterion late< needs --deadline, after which a response is late")
    return limits[0] if limits else deadline


def _with_deadline(channel: Channel, deadline_s: Fraction | None) -> Channel:
    return channel if channel.deadline_s is not None else replace(channel, deadline_s=deadline_s)


def _loads(options: Options) -> dict[str, Load]:
    from plexor.link.open import DEFAULT_DUT, sim_device  # noqa: PLC0415
    from plexor.sweep.sweep import Load  # noqa: PLC0415

    names = [name.strip() for name in options.loads.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise click.UsageError(
            f"--load {options.loads}: must be different names, separated by commas"
        )
    uri = options.link
    if options.load_on is not None:
        if uri.startswith("sim:"):
            raise click.UsageError(
                "--load-on is for a real device; name loads of a simulated one with --load"
            )
        if len(set(names) - {IDLE}) != 1:
            raise click.UsageError(
                f"--load {options.loads}: must be one load with --load-on, or none and one load"
            )
    dut = sim_device(uri) or options.dut or DEFAULT_DUT
    found: dict[str, Load] = {}
    for name in names:
        if name in (IDLE, "on") or not uri.startswith("sim:"):
            found[name] = Load(options.dut, name != IDLE)
        else:
            glue = "," if ":" in dut else ":"
            found[name] = Load(f"{dut}{glue}load={name}", True)
    return found


def _description(options: Options) -> dict[str, str]:
    """Return the description of what was swept: the simulated device, and the user's keys."""
    from plexor.link.open import DEFAULT_DUT, sim_device  # noqa: PLC0415

    uri = options.link
    keys = dict(options.keys)
    if not uri.startswith("sim:"):
        return keys
    return {"dut": sim_device(uri) or options.dut or DEFAULT_DUT, **keys}


def _result(options: Options, wanted: Wanted, found: Found) -> SweepResult:
    from plexor.session.session import versions  # noqa: PLC0415
    from plexor.sweep.model import SweepResult  # noqa: PLC0415
    from plexor.units import format_seconds  # noqa: PLC0415

    shape = "half of the period, at most 10 µs"
    if options.width is not None:
        shape = f"width {format_seconds(options.width)}"
    if options.duty is not None:
        shape = f"duty {float(options.duty):.4g}"
    return SweepResult(
        found.steps[0].tick_fs if found.steps else 0,
        any(step.simulated for step in found.steps),
        tuple(entry.text for entry in wanted.criteria),
        wanted.low_hz,
        wanted.high_hz,
        wanted.width,
        shape,
        tuple(found.steps),
        tuple(found.knees),
        found.interrupted,
        _description(options),
        versions(),
    )
