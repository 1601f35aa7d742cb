# SPDX-License-Identifier: Apache-2.0
"""Takes a phase scan: a run whose strikes step through all phases.

Against another output of the instrument with period P, strikes come every k P + one step, so their
phases are exact. Against a device's own tick, strikes come every k + golden ratio periods, as
measured in a run without strikes. Any number of such strikes spreads almost evenly, whatever the
tick's clock does (V. T. Sós, "On the theory of diophantine approximations I", 1957). Against edges
without a period, strikes come at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from plexor.base.counts import counted
from plexor.base.errors import InvalidRunError, UsageError
from plexor.base.units import format_seconds, known_ticks, seconds_of, ticks_of
from plexor.experiments.phase.against import marks_of, value_of
from plexor.experiments.phase.fold import FoldedSources, fold
from plexor.experiments.phase.model import ChannelPhases, PhaseResult
from plexor.experiments.phase.windows import scan as scan_of
from plexor.figures.analyse.rules import rules_of
from plexor.model.codes import Codes
from plexor.model.load import is_raised
from plexor.model.results import ChannelResult, RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.model.sources import source_of
from plexor.model.timeouts import default_timeout_s
from plexor.protocol.frames import SOURCE_CHANNEL, SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.run.plan.registers import need_dither, need_events
from plexor.run.plan.strikes import dither_at_most
from plexor.run.session.progress import Progress
from plexor.run.session.session import measure, measure_whole
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device

STRIKE = "strike0"
"""The output whose strikes are measured."""
DITHER_PART = Fraction(1, 2)
"""Maximum dither of random strikes, as a part of their period."""
GOLDEN = Fraction(832_040, 1_346_269)
"""Fractional part of the golden ratio, from Fibonacci numbers larger than any scan."""
FIRST_LOOK_S = Fraction(1, 1000)
LOOKS = 4
"""Maximum number of runs that measure a tick, each ten times as long as the one before."""
LEAST_EDGES = 9
"""Minimum number of edges for measuring a tick's period."""


@dataclass(frozen=True, slots=True)
class PhaseGoal:
    """What a phase scan should find out. One of `step_s` and `points` is None."""

    channels: tuple[Channel, ...]
    against: str
    """The reference, such as `strike1`, `ch2`, `ch2.fall` or `code:NAME`."""
    rate_hz: Fraction
    """Maximum strike rate. Against a period, one strike comes in every k periods."""
    repeats: int
    """Mean number of strikes in each phase step."""
    step_s: Fraction | None = None
    points: int | None = None
    period_s: Fraction | None = None
    """Period of the other output, if it is the reference."""
    threshold_s: Fraction | None = None
    width_s: Fraction | None = None
    timeout_s: Fraction | None = None
    span_s: Fraction | None = None
    """None: the reference is a tick. Otherwise phases are times since its last edge, below this."""
    load: str | None = None
    """Load by name (plexor.model.load); None: the load output stays low."""
    seed: int = 1
    codes: Codes | None = None
    """How the device's codes come, with their names, if the reference is one."""


def run(
    device: Device,
    wanted: PhaseGoal,
    on_progress: Callable[[Progress], None] | None = None,
    description: Mapping[str, str] | None = None,
    stop: Stop | None = None,
) -> tuple[PhaseResult, RunResult]:
    """Take a phase scan; return it and its run.

    Raises UsageError if the instrument or the reference does not allow the scan, InvalidRunError if
    the reference has no edges, and LinkError and InstrumentError as `measure` does. `stop` ends the
    run and keeps it. Before that run begins, it raises KeyboardInterrupt.
    """
    stop = stop or Stop()
    need_events(device.identity, "phase")
    if wanted.codes is not None:
        value_of(wanted.codes, wanted.against)
    if wanted.span_s is not None:
        need_dither(device.identity, "span: strikes at random")
    period_s = _reference_period(device, wanted, stop)
    settings = settings_of(wanted, period_s, device.identity.tick_fs)
    result = measure(device, settings, on_progress, description, stop=stop)
    return analyse(result, wanted), result


