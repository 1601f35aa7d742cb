# SPDX-License-Identifier: Apache-2.0
"""Forms of device options: their values as users write them, and as devices take them.

A user's times have units. The devices in C++ take whole picoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

MOST_PS = 10**15
_UNITS_PS = {
    "s": Fraction(10**12),
    "ms": Fraction(10**9),
    "us": Fraction(10**6),
    "µs": Fraction(10**6),
    "μs": Fraction(10**6),
    "ns": Fraction(10**3),
    "ps": Fraction(1),
    "fs": Fraction(1, 10**3),
}
_SCALES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([^\d\s]*)")


class Form(Protocol):
    """The form of an option's values."""

    @property
    def symbol(self) -> str:
        """Placeholder for a value, after the equals sign."""
        ...

    @property
    def wants(self) -> str:
        """What a value must be, as text."""
        ...

    @property
    def range(self) -> str:
        """The same in short."""
        ...

    def read(self, text: str) -> str:
        """Return the value as the device takes it. Raises ValueError, with or without a reason."""
        ...


@dataclass(frozen=True)
class Time:
    """A time in whole units of the device: picoseconds, or femtoseconds."""

    low: int = 0
    high: int = MOST_PS
    unit: str = "ps"
    or_zero: bool = False
    symbol: str = "TIME"

    @property
    def wants(self) -> str:
        """Unit and range."""
        zero = "0, or " if self.or_zero else ""
        low, high = (time_text(end, self.unit) for end in (self.low, self.high))
        return (
            f"{zero}a time with a unit, such as 300ns, of whole {self.unit}, from {low} to {high}"
        )

    @property
    def range(self) -> str:
        """Minimum and maximum."""
        low, high = (time_text(end, self.unit) for end in (self.low, self.high))
        return f"{'0, or ' if self.or_zero else ''}{low} to {high}"

    def value(self, text: str) -> int:
        """Return a time in the device's units."""
        matched = _NUMBER.fullmatch(text)
        if not matched or (matched[2] not in _UNITS_PS and (matched[2] or Fraction(matched[1]))):
            raise ValueError
        units = Fraction(matched[1]) * _UNITS_PS.get(matched[2], 0) / _UNITS_PS[self.unit]
        right = self.low <= units <= self.high or (self.or_zero and not units)
        if units.denominator != 1 or not right:
            raise ValueError
        return int(units)

    def read(self, text: str) -> str:
        """Return the number of whole units."""
        return str(self.value(text))


@dataclass(frozen=True)
class Times:
    """Several times, separated by colons. The last is optional if `optional` says so."""

    symbol: str
    parts: tuple[Time, ...]
    optional: bool = False
    below: bool = False
    """Whether the second time must be below the first. Otherwise it must be at least as long, if it
    has no default."""

    @property
    def wants(self) -> str:
        """Names and ranges of all times."""
        return f"{self.symbol}, times with units such as 300ns, of whole ps, {self.range}"

    @property
    def range(self) -> str:
        """Ranges of the first and the second time, and which may be the longer one."""
        first, second = self.symbol.strip("[]").replace("[", "").split(":")[:2]
        order = (
            f", {second} less than {first}" if self.below else f", {second} not less than {first}"
        )
        return (
            f"{first} from {time_text(self.parts[0].low)} and {second} from "
            f"{time_text(self.parts[1].low)} to {time_text(self.parts[0].high)}"
            + (order if self.below or not self.optional else "")
        )

    def read(self, text: str) -> str:
        """Return the whole picoseconds, separated by colons."""
        texts = text.split(":")
        if not len(self.parts) - self.optional <= len(texts) <= len(self.parts):
            raise ValueError
        values = [part.value(each) for part, each in zip(self.parts, texts, strict=False)]
        ordered = values[1] < values[0] if self.below else self.optional or values[0] <= values[1]
        if not ordered:
            raise ValueError
        return ":".join(map(str, values))


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    low: int
    high: int
    symbol: str = "N"

    @property
    def wants(self) -> str:
        """The range."""
        return f"a whole number from {self.low} to {self.high}"

    @property
    def range(self) -> str:
        """Minimum and maximum."""
        return f"{self.low} to {self.high}"

    def read(self, text: str) -> str:
        """Return the number."""
        if not re.fullmatch(r"[+-]?\d{1,20}", text) or not self.low <= int(text) <= self.high:
            raise ValueError
        return str(int(text))


@dataclass(frozen=True)
class Rate:
    """A rate per second."""

    high: int
    symbol: str = "RATE"

    @property
    def wants(self) -> str:
        """The range."""
        return f"a number in hertz from {self.range}, such as 300, 20k or 1.5MHz"

    @property
    def range(self) -> str:
        """Minimum and maximum."""
        return f"0 to {self.high // 10**9}GHz"

    def read(self, text: str) -> str:
        """Return hertz."""
        matched = _NUMBER.fullmatch(text)
        scale = _SCALES.get(matched[2].removesuffix("Hz")) if matched else None
        if matched is None or scale is None or Fraction(matched[1]) * scale > self.high:
            raise ValueError
        return repr(float(Fraction(matched[1]) * scale))


