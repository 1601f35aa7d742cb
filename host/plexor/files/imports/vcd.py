# SPDX-License-Identifier: Apache-2.0
"""Reads a value change dump (IEEE Std 1364-2005, section 18) of any program.

Programs write more than the standard has: kinds of scopes and variables of their own, sections of
their own, text beyond ASCII, time units of any size, levels of IEEE Std 1164. What nobody asked for
is skipped. docs/decisions.md has the trial against other readers.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS
from plexor.files.imports.capture import (
    MOST_EDGES,
    Capture,
    CaptureFile,
    Declared,
    ReadRules,
    SignalBit,
    by_name,
    too_many,
)
from plexor.files.imports.edges import LEVELS, UNKNOWN, Levels, SignalEdges, Times, edges_of
from plexor.files.imports.exported import exported_run, moment
from plexor.files.imports.units import scale_of, unit_fs_of
from plexor.files.imports.unpacked import unpacked
from plexor.files.imports.windows import edges_in_windows, in_windows

_PIECE = 1 << 20
_MOST_HEADER = 1 << 26
_MOST_DIGITS = 18
_MOST_PARTS = 1000
"""Parts of a unit of time that its decimals tell. Further ones are rounded."""
_HASH = ord("#")
_MARK = b"\xef\xbb\xbf"
"""What some programs write before text in UTF-8."""
_TIMESCALE = re.compile(r"(\d{1,9})\s*([munpf]?s)")
_END = re.compile(rb"\$enddefinitions\s+\$end(?=\s|\Z)")
_CHANGES = re.compile(rb"(?<=\$end)\s+(?=\$dumpvars\s|#\d)")
"""Where changes begin if nothing ends the declarations, as old programs write it."""
_COMMENT = re.compile(r"\$comment\s(.*?)\s\$end(?=\s|\Z)", re.DOTALL)
_RATE = re.compile(
    r"^ *Acquisition with \d+/\d+ channels at (\d{1,9}(?:\.\d{1,9})?) ([kMG]?)Hz$", re.MULTILINE
)
"""The sample rate in the comment that libsigrok writes. Its times are rounded."""
_SHOWN = 40
_NO_LEVELS = ("real", "realtime", "shortreal", "event", "string", "parameter", "real_parameter")
_OF_WINDOW = "_WINDOW"
"""Changes where a window begins."""
_OF_ILA = {"_TRIGGER", _OF_WINDOW}
_MARKS_OF_ILA = {*_OF_ILA, "_GAP"}
"""Signals that the logic analyser in AMD's FPGAs adds. Its $timescale says 1 ps, whatever its clock
(github.com/Xilinx/chipscopy, WaveformWriterVCD)."""
_EXTENDED = (b"$dumpports", b"$dumpportson", b"$dumpportsoff", b"$dumpportsall", b"$vcdclose")
_LEVEL_SIGNS = frozenset("".join(LEVELS).encode())
_VECTOR_SIGNS = frozenset(b"bBrRsS")
_DUMPS = (b"$dumpall", b"$dumpon", b"$dumpoff")
_AGAIN = "write the dump again, or put it right by hand"
_CUT = "cut the file before it to read what is whole"
_FOUR_STATES = (
    "it is an extended VCD, of ports; must be a VCD of four states: write it by $dumpvars, or "
    "convert it by GTKWave's `evcd2vcd`"
)
_INCOMPLETE = "the file ends within a line: it is incomplete, and what is whole is read"


@dataclass(slots=True)
class _Header:
    """What the declarations say."""

    unit_fs: int = 0
    variables: list[tuple[str, Declared]] = field(default_factory=list[tuple[str, Declared]])
    signals: dict[str, Declared] = field(default_factory=dict[str, Declared])
    comments: str = ""
    date: str = ""


def open_vcd(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a dump with the signals that it declares.

    Raises UsageError with the path for what is no such dump. Reading raises it for what is no
    change, and for a time that goes back.
    """
    try:
        with unpacked(path) as file:
            text, _ = _split(path, file)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: cannot read: {error}") from error
    header = _header(path, text, rules)

    def read(chosen: Sequence[SignalBit]) -> Capture:
        return _read(path, rules, header, chosen)

    return CaptureFile(path, "VCD", header.signals, read)


