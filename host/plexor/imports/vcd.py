# SPDX-License-Identifier: Apache-2.0
"""Reads a value change dump (IEEE Std 1364-2005, section 18) of any program.

pyvcd reads the declarations. Changes are words between white space; the reader here takes a
twentieth of pyvcd's time.
"""

from __future__ import annotations

import io
import re
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from plexor.errors import UsageError
from plexor.imports.capture import MOST_EDGES, Capture, SignalEdges, edges_of, signal_in, too_many
from plexor.imports.exported import exported_run, moment
from plexor.units import FEMTOSECONDS

_PIECE = 1 << 20
_MOST_HEADER = 1 << 26
_MOST_DIGITS = 18
_HASH = ord("#")
_MARK = b"\xef\xbb\xbf"
"""The byte order mark that some programs write before UTF-8 text."""
_BEYOND = re.compile(r"_plexor_([0-9a-f]+)_")
"""The ASCII word that replaces a non-ASCII character in declarations."""
_COMMANDS = (b"$dumpall", b"$dumpon", b"$dumpoff")
_UNITS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_END = re.compile(rb"\$enddefinitions\s+\$end(?=\s|\Z)")
_NO_LEVEL = ("real", "realtime", "event", "string", "parameter")
_RATE = re.compile(
    r"^ *Acquisition with \d+/\d+ channels at (\d{1,9}(?:\.\d{1,9})?) ([kMG]?)Hz$", re.MULTILINE
)
"""The sample rate in the comment that libsigrok writes. Its times are rounded."""
_HERTZ = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class _Variable:
    """A declared variable, by its code in the changes."""

    code: bytes
    kind: str
    bits: int


@dataclass(slots=True)
class _Header:
    """What the declarations say."""

    unit_fs: int
    variables: dict[str, _Variable]
    comments: str
    date: str


def read_vcd(path: Path, wanted: Sequence[str]) -> Capture:
    """Return the edges of the named signals.

    Raises UsageError with the path for a file that is no dump, a signal that is unknown or has no
    level, and values other than 0 and 1 after its first one.
    """
    try:
        with path.open("rb") as file:
            text, remainder = _split(path, file)
            header = _header(path, text)
            names = {name: signal_in(path, header.variables, name) for name in wanted}
            codes = {name: _code(path, name, header.variables[names[name]]) for name in wanted}
            numbers = {code: number for number, code in enumerate(dict.fromkeys(codes.values()))}
            changes = _Changes(path, numbers)
            for words in _words(file, remainder):
                changes.take(words)
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror or error}") from error
    first, times = changes.first, np.frombuffer(changes.times, np.int64)
    # $dumpvars gives the levels before: a change at the same time is an edge.
    times[: changes.initial] -= 1
    values = np.frombuffer(changes.values, np.uint8)
    edges: dict[str, SignalEdges] = {}
    for name, code in codes.items():
        own = (values >> 1) == numbers[code]
        edges[name] = edges_of(times[own], values[own] & np.uint8(1))
        # A first value outside $dumpvars may be a change from an unknown level.
        position = int(own.argmax()) if own.any() else 0
        if position >= changes.initial and own.any():
            first_value = (int(times[position]), int(values[position]) & 1)
            edges[name] = replace(edges[name], first_value=first_value)
    rate = _RATE.search(header.comments)
    exported = exported_run(header.comments)
    return Capture(
        format="VCD",
        unit_fs=Fraction(header.unit_fs),
        sampled=False,
        start=first + exported.lead_ticks * (exported.tick_fs or 0) // header.unit_fs,
        end=max(changes.now, first),
        edges=edges,
        names=names,
        step_fs=_step_fs(rate) if rate else None,
        exported=replace(exported, started=exported.started or moment(header.date)),
    )


