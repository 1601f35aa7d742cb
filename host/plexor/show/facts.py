# SPDX-License-Identifier: Apache-2.0
"""What a run was, in words: the same on the terminal, the page and the picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from plexor.base.counts import counted
from plexor.base.units import (
    format_rate,
    format_seconds,
    format_ticks,
    seconds_of,
    whole_ticks,
)
from plexor.figures.analyse.analyse import ChannelFigures, Report
from plexor.figures.analyse.done import Strikes, strikes_of, timeout_of
from plexor.figures.analyse.stopped import Stopped, stopped
from plexor.figures.analyse.windows import windows
from plexor.model.load import IDLE, RAISED, is_raised, load_texts, named_load
from plexor.model.oscillators import oscillator_of
from plexor.model.results import (
    LINK_DROPPED_MOST,
    MENDED_MOST,
    Accounting,
    Kind,
    RunResult,
    StepChannel,
)
from plexor.model.sources import source_name
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import StopReason, Trigger
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.scale import grouped

_DISORDER = {"reordered": "put back in order", "late": "too late", "duplicate": "twice"}


def headline(report: Report) -> str:
    """Return the device under test in one line."""
    return device_name(report.result.device) or "Response latency"


def device_name(device: Mapping[str, str]) -> str:
    """Return the name in a description; empty if there is none."""
    system, board = device.get("os", ""), device.get("board", "")
    if system and board:
        return f"{system} on {board}"
    return system or board or device.get("dut", "")


def summary(report: Report) -> str:
    """Return what was done to the device: strikes, rate, time, load, and the figures' source."""
    result = report.result
    parts = [counted(result.strikes, "strike"), *_rates(result)]
    parts.append(format_seconds(seconds_of(report.duration_ticks, result.tick_fs), 3))
    if result.imported is None:
        parts += load(result)
    parts.append(provenance(result))
    if result.interrupted:
        parts.append("interrupted")
    if not report.valid:
        parts.append("INVALID RUN")
    return " · ".join(parts)


def sentence(report: Report) -> str:
    """Return what was measured: `How late ISR answers: 900 strikes at 20 kHz in 45 ms, idle.`"""
    result = report.result
    struck = [c.name for c in report.channels if c.result.strikes]
    alone = [c.name for c in report.channels if _runs_alone(c)]
    what = "What was seen"
    if struck:
        what = f"How late {_listed(struck)} {'answer' if struck[1:] else 'answers'}"
    elif alone:
        what = f"How evenly {_listed(alone)} {'run' if alone[1:] else 'runs'}"
    lasted = format_seconds(seconds_of(report.duration_ticks, result.tick_fs), 3)
    rates = ", ".join(_rates(result))
    at = f" at {rates}" if rates[:1].isdigit() else f", {rates}" if rates else ""
    strikes = "strike" if result.strikes == 1 else "strikes"
    parts = [f"{what}: {grouped(result.strikes)} {strikes}{at} in {lasted}"]
    if result.imported is None:
        parts += load(result)
    if result.interrupted:
        parts.append("interrupted")
    return f"{', '.join(parts)}; {provenance(result)}."


def _runs_alone(channel: ChannelFigures) -> bool:
    """Return whether a channel has periods and nothing strikes it."""
    period = channel.kinds.get(Kind.PERIOD)
    return not channel.result.strikes and period is not None and bool(period.count)


_MOST_NAMED = 4


def _listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence; of many, how many more there are."""
    shown = list(names)
    if len(shown) > _MOST_NAMED:
        shown = [*shown[: _MOST_NAMED - 1], f"{len(shown) - _MOST_NAMED + 1} more"]
    *most, last = shown
    return f"{', '.join(most)} and {last}" if most else last


class _Taken(Protocol):
    @property
    def started(self) -> str: ...
    @property
    def command(self) -> str: ...


def began(result: _Taken) -> list[tuple[str, str]]:
    """Return when a run or a scan began, and the command line that took it, where known."""
    told = [("started", result.started), ("command", result.command)]
    return [(name, text) for name, text in told if text]


def load(result: RunResult) -> list[str]:
    """Return what is known of the load of a run's device; nothing where nothing is known."""
    name = result.settings.load_name
    unused = named_load(result.device)
    if result.device_load == IDLE and is_raised(unused):
        return [f"idle, load {unused} not put on"]
    if name in ("", RAISED):
        name = result.device.get("load", "")
    return load_texts(result.device_load, result.settings.load, name)


def load_word(name: str) -> str:
    """Return the name of a load as it is shown: no load is `idle`."""
    return "idle" if name == IDLE else name


