"""`plexor measure`: settings from options, a run, its figures."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack, closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from plexor.commands.parameters import (
    CHANNEL,
    COUNT,
    DUTY,
    KEY,
    RATE,
    STOP,
    StopCondition,
    base_option,
    budget_option,
    json_option,
    link_option,
    time_option,
    velocity_option,
)
from plexor.commands.presets import overridden, preset_option
from plexor.commands.strikes import START, STRIKE, ends_by_itself, strikes_of
from plexor.errors import StoreError, UsageError
from plexor.model.settings import MODES, Channel, Settings
from plexor.protocol.registers import Policy

if TYPE_CHECKING:
    from plexor.device.device import Device
    from plexor.judge.budget import Budget
    from plexor.model.calibration import Calibration
    from plexor.model.results import RunResult

_POLICIES = [policy.name.lower() for policy in Policy]
_PATH = click.Path(path_type=Path)


@click.command()
@link_option("sim:, tcp://HOST:PORT, udp://HOST:PORT, serial:PORT or file:PATH.")
@click.option(
    "--dut",
    metavar="NAME[:OPTIONS]",
    help="Simulated device: freertos (default), bare, synthetic or a manifest.toml; "
    "`plexor devices NAME` explains its options.",
)
@preset_option
@click.option(
    "--fallback",
    is_flag=True,
    help="Where what a simulated device is made of cannot be had, say so and use a simpler one: "
    "bare for freertos, synthetic for bare.",
)
@click.option(
    "--rate",
    type=RATE,
    metavar="RATE",
    help="Strikes (or bursts) a second: 20k. Without it the device runs by itself.",
)
@click.option(
    "--count", type=COUNT, metavar="N", help="Strikes of --rate: 10k. The run ends after them."
)
@time_option("--time", "time_s", help="Stop after so long: 2s.")
@time_option("--width", help="Of a strike.")
@click.option("--duty", type=DUTY, metavar="PART", help="Of a strike, as part of the period: 20%.")
@time_option("--phase", default="0", help="From the start to the first strike.")
@time_option("--dither", default="0", help="Range of a random deviation of the period: 1024ns.")
@click.option("--poisson", is_flag=True, help="Strike at random times, --rate on average.")
@click.option("--burst", type=COUNT, default="1", metavar="N", help="Strikes in a burst.")
@time_option("--spacing", help="Between strikes of a burst.")
@click.option(
    "--seed",
    type=click.IntRange(1, (1 << 64) - 1),
    default=1,
    metavar="N",
    help="Of what is random in the strikes.",
)
@click.option("--active-low", is_flag=True, help="Strikes are low.")
@click.option(
    "--start",
    type=START,
    default="run",
    show_default=True,
    metavar="WHAT",
    help="What starts the strikes: run, gate (its input, while high) or strikeN, another output.",
)
@click.option(
    "--strike",
    "strikes",
    type=STRIKE,
    multiple=True,
    metavar="N:KEY=VALUE,...",
    help="A further output; repeat. Keys are rate, count, width, duty, phase, dither, poisson, "
    "burst, spacing, seed, active-low and start; without a rate it strikes once a start.",
)
@click.option(
    "--channel",
    "channels",
    type=CHANNEL,
    multiple=True,
    metavar="NAME=chN[:after=EDGE,deadline=TIME,filter=TIME,invert]",
    help="A response pin; repeat. EDGE is strike0, ch0.fall and the like.",
)
@click.option(
    "--policy",
    type=click.Choice(_POLICIES),
    default="oldest",
    show_default=True,
    help="Which outstanding strike a response answers.",
)
@time_option("--window", default="0", help="Least latency, with --policy window.")
@time_option("--timeout", help="A strike older than this is missed. Default: the period.")
@time_option("--deadline", help="A later response is late.")
@time_option("--early", default="0", help="A response may come so long before its strike.")
@click.option(
    "--calibration",
    type=_PATH,
    metavar="FILE",
    help="Correct latencies to ps by a file of `plexor calibrate`. Default: the one kept for "
    "this instrument, where there is one; none: do not.",
)
@click.option("--load", is_flag=True, help="Raise the load output during the run.")
@click.option(
    "--mode",
    type=click.Choice(list(MODES)),
    show_default="stream; dump, if the instrument sends no events",
    help="Send events while running; or collect on the chip and send results after (dump), "
    "with the events too (deep), if the instrument has a deep memory.",
)
@click.option(
    "--stop-on",
    "stops",
    type=STOP,
    multiple=True,
    metavar="CONDITION",
    help="latency>50us or missed: stop there and keep the events around it.",
)
@base_option
@velocity_option
@budget_option
@click.option(
    "--key",
    "keys",
    type=KEY,
    multiple=True,
    metavar="NAME=TEXT",
    help="Describes the device, such as os=FreeRTOS; repeat.",
)
@json_option
@click.option("--page", type=_PATH, metavar="FILE", help="Write an HTML page.")
@click.option("--out", type=_PATH, metavar="DIR", help="Keep the run in a new folder.")
@click.option("--wire", is_flag=True, help="Keep the raw bytes of the link too, in --out.")
@click.option("--force", is_flag=True, help="Replace the folder of --out.")
@click.pass_context
def measure(context: click.Context, **options: Any) -> int:
    """Strike a device, time its responses, judge them.

    Times take a unit: 50us, 1.5ms, 2s. Rates and counts take k, M, G.

    \b
      plexor measure --rate 20k --count 10k
      plexor measure --dut bare --rate 1k --time 2s --budget omac --json
      plexor measure --preset cots5k --count 10k --strike 1:start=strike0,phase=5us,width=1us
      plexor measure --link serial:/dev/ttyUSB1 --rate 5k --duty 20% --time 60s --out run1
    """
    # Imported here so that --help and wrong options answer at once.
    from plexor.commands.conclude import Wanted, conclude  # noqa: PLC0415
    from plexor.commands.output import check_outputs  # noqa: PLC0415
    from plexor.judge.budget_file import load as load_budget  # noqa: PLC0415
    from plexor.units import ticks_of  # noqa: PLC0415

    settings = settings_of(options | dict.fromkeys(overridden(context)))
    budget = None if options["budget"] is None else load_budget(options["budget"])
    out: Path | None = options["out"]
    if options["wire"] and out is None:
        raise click.UsageError("--wire keeps the bytes in the folder of --out; name one")
    if options["force"] and out is None:
        raise click.UsageError("--force replaces the folder of --out; name one")
    _check_out(out, options["force"])
    check_outputs(options["page"], folder=out)
    with ExitStack() as stack:
        tap = _tap(stack, out) if options["wire"] and out is not None else None
        result = _run(options, settings, tap, budget)
        unsaved = None if out is None else _keep(result, out, tap)
        if unsaved is None and tap is not None and tap.error is not None:
            reason = tap.error.strerror or tap.error
            unsaved = StoreError(f"{out}: kept without the raw bytes of the link: {reason}")
    base = round(ticks_of(options["base"], result.tick_fs))
    return conclude(
        result,
        Wanted(
            budget,
            options["as_json"],
            options["page"],
            base,
            options["velocity"],
            taken_now=True,
            unsaved=unsaved,
        ),
    )


def settings_of(options: dict[str, Any]) -> Settings:
    """Return the settings that the options ask for, channels as named.

    Raises click.UsageError for options that do not go together.
    """
    strikes = strikes_of(options)
    if not strikes and options["time_s"] is None:
        raise click.UsageError("say how often to strike with --rate, or how long with --time")
    if not ends_by_itself(strikes) and options["time_s"] is None and not options["stops"]:
        if options["count"] is not None:
            raise click.UsageError(
                "--count is of each sequence that --start begins; say when to stop with --time"
            )
        raise click.UsageError("say when to stop with --count, --time or --stop-on")
    stops: tuple[StopCondition, ...] = options["stops"]
    limits = [stop.over_s for stop in stops if stop.over_s is not None]
    return Settings(
        strikes=strikes,
        channels=_named(options["channels"], options["deadline"]),
        policy=Policy[options["policy"].upper()],
        timeout_s=options["timeout"],
        window_min_s=options["window"],
        early_s=options["early"],
        time_s=options["time_s"],
        latency_over_s=min(limits, default=None),
        stop_on_missed=any(stop.over_s is None for stop in stops),
        stream=None if options["mode"] is None else MODES[options["mode"]],
        load=options["load"],
    )


def _named(channels: tuple[Channel, ...], deadline_s: Fraction | None) -> tuple[Channel, ...]:
    """Return channels with the common deadline; raise click.UsageError where two are the same."""
    for values in ([f"ch{entry.number}" for entry in channels], [e.label for e in channels]):
        twice = [value for value in values if values.count(value) > 1]
        if twice:
            raise click.UsageError(f"--channel: {twice[0]} is given twice")
    return tuple(
        replace(channel, deadline_s=deadline_s) if channel.deadline_s is None else channel
        for channel in channels
    )


def _check_out(out: Path | None, force: bool) -> None:
    """Refuse a folder that is there before the run, not after it."""
    if out is None:
        return
    try:
        if not out.exists():
            return
    except OSError as error:
        raise click.UsageError(f"--out {out}: {error.strerror or error}") from error
    if force and out.is_dir() and ((out / "run.json").exists() or not any(out.iterdir())):
        return
    if force:
        raise click.UsageError(f"--out {out}: holds no run; --force replaces runs only")
    if not out.is_dir() or any(out.iterdir()):
        raise click.UsageError(f"--out {out}: is there already; --force replaces it")


class _Tap:
    """A file of raw bytes; where it cannot be written any more, the run goes on without it."""

    def __init__(self, file: BinaryIO) -> None:
        self.path = Path(file.name)
        self.error: OSError | None = None
        self._file = file

    def write(self, data: bytes, /) -> None:
        """Write all of `data`, or nothing from the first error on."""
        try:
            while data and self.error is None:
                data = data[self._file.write(data) :]
        except OSError as error:
            self.error = error


def _keep(result: RunResult, out: Path, tap: _Tap | None) -> StoreError | None:
    """Save a run in place of what is at `out`; on failure put that back and return the error."""
    from plexor.store.run_folder import save  # noqa: PLC0415

    old = out.with_name(f".{out.name}.old") if out.exists() else None
    try:
        if old is not None:
            out.rename(old)
        save(result, out, None if tap is None or tap.error is not None else tap.path)
    except (StoreError, OSError, KeyboardInterrupt) as error:
        if old is not None and old.exists() and not out.exists():
            old.rename(out)
        if isinstance(error, KeyboardInterrupt):
            return StoreError(f"{out}: interrupted before the run was kept")
        return error if isinstance(error, StoreError) else StoreError(f"{out}: {error.strerror}")
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)
    print(f"plexor: run kept in {out}", file=sys.stderr)
    return None


def _tap(stack: ExitStack, out: Path) -> _Tap:
    """Return a file for raw bytes beside the folder they will be moved to."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=out.parent)))
        return _Tap(stack.enter_context((part / "wire.bin").open("wb", buffering=0)))
    except OSError as error:
        raise StoreError(f"{out}: cannot write: {error.strerror or error}") from error


