# SPDX-License-Identifier: Apache-2.0
"""The tick of an imported run: exact for the times of its capture, and as an instrument has it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from pathlib import Path

import numpy as np

from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS, format_seconds, seconds_of
from plexor.files.imports.capture import Capture
from plexor.files.imports.edges import Times
from plexor.protocol.geometry import MOST_TICK_FS

LEAST_TICK_FS = 1000
_MOST_TICKS = 1 << 61


@dataclass(frozen=True, slots=True)
class CaptureTiming:
    """How times of a capture become ticks."""

    tick_fs: int
    start: int
    divisor: int
    """Times from the start are multiples of this."""
    factor: int
    """Ticks in `divisor` units."""
    step_fs: int
    """All edges are at multiples of this time, in femtoseconds."""
    rounded: bool = False
    """Whether times of the file are rounded to a step."""

    def ticks(self, times: Times) -> Times:
        """Return times of the capture in ticks from its start, rounded half up."""
        return (times - self.start + self.divisor // 2 * self.rounded) // self.divisor * self.factor


def timing_of(path: Path, capture: Capture, step_s: Fraction | None = None) -> CaptureTiming:
    """Return the tick of a capture; with `step_s`, times are rounded to a step of so many seconds.

    A sample has one tick, or a power of ten if it lasts longer than the longest tick. Times of a
    dump are multiples of a greatest step, which has one tick, or as many as the file says. Where no
    tick has that length, times are rounded to the least step that has one.
    Raises UsageError if the capture is too long for its step, and for a step that is none.
    """
    if step_s is not None:
        timing = _rounded(path, capture, step_s * FEMTOSECONDS)
    else:
        timing = _of_samples(path, capture) if capture.sampled else _of_times(capture)
    if (capture.end - capture.start) // timing.divisor * timing.factor >= _MOST_TICKS:
        lasts = seconds_of(capture.end - capture.start, 1) * capture.unit_fs
        raise UsageError(f"{path}: lasts {format_seconds(lasts)}; too long for its time step")
    return timing


def _of_samples(path: Path, capture: Capture) -> CaptureTiming:
    ticks = 1
    while capture.unit_fs / ticks > MOST_TICK_FS:
        ticks *= 10
    # Rounded to half a femtosecond, as an instrument reports its tick.
    tick_fs = round(capture.unit_fs / ticks)
    if tick_fs < LEAST_TICK_FS:
        raise _no_tick(path, capture.unit_fs)
    step_fs = capture.step_fs or max(round(capture.unit_fs), 1)
    return CaptureTiming(tick_fs, capture.start, 1, ticks, step_fs)


def _rounded(path: Path, capture: Capture, step_fs: Fraction) -> CaptureTiming:
    units = step_fs / capture.unit_fs
    ticks = _parts(int(step_fs), None) if step_fs.denominator == 1 else None
    if ticks is None or units.denominator != 1:
        unit = format_seconds(capture.unit_fs / FEMTOSECONDS, 9)
        raise UsageError(
            f"{path}: --step {format_seconds(step_fs / FEMTOSECONDS)}; must be a multiple of "
            f"{unit}, the file's unit of time, and of 1 ps"
        )
    step = int(step_fs)
    return CaptureTiming(step // ticks, capture.start, int(units), ticks, step, rounded=True)


def _of_times(capture: Capture) -> CaptureTiming:
    step = capture.end - capture.start
    for edges in capture.edges.values():
        if len(edges.times):
            step = gcd(step, int(np.gcd.reduce(edges.times - capture.start)))
        for first, last in edges.gaps:
            step = gcd(step, first - capture.start, 0 if last is None else last - capture.start)
    for first, last in capture.gaps:
        step = gcd(step, first - capture.start, last - capture.start)
    step = step or 1
    exact_fs = step * capture.unit_fs
    ticks = _parts(int(exact_fs), capture.exported.tick_fs) if exact_fs.denominator == 1 else None
    if ticks is None:
        # A step of the file's units and of ticks: 1 ps if a unit is a part of it.
        step_fs = Fraction(LEAST_TICK_FS) / capture.unit_fs
        divisor = step_fs.numerator
        wide_fs = int(divisor * capture.unit_fs)
        ticks = _parts(wide_fs, None) or 1
        return CaptureTiming(wide_fs // ticks, capture.start, divisor, ticks, wide_fs, rounded=True)
    step_fs = int(exact_fs)
    known_fs = max(capture.step_fs or 0, step_fs)
    return CaptureTiming(step_fs // ticks, capture.start, step, ticks, known_fs)


def _parts(step_fs: int, tick_fs: int | None) -> int | None:
    """Return the number of ticks in a step: by the tick of the file, or the least that there is."""
    if tick_fs is not None and LEAST_TICK_FS <= tick_fs <= MOST_TICK_FS and not step_fs % tick_fs:
        return step_fs // tick_fs
    power = 1
    while step_fs // power >= LEAST_TICK_FS:
        for digit in (1, 2, 5):
            ticks = power * digit
            if not step_fs % ticks and LEAST_TICK_FS <= step_fs // ticks <= MOST_TICK_FS:
                return ticks
        power *= 10
    return None


def _no_tick(path: Path, step_fs: Fraction) -> UsageError:
    return UsageError(
        f"{path}: its times are multiples of {format_seconds(seconds_of(1, 1) * step_fs)}; must be "
        "of a whole number of femtoseconds from 1 ps to 4.29 µs"
    )