def _read(path: Path, rules: ReadRules, header: _Header, chosen: Sequence[SignalBit]) -> Capture:
    """Return the edges of some signals of a dump."""
    window = _window(header)
    # The window is read as one more signal.
    read = [*chosen, SignalBit("", window)] if window else chosen
    changes, unit_fs = _changes(path, read), Fraction(header.unit_fs)
    if changes.parts > 1:
        # The file has decimals: all times are read again in parts of its unit.
        changes, unit_fs = _changes(path, read, _MOST_PARTS), unit_fs / _MOST_PARTS
    first, times = changes.first, np.frombuffer(changes.times, np.int64)
    # What $dumpvars says was there before: a change at the same time is an edge.
    times[: changes.initial] -= 1
    values = np.frombuffer(changes.values, np.uint32)
    # Changes by signal, in their order: a dump may have many thousands of signals.
    order = np.argsort(values >> 2, kind="stable")
    bounds = np.searchsorted(values[order] >> 2, np.arange(len(read) + 1))

    def values_of(number: int) -> tuple[Times, Levels, int]:
        own = order[bounds[number] : bounds[number + 1]]
        levels = (values[own] & np.uint32(3)).astype(np.uint8)
        return times[own], levels, int(np.searchsorted(own, changes.initial))

    edges: dict[str, SignalEdges] = {}
    starts: list[int] = []
    if window:
        starts = edges_of(*values_of(len(chosen))[:2]).times.tolist()
    for number, signal in enumerate(chosen):
        own, levels, initial = values_of(number)
        # What stands in no $dumpvars may be a change, from a level that nobody knows.
        edges[signal.name] = (
            edges_in_windows(own, levels, starts, rules.unknown)
            if window
            else edges_of(own, levels, rules.unknown, initial)
        )
    rate = _RATE.search(header.comments)
    exported = exported_run(header.comments)
    capture = Capture(
        format="VCD",
        unit_fs=unit_fs,
        sampled=bool(window),
        start=first + int(exported.lead_ticks * (exported.tick_fs or 0) / unit_fs),
        end=max(changes.now, first) + bool(window),
        edges=edges,
        step_fs=_step_fs(rate) if rate else None,
        exported=replace(exported, started=exported.started or moment(header.date)),
        notes=(_INCOMPLETE,) if changes.is_incomplete else (),
    )
    return in_windows(capture, starts)


def _window(header: _Header) -> bytes:
    """Return the code of the signal that tells the windows of an ILA; empty: it is none of it."""
    marks = {name.rpartition(".")[2]: signal.handle for name, signal in header.signals.items()}
    return marks[_OF_WINDOW] if marks.keys() >= _OF_ILA else b""


def _changes(path: Path, chosen: Sequence[SignalBit], parts: int = 1) -> _Changes:
    """Return the changes of some signals, with times in parts of the file's unit."""
    try:
        with unpacked(path) as file:
            _, remainder = _split(path, file)
            changes = _Changes(path, chosen, parts)
            for words, is_cut in _words(file, remainder):
                changes.take(words, is_cut=is_cut)
                if changes.parts > parts:
                    break
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: cannot read: {error}") from error
    return changes


def _split(path: Path, file: BinaryIO) -> tuple[bytes, bytes]:
    """Return the declarations, and what was read of the changes."""
    text = b""
    while len(text) < _MOST_HEADER:
        piece = file.read(_PIECE)
        searched = max(len(text) - _SHOWN, 0)
        text += piece
        end = _END.search(text, searched)
        # The last word of what was read may go on.
        if end is not None and (end.end() < len(text) or not piece):
            return text[: end.end()], text[end.end() :]
        if not piece:
            break
    end = _CHANGES.search(text)
    if end is not None and b"$var" in text[: end.start()]:
        return text[: end.end()], text[end.end() :]
    raise UsageError(
        f"{path}: no $enddefinitions; must be a value change dump (VCD): write it again, with all "
        "its declarations"
    )


def _header(path: Path, text: bytes, rules: ReadRules) -> _Header:
    """Return what the sections between `$word` and `$end` declare."""
    header, scopes = _Header(), list[str]()
    words = iter(_decoded(text).split())
    for word in words:
        if not word.startswith("$"):
            raise UsageError(
                f"{path}: {_shown(word)} in the declarations; must be $ and a word: {_AGAIN}"
            )
        body: list[str] = []
        for part in words:
            if part == "$end":
                break
            body.append(part)
        if word == "$scope":
            scopes.append(" ".join(body[1:]))
        elif word == "$upscope":
            del scopes[-1:]
        elif word == "$timescale":
            header.unit_fs = 0 if rules.unit_s is not None else _unit_fs(path, "".join(body))
        elif word == "$date":
            header.date = " ".join(body)
        elif word == "$var":
            _declare(path, header, scopes, body)
    header.signals = by_name((name, own, own.handle) for name, own in header.variables)
    if _window(header):
        for name, declared in header.signals.items():
            if name.rpartition(".")[2] in _MARKS_OF_ILA:
                header.signals[name] = replace(declared, is_mark=True)
    header.comments = "\n".join(_COMMENT.findall(_decoded(text)))
    if rules.unit_s is not None:
        header.unit_fs = round(rules.unit_s * FEMTOSECONDS)
    elif _window(header):
        raise UsageError(
            f"{path}: its times are numbers of samples of an ILA; say the period of its clock, "
            "such as --timescale 10ns"
        )
    if header.unit_fs < 1:
        raise UsageError(
            f"{path}: no $timescale; say how long a unit of time is, such as --timescale 1ns"
        )
    return header


