# SPDX-License-Identifier: Apache-2.0
"""Turns a run's figures into the document of `--json`, described by `schema/run.json`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from plexor.base.errors import ExitCode
from plexor.base.jsonable import to_json
from plexor.figures.analyse.analyse import ChannelFigures, Figures, Report, SharesOf
from plexor.figures.analyse.corrected_figures import Corrected, CorrectedChannel, clock_error_of
from plexor.figures.analyse.doubts import doubts
from plexor.figures.analyse.pairing import PairedBy, Pairing
from plexor.figures.analyse.percentiles import Quantile
from plexor.figures.analyse.stopped import stopped
from plexor.figures.analyse.windows import windows
from plexor.figures.judge.budget import Check, Judged
from plexor.files.store.done import settings_document
from plexor.files.store.seconds import with_seconds
from plexor.model.oscillators import oscillator_of
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass

SCHEMA = "plexor.run/3"
_NAMED = {
    "p50_ticks": Fraction(50, 100),
    "p90_ticks": Fraction(90, 100),
    "p99_ticks": Fraction(99, 100),
    "p999_ticks": Fraction(999, 1000),
    "p9999_ticks": Fraction(9999, 10_000),
}
_KIND_NAMES = (
    (Kind.RISE, "latency"),
    (Kind.FALL, "fall_latency"),
    (Kind.WIDTH, "width"),
    (Kind.PERIOD, "period"),
)


def document(report: Report, verdict: Judged | None, exit_code: ExitCode) -> dict[str, Any]:
    """Return the document, made of JSON's types only, with seconds beside all ticks."""
    return with_seconds(_document(report, verdict, exit_code), report.tick_fs)


def _document(report: Report, verdict: Judged | None, exit_code: ExitCode) -> dict[str, Any]:
    result = report.result
    geometry = result.identity.geometry
    books = result.accounting
    return {
        "schema": SCHEMA,
        "simulated": result.simulated,
        "tick_fs": result.tick_fs,
        "valid": report.valid,
        "invalid_reasons": list(report.invalid_reasons),
        "interrupted": result.interrupted,
        "exit_code": int(exit_code),
        "started": result.started,
        "wall_seconds": result.wall_seconds,
        "duration_ticks": report.duration_ticks,
        "stop_reason": result.stop_reason.name.lower(),
        "stopped": _stopped(report),
        "instrument": {
            "board": result.identity.board,
            "gateware_hash": f"{result.identity.gateware_hash:016x}",
            "build_id": f"{result.identity.build_id:016x}",
            "protocol_version": result.identity.protocol_version,
            "channels": geometry.channels,
            "samples": geometry.samples,
        },
        "imported": None if result.imported is None else to_json(result.imported),
        "command": result.command or None,
        "settings": settings_document(result),
        "device": dict(result.device),
        "load": result.settings.load,
        "load_name": result.settings.load_name,
        "device_load": result.device_load,
        "computed_on_host": list(result.computed_on_host),
        "accounting": {
            "generated": books.generated,
            "received": books.received,
            "dropped_on_chip": books.dropped_on_chip,
            "lost_on_link": books.lost_on_link,
            "holds": books.holds,
            "disorder": dict(books.disorder),
            "link_dropped": books.link_dropped,
            "mended_clocks": books.mended_clocks,
            "sources": [
                {
                    "name": entry.name,
                    "generated": entry.generated,
                    "received": entry.received,
                    "dropped": entry.dropped,
                    "upload_dropped": entry.upload_dropped,
                    "lost": entry.lost,
                }
                for entry in books.sources
            ],
        },
        "strikes": result.strikes,
        "base_ticks": report.base_ticks,
        "velocity_m_per_s": None if report.velocity_m_s is None else float(report.velocity_m_s),
        "doubts": list(doubts(report)),
        "channels": [_channel(report, channel) for channel in report.channels],
        "windows": [
            {**to_json(window), "share": None if window.share is None else float(window.share)}
            for window in windows(result)
        ],
        "shares": [_shares(entry) for entry in report.shares],
        "clock": _clock(report),
        "corrected": _corrected(report),
        "budget": None if verdict is None else _verdict(verdict),
    }


