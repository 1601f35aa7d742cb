# SPDX-License-Identifier: Apache-2.0
"""Converts between ticks and seconds. No other module does.

Inside the host, a time is an integer number of ticks or an exact `Fraction` of seconds. Floats are
for prints and plots.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from plexor.base.meant import number_meant

T = TypeVar("T")
FEMTOSECONDS = 10**15
"""Femtoseconds in a second."""

_TIME_UNITS = {
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),
    "μs": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "ps": Fraction(1, 10**12),
    "fs": Fraction(1, 10**15),
    "min": Fraction(60),
    "h": Fraction(3600),
}
_TIMES = ("us", "ms", "ns", "s", "ps", "fs", "min", "h")
"""Units of times as they are suggested."""
_MOST = Fraction(10**30)
"""Maximum of any value, in any unit: beyond all that is measured, and short enough to print."""
_SCALES = {
    "": Fraction(1),
    "k": Fraction(10**3),
    "K": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
}
_HERTZ = re.compile("hz$", re.IGNORECASE)
_VELOCITY_UNITS = {"m/s": Fraction(1), "mm/s": Fraction(1, 10**3), "km/h": Fraction(10, 36)}
_NUMBER = re.compile(
    r"\s*([+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*([^\d\s]*)\s*"
)
_METRES = ((1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
"""Seconds in a unit in which times are printed, and its name; the greatest first."""
_NEAR = 0.1
"""Of a unit: what is less is not shown in it, where another one is smaller."""
RATE_UNITS = ((1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"))
"""Hertz in a unit in which rates are printed, and its name; the greatest first."""


def seconds_of(ticks: int | Fraction, tick_fs: int) -> Fraction:
    """Return a time in ticks as exact seconds."""
    return Fraction(ticks) * tick_fs / FEMTOSECONDS


def square_seconds_of(square_ticks: int | Fraction, tick_fs: int) -> Fraction:
    """Return a variance in square ticks as exact square seconds."""
    return seconds_of(seconds_of(square_ticks, tick_fs), tick_fs)


def ticks_of(seconds: Fraction, tick_fs: int) -> Fraction:
    """Return exact seconds in ticks, without rounding."""
    return seconds * FEMTOSECONDS / tick_fs


def known_ticks(seconds: Fraction, tick_fs: int) -> int | None:
    """Return a time in whole ticks; None if it is not a whole number of them.

    An instrument reports its tick to half a femtosecond. For example, 1/960 µs is reported as
    1,041,667 fs, and 20 µs are 19,200 ticks.
    """
    ticks = ticks_of(seconds, tick_fs)
    nearest = round(ticks)
    return nearest if abs(ticks - nearest) * 2 * tick_fs <= abs(nearest) else None


def whole_ticks(seconds: Fraction, tick_fs: int) -> int:
    """Return seconds in ticks, rounded half to even."""
    return round(ticks_of(seconds, tick_fs))


def plot_seconds(ticks: float, tick_fs: int) -> float:
    """Return a time in ticks as float seconds, only for prints and plots."""
    return float(ticks) * tick_fs / FEMTOSECONDS


def _split(text: str) -> tuple[Fraction, str]:
    """Return a number and its unit; raise ValueError for a text that is not both."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError
    number = Fraction(Decimal(match[1]))
    if number and not 1 / _MOST <= abs(number) <= _MOST:
        raise ValueError
    return number, match[2]


def _read(text: str, parse: Callable[[str], T], right: str, units: Iterable[str]) -> T:
    """Return what a text says; raise ValueError that says what was meant, or what would be right.

    `parse` raises ValueError: with a text of its own if it knows what is wrong.
    """
    try:
        return parse(text)
    except ValueError as error:
        known = str(error) or number_meant(text, parse, units)
        raise ValueError(f"{text!r}{known or f'; must be {right}'}") from None


def parse_part(text: str) -> Fraction:
    """Return the exact number in a text such as `0.2`, `1e-3`, `20%` or `1/5`.

    Raises ValueError for any other text.
    """
    return _read(text, _part, "a number, such as 0.2, 20% or 1/5", ("%",))