def _run(
    options: dict[str, Any], settings: Settings, tap: _Tap | None, budget: Budget | None
) -> RunResult:
    from plexor.commands.interrupts import stop_on_signals  # noqa: PLC0415
    from plexor.commands.pins import channels_of  # noqa: PLC0415
    from plexor.commands.progress import ProgressLine  # noqa: PLC0415
    from plexor.device.device import Device  # noqa: PLC0415
    from plexor.link.open import DEFAULT_DUT, open_link, sim_device  # noqa: PLC0415
    from plexor.link.sim import SimLink  # noqa: PLC0415
    from plexor.session.session import measure as run  # noqa: PLC0415

    uri: str = options["link"]
    simulated = uri.startswith("sim:")
    dut: str | None = options["dut"]
    if dut is not None and not simulated:
        raise click.UsageError(f"--dut {dut} is for --link sim:; {uri} has a device of its own")
    if options["fallback"] and not simulated:
        raise click.UsageError(f"--fallback is for --link sim:; {uri} has a device of its own")
    link = open_link(uri, dut, ["--fallback"] if options["fallback"] else [])
    with Device(link, tap) as device:
        calibration = _calibration(device, options["calibration"])
        asked = (sim_device(uri) or dut or DEFAULT_DUT) if simulated else None
        name = asked
        if isinstance(link, SimLink) and link.fallback:
            name = link.device
            print(f"plexor: {link.fallback}", file=sys.stderr)
        if not settings.channels:
            found = channels_of(name, device.identity.geometry.channels)
            settings = replace(settings, channels=_named(found, options["deadline"]))
        if budget is not None:
            _check_budget(budget, settings)
        description = dict(options["keys"])
        if name is not None:
            description = {"dut": name, **description}
        if name != asked and asked is not None:
            description["asked_for"] = asked
        with closing(ProgressLine()) as line, stop_on_signals() as stop:
            result = run(device, settings, line, description, stop=stop)
        return replace(result, calibration=calibration)


def _check_budget(budget: Budget, settings: Settings) -> None:
    """Refuse a budget of a channel that is not measured before the run, not after it."""
    try:
        budget.check([channel.label for channel in settings.channels])
    except ValueError as error:
        raise UsageError(str(error)) from error


def _calibration(device: Device, chosen: Path | None) -> Calibration | None:
    from plexor.calibration.store import find, of_other_builds  # noqa: PLC0415

    if chosen == Path("none"):
        return None
    found = find(device.serial, device.identity, chosen)
    if found is None:
        for line in of_other_builds(device.serial, device.identity):
            print(f"plexor: not applied: {line}", file=sys.stderr)
    return found
