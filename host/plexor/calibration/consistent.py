"""Finds contradictions in a calibration, when one is loaded. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from plexor.model.calibration import Calibration, Instants, PadDelay, PinDelay
from plexor.protocol.frames import MAX_CHANNELS, MAX_STRIKES
from plexor.protocol.geometry import MOST_TICK_FS

_MOST_PS = 10**12
_MOST_PPB = 10**6
_ROUNDED_PS = 2
"""How far below zero a bin's width may be, in ps: the error of two rounded instants."""


def contradictions_of(calibration: Calibration) -> Iterator[str]:
    """Yield each contradiction in a calibration, and what would be right."""
    channels, delays = calibration.channels, calibration.delays
    if not 0 < calibration.tick_fs <= MOST_TICK_FS:
        yield f"tick_fs: {calibration.tick_fs}; must be 1 to {MOST_TICK_FS}"
    for name in ("gateware_hash", "build_id"):
        if not 0 <= getattr(calibration, name) < 1 << 64:
            yield f"{name}: {getattr(calibration, name)}; must fit 64 bits"
    if calibration.source_fs < 0:
        yield f"source_fs: {calibration.source_fs}; must be 0 or more"
    numbers = [entry.number for entry in channels]
    if not numbers or len(set(numbers)) < len(numbers) or not set(numbers) <= _CHANNELS:
        yield f"channels {numbers}; must be different, 0 to {MAX_CHANNELS - 1}"
    ways = [way for entry in channels for way in (entry.rise, entry.fall)]
    phases = {len(way.late_ps) for way in ways} | {len(way.error_ps) for way in ways}
    if len(phases) != 1 or 0 in phases:
        yield f"{sorted(phases)} phases; must be the same number in all bins"
    for entry in channels:
        for way in (entry.rise, entry.fall):
            yield from (f"ch{entry.number}: {t}" for t in _of_bins(way, calibration.tick_fs))
    pairs = [(entry.output, entry.channel) for entry in delays]
    if len(set(pairs)) < len(pairs):
        yield f"delays of {pairs}; must be different"
    for entry in (*delays, *calibration.jumpers):
        yield from _of_delay(entry)
    for found in (calibration.jumpers, calibration.detours):
        pairs = [(entry.output, entry.channel) for entry in found]
        if len(set(pairs)) < len(pairs):
            yield f"jumpers or detours of {pairs}; must be different"
    for entry in calibration.detours:
        if not (0 <= entry.output < MAX_STRIKES and entry.channel in _CHANNELS):
            yield f"detour of strike{entry.output} to ch{entry.channel}; there are no such pins"
        if not -_MOST_PS <= entry.least_ps <= entry.greatest_ps <= _MOST_PS:
            yield f"detour {entry.least_ps} to {entry.greatest_ps} ps; must rise"
    scale = calibration.scale
    if scale is not None and not (
        abs(scale.fast_ppb) <= _MOST_PPB and 0 <= scale.error_ppb <= _MOST_PPB
    ):
        yield f"scale {scale.fast_ppb} ± {scale.error_ppb} ppb; must be at most {_MOST_PPB}"


_CHANNELS = frozenset(range(MAX_CHANNELS))


def _of_bins(way: Instants, tick_fs: int) -> Iterator[str]:
    if way.edges < 0:
        yield f"{way.edges} edges; must be 0 or more"
    if max(map(abs, way.late_ps)) > _MOST_PS or min(way.widths_ps(tick_fs)) < -_ROUNDED_PS:
        yield f"late by {[*way.late_ps]} ps; must leave each bin a width"
    if not 0 <= min(way.error_ps) <= max(way.error_ps) <= _MOST_PS:
        yield f"errors {[*way.error_ps]} ps; must be 0 or more"


def _of_delay(entry: PadDelay | PinDelay) -> Iterator[str]:
    if not (0 <= entry.output < MAX_STRIKES and entry.channel in _CHANNELS):
        yield f"delay of strike{entry.output} to ch{entry.channel}; there are no such pins"
    if max(abs(entry.rise_ps), abs(entry.fall_ps)) > _MOST_PS:
        yield f"delays {entry.rise_ps}, {entry.fall_ps} ps; must be below a second"
    if min(entry.rise_error_ps, entry.fall_error_ps) < 0:
        yield f"errors of delays {entry.rise_error_ps}, {entry.fall_error_ps} ps; must be 0 or more"