def _rates(result: RunResult) -> list[str]:
    """Return the rate of each output that has one, by name where there are several."""
    several = len(result.settings.strikes) > 1
    rates: list[str] = []
    for stimulus in result.settings.strikes:
        words = [f"strike{stimulus.output}"] if several else []
        if stimulus.poisson:
            words.append("Poisson," if stimulus.period_s else "Poisson")
        if stimulus.period_s:
            words.append(format_rate(Fraction(stimulus.burst) / stimulus.period_s))
        if stimulus.trigger == Trigger.GATE:
            words.append("while the gate is high")
        elif stimulus.trigger == Trigger.STRIKE:
            words.append(f"on each strike{stimulus.trigger_source}")
        elif stimulus.trigger == Trigger.CODE:
            words.append(f"on each code {stimulus.trigger_code:#x}")
        elif stimulus.trigger == Trigger.LATENCY:
            over_s = stimulus.trigger_over_s
            limit = "the limit" if over_s is None else format_seconds(over_s, 6)
            words.append(f"on each latency over {limit}")
        elif stimulus.trigger == Trigger.MISSED:
            words.append("on each missed strike")
        elif not stimulus.period_s and not stimulus.poisson:
            words.append("once")
        rates.append(" ".join(words))
    return rates


def done(result: RunResult) -> list[tuple[str, str]]:
    """Return what was done, as names and texts: the command line, strikes, limits and time-out."""
    settings = result.settings
    entries = [("command line", result.command)]
    entries += [(f"strike{entry.stimulus.output}", _struck(entry)) for entry in strikes_of(result)]
    if settings.table:
        entries.append(("table", counted(len(settings.table), "step")))
    if settings.count is not None:
        entries.append(("count", grouped(settings.count)))
    if settings.time_s is not None:
        entries.append(("time", format_seconds(settings.time_s, 6)))
    timeout_s = timeout_of(result)
    if timeout_s is not None:
        entries.append(("time-out", format_seconds(timeout_s, 6)))
    if settings.window_min_s:
        entries.append(("window", f"from {format_seconds(settings.window_min_s, 6)}"))
    if settings.early_s:
        entries.append(("early", f"up to {format_seconds(settings.early_s, 6)} before its strike"))
    entries += [
        (f"{entry.label} deadline", format_seconds(entry.deadline_s, 6))
        for entry in settings.channels
        if entry.deadline_s is not None
    ]
    entries += to_the_tick(result)
    return [(name, text) for name, text in entries if text]


_VALUES = {
    Kind.RISE: "latencies",
    Kind.FALL: "latencies",
    Kind.WIDTH: "pulse widths",
    Kind.PERIOD: "periods",
}


def to_the_tick(result: RunResult) -> list[tuple[str, str]]:
    """Return the windows of one-tick bins that each channel was given, and their shares."""
    told: list[tuple[str, str]] = []
    for window in windows(result):
        ends = (window.first_ticks, window.last_ticks)
        span = " to ".join(format_seconds(seconds_of(end, result.tick_fs), 6) for end in ends)
        values = _VALUES[window.kind]
        share = (
            "" if window.share is None else f": {100 * float(window.share):.4g} % of its {values}"
        )
        name = window.channel if window.kind == Kind.RISE else f"{window.channel} {window.kind}"
        told.append((f"{name} to the tick", f"{span}{share}"))
    return told


def dithers(result: RunResult) -> list[str]:
    """Return a line for each output whose dither is not the one that was asked for."""
    lines: list[str] = []
    for echo in result.echo:
        asked, taken = (whole_ticks(time, result.tick_fs) for time in (echo.asked_s, echo.taken_s))
        if echo.name.endswith(".dither") and asked != taken:
            used = f"{format_seconds(echo.taken_s, 6)} used"
            lines.append(
                f"{echo.name}: {format_seconds(echo.asked_s, 6)} requested, {used}; the chip draws "
                f"a power of two of ticks, here {grouped(taken)}"
            )
    return lines


def _struck(entry: Strikes) -> str:
    """Return how one output struck: `20 kHz, 1 µs wide, dither 8.192 µs, seed 1`."""
    asked = entry.stimulus
    parts = [format_rate(entry.rate_hz)] if entry.rate_hz else ["once"]
    if entry.width_s is not None:
        parts.append(f"{format_seconds(entry.width_s, 6)} wide")
    if asked.burst > 1:
        spacing_s = asked.spacing_s
        apart = "" if spacing_s is None else f", {format_seconds(spacing_s, 6)} apart"
        parts.append(f"bursts of {grouped(asked.burst)}{apart}")
    if asked.phase_s:
        parts.append(f"first after {format_seconds(asked.phase_s, 6)}")
    if asked.dither_s:
        parts.append(f"dither {format_seconds(entry.dither_s, 6)}")
    if asked.poisson:
        parts.append("Poisson")
    if asked.trigger != Trigger.RUN:
        parts.append(f"trigger {asked.trigger.name.lower()}")
    if asked.invert:
        parts.append("active low")
    if asked.dither_s or asked.poisson:
        parts.append(f"seed {asked.seed}")
    return ", ".join(parts)