def _declare(path: Path, header: _Header, scopes: list[str], body: list[str]) -> None:
    """Add a variable: kind, bits, code, and its name, whose range may stand apart."""
    if len(body) < 4 or not body[1].isdecimal():
        raise UsageError(
            f"{path}: $var {_shown(' '.join(body))}; must be a kind, a number of bits, a code and "
            f"a name: {_AGAIN}"
        )
    kind, bits, code = body[0], int(body[1]), body[2]
    if kind == "port":
        raise UsageError(f"{path}: {_FOUR_STATES}")
    name = ".".join([*(scope for scope in scopes if scope), "".join(body[3:])])
    has_levels = kind.lower() not in _NO_LEVELS
    declared = Declared(kind, bits if has_levels else 0, code.encode())
    header.variables.append((name, declared))


def _decoded(text: bytes) -> str:
    """Return declarations as text. The standard has ASCII; programs write UTF-8 or Latin-1."""
    text = text.removeprefix(_MARK)
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _unit_fs(path: Path, text: str) -> int:
    match = _TIMESCALE.fullmatch(text)
    if match is None or not int(match[1]):
        raise UsageError(
            f"{path}: $timescale {_shown(text)}; must be a number of s, ms, us, ns, ps or fs: say "
            "how long a unit of time is, such as --timescale 1ns"
        )
    return int(match[1]) * unit_fs_of(match[2])


def _step_fs(rate: re.Match[str]) -> int | None:
    hertz = Fraction(rate[1]) * scale_of(rate[2])
    return round(FEMTOSECONDS / hertz) or None if hertz else None


def _words(file: BinaryIO, remainder: bytes) -> Iterator[tuple[list[bytes], bool]]:
    """Yield the words of a file, many at a time, and whether the last one ends with the file.

    `remainder` was read before.
    """
    while True:
        piece = file.read(_PIECE)
        text = remainder + piece
        words = text.split()
        open_end = bool(words) and not text[-1:].isspace()
        # The last word may go on in the next piece. A word as long as a piece is none.
        goes_on = bool(piece) and open_end and len(remainder) < _PIECE
        remainder = words.pop() if goes_on else b""
        yield words, open_end and not piece
        if not piece:
            return


