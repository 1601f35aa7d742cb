# SPDX-License-Identifier: Apache-2.0
"""Turns a run's figures into the document of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from plexor.base.errors import ExitCode
from plexor.base.json_schema import schema_of
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report, SharesOf
from plexor.figures.analyse.corrected_figures import Corrected, CorrectedChannel, clock_error_of
from plexor.figures.analyse.doubts import doubts
from plexor.figures.analyse.pairing import PairedBy, Pairing
from plexor.figures.analyse.percentiles import Quantile
from plexor.figures.analyse.stopped import stopped
from plexor.figures.analyse.windows import Window, windows
from plexor.figures.judge.budget import Check, Judged
from plexor.files.store.done import settings_part
from plexor.files.store.figure_types import (
    FIGURES,
    BooksPart,
    BudgetPart,
    ChannelPart,
    CheckPart,
    ClockPart,
    CorrectedChannelPart,
    CorrectedPart,
    CorrectedQuantilePart,
    DistancePart,
    FiguresPart,
    InstrumentPart,
    PairingPart,
    PicosecondsPart,
    QuantilePart,
    RunPart,
    SharesPart,
    SourcePart,
    SpanPart,
    StoppedPart,
    WarmedPart,
    WarmUpPart,
    WindowPart,
)
from plexor.files.store.notes import Note
from plexor.files.store.seconds import with_seconds, with_seconds_schema
from plexor.model.oscillators import oscillator_of
from plexor.model.results import Accounting, Kind, RunResult, WarmUp
from plexor.protocol.memory import ResponseClass

_NAMED = {
    "p50": Fraction(50, 100),
    "p90": Fraction(90, 100),
    "p99": Fraction(99, 100),
    "p999": Fraction(999, 1000),
    "p9999": Fraction(9999, 10_000),
}


def document(
    report: Report, verdict: Judged | None, exit_code: ExitCode, notes: tuple[Note, ...] = ()
) -> dict[str, Any]:
    """Return the document, made of JSON's types only, with seconds beside all ticks."""
    part = replace(_run(report, verdict, exit_code), notes=notes)
    return with_seconds(FIGURES.of(part), report.tick_fs)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return with_seconds_schema(schema_of(FIGURES))


def _run(report: Report, verdict: Judged | None, exit_code: ExitCode) -> RunPart:
    result = report.result
    return RunPart(
        simulated=result.simulated,
        tick_fs=result.tick_fs,
        valid=report.valid,
        invalid_reasons=tuple(report.invalid_reasons),
        interrupted=result.interrupted,
        exit_code=exit_code,
        started=result.started,
        wall_seconds=result.wall_seconds,
        duration_ticks=report.duration_ticks,
        stop_reason=result.stop_reason.name.lower(),
        stopped=_stopped(report),
        instrument=_instrument(result),
        imported=result.imported,
        command=result.command or None,
        settings=settings_part(result),
        device=result.device,
        load=result.settings.load,
        load_name=result.settings.load_name,
        device_load=result.device_load,
        device_said=result.device_said,
        computed_on_host=tuple(result.computed_on_host),
        accounting=_books(result.accounting),
        warm_up=None if result.warm_up is None else _warm_up(result.warm_up, result.start_ticks),
        strikes=result.strikes,
        base_ticks=report.base_ticks,
        velocity_m_per_s=None if report.velocity_m_s is None else float(report.velocity_m_s),
        doubts=tuple(doubts(report)),
        channels=tuple(_channel(report, channel) for channel in report.channels),
        windows=tuple(_window(window) for window in windows(result)),
        shares=tuple(_shares(shares) for shares in report.shares),
        clock=_clock(result),
        corrected=_corrected(report),
        budget=None if verdict is None else _budget(verdict),
    )


def _instrument(result: RunResult) -> InstrumentPart:
    identity = result.identity
    return InstrumentPart(
        board=identity.board,
        gateware_hash=f"{identity.gateware_hash:016x}",
        build_id=f"{identity.build_id:016x}",
        protocol_version=identity.protocol_version,
        channels=identity.geometry.channels,
        samples=identity.geometry.samples,
    )


def _books(books: Accounting) -> BooksPart:
    return BooksPart(
        generated=books.generated,
        received=books.received,
        dropped_on_chip=books.dropped_on_chip,
        lost_on_link=books.lost_on_link,
        holds=books.holds,
        disorder=dict(books.disorder),
        link_dropped=books.link_dropped,
        mended_clocks=books.mended_clocks,
        filtered=books.filtered,
        sources=tuple(
            SourcePart(
                name=source.name,
                generated=source.generated,
                received=source.received,
                dropped=source.dropped,
                upload_dropped=source.upload_dropped,
                lost=source.lost,
            )
            for source in books.sources
        ),
    )