def stop_line(report: Report) -> str:
    """Return what ended a run early: `stopped by latency>50 µs: ISR 51.2 µs ...`; else nothing."""
    found = stopped(report)
    if found is None:
        return ""
    if found.by in (StopReason.STALL, StopReason.CODE):
        return _stopped_by_code(report, found)
    over_s = report.result.settings.latency_over_s
    by = "missed"
    if found.by == StopReason.LATENCY:
        by = "latency" if over_s is None else f"latency>{format_seconds(over_s, 6)}"
    parts = [found.channel or "a channel"]
    tick_fs = report.result.tick_fs
    if found.latency_ticks is not None:
        parts[0] += f" {format_ticks(found.latency_ticks, tick_fs)}"
    if found.strike is not None:
        parts.append(f"strike {grouped(found.strike)}")
    if found.at_ticks is not None:
        parts.append(f"at {format_ticks(found.at_ticks, tick_fs, 7)}")
    result, late = report.result, ""
    if result.trigger_ticks is not None and Feature.MATCH not in result.identity.geometry.features:
        late_ticks = result.end_ticks - result.trigger_ticks
        late = f"; the host saw it, and the run ended {format_ticks(late_ticks, tick_fs)} later"
    return f"stopped by {by}: {', '.join(parts)}{late}"


def _stopped_by_code(report: Report, found: Stopped) -> str:
    """Return `stopped by stall: no code for more than 1 ms, at 5.2 ms`, or at which code."""
    settings = report.result.settings
    at = ""
    if found.at_ticks is not None:
        at = f", at {format_ticks(found.at_ticks, report.result.tick_fs, 7)}"
    if found.by == StopReason.CODE:
        code = settings.stop_code
        return f"stopped by code{'' if code is None else f' {code:#x}'}{at}"
    if settings.stall is None:
        return f"stopped by stall{at}"
    name, limit = source_name(settings.stall.source), format_seconds(settings.stall.limit_s, 6)
    return f"stopped by stall: no {name} for more than {limit}{at}"


def accounting(report: Report) -> str:
    """Return the conservation line with its numbers."""
    return books(report.result.accounting)


def computed(report: Report) -> str:
    """Return which figures the host computed because the chip does not have them; empty if none."""
    parts = _without_channels(report, report.result.computed_on_host)
    return f"computed on the host, from events: {'; '.join(parts)}" if parts else ""


def left_out(report: Report) -> str:
    """Return which figures are on neither the chip nor the host, and why."""
    parts = _without_channels(report, report.result.omitted)
    return f"not on the chip, and left out: {'; '.join(parts)}" if parts else ""


def _without_channels(report: Report, entries: Sequence[str]) -> list[str]:
    """Return what is said of channels, `NAME.KIND` or `NAME: WHAT`, once for all of them."""
    names = sorted((channel.name for channel in report.channels), key=len, reverse=True)
    found: dict[str, None] = {}
    for entry in entries:
        name = next((name for name in names if entry.startswith((f"{name}.", f"{name}:"))), "")
        found[entry[len(name) :].lstrip(".: ")] = None
    return list(found)


def books(found: Accounting) -> str:
    """Return the line of one run's accounting."""
    sign = "=" if found.holds else "≠"
    bytes_lost = ""
    if found.link_dropped:
        more = " or more" if found.link_dropped == LINK_DROPPED_MOST else ""
        bytes_lost = f" · {found.link_dropped}{more} bytes of commands lost on the link"
    masked = f" · {counted(found.masked, 'code')} not to be sent" if found.masked else ""
    mended = ""
    if found.mended_clocks:
        more = " or more" if found.mended_clocks == MENDED_MOST else ""
        mended = f" · exchanged samples mended in {grouped(found.mended_clocks)}{more} clocks"
    filtered = f" · {counted(found.filtered, 'edge')} filtered" if found.filtered else ""
    disorder = "".join(
        f" · {counted(count, 'frame')} {_DISORDER.get(kind, kind)}"
        for kind, count in sorted(found.disorder.items())
    )
    return (
        f"generated {grouped(found.generated)} {sign} received {grouped(found.received)} "
        f"+ dropped on chip {grouped(found.dropped_on_chip)} "
        f"+ lost on the link {grouped(found.lost_on_link)}{masked}{disorder}{bytes_lost}"
        f"{mended}{filtered}"
    )


