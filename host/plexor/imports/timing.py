# SPDX-License-Identifier: Apache-2.0
"""The tick of an imported run: a divisor of all times of the capture, as an instrument has it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from pathlib import Path

import numpy as np

from plexor.errors import UsageError
from plexor.imports.capture import Capture, Times
from plexor.protocol.geometry import MOST_TICK_FS
from plexor.units import format_seconds, seconds_of

LEAST_TICK_FS = 1000
_MOST_TICKS = 1 << 61


@dataclass(frozen=True, slots=True)
class CaptureTiming:
    """The conversion from times of a capture to ticks."""

    tick_fs: int
    start: int
    divisor: int
    """Times from the start are multiples of this."""
    factor: int
    """Ticks in `divisor` units."""
    step_fs: int
    """All edges are at multiples of this time, in femtoseconds."""

    def ticks(self, times: Times) -> Times:
        """Return times of the capture in ticks from its start."""
        return (times - self.start) // self.divisor * self.factor


def timing_of(path: Path, capture: Capture) -> CaptureTiming:
    """Return the tick of a capture.

    A sample lasts one tick, or a power of ten of ticks if it is longer than the longest tick. Times
    of a dump are multiples of a step, which is one tick, or as many ticks as the file says.
    Raises UsageError if no tick has that length, or if the capture is too long.
    """
    timing = _of_samples(path, capture) if capture.sampled else _of_times(path, capture)
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
    return CaptureTiming(tick_fs, capture.start, 1, ticks, max(round(capture.unit_fs), 1))


def _of_times(path: Path, capture: Capture) -> CaptureTiming:
    step = capture.end - capture.start
    for edges in capture.edges.values():
        if len(edges.times):
            step = gcd(step, int(np.gcd.reduce(edges.times - capture.start)))
    step = step or 1
    step_fs = step * int(capture.unit_fs)
    ticks = _parts(step_fs, capture.exported.tick_fs)
    if ticks is None:
        raise _no_tick(path, Fraction(step_fs))
    known_fs = max(capture.step_fs or 0, step_fs)
    return CaptureTiming(step_fs // ticks, capture.start, step, ticks, known_fs)


def _parts(step_fs: int, tick_fs: int | None) -> int | None:
    """Return the number of ticks in a step: by the file's tick, or else the least possible."""
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
