# SPDX-License-Identifier: Apache-2.0
"""The columns of a table as signals: levels, volts, and words of several bits.

A word has a number for its bits, as `0x1f`, `1fh`, or in the base that a row of bases tells; or it
has a character for each. Its bits are named by the range in the name of the column: `bus[3:0]` is a
vector, and `D7-D0` are eight signals. In a number the least significant bit is that of the lowest
number; characters stand in the order of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from plexor.files.imports.capture import Declared, ReadRules, SignalBit
from plexor.files.imports.csv_table import MISSING, NUMBER, WORDS, ColumnHead, CsvTable, radix_of
from plexor.files.imports.edges import LEVELS, UNKNOWN, Levels
from plexor.files.imports.units import scale_of

_VECTOR = re.compile(r"(.*\S)\s*\[(\d{1,4})(?::|\.\.)(\d{1,4})\]")
_GROUP = re.compile(r"([A-Za-z_ ]*)(\d{1,3})\s*-\s*\1(\d{1,3})")
"""Channels of a logic analyser in one column, such as D7-D0."""
_MARKED = re.compile(r"0x([0-9a-fxzu]{1,4096})|([0-9a-fxzu]{1,4096}) ?h", re.IGNORECASE)
_DIGITS = re.compile(r"[+-]?[0-9a-fA-F]{1,4096}")
_DARK = frozenset("xXzZuU")
"""Digits that are not known."""
_BITS = {2: 1, 8: 3, 16: 4}
"""Bits of a digit, by the base."""
_UNIT = re.compile(r"(?:^|[\s(\[_:])([munpkMµμ]?)(V(?:olts?)?|A|W)\W*$")


class _Reader(Protocol):
    """Reads the texts of a column as the levels of a signal."""

    def levels(
        self, texts: Sequence[str], signal: SignalBit, rules: ReadRules
    ) -> tuple[Levels, str]:
        """Return the level in each row, and what a reader of the figures should know of it."""
        ...


@dataclass(frozen=True, slots=True)
class _Plain:
    """A level in each row, as a character or a word."""

    def levels(
        self, texts: Sequence[str], signal: SignalBit, rules: ReadRules
    ) -> tuple[Levels, str]:
        return np.array([LEVELS[_level(text)] for text in texts], np.uint8), ""


@dataclass(frozen=True, slots=True)
class _Word:
    """A number in each row, or a character for each bit."""

    width: int
    base: int | None
    """None: a character for each bit."""
    bit: int = 0
    """The bit of the word that a signal of one bit is, from the right."""

    def levels(
        self, texts: Sequence[str], signal: SignalBit, rules: ReadRules
    ) -> tuple[Levels, str]:
        bit = signal.bit if signal.of > 1 else self.bit
        if self.base is None:
            found = [LEVELS[text[self.width - 1 - bit]] for text in texts]
        else:
            found = [self._bit(text, bit) for text in texts]
        return np.array(found, np.uint8), ""

    def _bit(self, text: str, bit: int) -> int:
        """Return the level of a bit of a number, which is not known where a digit is not."""
        digits, base = self._digits(text)
        width = _BITS.get(base)
        if width and digits[::-1][bit // width :][:1] in _DARK:
            return UNKNOWN
        return self.number(text) >> bit & 1

    def _digits(self, text: str) -> tuple[str, int]:
        """Return a number without a mark of its base, and its base."""
        marked = _MARKED.fullmatch(text)
        return (marked[1] or marked[2], 16) if marked else (text, self.base or 10)

    def number(self, text: str) -> int:
        """Return a word of the table. Raises ValueError for what is none.

        A digit that is not known counts as 0, if a digit has bits.
        """
        digits, base = self._digits(text)
        if base in _BITS and not _DARK.isdisjoint(digits):
            digits = "".join("0" if sign in _DARK else sign for sign in digits)
        if _DIGITS.fullmatch(digits):
            return int(digits, base)
        value = float(digits)
        if not value.is_integer():
            raise ValueError(text)
        return int(value)

    def fits(self, texts: set[str]) -> bool:
        """Return whether all texts are such words."""
        if self.base is None:
            return all(len(text) == self.width and set(text) <= set(LEVELS) for text in texts)
        try:
            return all(-1 << self.width < self.number(text) < 1 << self.width for text in texts)
        except (ValueError, OverflowError):
            return False


@dataclass(frozen=True, slots=True)
class _Volts:
    """A voltage in each row, or what is measured in another unit."""

    scale: float
    """What a number is multiplied by."""
    unit: str

    def levels(
        self, texts: Sequence[str], signal: SignalBit, rules: ReadRules
    ) -> tuple[Levels, str]:
        volts = np.array(texts, np.float64) * self.scale
        least, most = float(volts.min()), float(volts.max())
        high = least + 0.6 * (most - least) if rules.high_v is None else rules.high_v
        low = min(least + 0.4 * (most - least), high) if rules.low_v is None else rules.low_v
        if most == least:
            note = f"{signal.name}: stands at {least:g} {self.unit}"
            return np.zeros(len(volts), np.uint8), note
        # A level lasts from the voltage that makes it to the voltage that makes the other.
        made = np.where(volts >= high, 1, np.where(volts < low, 0, -1))
        last = np.maximum.accumulate(np.where(made < 0, -1, np.arange(len(volts))))
        first = int(made[made >= 0][0]) if (made >= 0).any() else 0
        levels = np.where(last < 0, first, made[last]).astype(np.uint8)
        return levels, (
            f"{signal.name}: from {least:g} to {most:g} {self.unit}; high from {high:.4g} "
            f"{self.unit} on, low below {low:.4g} {self.unit}"
        )


@dataclass(frozen=True, slots=True)
class _Column:
    """Where a signal stands, and what reads it."""

    number: int
    reader: _Reader


def columns_of(table: CsvTable, skipped: frozenset[int]) -> dict[str, Declared]:
    """Return the signals of a table by their names; `skipped` columns have none."""
    signals: dict[str, Declared] = {}
    for number, heading in enumerate(table.headings):
        texts = {text for text in table.column(number) if text.lower() not in MISSING}
        if number in skipped or not texts:
            continue
        for name, kind, bits, reader in _signals(heading, texts):
            if not name and bits != 1:
                continue
            label = name or f"column{number + 1}"
            while label in signals:
                label = f"{name}#{number + 1}"
            column = None if reader is None else _Column(number, reader)
            signals[label] = Declared(kind, bits, column, table.is_mark(heading))
    return signals


def levels_of(table: CsvTable, signal: SignalBit, rules: ReadRules) -> tuple[Levels, str]:
    """Return the levels of a signal in each row, and how volts were read as levels.

    Where a row has nothing in the column, the level is not known.
    """
    column: _Column = signal.handle
    texts = table.column(column.number)
    known = [text for text in texts if text.lower() not in MISSING]
    found, note = column.reader.levels(known, signal, rules)
    if len(known) == len(texts):
        return found, note
    levels = np.full(len(texts), UNKNOWN, np.uint8)
    levels[[text.lower() not in MISSING for text in texts]] = found
    return levels, note


def _level(text: str) -> str:
    return WORDS.get(text.lower(), text)


def _signals(
    heading: ColumnHead, texts: set[str]
) -> Iterator[tuple[str, str, int, _Reader | None]]:
    """Yield the signals of a column: name, kind, bits, and what reads it."""
    vector = _VECTOR.fullmatch(heading.name)
    group = _GROUP.fullmatch(heading.name)
    ranged = vector or group
    word = _word(heading, texts, int(ranged[2]), int(ranged[3])) if ranged else None
    marked = [_MARKED.fullmatch(text) for text in texts]
    if word and vector:
        yield f"{vector[1]}[{vector[2]}:{vector[3]}]", "word", word.width, word
    elif word and group:
        first, last = int(group[2]), int(group[3])
        for place in range(word.width):
            number = first + place if first < last else first - place
            bit = number - min(first, last) if word.base else word.width - 1 - place
            yield f"{group[1]}{number}", "levels", 1, replace(word, bit=bit)
    elif {_level(text) for text in texts} <= set(LEVELS):
        yield heading.name, "levels", 1, _Plain()
    elif all(NUMBER.fullmatch(text) for text in texts):
        yield heading.name, "volts", 1, _volts(heading)
    elif all(marked):
        width = max(4 * len(found[1] or found[2]) for found in marked if found)
        yield heading.name, "word", width, _Word(width, 16)
    else:
        yield heading.name, "column of text", 0, None


def _word(heading: ColumnHead, texts: set[str], first: int, last: int) -> _Word | None:
    """Return how a column has words with bits from `first` to `last`; None if it has none."""
    width = abs(first - last) + 1
    base = radix_of(heading)
    forms = [_Word(width, base)] if base else [_Word(width, None), _Word(width, 10)]
    return next((word for word in forms if word.fits(texts)), None)


def _volts(heading: ColumnHead) -> _Volts:
    found = _UNIT.search(heading.unit) or _UNIT.search(heading.name)
    if found is None:
        return _Volts(1.0, "V")
    if found[2].startswith("V"):
        return _Volts(float(scale_of(found[1])), "V")
    return _Volts(1.0, found[1] + found[2])