def _split(path: Path, file: BinaryIO) -> tuple[bytes, bytes]:
    """Return the declarations, and the bytes of the changes that were read with them."""
    text = b""
    while len(text) < _MOST_HEADER:
        piece = file.read(_PIECE)
        start = max(len(text) - _SHOWN, 0)
        text += piece
        end_mark = _END.search(text, start)
        # The last word of what was read may go on.
        if end_mark is not None and (end_mark.end() < len(text) or not piece):
            return text[: end_mark.end()], text[end_mark.end() :]
        if not piece:
            break
    raise UsageError(f"{path}: no $enddefinitions; must be a whole value change dump")


def _header(path: Path, text: bytes) -> _Header:
    try:
        reader: Any = import_module("vcd.reader")
    except ImportError as error:
        raise UsageError(
            f"{path}: needs pyvcd, which is not installed; it is in Plexor's extra `export`"
        ) from error
    kinds, scopes = reader.TokenKind, list[str]()
    header = _Header(0, {}, "", "")
    try:
        for token in reader.tokenize(io.BytesIO(_in_ascii(text))):
            data: Any = token.data
            if token.kind is kinds.SCOPE:
                scopes.append(_restored(data.ident))
            elif token.kind is kinds.UPSCOPE:
                del scopes[-1:]
            elif token.kind is kinds.TIMESCALE:
                header.unit_fs = _unit_fs(path, data)
            elif token.kind is kinds.COMMENT:
                header.comments += f"{_restored(data)}\n"
            elif token.kind is kinds.DATE:
                header.date = data.strip()
            elif token.kind is kinds.VAR:
                name = ".".join((*scopes, _restored(data.ref_str)))
                code = data.id_code.encode()
                header.variables.setdefault(name, _Variable(code, data.type_.value, data.size))
    except (reader.VCDParseError, ValueError) as error:
        raise UsageError(f"{path}: its declarations: {_shown(_restored(str(error)))}") from error
    if not header.unit_fs:
        raise UsageError(f"{path}: no $timescale; must say how long a unit of time is")
    return header


def _in_ascii(text: bytes) -> bytes:
    """Return declarations with a word in place of each character beyond ASCII.

    The standard has none, but programs write names, dates and comments in UTF-8 or Latin-1.
    """
    text = text.removeprefix(_MARK)
    if text.isascii():
        return text
    try:
        plain = text.decode()
    except UnicodeDecodeError:
        plain = text.decode("latin-1")
    return re.sub(r"[^\x00-\x7f]", lambda match: f"_plexor_{ord(match[0]):x}_", plain).encode()


def _restored(text: str) -> str:
    """Return text with the characters that `_in_ascii` has replaced."""
    return _BEYOND.sub(lambda match: chr(min(int(match[1], 16), sys.maxunicode)), text)


def _unit_fs(path: Path, timescale: Any) -> int:
    """Return a timescale in femtoseconds. Its magnitude is an Enum in pyvcd 0.4, a number since."""
    magnitude, unit = timescale.magnitude, timescale.unit.value
    if unit not in _UNITS:
        raise UsageError(f"{path}: a $timescale in {unit}; must be in fs or longer")
    return int(getattr(magnitude, "value", magnitude)) * _UNITS[unit]


def _code(path: Path, name: str, variable: _Variable) -> bytes:
    if variable.bits != 1 or variable.kind in _NO_LEVEL:
        bits = f"{variable.bits} bits" if variable.bits != 1 else "one bit"
        raise UsageError(
            f"{path}: {name} is a {variable.kind} of {bits}; must be a wire of one bit"
        )
    return variable.code


def _step_fs(rate: re.Match[str]) -> int | None:
    hertz = Fraction(rate[1]) * _HERTZ[rate[2]]
    return round(FEMTOSECONDS / hertz) or None if hertz else None


def _words(file: BinaryIO, remainder: bytes) -> Iterator[list[bytes]]:
    """Yield the words of a file, many at a time, after `remainder`, which was read before."""
    while True:
        piece = file.read(_PIECE)
        text = remainder + piece
        words = text.split()
        # The last word may be cut. A word as long as a piece is no change.
        is_cut = bool(piece) and bool(words) and not text[-1:].isspace() and len(remainder) < _PIECE
        remainder = words.pop() if is_cut else b""
        yield words
        if not piece:
            return