def settings_of(wanted: PhaseGoal, reference_period_s: Fraction | None, tick_fs: int) -> Settings:
    """Return the settings of the run. Raises UsageError for an impossible scan."""
    source = source_of(wanted.against)
    least_s = 1 / wanted.rate_hz
    span_s = wanted.span_s or reference_period_s
    assert span_s is not None
    steps = wanted.points or math.ceil(span_s / (wanted.step_s or span_s))
    swept = Stimulus(width_s=wanted.width_s, count=steps * wanted.repeats, seed=wanted.seed)
    others: tuple[Stimulus, ...] = ()
    if reference_period_s is None:
        dither_s = dither_at_most(least_s * DITHER_PART, tick_fs)
        swept = replace(swept, period_s=least_s, dither_s=dither_s)
        spacing_s = least_s - dither_s / 2
    else:
        step_s = reference_period_s * GOLDEN
        if source is not None and source >= SOURCE_STRIKE:
            step_s = _whole(wanted.step_s or reference_period_s / steps, "step", tick_fs)
            reference_period_s = _whole(reference_period_s, "period", tick_fs)
            others = (Stimulus(source - SOURCE_STRIKE, reference_period_s),)
        periods = max(math.ceil((least_s - step_s) / reference_period_s), 0)
        spacing_s = periods * reference_period_s + step_s
        swept = replace(swept, period_s=spacing_s)
    timeout_s = wanted.timeout_s
    if timeout_s is None:
        # Edges are whole ticks: two strikes may be closer than their mean by one.
        apart_s = seconds_of(math.floor(ticks_of(spacing_s, tick_fs)) - 1, tick_fs)
        timeout_s = default_timeout_s([apart_s])
    if timeout_s >= spacing_s:
        raise UsageError(
            f"timeout: {float(timeout_s):g} s; must be below {float(spacing_s):g} s, the time "
            "between strikes, so that each response has one strike"
        )
    return Settings(
        strikes=(swept, *others),
        channels=_channels(wanted, source),
        timeout_s=timeout_s,
        # The last strike's phase needs the reference's next edge.
        settle_s=2 * max(timeout_s, reference_period_s or Fraction(0)),
        load=is_raised(wanted.load),
        load_name=wanted.load or "",
        codes=wanted.codes,
    )


def _whole(seconds: Fraction, what: str, tick_fs: int) -> Fraction:
    """Return the time of a whole number of ticks. Raises UsageError if the time is not one."""
    known = known_ticks(seconds, tick_fs)
    if known is None or known < 1:
        ticks = ticks_of(seconds, tick_fs)
        below = max(math.floor(ticks), 1)
        nearest = [format_seconds(seconds_of(n, tick_fs), 9) for n in (below, below + 1)]
        raise UsageError(
            f"{what}: {float(ticks):.9g} ticks; must be a whole number, so that phases are exact:"
            f" {' or '.join(nearest)}"
        )
    return seconds_of(known, tick_fs)


def _channels(wanted: PhaseGoal, source: int | None) -> tuple[Channel, ...]:
    """Return the wanted channels, plus the reference's, if that is one."""
    carry = _carry(wanted)
    for channel in wanted.channels:
        if channel.number in (source, *carry):
            continue
        if channel.reference not in (STRIKE, f"{STRIKE}.rise"):
            raise UsageError(
                f"{channel.label}: is timed after {channel.reference}; must be timed after {STRIKE}"
            )
    has_own = any(entry.number == source for entry in wanted.channels)
    if source is None or source >= SOURCE_STRIKE or has_own:
        return wanted.channels
    return (*wanted.channels, Channel(source - SOURCE_CHANNEL, "reference"))


def _carry(wanted: PhaseGoal) -> tuple[int, ...]:
    """Return the channels that carry codes and nothing else."""
    return () if wanted.codes is None else wanted.codes.channels


