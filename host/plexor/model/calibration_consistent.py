# SPDX-License-Identifier: Apache-2.0
"""Finds contradictions in a calibration, when one is loaded. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from plexor.model.calibration import Calibration, Instants

_ROUNDED_PS = 2
"""How far below zero a bin's width may be, in ps: the error of two rounded instants."""


def contradictions_of(calibration: Calibration) -> Iterator[str]:
    """Yield each contradiction in a calibration, and what would be right."""
    channels, delays = calibration.channels, calibration.delays
    numbers = [entry.number for entry in channels]
    if not numbers or len(set(numbers)) < len(numbers):
        yield f"channels {numbers}; must be different, one or more"
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
    for found in (calibration.jumpers, calibration.detours):
        pairs = [(entry.output, entry.channel) for entry in found]
        if len(set(pairs)) < len(pairs):
            yield f"jumpers or detours of {pairs}; must be different"
    for entry in calibration.detours:
        if entry.least_ps > entry.greatest_ps:
            yield f"detour {entry.least_ps} to {entry.greatest_ps} ps; must rise"


def _of_bins(way: Instants, tick_fs: int) -> Iterator[str]:
    if min(way.widths_ps(tick_fs)) < -_ROUNDED_PS:
        yield f"late by {[*way.late_ps]} ps; must leave each bin a width"