def _warm_up(warm_up: WarmUp, run_start_ticks: int) -> WarmUpPart:
    return WarmUpPart(
        strikes=warm_up.strikes,
        duration_ticks=warm_up.end_ticks - warm_up.start_ticks,
        pause_ticks=run_start_ticks - warm_up.end_ticks,
        accounting=_books(warm_up.accounting),
        invalid_reasons=warm_up.invalid_reasons,
        channels=tuple(
            WarmedPart(
                name=channel.name,
                classes={entry.name.lower(): channel.classes[entry] for entry in ResponseClass},
                pending=channel.pending,
                min_ticks=channel.rise.min_ticks,
                max_ticks=channel.rise.max_ticks,
            )
            for channel in warm_up.channels
        ),
    )


def _stopped(report: Report) -> StoppedPart | None:
    end = stopped(report)
    if end is None:
        return None
    return StoppedPart(
        channel=end.channel,
        latency_ticks=end.latency_ticks,
        at_ticks=end.at_ticks,
        strike=end.strike,
    )


def _window(window: Window) -> WindowPart:
    return WindowPart(
        channel=window.channel,
        kind=window.kind,
        first_ticks=window.first_ticks,
        last_ticks=window.last_ticks,
        inside=window.inside,
        count=window.count,
        share=None if window.share is None else float(window.share),
    )


def _clock(result: RunResult) -> ClockPart | None:
    if result.imported is not None:
        return None
    calibration = result.calibration
    scale = None if calibration is None else calibration.scale
    return ClockPart(
        error_ppb=clock_error_of(result),
        fast_ppb=None if scale is None else scale.fast_ppb,
        source=oscillator_of(result.identity.board).source if scale is None else scale.reference,
    )


def _corrected(report: Report) -> CorrectedPart | None:
    calibration = report.result.calibration
    if calibration is None:
        return None
    return CorrectedPart(
        serial=calibration.serial,
        made=calibration.made,
        channels=tuple(_corrected_channel(channel) for channel in report.corrected),
    )


def _corrected_channel(channel: CorrectedChannel) -> CorrectedChannelPart:
    delay = channel.delay
    return CorrectedChannelPart(
        name=channel.name,
        number=channel.number,
        reason=channel.reason or None,
        edge_rms_ps=channel.edge_rms_ps,
        late_ps=None if delay is None else delay.value_ps,
        late_error_ps=None if delay is None else delay.error_ps,
        late_ticks=channel.late_ticks,
        late_error_ticks=channel.late_error_ticks,
        latency=_picoseconds(channel.kinds, Kind.RISE),
        fall_latency=_picoseconds(channel.kinds, Kind.FALL),
        width=_picoseconds(channel.kinds, Kind.WIDTH),
        period=_picoseconds(channel.kinds, Kind.PERIOD),
    )


def _picoseconds(kinds: Mapping[Kind, Corrected], kind: Kind) -> PicosecondsPart | None:
    figures = kinds.get(kind)
    if figures is None:
        return None
    return PicosecondsPart(
        count=len(figures.values_ps),
        min_ps=figures.min_ps,
        max_ps=figures.max_ps,
        mean_ps=float(figures.mean_ps),
        rms_ps=figures.rms_ps,
        variance_ps2=float(figures.variance_ps2),
        error_ps=figures.error_ps(max(abs(figures.min_ps), abs(figures.max_ps))),
        ways_error_ps=figures.ways_error_ps,
        pins="jumper" if figures.by_jumper else "loopback",
        quantiles=tuple(
            CorrectedQuantilePart(
                q=float(quantile.q),
                ps=quantile.value_ps,
                lower_ps=quantile.lower_ps,
                upper_ps=quantile.upper_ps,
                enough=quantile.enough,
            )
            for quantile in figures.quantiles
        ),
    )


def _shares(shares: SharesOf) -> SharesPart:
    parts = shares.shares
    return SharesPart(
        first=shares.first,
        second=shares.second,
        count=len(parts.total_ticks),
        rise=_span(parts.rise_ticks),
        width=_span(parts.width_ticks),
        gap=_span(parts.gap_ticks),
        total=_span(parts.total_ticks),
    )


def _span(ticks: np.ndarray[Any, Any]) -> SpanPart:
    return SpanPart(int(ticks.min()), int(ticks.max()), int(ticks.sum()))


