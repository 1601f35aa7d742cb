# SPDX-License-Identifier: Apache-2.0
"""A capture: a file with named signals, and the edges of those that are read, in units of time."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.files.imports.edges import SignalEdges
from plexor.files.imports.exported import ExportedRun
from plexor.files.imports.signals import Unknown

MOST_EDGES = 1 << 26
"""Greatest number of edges of a capture: more do not fit into the memory of most machines."""
NOT_WHOLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
)
"""What zipfile raises for an archive that is none, is cut short, or is locked or packed in a way
that it cannot undo."""
_MOST_NAMES = 20
_SCOPES = "./|"
"""What stands between a scope and a name, in dumps and in tools of makers of FPGAs."""
RANGE = re.compile(r"\[(-?\d{1,9}):(-?\d{1,9})\]$")
"""The range of a vector at the end of its name."""
_TWIN = re.compile(r"#\d+(?=\[-?\d+:-?\d+\]$|$)")
"""The number of a signal whose name another one has too."""
_BIT = re.compile(r"(.*)\[(-?\d{1,9})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRules:
    """What a file does not say, and how its levels are read."""

    unknown: Unknown = Unknown.CUT
    unit_s: Fraction | None = None
    """The unit of times, for a file that does not tell it."""
    samplerate_hz: Fraction | None = None
    """For samples without times."""
    high_v: float | None = None
    """Voltage from which on a low signal is high. None: 60 % of its range."""
    low_v: float | None = None
    """Voltage down to which a high signal stays high. None: 40 % of its range."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A signal that a file declares."""

    kind: str
    """Its kind, in the words of its format, such as `wire`."""
    bits: int
    """Its width; 0 for what has no levels, such as a real number."""
    handle: Any
    """Finds the signal in its file."""
    is_mark: bool = False
    """Whether an analyser adds it, and it is no signal of the device."""

    @property
    def usable(self) -> bool:
        """Return whether it has levels as a whole."""
        return self.bits == 1


@dataclass(frozen=True, slots=True)
class SignalBit:
    """A signal of one bit that is read."""

    name: str
    """Its whole name in the file."""
    handle: Any
    bit: int = 0
    """Number of the bit, from the least significant one."""
    of: int = 1
    """Width of the vector that it is a bit of."""


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Edges of the signals that were read, by their whole names."""

    format: str
    unit_fs: Fraction
    """Unit of all times, in femtoseconds."""
    sampled: bool
    """Whether a unit is the time from one sample to the next."""
    start: int
    """Time of the start, in units."""
    end: int
    """Time of the end. In a dump the last edge may be there."""
    edges: Mapping[str, SignalEdges]
    step_fs: int | None = None
    """Time between samples that the file names, if its unit is another."""
    gaps: tuple[tuple[int, int], ...] = ()
    """From and to where nothing was captured: between two windows."""
    exported: ExportedRun = field(default_factory=ExportedRun)
    notes: tuple[str, ...] = ()
    """What a reader of the figures should know, one sentence each."""


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """A file whose signals are known. `read` returns the edges of some of them."""

    path: Path
    format: str
    signals: Mapping[str, Declared]
    """Each signal by its whole name, with scopes and the range of a vector."""
    read: Callable[[Sequence[SignalBit]], Capture]

    def chosen(self, signal: str) -> SignalBit:
        """Return the signal that a name means: the whole name, or the end of only one.

        Where none is written so, a letter of the other case is the same. A bit of a vector is
        `PORTB[2]`, by the number that its range gives it. Raises UsageError that names the signals
        there are, or the bits.
        """
        match = _BIT.fullmatch(signal)
        named, vectors = list[str](), list[str]()
        for same in (str, str.lower):
            named = self._named(signal, same)
            vectors = self._vectors(match[1], same) if match else []
            if named or vectors:
                break
        if len(named) == 1 and self.signals[named[0]].usable:
            return SignalBit(named[0], self.signals[named[0]].handle)
        if match and not named and len(vectors) == 1:
            return self._bit(vectors[0], int(match[2]))
        if len(named) + len(vectors) > 1:
            raise self._wrong(f"{signal!r} is {_listed([*named, *vectors])}; name one of them")
        if named:
            raise self._wrong(self._unusable(named[0]))
        known = _listed(list(self.signals))
        raise self._wrong(f"no signal {signal!r}; it has {known or 'none'}")

    def _named(self, signal: str, same: Callable[[str], str]) -> list[str]:
        # A vector may be named without its range.
        return _ending({name: name for name in self.signals}, signal, same) or self._vectors(
            signal, same
        )

    def _vectors(self, base: str, same: Callable[[str], str]) -> list[str]:
        names = [name for name, declared in self.signals.items() if declared.bits > 1]
        return _ending({name: RANGE.sub("", name) for name in names}, base, same)

    def _range(self, name: str) -> tuple[int, int]:
        """Return the numbers of a vector's first and last bit."""
        match = RANGE.search(name)
        return (int(match[1]), int(match[2])) if match else (self.signals[name].bits - 1, 0)

    def _bit(self, name: str, number: int) -> SignalBit:
        declared = self.signals[name]
        left, right = self._range(name)
        bit = abs(number - right)
        if not min(left, right) <= number <= max(left, right) or bit >= declared.bits:
            raise self._wrong(f"{name} has no bit {number}; must be {left} to {right}")
        return SignalBit(
            f"{RANGE.sub('', name)}[{number}]", declared.handle, bit=bit, of=declared.bits
        )

    def _unusable(self, name: str) -> str:
        declared = self.signals[name]
        if declared.bits > 1:
            left, _ = self._range(name)
            base = RANGE.sub("", name)
            return (
                f"{name} has {counted(declared.bits, 'bit')}; name one of them, such as "
                f"{base}[{left}]"
            )
        return f"{name} is a {declared.kind}, which has no levels; name a signal of one bit"

    def _wrong(self, text: str) -> UsageError:
        return UsageError(f"{self.path}: {text}")


def _ending(texts: Mapping[str, str], wanted: str, same: Callable[[str], str]) -> list[str]:
    """Return the names whose text is what is wanted, or else those whose text ends with it.

    `same` makes equal texts of those that count as the same.
    """
    known, end = {name: same(text) for name, text in texts.items()}, same(wanted)
    ends = tuple(sign + end for sign in _SCOPES)

    def named(known: Mapping[str, str]) -> list[str]:
        whole = [name for name, text in known.items() if text == end]
        return whole or [name for name, text in known.items() if text.endswith(ends)]

    return named(known) or named({n: _TWIN.sub("", t) for n, t in known.items() if "#" in t})


def by_name(declared: Iterable[tuple[str, Declared, Hashable]]) -> dict[str, Declared]:
    """Return signals by name, from (name, signal, what it is in the file).

    Signals of one name are one if they are the same in the file. Else they have numbers: `clk#1`
    and `clk#2`, before the range of a vector.
    """
    named: dict[str, dict[Hashable, Declared]] = {}
    for name, signal, identity in declared:
        named.setdefault(name, {}).setdefault(identity, signal)
    found: dict[str, Declared] = {}
    for name, signals in named.items():
        if len(signals) == 1:
            found[name] = next(iter(signals.values()))
            continue
        match = RANGE.search(name)
        base, extent = (name[: match.start()], match[0]) if match else (name, "")
        for number, signal in enumerate(signals.values(), 1):
            found[f"{base}#{number}{extent}"] = signal
    return found


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def too_many(path: Path) -> UsageError:
    """Return the error of a capture with more edges than MOST_EDGES."""
    return UsageError(f"{path}: more than {MOST_EDGES} edges of these signals; cut the capture")