class _Changes:
    """Takes the changes of the chosen signals, which have their places as numbers."""

    def __init__(self, path: Path, chosen: Sequence[SignalBit], parts: int) -> None:
        self.path = path
        self.parts = parts
        """Parts of the file's unit of time in one of these times; more where it has decimals."""
        self.times = array("q")
        self.values = array("I")
        """Number of the signal, and its level in bits 0 and 1."""
        self.start: int | None = None
        self.now = 0
        """Time of what comes next."""
        self.is_cut = False
        """Whether the last word is not whole."""
        self.initial = 0
        """Number of values that the first $dumpvars says."""
        self._bits: dict[bytes, list[tuple[int, int, int]]] = {}
        self._changes: dict[bytes, int] = {}
        for number, signal in enumerate(chosen):
            self._bits.setdefault(signal.handle, []).append((number, signal.bit, signal.of))
        for code, bits in self._bits.items():
            # A code of two signals is taken apart, below.
            if len(bits) == 1 and bits[0][2] == 1:
                for character, level in LEVELS.items():
                    self._changes[character.encode() + code] = bits[0][0] << 2 | level
        self._first_word = b""
        """Of a change of two words, such as `r1.5 !`."""
        self._section = b""
        """The word that began what is skipped to $end."""
        self._in_dump = False

    @property
    def is_incomplete(self) -> bool:
        """Return whether the file ends within a word, a change or a section."""
        return self.is_cut or bool(self._first_word or self._section)

    @property
    def first(self) -> int:
        """Time of the start. Values before the first time are at 0."""
        return min(self.start or 0, self.times[0]) if self.times else self.start or 0

    def take(self, words: list[bytes], *, is_cut: bool) -> None:
        """Take the next words; `is_cut`: the file ends with the last one, which may go on.

        Raises UsageError for what is no change.
        """
        tail = words.pop() if is_cut else None
        changes, times, values = self._changes, self.times, self.values
        for word in words:
            if self._first_word or self._section:
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
        if tail is not None:
            self._tail(tail)
        if len(times) > MOST_EDGES:
            raise too_many(self.path)

    def _tail(self, word: bytes) -> None:
        """Take the file's last word if it is whole, or say that the file is cut."""
        if self._first_word and word in self._bits:
            self._goes_on(word)
        elif self._section or word == b"$end":
            return
        elif word in self._changes:
            self.take([word], is_cut=False)
        elif word[0] == _HASH and word[1:].isdigit() and int(word[1:]) * self.parts >= self.now:
            self._time(word)
        elif self._first_word or len(word) == 1 or word[0] in b"#$" or word[0] in _VECTOR_SIGNS:
            self.is_cut = True
        elif word[0] not in _LEVEL_SIGNS:
            raise self._wrong(word, "a change of a value")

    def _time(self, word: bytes) -> None:
        digits, _, decimals = word[1:].partition(b".")
        decimals = decimals.rstrip(b"0")
        if not (digits + decimals).isdigit() or len(digits) > _MOST_DIGITS:
            raise self._wrong(word, "a time of at most 18 digits")
        time = int(digits) * self.parts
        if decimals:
            self.parts = _MOST_PARTS
            time = round(Fraction(f"{int(digits)}.{decimals.decode()}") * _MOST_PARTS)
        if self.start is None:
            self.start = time
            if self.values:
                # What was dumped before any time stood there before this one.
                self._end_dump()
        elif time < self.now:
            raise UsageError(f"{self.path}: time {time} after {self.now}; must not go back: {_CUT}")
        elif time > self.now:
            self._end_dump()
        self.now = time

    def _end_dump(self) -> None:
        """Count what the first $dumpvars exported. It ends with the time, where $end is missing."""
        self.initial = len(self.values) if self._in_dump else self.initial
        self._in_dump = False

    def _other(self, word: bytes) -> None:
        sign = word[0]
        if sign in _VECTOR_SIGNS:
            self._first_word = word
        elif sign in _LEVEL_SIGNS and len(word) > 1:
            self._change(word[:1], word[1:])
        elif sign in _LEVEL_SIGNS:
            # A blank between a level and its code, as some write it.
            self._first_word = b"b" + word
        elif word == b"$dumpvars":
            self._in_dump = not self.initial and self.now == self.first
        elif word == b"$end":
            self._end_dump()
        elif word in _EXTENDED:
            raise UsageError(f"{self.path}: {_shown(word)}: {_FOUR_STATES}")
        elif sign == ord("$") and word not in _DUMPS:
            self._section = word
        elif word not in _DUMPS:
            raise self._wrong(word, "a change of a value")

    def _change(self, value: bytes, code: bytes) -> None:
        """Take a value in binary digits of the signals with a code."""
        for number, bit, of in self._bits.get(code, ()):
            # The leftmost digit fills what is not written; 1 is followed by zeros on its left.
            fill = value[:1] if value[:1] not in (b"1", b"h", b"H") else b"0"
            digits = value[-of:].rjust(of, fill)
            level = LEVELS.get(chr(digits[len(digits) - 1 - bit]), UNKNOWN)
            self.times.append(self.now)
            self.values.append(number << 2 | level)

    def _goes_on(self, word: bytes) -> None:
        if self._section:
            self._section = b"" if word == b"$end" else self._section
            return
        first, self._first_word = self._first_word, b""
        if word in self._bits:
            if first[:1] not in b"bB":
                raise self._wrong(first, "bits")
            # Some write the base of Python before the bits.
            value = first[1:].removeprefix(b"0b") or b"x"
            most = self._bits[word][0][2]
            if len(value.lstrip(b"0")) > most:
                raise self._wrong(first, f"at most {counted(most, 'bit')}")
            self._change(value, word)

    def _wrong(self, word: bytes, right: str) -> UsageError:
        return UsageError(
            f"{self.path}: {_shown(word)} at time {self.now}; must be {right}: {_CUT}"
        )


def _shown(text: str | bytes) -> str:
    plain = text if isinstance(text, str) else ascii(text)[2:-1]
    return plain if len(plain) <= _SHOWN * 2 else f"{plain[: _SHOWN * 2]}..."