def _stopped(report: Report) -> dict[str, Any] | None:
    found = stopped(report)
    if found is None:
        return None
    return {
        "channel": found.channel,
        "latency_ticks": found.latency_ticks,
        "at_ticks": found.at_ticks,
        "strike": found.strike,
    }


def _clock(report: Report) -> dict[str, Any] | None:
    result = report.result
    if result.imported is not None:
        return None
    calibration = result.calibration
    scale = None if calibration is None else calibration.scale
    return {
        "error_ppb": clock_error_of(result),
        "fast_ppb": None if scale is None else scale.fast_ppb,
        "source": oscillator_of(result.identity.board).source if scale is None else scale.reference,
    }


def _corrected(report: Report) -> dict[str, Any] | None:
    calibration = report.result.calibration
    if calibration is None:
        return None
    return {
        "serial": calibration.serial,
        "made": calibration.made,
        "channels": [_corrected_channel(entry) for entry in report.corrected],
    }


def _corrected_channel(entry: CorrectedChannel) -> dict[str, Any]:
    kinds = {name: entry.kinds.get(kind) for kind, name in _KIND_NAMES}
    return {
        "name": entry.name,
        "number": entry.number,
        "reason": entry.reason or None,
        "edge_rms_ps": entry.edge_rms_ps,
        "late_ps": None if entry.delay is None else entry.delay.value_ps,
        "late_error_ps": None if entry.delay is None else entry.delay.error_ps,
        "late_ticks": entry.late_ticks,
        "late_error_ticks": entry.late_error_ticks,
        **{name: None if kind is None else _picoseconds(kind) for name, kind in kinds.items()},
    }


def _picoseconds(found: Corrected) -> dict[str, Any]:
    return {
        "count": len(found.values_ps),
        "min_ps": found.min_ps,
        "max_ps": found.max_ps,
        "mean_ps": float(found.mean_ps),
        "rms_ps": found.rms_ps,
        "variance_ps2": float(found.variance_ps2),
        "error_ps": found.error_ps(max(abs(found.min_ps), abs(found.max_ps))),
        "ways_error_ps": found.ways_error_ps,
        "pins": "jumper" if found.by_jumper else "loopback",
        "quantiles": [
            {
                "q": float(entry.q),
                "ps": entry.value_ps,
                "lower_ps": entry.lower_ps,
                "upper_ps": entry.upper_ps,
                "enough": entry.enough,
            }
            for entry in found.quantiles
        ],
    }


def _shares(entry: SharesOf) -> dict[str, Any]:
    parts = entry.shares
    named = {
        "rise": parts.rise_ticks,
        "width": parts.width_ticks,
        "gap": parts.gap_ticks,
        "total": parts.total_ticks,
    }
    return {
        "first": entry.first,
        "second": entry.second,
        "count": len(parts.total_ticks),
        **{
            name: {
                "min_ticks": int(ticks.min()),
                "max_ticks": int(ticks.max()),
                "sum_ticks": int(ticks.sum()),
            }
            for name, ticks in named.items()
        },
    }


def _channel(report: Report, channel: ChannelFigures) -> dict[str, Any]:
    result = channel.result
    found: dict[str, Any] = {
        "name": channel.name,
        "number": result.number,
        "reference": result.reference,
        "strikes": result.strikes,
    }
    for name in ("ANSWERED", "LATE", "MISSED", "DUPLICATE", "SPURIOUS", "EARLY"):
        found[name.lower()] = result.classes.get(ResponseClass[name], 0)
    found["pending"] = result.pending
    found["pairing"] = _pairing(channel.pairing)
    for kind, name in _KIND_NAMES:
        figures = channel.latency(kind)
        found[name] = None if figures is None else _figures(figures, report.tick_fs)
        if kind == Kind.RISE:
            found["distance"] = _distance(report, channel)
    return found