class _Changes:
    """Takes the changes of the signals in `numbers`, which gives each code a number."""

    def __init__(self, path: Path, numbers: Mapping[bytes, int]) -> None:
        self.path, self.numbers = path, numbers
        self.times = array("q")
        self.values = bytearray()
        """Number of the signal, and its level in bit 0."""
        self.start: int | None = None
        self.now = 0
        """Time of the next changes."""
        self._changes = {
            b"%d%s" % (level, code): number << 1 | level
            for code, number in numbers.items()
            for level in (0, 1)
        }
        self._first_word = b""
        """Of a change of two words, such as `r1.5 !`."""
        self._in_comment = False
        self._in_dump = False
        self.initial = 0
        """Number of values in the first $dumpvars."""
        self._seen, self._scanned = set[int](), 0

    @property
    def first(self) -> int:
        """Time of the start. Values before the first time are at 0."""
        return min(self.start or 0, self.times[0]) if self.times else self.start or 0

    def take(self, words: list[bytes]) -> None:
        """Take the next words. Raises UsageError for a word that is no change."""
        changes, times, values = self._changes, self.times, self.values
        for word in words:
            if self._first_word or self._in_comment:
                self._goes_on(word)
                continue
            value = changes.get(word)
            if value is not None:
                times.append(self.now)
                values.append(value)
            elif word[0] == _HASH:
                self._time(word)
            else:
                self._other(word)
        if len(times) > MOST_EDGES:
            raise too_many(self.path)

    def _time(self, word: bytes) -> None:
        digits = word[1:]
        if not digits.isdigit() or len(digits) > _MOST_DIGITS:
            raise self._wrong(word, "a time of at most 18 digits")
        time = int(digits)
        if self.start is None:
            self.start = time
        elif time < self.now:
            raise UsageError(f"{self.path}: time {time} after {self.now}; must not go back")
        elif time > self.now:
            self._end_dump()
        self.now = time

    def _end_dump(self) -> None:
        """Count the values of the first $dumpvars. Without $end it ends at the next time."""
        self.initial = len(self.values) if self._in_dump else self.initial
        self._in_dump = False

    def _other(self, word: bytes) -> None:
        sign, code = word[:1].lower(), word[1:]
        if sign in (b"x", b"z"):
            self._unknown(code)
        elif sign in (b"b", b"r", b"s"):
            self._first_word = word
        elif word == b"$comment":
            self._in_comment = True
        elif word == b"$dumpvars":
            self._in_dump = not self.initial and self.now == self.first
        elif word == b"$end":
            self._end_dump()
        elif sign not in (b"0", b"1") and word not in _COMMANDS:
            raise self._wrong(word, "a change of a value")

    def _unknown(self, code: bytes) -> None:
        """Accept a level that is not known only before the signal's first one."""
        number = self.numbers.get(code)
        if number is None:
            return
        self._seen |= {value >> 1 for value in set(self.values[self._scanned :])}
        self._scanned = len(self.values)
        if number in self._seen:
            raise UsageError(
                f"{self.path}: a signal is neither 0 nor 1 at time {self.now}; leave it out, or "
                "cut the capture there"
            )

    def _goes_on(self, word: bytes) -> None:
        if self._in_comment:
            self._in_comment = word != b"$end"
            return
        first, self._first_word = self._first_word, b""
        if word not in self.numbers:
            return
        # A wire of one bit may be written as a vector.
        level = first[1:].lstrip(b"0") or b"0"
        if first[:1].lower() != b"b" or len(level) > 1:
            raise self._wrong(first, "one bit")
        self.take([level + word])

    def _wrong(self, word: bytes, right: str) -> UsageError:
        return UsageError(f"{self.path}: {_shown(word)} at time {self.now}; must be {right}")


def _shown(text: str | bytes) -> str:
    plain = text if isinstance(text, str) else ascii(text)[2:-1]
    return plain if len(plain) <= _SHOWN * 2 else f"{plain[: _SHOWN * 2]}..."