def instrument(report: Report) -> str:
    """Return the instrument's identity in one line."""
    identity = report.result.identity
    geometry = identity.geometry
    if report.result.imported is not None:
        return f"no Plexor: {report.result.imported.format}, tick {_tick(geometry.tick_fs)}"
    version = identity.protocol_version
    return (
        f"{identity.board or 'unnamed'}, gateware {identity.gateware_hash:016x}, "
        f"build {f'{identity.build_id:016x}' if identity.build_id else 'unknown'}, "
        f"protocol {version >> 16}.{version & 0xFFFF}, {counted(geometry.channels, 'channel')}, "
        f"tick {_tick(geometry.tick_fs)}"
    )


def _tick(tick_fs: int) -> str:
    return format_ticks(1, tick_fs)


def warm_up(report: Report) -> str:
    """Return what came of the strikes before the run; empty if there were none.

    `50 strikes in 5 ms, 1 ms before the run, in no figure; 49 answered, 1 missed; ...`.
    """
    found = report.result.warm_up
    if found is None:
        return ""
    tick_fs = report.result.tick_fs
    lasted = format_ticks(found.end_ticks - found.start_ticks, tick_fs)
    pause = format_ticks(report.result.start_ticks - found.end_ticks, tick_fs)
    strikes = "strike" if found.strikes == 1 else "strikes"
    several = len(found.channels) > 1
    parts = [
        f"{f'{channel.name} ' if several else ''}{', '.join(_warmed(channel, tick_fs))}"
        for channel in found.channels
    ]
    return "; ".join(
        (
            f"{grouped(found.strikes)} {strikes} in {lasted}, {pause} before the run, in no figure",
            *parts,
            books(found.accounting),
            *found.invalid_reasons,
        )
    )


def _warmed(channel: StepChannel, tick_fs: int) -> Iterator[str]:
    """Yield the classes of a channel that came, and its greatest latency."""
    for entry, count in channel.classes.items():
        if count and entry != ResponseClass.STRIKES:
            yield f"{grouped(count)} {entry.name.lower()}"
    if channel.pending:
        yield f"{grouped(channel.pending)} outstanding"
    if channel.rise.max_ticks is not None:
        yield f"at most {format_ticks(channel.rise.max_ticks, tick_fs)}"


def imported(report: Report) -> tuple[str, ...]:
    """Return which file a run was imported from, and what that file cannot tell; else nothing."""
    found = report.result.imported
    if found is None:
        return ()
    step = format_seconds(seconds_of(1, found.step_fs), 6)
    signals = ", ".join(f"{source} is {name}" for source, name in found.signals.items())
    lines = [f"imported from {found.file} ({found.format}, edges to {step}): {signals}"]
    lines += [
        f"{name}: {counted(count, 'response')} in the same {step} as an edge that they may answer; "
        "their order is not known, and that edge is taken first"
        for name, count in found.unordered.items()
        if count
    ]
    return (*lines, *found.left_out)


def conserved(report: Report) -> str:
    """Return whether each strike and each response ended in exactly one class.

    And which channels' strikes were pending: they are counted beside no figure in the table.
    """
    wrong = [c.name for c in report.channels if not c.result.conserved]
    if wrong:
        return f"classes do not add up on {', '.join(wrong)}"
    pending = [
        f"{grouped(c.result.pending)} of {c.name}" for c in report.channels if c.result.pending
    ]
    still = f"; pending at the end: {', '.join(pending)}" if pending else ""
    return f"every strike and every response edge is in exactly one class{still}"


def clock(report: Report) -> str:
    """Return how exact the run's times are by the board's oscillator; empty if it was imported."""
    result = report.result
    if result.imported is not None:
        return ""
    calibration = result.calibration
    scale = None if calibration is None else calibration.scale
    if scale is None:
        oscillator = oscillator_of(result.identity.board)
        return (
            f"the board's oscillator is within ± {oscillator.ppm} ppm ({oscillator.source}), "
            f"{oscillator.ppm} ns in 1 ms"
        )
    return (
        f"by {scale.reference} on {scale.made} the oscillator is {scale.fast_ppb / 1000:+.2f} ± "
        f"{scale.error_ppb / 1000:.2f} ppm fast; corrected figures take that into account, "
        "ticks do not"
    )


def ways(report: Report) -> str:
    """Return what a board's latencies have in them as long as it is not calibrated."""
    result = report.result
    if result.calibration is not None or result.imported is not None or result.simulated:
        return ""
    return (
        "not calibrated: latencies are late by the ways over both pads, some 10 to 20 ns; "
        "`plexor board calibrate` measures them"
    )


CLASS_COLUMNS = (
    ("missed", ResponseClass.MISSED),
    ("late", ResponseClass.LATE),
    ("duplicate", ResponseClass.DUPLICATE),
    ("spurious", ResponseClass.SPURIOUS),
)
