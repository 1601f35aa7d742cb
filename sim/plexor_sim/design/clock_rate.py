# SPDX-License-Identifier: Apache-2.0
"""The frequency of its clock that a design names: a parameter or generic such as `CLK_HZ`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

_NAME = re.compile(
    r"\w*(?:clk|clock|sys|core|main)\w*(?:freq(?:uency)?|rate|hz)(?:_?[kmg]?hz)?"
    r"|f_?(?:clk|clock|sys)(?:_?[kmg]?hz)?"
    r"|freq(?:uency)?(?:_?[kmg]?hz)?",
    re.IGNORECASE,
)
_UNIT = re.compile(r"([kmg])hz$", re.IGNORECASE)
_OTHER = re.compile(
    r"baud|spi|i2c|scl(?!k)|sck|uart|div|pixel|out|target|desired|slow", re.IGNORECASE
)
"""Names of other clocks, which a design makes from its own."""
_VALUE = r"(?P<value>\d[\d_]*(?:\.\d+)?(?:[eE]\+?\d+)?)"
_VERILOG = re.compile(
    r"\b(?:parameter|localparam)\b[^=;,()]*?(?P<name>\w+)\s*=\s*(?:\d*'s?d)?"
    + _VALUE
    + r"\s*[,;)\n]"
)
_MORE = re.compile(r",\s*(?P<name>\w+)\s*=\s*(?:\d*'s?d)?" + _VALUE + r"\s*[,;)\n]")
"""A further name of a list of parameters."""
_VHDL = re.compile(
    r"(?P<name>\w+)\s*:\s*(?:natural|positive|integer|real)\b[^:;]*:=\s*" + _VALUE + r"\s*[;)\n]",
    re.IGNORECASE,
)
_SCALES = {"k": 10**3, "m": 10**6, "g": 10**9}
_LEAST_HZ, _MOST_HZ = 1000, 10**10
_PS = 10**12


@dataclass(frozen=True, slots=True)
class SaidClock:
    """A parameter that says how fast the clock is, and the period that follows."""

    name: str
    period_ps: int


def said_clock(
    top: str, texts: Iterable[str], given: Mapping[str, Any] | None = None
) -> SaidClock | None:
    """Return what a design's top says of its clock; None if nothing, or if two names differ.

    `texts` are its sources without comments. `given` are parameters that replace those of the
    sources. Only a number is read, no expression.
    """
    values: dict[str, str] = {}
    for text in texts:
        own = _of_top(top, text)
        for form in (_VERILOG, _MORE, _VHDL):
            values |= {found["name"]: found["value"] for found in form.finditer(own)}
    values |= {name: str(value) for name, value in (given or {}).items() if name in values}
    said = [
        SaidClock(name, period_ps)
        for name, value in values.items()
        if (period_ps := _period_ps(name, value)) is not None
    ]
    return said[0] if len({each.period_ps for each in said}) == 1 else None


def _of_top(top: str, text: str) -> str:
    """Return the part of a source that declares the top, empty if it does not."""
    name = re.escape(top)
    verilog = re.search(rf"\bmodule\s+{name}\b.*?(?:\bendmodule\b|\Z)", text, re.DOTALL)
    if verilog is not None:
        return verilog[0]
    vhdl = re.search(rf"\bentity\s+{name}\s+is\b.*?\bport\b", text, re.DOTALL | re.IGNORECASE)
    return "" if vhdl is None else vhdl[0]


def _period_ps(name: str, value: str) -> int | None:
    if not _NAME.fullmatch(name) or _OTHER.search(name):
        return None
    try:
        frequency_hz = Fraction(value.replace("_", ""))
    except ValueError:
        return None
    unit = _UNIT.search(name)
    if unit is not None:
        frequency_hz *= _SCALES[unit[1].lower()]
    elif frequency_hz < _LEAST_HZ:
        # `CLK_FREQ = 50` is meant in megahertz.
        frequency_hz *= _SCALES["m"]
    if not _LEAST_HZ <= frequency_hz <= _MOST_HZ:
        return None
    return round(_PS / frequency_hz)