def _part(text: str) -> Fraction:
    above, sign, below = text.strip().removesuffix("%").partition("/")
    (number, unit), (divisor, second_unit) = _split(above), _split(below or "1")
    if unit or second_unit or not divisor or bool(sign) != bool(below):
        raise ValueError
    return number / divisor / (100 if text.strip().endswith("%") else 1)


def parse_duration(text: str) -> Fraction:
    """Return the exact seconds in a text such as `10us`, `2s`, `1.5 ms`, `10 US` or `1h`.

    Raises ValueError for any other text. A number without a unit is rejected, except 0.
    """
    bare = text.strip()
    such = bare if bare.isdecimal() and bare.isascii() and len(bare) < 7 else ""
    examples = f"{such}us, {such}ms or {such}s" if such else "10us, 1.5ms or 2s"
    return _read(text, _duration, f"a number with a unit, such as {examples}", _TIMES)


def _duration(text: str) -> Fraction:
    number, unit = _split(text)
    if unit == "" and number == 0:
        return number
    scale = _TIME_UNITS.get(unit.lower())
    if scale is None:
        if _HERTZ.search(unit) and _HERTZ.sub("", unit) in _SCALES and number > 0:
            rate_hz = number * _SCALES[_HERTZ.sub("", unit)]
            raise ValueError(
                f" is a rate; must be a time, and the period of that is {_typed(1 / rate_hz)}"
            )
        raise ValueError
    return number * scale


def _typed(seconds: Fraction) -> str:
    """Return a time as it can be typed again."""
    return format_seconds(seconds, 6).replace("µ", "u").replace(" ", "")


def parse_rate(text: str) -> Fraction:
    """Return the exact hertz in a text such as `20k`, `20 KHz`, `1.5M`, `1_000` or `0.1`.

    Raises ValueError for any other text, and unless the rate is above 0.
    """
    right = "a number above 0 in hertz, such as 20k, 1.5M or 300Hz"
    return _read(text, _rate, right, ("Hz", "kHz", "MHz", "GHz", *filter(None, _SCALES)))


def _rate(text: str) -> Fraction:
    number, unit = _split(text)
    scale = _SCALES.get(_HERTZ.sub("", unit))
    if scale is None and unit.lower() in _TIME_UNITS and number > 0:
        period_s = number * _TIME_UNITS[unit.lower()]
        rate = format_rate(1 / period_s).replace(" ", "")
        raise ValueError(f" is a time; must be a rate, and one each {text.strip()} is {rate}")
    if scale is None or number <= 0:
        raise ValueError
    return number * scale


def parse_count(text: str) -> int:
    """Return the whole number in a text such as `10k`, `10K`, `1M`, `1_000` or `500`.

    Raises ValueError for any other text, and for counts below 1.
    """
    right = "a whole number of at least 1, such as 500, 10k or 1M"
    return _read(text, _count, right, filter(None, _SCALES))


def _count(text: str) -> int:
    number, unit = _split(text)
    value = number * _SCALES.get(unit, Fraction(0))
    if value < 1 or value.denominator != 1:
        raise ValueError
    return int(value)


def parse_velocity(text: str) -> Fraction:
    """Return the exact metres per second in a text such as `1100m/s`, `90 km/h` or `5mm/s`.

    Raises ValueError for any other text, and unless the velocity is above 0.
    """
    right = "a number above 0 with a unit, such as 1100m/s, 90km/h or 5mm/s"
    return _read(text, _velocity, right, _VELOCITY_UNITS)


def _velocity(text: str) -> Fraction:
    number, unit = _split(text)
    if unit not in _VELOCITY_UNITS or number <= 0:
        raise ValueError
    return number * _VELOCITY_UNITS[unit]


def format_metres(metres: Fraction | float, digits: int = 4) -> str:
    """Return metres as text with a unit from nm to km and `digits` significant digits."""
    value = float(metres)
    if value == 0:
        return "0 m"
    scale, unit = _scale_of(value, _METRES, digits)
    return f"{value / scale:.{digits}g} {unit}"