@dataclass(frozen=True)
class Share:
    """A probability."""

    symbol: str = "P"
    wants: str = "a number from 0 to 1"
    range: str = "0 to 1"

    def read(self, text: str) -> str:
        """Return the number."""
        return number(text, 1)


@dataclass(frozen=True)
class Text:
    """A text that the device interprets itself."""

    symbol: str
    wants: str = "text"
    pattern: str = ".+"

    @property
    def range(self) -> str:
        """What it must be."""
        return self.wants

    def read(self, text: str) -> str:
        """Return the text."""
        if not re.fullmatch(self.pattern, text):
            raise ValueError
        return text


@dataclass(frozen=True)
class Blocks:
    """A number of free blocks, or one drawn each time, as the firmware's register has them."""

    symbol: str = "N|random[:SEED]"
    wants: str = "a whole number from 0 to 50, random, or random:SEED with a SEED from 0 to 255"
    range: str = "0 to 50, random, random:0 to random:255"

    def read(self, text: str) -> str:
        """Return the number in the lower byte, 255 for a drawn one, and the seed in the upper."""
        name, _, seed = text.partition(":")
        if name != "random":
            return Whole(0, 50).read(text)
        return str(255 | int(Whole(0, 255).read(seed) if ":" in text else "1") << 8)


_TIME = Time()
DISTRIBUTIONS: Mapping[str, str] = {
    "TIME or fixed:TIME": "always that time",
    "uniform:LOW:HIGH": "LOW to HIGH, both included, all whole ps equally likely",
    "normal:MEAN:SIGMA": "a normal distribution; below 0 becomes 0",
    "lognormal:MEDIAN:SIGMA": "MEDIAN * exp(SIGMA * z), z normal, SIGMA a number from 0 to 10",
    "exponential:MEAN": "an exponential distribution",
    "list:PATH": "whole picoseconds from text file, in order, again and again",
    "P*one+Q*other+...": "a mixture: each draw comes from one part, chosen by weight",
}
"""Random times, by name. Every parameter is a time of whole ps, from 0 to 1000s."""


@dataclass(frozen=True)
class Distribution:
    """A random time with one of DISTRIBUTIONS."""

    symbol: str = "DIST"
    range: str = "0 to 1000s"
    wants: str = (
        "a time with a unit, such as 300ns, of whole ps, from 0 to 1000s, uniform:LOW:HIGH, "
        "normal:MEAN:SIGMA, lognormal:MEDIAN:SIGMA, exponential:MEAN, list:PATH or a mixture "
        "WEIGHT*one+WEIGHT*other"
    )

    def read(self, text: str) -> str:
        """Return the distribution with its times in whole picoseconds."""
        if not re.match(r"[\d.]*\*", text):
            return self._one(text)
        parts = [part.partition("*") for part in text.split("+")]
        if not all(star for _, star, _ in parts):
            raise ValueError("each part of a mixture is WEIGHT*distribution")
        weights = [number(weight, 10**9) for weight, _, _ in parts]
        if not any(map(float, weights)):
            raise ValueError("at least one weight must be above 0")
        values = [self._one(one) for _, _, one in parts]
        return "+".join(f"{w}*{one}" for w, one in zip(weights, values, strict=True))

    def _one(self, text: str) -> str:
        name, colon, rest = text.partition(":")
        values = rest.split(":")
        match name, len(values):
            case _ if not colon:
                return _TIME.read(text)
            case "list", _:
                return text
            case (("fixed" | "exponential"), 1):
                found = [_TIME.read(rest)]
            case "uniform", 2:
                low, high = map(_TIME.value, values)
                if low > high:
                    raise ValueError(f"{values[0]} is above {values[1]}")
                found = [str(low), str(high)]
            case "normal", 2:
                found = [_TIME.read(value) for value in values]
            case "lognormal", 2:
                found = [_TIME.read(values[0]), number(values[1], 10)]
            case _:
                raise ValueError
        return ":".join([name, *found])


def time_text(units: int, unit: str = "ps") -> str:
    """Return a time in the largest unit in which it is a whole number."""
    time_ps = units * _UNITS_PS[unit]
    if not time_ps:
        return "0"
    name = next(name for name, size in _UNITS_PS.items() if not time_ps % size)
    return f"{time_ps // _UNITS_PS[name]}{name}"


def number(text: str, high: int) -> str:
    if not re.fullmatch(r"(\d+(\.\d*)?|\.\d+)(e-?\d{1,3})?", text) or float(text) > high:
        raise ValueError
    return text
