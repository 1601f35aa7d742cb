# SPDX-License-Identifier: Apache-2.0
"""The rows of a table of text, and what its vendor writes above them: names, units, a rate.

Vendors write other lines before their tables. What all have in common is found: rows of numbers,
and above them rows of names and of units.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS
from plexor.files.imports.edges import LEVELS
from plexor.files.imports.units import SHORT, WORD, scale_of, unit_fs_of
from plexor.files.imports.unpacked import unpacked

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?")
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d{1,3})?")
"""A number with a comma before its decimals."""
WORDS = {"false": "0", "true": "1", "low": "0", "high": "1", "off": "0", "on": "1"}
"""Levels that programs write as words, in letters of any case."""
MISSING = ("", "nan", "n/a", "null", "none")
"""What programs write where a row has no value, in letters of any case."""
_MOST_BYTES = 1 << 31
_DELIMITERS = ",;\t"
_BLANKS = " "
"""Stands for any number of blanks between columns."""
_COMMENTS = (";", "#")
_HEAD = 400
"""Lines in which the table must begin."""
_TAIL = 50
"""Rows that tell which columns are numbers."""
_RADIX = re.compile(r"(?:radix - )?(hex|unsigned|signed|decimal|binary|octal)", re.IGNORECASE)
RADICES = {"hex": 16, "unsigned": 10, "signed": 10, "decimal": 10, "binary": 2, "octal": 8}
TIME = re.compile(
    rf"\W*(?:time(?:s|stamps?)?(?:$|[^a-z_]|_{SHORT}\b)|(?:zeit|temps|tiempo|x-axis|{WORD})"
    rf"(?![a-z])|in {SHORT}\b)",
    re.IGNORECASE,
)
"""How the name of a column of times begins."""
_UNIT = re.compile(
    rf"\W*(?:volts?|value|amperes?|{WORD}|{SHORT}|[munpfkµμ]?[VA])\W*", re.IGNORECASE
)
"""What a row of units has in a column."""
_CHANNELS = re.compile(r"^; Channels \(\d+/\d+\): (.+)$", re.MULTILINE)
"""Names in the comment that libsigrok writes above columns that it calls `logic`."""
_FRAMES = {"type", "start_time", "duration"}
"""Columns of the frames that an analyzer of Saleae's decoded."""
WINDOW = "sample in window"
"""A column of the logic analyser in AMD's FPGAs, in small letters (github.com/Xilinx/chipscopy,
WaveformWriterCSV)."""
_GAP = "GAP"
_MARKS = ("TRIGGER", _GAP)
"""Further ones, which are no signals of the design."""
_INTERVAL = re.compile(
    rf"(?:(?:sampl(?:e|ing)|time)[ _](?:interval|period)|XInc|\btInc)(?:\(({SHORT})\))?\W*"
    rf"(?:Analog:)?\s*(\d[\d.]*(?:e[+-]?\d+)?)\s*({SHORT})?\b",
    re.IGNORECASE,
)
_RATE = re.compile(r"sample\s*rate\W{1,6}(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([kMG]?)", re.IGNORECASE)
_START = re.compile(r"(?:\bt0|XOrg|HOffset)\W{1,6}?([+-]?\d[\d.]*(?:e[+-]?\d+)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """What stands above a column."""

    name: str
    unit: str = ""
    """What a row of units has, such as `Volt`."""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The rows of a file, and what stands above them."""

    headings: tuple[ColumnHead, ...]
    rows: list[list[str]]
    above: str
    """All lines above the table."""
    first_line: int
    interval_s: Fraction | None
    """Time between samples that the file tells."""
    start_s: Fraction = Fraction(0)
    """Time of the first row that it tells."""

    def is_mark(self, heading: ColumnHead) -> bool:
        """Return whether a column is of the analyser, and no signal of the device."""
        is_ila = any(other.name.lower() == WINDOW for other in self.headings)
        return is_ila and heading.name in _MARKS

    def column(self, number: int) -> list[str]:
        """Return the texts of a column."""
        return [row[number] for row in self.rows]


def table_of(path: Path) -> CsvTable:
    """Return the table of a file. Raises UsageError with the path for a file without one."""
    lines = _lines(path)
    text = [line for line in lines if line.strip()]
    # A short file has more rows than lines above them.
    tail = [line for line in text[-max(min(_TAIL, len(text) // 2), 1) :] if not _is_comment(line)]

    def least(sign: str) -> int:
        return min((line.count(sign) for line in tail[:-1] or tail), default=0)

    delimiter = max(_DELIMITERS, key=least)
    delimiter = delimiter if least(delimiter) else _BLANKS
    last = [_fields(line, delimiter) for line in tail]
    width = max((len(row) for row in last), default=0)
    last = [row for row in last if len(row) == width]
    known = [[row[n] for row in last if row[n].lower() not in MISSING] for n in range(width)]
    numeric = [n for n in range(width) if known[n] and all(map(_is_value, known[n]))]
    if not numeric:
        raise UsageError(f"{path}: no rows of numbers; must be a table of times and levels")
    above: list[list[str]] = []
    for number, line in enumerate(lines[:_HEAD]):
        row = [] if _is_comment(line) else _fields(line, delimiter)
        # A word with a colon names what is beside it.
        is_row = len(row) == width and not row[0].endswith(":")
        if is_row and all(_is_value(row[n]) for n in numeric):
            first = number - _with_notes(above, width, numeric)
            above = above[:first] + _commented_names(lines[:first], width, delimiter)
            rows = _rows(path, lines, first, width, delimiter)
            return _headed(path, above, width, rows, "\n".join(lines[:first]), delimiter)
        above.append(row)
    raise UsageError(f"{path}: no table in the first {_HEAD} lines; must be rows of numbers")


def _with_notes(above: list[list[str]], width: int, numeric: Sequence[int]) -> int:
    """Return how many rows right above a table belong to it: a column of theirs has notes.

    Notes may be numbers from some row on. The times of such a row, or else its first number, are
    numbers all the same, and one more column.
    """
    count = 0
    for row in reversed(above):
        if len(row) != width or sum(_is_value(row[n]) for n in numeric) < 2:
            break
        count += 1
    names = above[-count - 1] if len(above) > count else []
    timed = [n for n in numeric if n < len(names) and TIME.match(names[n])]
    key = (timed or numeric)[0]
    while count and not all(_is_value(row[key]) for row in above[-count:]):
        count -= 1
    return count


def _lines(path: Path) -> list[str]:
    try:
        with unpacked(path) as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: cannot read: {error}") from error
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{path}: more than {_MOST_BYTES} bytes; cut the capture")
    for coding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "latin-1"):
        try:
            return data.decode(coding).splitlines()
        except UnicodeDecodeError:
            continue
    return []


def _is_comment(line: str) -> bool:
    return line.startswith(_COMMENTS)


def _commented_names(above: list[str], width: int, delimiter: str) -> list[list[str]]:
    """Return the names of all columns that the comment right above the table has, if it is such."""
    line = above[-1] if above else ""
    names = _fields(line.lstrip("".join((*_COMMENTS, " "))), delimiter)
    is_list = _is_comment(line) and ":" not in line and len(names) == width > 1
    return [names] if is_list and not any(map(_is_value, names)) else []


def _rows(path: Path, lines: list[str], first: int, width: int, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for number in range(first, len(lines)):
        if not lines[number].strip():
            continue
        row = _fields(lines[number], delimiter)
        if len(row) != width:
            # The end of a file may be missing.
            if number == len(lines) - 1 and len(rows) > 1:
                break
            raise UsageError(
                f"{path}: line {number + 1} has {len(row)} columns; must have {width} as the others"
            )
        rows.append(row)
    return rows


def _fields(line: str, delimiter: str) -> list[str]:
    if delimiter == _BLANKS:
        fields = line.split()
    elif '"' in line:
        fields = [
            field.strip() for field in next(csv.reader(io.StringIO(line), delimiter=delimiter))
        ]
    else:
        fields = [field.strip() for field in line.split(delimiter)]
    if delimiter != ",":
        fields = [
            field.replace(",", ".") if "," in field and _COMMA.fullmatch(field) else field
            for field in fields
        ]
    return fields


def _is_value(text: str) -> bool:
    return bool(
        NUMBER.fullmatch(text) or STAMP.fullmatch(text) or text in LEVELS or text.lower() in WORDS
    )


def _has_split_numbers(names: Sequence[str], rows: list[list[str]]) -> bool:
    """Return whether numbers with a comma before their decimals lie in two columns each."""
    width = len(rows[0])
    filled = [n for n in range(width) if any(row[n] for row in rows)]
    more = [n for n in filled if n >= len(names)]
    decimals = {row[1] for row in rows if width > 1}
    same_length = len({len(text) for text in decimals}) == 1 and max(map(len, decimals)) > 1
    return bool(
        any(names)
        and more
        and same_length
        and all(map(str.isdigit, decimals))
        and all(re.fullmatch(r"[+-]?\d+", row[0]) for row in rows)
    )


def _headed(
    path: Path,
    above: list[list[str]],
    width: int,
    rows: list[list[str]],
    text: str,
    delimiter: str,
) -> CsvTable:
    """Return a table with what stands above it: names, and units below them or not."""
    heads = [row for row in above[-6:] if any(row) and (len(row) > 1 or width == 1)][-2:]
    names, units = heads[-1] if heads else [], list[str]()
    if len(heads) == 2 and (_has_units(names) or "Increment" in heads[0]):
        names, units = heads
    if {name.lower() for name in names} >= _FRAMES:
        raise UsageError(
            f"{path}: its rows are frames that an analyzer decoded; export raw data as CSV"
        )
    interval_s, start_s = _interval_s(text), _number(_START.search(text))
    if "Increment" in names and len(units) >= len(names) - 1:
        interval_s = Fraction(units[names.index("Increment")])
        start_s = Fraction(units[names.index("Start")]) if "Start" in names else start_s
        units = [field for field in units if not NUMBER.fullmatch(field)]
    if _GAP in names and len(units) == len(names) - 1:
        # The row of bases of AMD's logic analyser has none for it.
        units.insert(names.index(_GAP), "")
    if _are_units(names):
        # Vendors that write units alone name the columns further up.
        units = names
        names = next((row for row in above if row and row[0].lower() == "source"), names)
    # Yokogawa's names stand further up, too.
    names = next((row for row in above if row and row[0] == "TraceName:"), names)
    listed = _CHANNELS.search(text)
    logic = [name.strip() for name in listed[1].split(",")] if listed else []
    # libsigrok 0.4 writes no row of names.
    if logic and (set(names[-1:]) == {"logic"} or (not any(names) and len(logic) == width)):
        names = [*names[: len(names) - len(logic)], *logic]
    beside = next((row[1] for row in rows[:_HEAD] if len(row) > 1 and row[0] == "Source"), "")
    if beside and not any(names):
        # Tektronix writes what stands above other tables into the first columns of the rows.
        names = [beside if number > 2 else "" for number in range(width)]

    def filled(row: Sequence[str]) -> list[str]:
        return [*row, *[""] * width][:width]

    if delimiter == "," and _has_split_numbers(names, rows):
        raise UsageError(
            f"{path}: its rows have {width} columns under {counted(len(names), 'name')}: a comma "
            "before decimals is one between columns too; export with a point, or with semicolons"
        )
    # A colon at the end is a sign, and belongs to no name.
    names = [name.rstrip(": ") for name in filled(names)]
    headings = tuple(map(ColumnHead, names, filled(units)))
    first_line = text.count("\n") + 2 if text else 1
    return CsvTable(headings, rows, text, first_line, interval_s, start_s or Fraction(0))


def _has_units(row: Sequence[str]) -> bool:
    """Return whether a row has units, or bases of numbers, in half of its columns or more."""
    texts = [field for field in row if field and not NUMBER.fullmatch(field)]
    units = [field for field in texts if _UNIT.fullmatch(field) or _RADIX.fullmatch(field)]
    # A letter alone may be the name of a signal.
    sure = [field for field in units if len(field) > 1]
    return bool(units) and (len(units) == len(texts) or len(sure) * 2 >= len(texts))


def _are_units(row: Sequence[str]) -> bool:
    return any(row) and all(not field or _UNIT.fullmatch(field) for field in row)


def radix_of(heading: ColumnHead) -> int | None:
    """Return the base of the numbers in a column, if a row of bases tells it."""
    found = _RADIX.fullmatch(heading.unit)
    return RADICES[found[1].lower()] if found else None


def _number(found: re.Match[str] | None) -> Fraction | None:
    return None if found is None else Fraction(found[1])


def _interval_s(text: str) -> Fraction | None:
    """Return the time between samples that lines above a table tell, if they tell one alone."""
    told = {
        Fraction(value) * unit_fs_of(before or behind or "s") / FEMTOSECONDS
        for before, value, behind in _INTERVAL.findall(text)
    }
    rate = _RATE.search(text)
    if not told and rate and Fraction(rate[1]):
        return 1 / (Fraction(rate[1]) * scale_of(rate[2]))
    return next(iter(told)) or None if len(told) == 1 else None
