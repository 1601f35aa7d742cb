# SPDX-License-Identifier: Apache-2.0
"""Reads tables of logic analysers and oscilloscopes: CSV with levels or volts.

Each vendor writes other lines before its table, and other names of columns. What all have in common
is read: rows of numbers behind text, the names and units above them, a column of times or a sample
rate. Known to be read: Saleae Logic 1 and 2, DSView, PulseView and sigrok-cli, Rigol, Siglent,
Keysight, Tektronix. Times are exact decimals.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS
from plexor.files.imports.capture import Capture, CaptureFile, Declared, ReadRules, SignalBit
from plexor.files.imports.edges import LEVELS, Levels, SignalEdges, Times, edges_of
from plexor.files.imports.unpacked import unpacked

_MOST_BYTES = 1 << 31
_DELIMITERS = ",;\t"
_COMMENTS = (";", "#")
_HEAD = 400
"""Lines in which the table must begin."""
_TAIL = 50
"""Rows that tell which columns are numbers."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?")
_RATE = re.compile(r"sample\s*rate\W{1,3}(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([kMG]?)", re.IGNORECASE)
_INCREMENT = re.compile(r"\btInc\s*=\s*([-+.\deE]+)")
_TIME = re.compile(r"\s*(?:times?|zeit|temps|x-axis|seconds?)\b", re.IGNORECASE)
_CHANNELS = re.compile(r"^; Channels \(\d+/\d+\): (.+)$", re.MULTILINE)
"""Names in the comment that libsigrok writes above columns that it calls `logic`."""
_COUNTER = re.compile(r"\s*(?:sequence|samples?|nr|no|index|point|#)\W*$", re.IGNORECASE)
_UNIT = re.compile(r"[(\[]\s*(s|ms|[uµμ]s|ns|ps|seconds?)\s*[)\]]|^(second|seconds|s|ms|us|ns|ps)$")
_VOLTS = re.compile(r"\s*(?:volts?|v|value|ampere|a)\s*$", re.IGNORECASE)
_UNITS = {"ms": 10**12, "us": 10**9, "µs": 10**9, "μs": 10**9, "ns": 10**6, "ps": 10**3}
_SCALES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_DOUBLE_DIGITS = 17
"""Of a binary64 number that is written as short as it is exact (IEEE 754-2019, 5.12.2)."""
_OFF = 0.1
"""Part of the time between samples by which rounded times may be off."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a file, and what stands above them."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    """What stands below the names, or the names themselves."""
    increment_s: Fraction | None
    """Time between rows, if a column of its own names it."""
    rows: list[list[str]]
    above: str
    """All lines above the table."""
    first_line: int


@dataclass(frozen=True, slots=True)
class _Axis:
    """Times of the rows, in whole units."""

    unit_fs: Fraction
    times: Times
    sampled: bool


def open_csv(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a table with its columns as signals.

    Raises UsageError with the path for a file without such a table, and without times or a rate.
    """
    table = _table(path, _lines(path))
    timed = _time_column(path, table)
    axis = _axis(path, table, timed, rules)
    heads = [*enumerate(table.names), *enumerate(table.units)]
    skipped = {timed} | {number for number, head in heads if _COUNTER.match(head)}
    signals: dict[str, Declared] = {}
    for number, name in enumerate(table.names):
        texts = {row[number] for row in table.rows}
        declared = _declared(texts, number)
        if number in skipped or texts == {""} or (not name and not declared.usable):
            continue
        label = name or f"column{number + 1}"
        while label in signals:
            label = f"{name}#{number + 1}"
        signals[label] = declared

    def read(chosen: Sequence[SignalBit]) -> Capture:
        edges: dict[str, SignalEdges] = {}
        notes: list[str] = []
        for signal in chosen:
            levels, note = _levels(path, table, signal, signals[signal.name], rules)
            edges[signal.name] = edges_of(axis.times, levels, rules.unknown)
            notes += [note] if note else []
        return Capture(
            format="CSV",
            unit_fs=axis.unit_fs,
            sampled=axis.sampled,
            start=int(axis.times[0]),
            end=int(axis.times[-1]) + axis.sampled,
            edges=edges,
            notes=tuple(notes),
        )

    return CaptureFile(path, "CSV", signals, read)


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