def _reference_period(device: Device, wanted: PhaseGoal, stop: Stop) -> Fraction | None:
    """Return the reference's period, measured for a device's tick; None if it has none."""
    if wanted.span_s is not None or wanted.period_s is not None:
        return wanted.period_s
    source = source_of(wanted.against)
    # Nothing is matched without strikes, so the channels' references do not matter.
    apart = (source, *_carry(wanted))
    channels = tuple(entry for entry in _channels(wanted, source) if entry.number in apart)
    found, time_s = 0, FIRST_LOOK_S
    for look in range(LOOKS):
        time_s = FIRST_LOOK_S * 10**look
        settings = Settings(
            channels=channels,
            time_s=time_s,
            load=is_raised(wanted.load),
            load_name=wanted.load or "",
            codes=wanted.codes,
        )
        seen = measure_whole(device, settings, stop)
        if seen.events is None:
            continue
        own = marks_of(seen, wanted.against).places
        edges = seen.events["time_ticks"][own].astype(np.int64)
        found = len(edges)
        if found >= LEAST_EDGES:
            return seconds_of(int(np.median(np.diff(edges))), seen.tick_fs)
    raise InvalidRunError(
        f"{wanted.against}: {counted(found, 'edge')} in {float(time_s):g} s without strikes; a "
        "tick has at "
        f"least {LEAST_EDGES}"
    )


def analyse(result: RunResult, wanted: PhaseGoal) -> PhaseResult:
    """Return the scan of a run. Raises UsageError if its reference does not allow one."""
    source = source_of(wanted.against)
    apart = (source, *_carry(wanted))
    channels = [channel for channel in result.channels if channel.number not in apart]
    try:
        scans = tuple(_scan(result, channel, wanted, len(channels)) for channel in channels)
    except ValueError as error:
        raise UsageError(str(error)) from error
    wrong = tuple(text for entry in scans for text in entry.disagreements)
    period_s = result.settings.strikes[0].period_s
    assert period_s is not None
    return PhaseResult(
        result.tick_fs,
        result.simulated,
        scans,
        sum(s.received for s in result.accounting.sources if s.source == SOURCE_STRIKE) // 2,
        wanted.rate_hz,
        1 / period_s,
        result.accounting,
        (*result.invalid_reasons, *wrong),
        result.interrupted,
        result.settings.load,
        result.device,
        result.versions,
        result.started,
        result.settings.load_name,
        result.device_load,
    )


def _scan(
    result: RunResult, channel: ChannelResult, wanted: PhaseGoal, channels: int
) -> ChannelPhases:
    if result.events is None:
        raise ValueError("phase: this run kept no events")
    folded = fold(
        result.events,
        marks_of(result, wanted.against),
        FoldedSources(
            SOURCE_STRIKE,
            channel.number,
            None if wanted.span_s is None else round(ticks_of(wanted.span_s, result.tick_fs)),
        ),
        rules_of(result, channel).timeout_ticks,
        result.end_ticks,
        result.accounting.generated,
    )
    points = wanted.points
    if points is None:
        assert wanted.step_s is not None
        # All steps have one size and fill the period, so it may differ from the wanted one.
        points = max(round(folded.span_ticks / ticks_of(wanted.step_s, result.tick_fs)), 1)
    threshold = wanted.threshold_s
    scan = scan_of(
        channel.name,
        folded,
        Fraction(folded.span_ticks, points),
        None if threshold is None else round(ticks_of(threshold, result.tick_fs)),
        channels,
    )
    classes = channel.classes
    chip = (
        classes[ResponseClass.ANSWERED] + classes[ResponseClass.LATE],
        classes[ResponseClass.MISSED],
    )
    events = (folded.answered, folded.missed)
    books = result.accounting
    if events == chip or books.generated != books.received or result.interrupted:
        return scan
    text = f"{channel.name}: events show {events} strikes answered and missed, the chip {chip}"
    return replace(scan, disagreements=(text,))
