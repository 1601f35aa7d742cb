# SPDX-License-Identifier: Apache-2.0
"""Axes: where a value lies on a picture, and the round values worth a tick.

Terminal, page and file draw by this. What draws in a browser gets the tables of it (`scales_js`).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import RATE_UNITS, TIME_UNITS

ROUND_STEPS = (1, 2, 5, 10)
"""Steps of a linear axis, in powers of ten."""
LOG_STEPS: tuple[tuple[int, ...], ...] = ((1, 2, 5), (1, 3), (1,))
"""Values of a logarithmic axis, in powers of ten: the first of these of which few enough fit."""
LEVEL, RAISED = "-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
"""What a number is written with, and a power of ten behind it."""
_RAISE = str.maketrans(LEVEL, RAISED)


def scales_js() -> str:
    """Return the tables of scales, and a word, as a module of the drawing code."""
    tables = {
        "TIMES": TIME_UNITS,
        "RATES": RATE_UNITS,
        "ROUND_STEPS": ROUND_STEPS,
        "LOG_STEPS": LOG_STEPS,
        "RAISED": RAISED,
        "MAX_SEEN": MAX_SEEN,
    }
    return "".join(
        f"export const {name} = {json.dumps(table, ensure_ascii=False)};\n"
        for name, table in tables.items()
    )


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps [low, high] to [start, end] on the picture, linearly or by logarithm."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a value lies; values off the axis lie at its ends."""
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def value(self, place: float) -> float:
        """Return the value that lies at a place."""
        part = (place - self.start) / (self.end - self.start)
        if self.log:
            return self.low * (self.high / self.low) ** part
        return self.low + part * (self.high - self.low)

    def ticks(self, most: int = 8) -> list[float]:
        """Return up to about `most` round values on the axis, rising.

        On a linear one these are two at least.
        """
        if not self.log or self.high / self.low < 8:
            return _round_steps(self.low, self.high, most)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        found: list[float] = []
        for digits in LOG_STEPS:
            found = [digit * 10.0**n for n in range(first, last + 1) for digit in digits]
            found = [value for value in found if self._holds(value)]
            if len(found) <= most + 1:
                return found
        step = -(-len(found) // most)
        return found[::step]

    def _holds(self, value: float) -> bool:
        slack = 1e-9 * abs(self.high)
        return self.low - slack <= value <= self.high + slack


def _round_steps(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    sizes = [power * digit for digit in ROUND_STEPS]
    fits = next(at for at, size in enumerate(sizes) if size >= rough * 0.999)
    found = _multiples(sizes[fits], low, high)
    # One value alone does not say how wide the axis is.
    return found if len(found) > 1 else _multiples(sizes[max(fits - 1, 0)], low, high)


def _multiples(step: float, low: float, high: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def time_unit(seconds: float) -> tuple[float, str]:
    """Return (seconds in one unit, its name) that suits a time of this size."""
    return next(((s, u) for s, u in TIME_UNITS if abs(seconds) >= s * 0.9999), TIME_UNITS[-1])


def rate_unit(hertz: float) -> tuple[float, str]:
    """Return (hertz in one unit, its name) that suits a rate of this size."""
    return next(((s, u) for s, u in RATE_UNITS if abs(hertz) >= s), RATE_UNITS[-1])


def number(value: float) -> str:
    """Return a tick's value as short as it can be."""
    if abs(value) < 1e-12:
        return "0"
    text = f"{value:.6g}"
    return grouped(int(value)) if "e" in text and float(value).is_integer() else text


def grouped(value: int) -> str:
    """Return a whole number with its thousands apart: `1,250,000`."""
    return f"{value:,}"


def power_of_ten(value: float) -> str:
    """Return `10⁻³` for 0.001, and 1 and 10 as they are."""
    exponent = round(math.log10(value))
    if exponent in (0, 1):
        return "1" if exponent == 0 else "10"
    return f"10{str(exponent).translate(_RAISE)}"