def _pairing(found: Pairing | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "standing": found.standing.value,
        "by": None if found.by == PairedBy.NOTHING else found.by.value,
        "proven": found.proven,
        "lag": found.lag,
        "lag_latency_ticks": found.latency_ticks,
        "toggles": found.toggles,
    }


def _distance(report: Report, channel: ChannelFigures) -> dict[str, float | None] | None:
    rise = channel.rise
    if report.velocity_m_s is None or rise is None:
        return None
    ticks: dict[str, Fraction | int | None] = {
        "mean": rise.mean_ticks,
        "min": rise.min_ticks,
        "max": rise.max_ticks,
    }
    for name in ("p50", "p99", "p999"):
        quantile = rise.quantile(_NAMED[f"{name}_ticks"])
        ticks[name] = quantile.value_ticks if quantile is not None and quantile.enough else None
    return {
        f"{name}_m": None if at is None else float(report.metres(at)) for name, at in ticks.items()
    }


def _figures(figures: Figures, tick_fs: int) -> dict[str, Any]:
    mean, variance = figures.mean_ticks, figures.variance_ticks2
    total = 0 if not figures.count else None if mean is None else mean * figures.count
    squares: Fraction | int | None = 0 if not figures.count else None
    if mean is not None and variance is not None:
        squares = (variance + mean**2) * figures.count
    found: dict[str, Any] = {
        "count": figures.count,
        "min_ticks": figures.min_ticks,
        "max_ticks": figures.max_ticks,
        "over_ticks": figures.limit_ticks,
        "max_at_ticks": figures.max_time_ticks,
        "max_event": figures.max_index,
        "sum_ticks": None if total is None else int(total),
        "sum_sq_ticks": None if squares is None else int(squares),
    }
    for name, q in _NAMED.items():
        quantile = figures.quantile(q)
        enough = quantile is not None and quantile.enough
        found[name] = quantile.value_ticks if quantile is not None and enough else None
    found["quantiles"] = [_quantile(quantile) for quantile in figures.quantiles]
    found["exact"] = figures.distribution.exact
    found["peak_to_peak_ticks"] = figures.peak_to_peak_ticks
    found["rms_ticks"] = figures.rms_ticks
    found["variance_ticks2"] = None if variance is None else float(variance)
    found["variance_ns2"] = None if variance is None else float(variance * tick_fs**2 / 10**12)
    span = figures.span
    full = span if span is not None and span.full else None
    found["jitter128_ticks"] = None if full is None else full.current_ticks
    found["jitter128_max_ticks"] = None if full is None else full.greatest_ticks
    found["first_ticks"] = None if figures.cold is None else figures.cold.cold_ticks
    found["clamped"] = figures.clamped
    return found


def _quantile(quantile: Quantile) -> dict[str, Any]:
    return {
        "q": float(quantile.q),
        "ticks": quantile.value_ticks,
        "over_ticks": quantile.limit_ticks,
        "lower_ticks": quantile.lower_ticks,
        "upper_ticks": quantile.upper_ticks,
        "resolution_ticks": quantile.resolution_ticks,
        "enough": quantile.enough,
    }


def _verdict(verdict: Judged) -> dict[str, Any]:
    return {
        "title": verdict.budget.title,
        **verdict.document(),
        "checks": [_check(check) for check in verdict.checks],
        "silent": list(verdict.silent),
    }


def _check(check: Check) -> dict[str, Any]:
    limit = check.limit
    return {
        "channel": check.channel,
        "figure": limit.figure,
        "kind": None if limit.is_count else limit.kind.value,
        "limit": int(limit.most) if limit.is_count else float(limit.most),
        "goal": limit.goal,
        **check.document(),
        "found": None if check.found is None else float(check.found),
        "over_ticks": None if check.over_ticks is None else float(check.over_ticks),
        "violations": None if check.violations is None else list(check.violations),
        "first_sample": check.first_sample,
        "first_event": check.first_index,
    }