def decimal_text(value: Fraction) -> str:
    """Return an exact number as text: a decimal such as `0.00005`, or `1/3` where that has no end.

    No digit is lost: `Fraction(text)` is the number again.
    """
    remainder, digits = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while not remainder % prime:
            remainder, count = remainder // prime, count + 1
        digits = max(digits, count)
    if remainder != 1:
        return str(value)
    scaled = abs(value.numerator * 10**digits // value.denominator)
    text = f"{scaled:0{digits + 1}}"
    sign = "-" if value < 0 else ""
    return f"{sign}{text[: len(text) - digits]}.{text[len(text) - digits :]}".rstrip(".")


def format_seconds(seconds: Fraction | float, digits: int = 4) -> str:
    """Return seconds as text with a unit from ns to s and `digits` significant digits."""
    value = float(seconds)
    if value == 0:
        return "0 s"
    scale, unit = _scale_of(value, TIME_UNITS, digits)
    return f"{value / scale:.{digits}g} {unit}"


def format_range(
    low_s: Fraction | float, high_s: Fraction | float, digits: int = 4
) -> tuple[str, str]:
    """Return both ends of a range as texts in one unit: `0.9995 ms` and `1.001 ms`.

    The lower end of a long range has its own: `2 µs` and `1.5 ms`.
    """
    ends = float(low_s), float(high_s)
    scale, unit = _scale_of(max(map(abs, ends)), TIME_UNITS, digits)
    low, high = (
        f"{end / scale:.{digits}g} {unit}"
        if abs(end) >= _NEAR * scale
        else format_seconds(end, digits)
        for end in ends
    )
    return low, high


def _scale_of(value: float, units: tuple[tuple[float, str], ...], digits: int) -> tuple[float, str]:
    """Return the greatest unit in which a value is 1 or more as it is rounded."""
    size = abs(value)
    return next(((s, u) for s, u in units if float(f"{size / s:.{digits}g}") >= 1), units[-1])


def format_mean(mean_ticks: float, variance_ticks2: float, count: int, tick_fs: int) -> str:
    """Return a mean in ticks as text in seconds, to the digit that its standard error reaches.

    The error is sqrt(variance / count), of independent samples. Equal samples give an exact mean
    of up to 9 digits; one sample has no error, and four digits.
    """
    value = plot_seconds(mean_ticks, tick_fs)
    if count < 2 or not value:
        return format_seconds(value)
    if variance_ticks2 <= 0:
        return format_seconds(value, 9)
    scale, unit = _scale_of(value, TIME_UNITS, 4)
    error = plot_seconds(math.sqrt(variance_ticks2 / count), tick_fs) / scale
    # An error of more than the mean itself leaves its first digit.
    decade = min(math.floor(math.log10(error)), math.floor(math.log10(abs(value) / scale)))
    return f"{round(value / scale, -decade):.{max(-decade, 0)}f} {unit}"


def format_ticks(ticks: float, tick_fs: int, digits: int = 4) -> str:
    """Return a time in ticks as text in seconds, ms, µs or ns."""
    return format_seconds(plot_seconds(ticks, tick_fs), digits)


def format_tick_range(
    low_ticks: float, high_ticks: float, tick_fs: int, digits: int = 4
) -> tuple[str, str]:
    """Return both ends of a range in ticks as texts in one unit."""
    ends = plot_seconds(low_ticks, tick_fs), plot_seconds(high_ticks, tick_fs)
    return format_range(*ends, digits)


def format_over(limit_ticks: float, tick_fs: int, digits: int = 4) -> str:
    """Return a time that is known only to exceed a limit as text: `over 1.074 s`."""
    return f"over {format_ticks(limit_ticks, tick_fs, digits)}"


def format_variance(ticks2: Fraction, tick_fs: int) -> str:
    """Return a variance in square ticks as text, in the square of its root's unit: ns² to s².

    It has four significant digits, or all before its point.
    """
    value_s2 = float(ticks2 * tick_fs**2 / FEMTOSECONDS**2)
    if value_s2 == 0:
        return "0 s²"
    scale, unit = next(((s, u) for s, u in TIME_UNITS if value_s2 >= s * s), TIME_UNITS[-1])
    value = value_s2 / scale**2
    return f"{value:,.0f} {unit}²" if value >= 1000 else f"{value:.4g} {unit}²"


def format_rate(hertz: Fraction | float) -> str:
    """Return hertz as text with a unit from Hz to MHz."""
    value = float(hertz)
    scale, unit = _scale_of(value, RATE_UNITS, 4)
    return f"{value / scale:.4g} {unit}"
