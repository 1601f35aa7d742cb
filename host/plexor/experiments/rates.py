# SPDX-License-Identifier: Apache-2.0
"""Rates and times to try, evenly apart on a log scale. Pure."""

from __future__ import annotations

import math
from fractions import Fraction

from plexor.base.counts import counted

DIGITS = 6
"""Significant digits of a rate that is tried."""


def scan_rates(low_hz: Fraction, high_hz: Fraction, points: int) -> tuple[Fraction, ...]:
    """Return so many rates, two or more, from one to the other, evenly apart on a log scale."""
    if not 0 < low_hz < high_hz or points < 2:
        raise ValueError(
            f"scan: {counted(points, 'point')} from {low_hz} to {high_hz}; must be 2 or more, up"
        )
    inner = (between(low_hz, high_hz, Fraction(n, points - 1)) for n in range(1, points - 1))
    return (low_hz, *inner, high_hz)


def between(low_hz: Fraction, high_hz: Fraction, part: Fraction = Fraction(1, 2)) -> Fraction:
    """Return the rate so far up the way from low to high on a log scale, of few digits."""
    exact = float(low_hz) * (float(high_hz) / float(low_hz)) ** float(part)
    step = Fraction(10) ** (math.floor(math.log10(exact)) + 1 - DIGITS)
    rounded = round(Fraction(exact) / step) * step
    return min(max(rounded, low_hz), high_hz)