def _channel(report: Report, channel: ChannelFigures) -> ChannelPart:
    result = channel.result
    classes = {
        name: result.classes.get(ResponseClass[name.upper()], 0)
        for name in ("answered", "late", "missed", "duplicate", "spurious", "early")
    }
    return ChannelPart(
        name=channel.name,
        number=result.number,
        reference=result.reference,
        strikes=result.strikes,
        **classes,
        pending=result.pending,
        pairing=_pairing(channel.pairing),
        latency=_figures(channel, Kind.RISE, report.tick_fs),
        distance=_distance(report, channel),
        fall_latency=_figures(channel, Kind.FALL, report.tick_fs),
        width=_figures(channel, Kind.WIDTH, report.tick_fs),
        period=_figures(channel, Kind.PERIOD, report.tick_fs),
        unknown_strikes=result.unknown_strikes,
        unknown_edges=result.unknown_edges,
    )


def _pairing(pairing: Pairing | None) -> PairingPart | None:
    if pairing is None:
        return None
    return PairingPart(
        standing=pairing.standing,
        by=None if pairing.by == PairedBy.NOTHING else pairing.by.value,
        proven=pairing.proven,
        lag=pairing.lag,
        lag_latency_ticks=pairing.latency_ticks,
        toggles=pairing.toggles,
    )


def _distance(report: Report, channel: ChannelFigures) -> DistancePart | None:
    rise = channel.rise
    if report.velocity_m_s is None or rise is None:
        return None
    p50, p99, p999 = (_value(rise, name) for name in ("p50", "p99", "p999"))
    ticks = (rise.mean_ticks, rise.min_ticks, rise.max_ticks, p50, p99, p999)
    return DistancePart(*(None if at is None else float(report.metres(at)) for at in ticks))


def _value(figures: Figures, name: str) -> int | None:
    """Return a percentile, if there are enough samples for its upper bound."""
    quantile = figures.quantile(_NAMED[name])
    return quantile.value_ticks if quantile is not None and quantile.enough else None


def _figures(channel: ChannelFigures, kind: Kind, tick_fs: int) -> FiguresPart | None:
    figures = channel.latency(kind)
    if figures is None:
        return None
    mean, variance = figures.mean_ticks, figures.variance_ticks2
    total = 0 if not figures.count else None if mean is None else mean * figures.count
    squares: Fraction | int | None = 0 if not figures.count else None
    if mean is not None and variance is not None:
        squares = (variance + mean**2) * figures.count
    span = figures.span
    full = span if span is not None and span.full else None
    return FiguresPart(
        count=figures.count,
        min_ticks=figures.min_ticks,
        max_ticks=figures.max_ticks,
        over_ticks=figures.limit_ticks,
        max_at_ticks=figures.max_time_ticks,
        max_event=figures.max_index,
        sum_ticks=None if total is None else int(total),
        sum_sq_ticks=None if squares is None else int(squares),
        p50_ticks=_value(figures, "p50"),
        p90_ticks=_value(figures, "p90"),
        p99_ticks=_value(figures, "p99"),
        p999_ticks=_value(figures, "p999"),
        p9999_ticks=_value(figures, "p9999"),
        quantiles=tuple(_quantile(quantile) for quantile in figures.quantiles),
        exact=figures.distribution.exact,
        peak_to_peak_ticks=figures.peak_to_peak_ticks,
        rms_ticks=figures.rms_ticks,
        variance_ticks2=None if variance is None else float(variance),
        variance_ns2=None if variance is None else float(variance * tick_fs**2 / 10**12),
        jitter128_ticks=None if full is None else full.current_ticks,
        jitter128_max_ticks=None if full is None else full.greatest_ticks,
        first_ticks=None if figures.cold is None else figures.cold.cold_ticks,
        clamped=figures.clamped,
    )


def _quantile(quantile: Quantile) -> QuantilePart:
    return QuantilePart(
        q=float(quantile.q),
        ticks=quantile.value_ticks,
        over_ticks=quantile.limit_ticks,
        lower_ticks=quantile.lower_ticks,
        upper_ticks=quantile.upper_ticks,
        resolution_ticks=quantile.resolution_ticks,
        enough=quantile.enough,
    )


def _budget(verdict: Judged) -> BudgetPart:
    return BudgetPart(
        title=verdict.budget.title,
        checks=tuple(_check(check) for check in verdict.checks),
        silent=tuple(verdict.silent),
        **verdict.document(),
    )


def _check(check: Check) -> CheckPart:
    limit = check.limit
    return CheckPart(
        channel=check.channel,
        figure=limit.figure,
        kind=None if limit.is_count else limit.kind,
        limit=int(limit.most) if limit.is_count else float(limit.most),
        goal=limit.goal,
        found=None if check.found is None else float(check.found),
        over_ticks=None if check.over_ticks is None else float(check.over_ticks),
        violations=check.violations,
        first_sample=check.first_sample,
        first_event=check.first_index,
        **check.document(),
    )
