# SPDX-License-Identifier: Apache-2.0
"""What another reader finds in a capture: its signals, each with its changes as characters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Characters = npt.NDArray[np.uint8]

_RANGE = re.compile(r"\[-?\d+:-?\d+\]$")


class ReaderError(Exception):
    """A reader that cannot read a capture, in one line."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherSignal:
    """One signal as another reader finds it."""

    bits: int
    times: Times
    """In units of its reading."""
    values: Characters
    """A row for each change: the characters of its bits, the leftmost first."""
    initial: int = 0
    """Values that were there before the start."""

    def bit(self, number: int) -> Characters:
        """Return the characters of one bit, counted from the right."""
        return self.values[:, self.bits - 1 - number]


@dataclass(frozen=True, slots=True, eq=False)
class OtherReading:
    """A capture as another reader finds it."""

    reader: str
    unit_fs: Fraction
    signals: Mapping[str, OtherSignal]
    """By the names that `plain_name` gives. What two signals are called is left out."""
    tells_start: bool = False
    """Whether it tells the values before the start from changes at the same time."""
    has_wholes: bool = False
    """Whether it has records and arrays as a whole: the first element is the leftmost."""


@dataclass(slots=True)
class Changes:
    """Takes the changes of a capture, for readers that meet them in order of time."""

    names: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """Width of each signal of a name, by its code."""
    times: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    values: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    initial: dict[str, int] = field(default_factory=dict[str, int])

    def declare(self, name: str, code: str, bits: int) -> None:
        """Add a signal. Signals of one name and several codes have numbers, such as `clk#2`."""
        self.names[plain_name(name)].setdefault(code, bits)

    def add(self, time: int, code: str, value: str) -> None:
        """Add a change to a value in characters."""
        self.times[code].append(time)
        self.values[code].append(value)

    def signals(self) -> dict[str, OtherSignal]:
        """Return all signals with their changes."""
        found: dict[str, OtherSignal] = {}
        for name, codes in self.names.items():
            for number, (code, bits) in enumerate(codes.items(), 1):
                if bits:
                    found[f"{name}#{number}" if len(codes) > 1 else name] = signal_of(
                        bits, self.times[code], self.values[code], self.initial.get(code, 0)
                    )
        return found


def plain_name(name: str) -> str:
    """Return a name without blanks and without the range of a vector, which not all readers tell.

    An escaped identifier begins with a backslash, which not all readers keep. A scope may be empty,
    and some readers make a scope of an array.
    """
    plain = _RANGE.sub("", "".join(name.split())).replace("\\", "").replace(".[", "[")
    return ".".join(part for part in plain.split(".") if part)


def signal_of(
    bits: int, times: Sequence[int], values: Iterable[str], initial: int = 0
) -> OtherSignal:
    """Return a signal. Short values are filled as IEEE Std 1364-2005, table 18-7, says."""
    full = [value if len(value) == bits else _filled(value, bits) for value in values]
    characters = np.frombuffer("".join(full).encode("latin-1"), np.uint8)
    return OtherSignal(
        bits, np.array(times, np.int64), characters.reshape(len(full), bits), initial
    )


def _filled(value: str, bits: int) -> str:
    fill = "0" if value[:1] in ("1", "") else value[0]
    return value[-bits:].rjust(bits, fill)