def _table(path: Path, lines: list[str]) -> _Table:
    """Return the rows in which the columns of the last rows have numbers."""
    text = [line for line in lines if line.strip()]
    # A short file has more rows than lines above them.
    tail = [line for line in text[-max(min(_TAIL, len(text) // 2), 1) :] if not _is_comment(line)]

    def least(sign: str) -> int:
        return min((line.count(sign) for line in tail[:-1] or tail), default=0)

    delimiter = max(_DELIMITERS, key=least)
    last = [_fields(line, delimiter) for line in tail]
    width = max((len(row) for row in last), default=0)
    last = [row for row in last if len(row) == width]
    numeric = [n for n in range(width) if all(_is_value(row[n]) for row in last)]
    if not numeric:
        raise UsageError(f"{path}: no rows of numbers; must be a table of times and levels")
    above: list[list[str]] = []
    for number, line in enumerate(lines[:_HEAD]):
        row = [] if _is_comment(line) else _fields(line, delimiter)
        if len(row) == width and all(_is_value(row[n]) for n in numeric):
            above += _commented_names(lines[:number], width, delimiter)
            rows = _rows(path, lines, number, width, delimiter)
            return _headed(above, width, rows, "\n".join(lines[:number]), number + 1)
        above.append(row)
    raise UsageError(f"{path}: no table in the first {_HEAD} lines; must be rows of numbers")


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
    fields = (
        next(csv.reader(io.StringIO(line), delimiter=delimiter))
        if '"' in line
        else (line.split(delimiter))
    )
    fields = [field.strip() for field in fields]
    if delimiter != ",":
        fields = [field.replace(",", ".") if "," in field else field for field in fields]
    return fields


def _is_value(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text) or _STAMP.fullmatch(text) or text in LEVELS)


def _headed(
    above: list[list[str]], width: int, rows: list[list[str]], text: str, first_line: int
) -> _Table:
    """Return a table with what stands above it: names, and units below them or not."""
    heads = [row for row in above[-6:] if any(row) and len(row) > 1][-2:]
    units = heads[-1] if heads else []
    names = heads[0] if heads else []
    if len(heads) == 2 and not any(_VOLTS.match(field) for field in units):
        names = units
    increment_s = None
    if "Increment" in names and len(units) >= len(names) - 1:
        increment_s = Fraction(units[names.index("Increment")])
    if all(not name or _VOLTS.match(name) or _UNIT.search(name) for name in names):
        # Vendors that write units alone name the columns further up.
        names = next((row for row in above if row and row[0].lower() == "source"), names)

    listed = _CHANNELS.search(text)
    if listed and set(names) == {"logic"}:
        names = [name.strip() for name in listed[1].split(",")]
    beside = next((row[1] for row in rows[:_HEAD] if len(row) > 1 and row[0] == "Source"), "")
    if beside and not any(names):
        # Tektronix writes what stands above other tables into the first columns of the rows.
        names = [beside if number > 2 else "" for number in range(width)]

    def filled(row: list[str]) -> tuple[str, ...]:
        return tuple([*row, *[""] * width][:width])

    return _Table(filled(names), filled(units), increment_s, rows, text, first_line)


def _time_column(path: Path, table: _Table) -> int | None:
    """Return the number of the column of times, or None."""
    if table.increment_s is not None or _INCREMENT.search(table.above):
        return None
    has_units = table.names != table.units
    named = [
        n
        for n, (name, unit) in enumerate(zip(table.names, table.units, strict=True))
        if (_TIME.match(name) or (has_units and _UNIT.search(unit))) and not _COUNTER.match(unit)
    ]
    rows = table.rows[:: max(len(table.rows) // 1000, 1)]
    for number in named or range(len(rows[0])):
        # A signal that rises once, and never falls, is no time.
        is_signal = all(row[number] in LEVELS for row in rows)
        if not named and (is_signal or _COUNTER.match(table.names[number])):
            continue
        try:
            times = [_instant(row[number]) for row in rows]
        except ValueError:
            if named:
                return number
            continue
        rising = all(previous <= following for previous, following in pairwise(times))
        if rising and (times[0] < times[-1] or (named and len(rows) == 1)):
            return number
        if named and times[0] == times[-1]:
            raise UsageError(
                f"{path}: its times stand still at {rows[0][number]}; export the table without "
                "them, and give --samplerate if it does not say the rate"
            )
        if named:
            raise UsageError(f"{path}: its times go back; must rise from row to row")
    return None


def _instant(text: str) -> Decimal:
    """Return a time of the table. Raises ValueError for what is none."""
    stamp = _STAMP.fullmatch(text)
    if stamp is not None:
        without_fraction = text if stamp[1] is None else text.replace(f".{stamp[1]}", "", 1)
        moment = datetime.fromisoformat(without_fraction.replace("Z", "+00:00"))
        seconds = (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
        return Decimal(int(seconds)) + Decimal(f"0.{stamp[1] or 0}")
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(text) from error


def _axis(path: Path, table: _Table, timed: int | None, rules: ReadRules) -> _Axis:
    count = len(table.rows)
    rows = np.arange(count, dtype=np.int64)
    step_s = _step(table, rules)
    if timed is None:
        if step_s is None:
            raise UsageError(
                f"{path}: no column of times and no sample rate; give --samplerate, such as 24M"
            )
        return _Axis(step_s * FEMTOSECONDS, rows, sampled=True)
    heading = _UNIT.search(table.names[timed]) or _UNIT.search(table.units[timed])
    unit_fs = _UNITS.get(heading[1] or heading[2], FEMTOSECONDS) if heading else FEMTOSECONDS
    instants: list[Decimal] = []
    for number, row in enumerate(table.rows):
        try:
            instants.append(_instant(row[timed]))
        except ValueError as error:
            raise UsageError(
                f"{path}: line {table.first_line + number}: {row[timed][:40]!r} is no time"
            ) from error
    exponent = _exponent([row[timed] for row in table.rows], instants)
    scale = Decimal(10) ** -min(exponent, 0)
    first = round(instants[0] * scale)
    times = [round(instant * scale) - first for instant in instants]
    step_back = next((n for n in range(1, count) if times[n] < times[n - 1]), None)
    if step_back is not None:
        raise UsageError(
            f"{path}: line {table.first_line + step_back}: time {table.rows[step_back][timed]} "
            f"after {table.rows[step_back - 1][timed]}; must not go back"
        )
    if times[-1] + abs(first) >= 1 << 62:
        raise UsageError(f"{path}: its times have too many digits; must fit into 62 bits")
    passed = np.array(times, np.int64)
    unit = Fraction(unit_fs) / int(scale)
    step = _step_between(passed) if _has_samples(table, timed) else None
    if step is not None:
        return _Axis(unit * step, rows + round(first / step), sampled=True)
    return _Axis(unit, passed + first, sampled=False)


def _has_samples(table: _Table, timed: int) -> bool:
    """Return whether rows are samples: some have volts, or the levels of the row before.

    Rows that are written at changes only may be as far apart as samples, but for a jitter.
    """

    def rest(row: list[str]) -> list[str]:
        return [*row[:timed], *row[timed + 1 :]]

    return any(
        rest(previous) == rest(following) or not set(rest(following)) <= set(LEVELS)
        for previous, following in pairwise(table.rows)
    )


def _exponent(texts: Sequence[str], instants: Sequence[Decimal]) -> int:
    """Return the power of ten that all times are multiples of, as far as they are known.

    Numbers with exponents have more digits the closer they are to 0. Those of a fixed length are
    known as well as the largest. Without zeros at their ends they are what they say, up to the
    digits of a double.
    """
    exponents = [int(instant.as_tuple().exponent) for instant in instants]
    parts = [text.lower().partition("e") for text in texts]
    if not any(sign for _, sign, _ in parts):
        return min(exponents)
    largest = max(range(len(instants)), key=lambda n: abs(instants[n]))
    lengths = {(sign, sum(map(str.isdigit, mantissa))) for mantissa, sign, _ in parts}
    if len(lengths) == 1:
        return exponents[largest]
    return max(min(exponents), instants[largest].adjusted() + 1 - _DOUBLE_DIGITS)


def _step_between(passed: npt.NDArray[np.int64]) -> Fraction | None:
    """Return the time between samples if all rows are that far apart; times may be rounded."""
    count = len(passed)
    if count < 3 or not passed[-1]:
        return None
    step = Fraction(int(passed[-1]), count - 1)
    expected = np.arange(count) * float(step)
    return step if np.all(np.abs(passed - expected) <= float(step) * _OFF) else None


def _step(table: _Table, rules: ReadRules) -> Fraction | None:
    """Return the time between samples that was given, or that the file tells, in seconds."""
    if rules.samplerate_hz is not None:
        return 1 / rules.samplerate_hz
    if table.increment_s is not None:
        return table.increment_s
    increment = _INCREMENT.search(table.above)
    if increment is not None:
        return Fraction(increment[1])
    rate = _RATE.search(table.above)
    return 1 / (Fraction(rate[1]) * _SCALES[rate[2]]) if rate and Fraction(rate[1]) else None


def _declared(texts: set[str], column: int) -> Declared:
    if texts <= set(LEVELS):
        return Declared("levels", 1, column)
    if all(_NUMBER.fullmatch(text) for text in texts):
        return Declared("volts", 1, column)
    return Declared("column of text", 0, column)


def _levels(
    path: Path, table: _Table, signal: SignalBit, declared: Declared, rules: ReadRules
) -> tuple[Levels, str]:
    """Return the levels of a column, and how volts were read as levels."""
    column: int = signal.handle
    texts = [row[column] for row in table.rows]
    if declared.kind == "levels":
        return np.array([LEVELS[text] for text in texts], np.uint8), ""
    volts = np.array(texts, np.float64)
    least, most = float(volts.min()), float(volts.max())
    high = least + 0.6 * (most - least) if rules.high_v is None else rules.high_v
    low = min(least + 0.4 * (most - least), high) if rules.low_v is None else rules.low_v
    if most == least:
        return np.zeros(len(volts), np.uint8), f"{signal.name}: stands at {least:g} V"
    # A level lasts from the voltage that makes it to the voltage that makes the other.
    made = np.where(volts >= high, 1, np.where(volts < low, 0, -1))
    last = np.maximum.accumulate(np.where(made < 0, -1, np.arange(len(volts))))
    first = int(made[made >= 0][0]) if (made >= 0).any() else 0
    levels = np.where(last < 0, first, made[last]).astype(np.uint8)
    return levels, (
        f"{signal.name}: from {least:g} to {most:g} V; high from {high:.4g} V on, low below "
        f"{low:.4g} V"
    )
