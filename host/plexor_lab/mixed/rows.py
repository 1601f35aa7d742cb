# SPDX-License-Identifier: Apache-2.0
"""The rows of all runs as CSV: written, and read back equal.

The file is RFC 4180 but for its line ends, which are LF, in UTF-8. Its header has the unit of each
column. `lateness_us` is for readers: it repeats `lateness_ticks`, rounded to a picosecond.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from plexor.base.units import seconds_of
from plexor_lab.mixed.model import ModeRun, Response, Row, Status

NAMES = (
    *("run", "number", "id", "due_step", "issue_step"),
    *("due_ticks", "measured_ticks", "lateness_ticks", "lateness_us", "status"),
)
"""Columns, in their order. Those of ticks have the length of a tick behind their names."""
_US_DIGITS = 6


def write_rows(runs: Sequence[ModeRun], tick_fs: int) -> str:
    """Return the rows of runs, each run's in the order of its entries, and then its extras."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_header(tick_fs))
    for run in runs:
        for row in run.rows:
            writer.writerow(_line(run.name, row, tick_fs))
        for extra in run.extras:
            writer.writerow(_extra(run.name, extra))
    return text.getvalue()


def read_rows(text: str) -> tuple[int, Mapping[str, tuple[list[Row], list[Response]]]]:
    """Return the tick in femtoseconds, and the rows and extras of each run by its name.

    Raises ValueError, with the line, for what `write_rows` does not write.
    """
    lines = csv.reader(io.StringIO(text))
    tick_fs = _tick_of(next(lines, list[str]()))
    found: dict[str, tuple[list[Row], list[Response]]] = {}
    for cells in lines:
        try:
            name, entry = _entry(cells, tick_fs)
        except ValueError as error:
            raise ValueError(f"line {lines.line_num}: {error}") from error
        rows, extras = found.setdefault(name, ([], []))
        if isinstance(entry, Row):
            rows.append(entry)
        else:
            extras.append(entry)
    return tick_fs, found


def _header(tick_fs: int) -> list[str]:
    return [f"{name} of {tick_fs} fs" if name.endswith("_ticks") else name for name in NAMES]


def _tick_of(header: Sequence[str]) -> int:
    words = next((name for name in header if name.startswith("due_ticks of ")), "").split()
    if len(words) != 4 or not words[2].isdecimal() or [*header] != _header(int(words[2])):
        raise ValueError(f"header: {','.join(header)!r}; must be {','.join(NAMES)}, with the tick")
    return int(words[2])


def _line(name: str, row: Row, tick_fs: int) -> list[object]:
    late = row.lateness_ticks
    return [
        *(name, row.number, row.event_id, row.due_step, _text(row.issue_step)),
        *(row.due_ticks, _text(row.measured_ticks), _text(late)),
        *("" if late is None else _microseconds(late, tick_fs), row.status),
    ]


def _extra(name: str, extra: Response) -> list[object]:
    empty = [""] * 2
    return [
        *(name, "", _text(extra.event_id), *empty),
        *("", extra.time_ticks, *empty, Status.EXTRA),
    ]


def _text(value: int | None) -> int | str:
    return "" if value is None else value


def _microseconds(ticks: int, tick_fs: int) -> str:
    """Return a time in microseconds, rounded half to even."""
    scaled = round(seconds_of(ticks, tick_fs) * Fraction(10 ** (6 + _US_DIGITS)))
    whole, part = divmod(abs(scaled), 10**_US_DIGITS)
    return f"{'-' if scaled < 0 else ''}{whole}.{part:0{_US_DIGITS}d}"


def _entry(cells: Sequence[str], tick_fs: int) -> tuple[str, Row | Response]:
    if len(cells) != len(NAMES):
        raise ValueError(f"{len(cells)} columns; must be {len(NAMES)}")
    by_name = dict(zip(NAMES, cells, strict=True))
    name, status = by_name["run"], Status(by_name["status"])
    if status is Status.EXTRA:
        extra = Response(_whole("measured_ticks", by_name), _optional("id", by_name))
        _check(_extra(name, extra), cells)
        return name, extra
    row = Row(
        _whole("number", by_name),
        _whole("id", by_name),
        _whole("due_step", by_name),
        _optional("issue_step", by_name),
        _whole("due_ticks", by_name),
        _optional("measured_ticks", by_name),
        status,
    )
    _check(_line(name, row, tick_fs), cells)
    return name, row


def _check(line: Sequence[object], cells: Sequence[str]) -> None:
    """Raise ValueError for a column that does not follow from the others."""
    pairs: Iterator[tuple[str, object, str]] = zip(NAMES, line, cells, strict=True)
    for column, right, cell in pairs:
        if str(right) != cell:
            raise ValueError(f"{column}: {cell!r}; must be {str(right)!r}")


def _whole(name: str, cells: Mapping[str, str]) -> int:
    try:
        return int(cells[name])
    except ValueError as error:
        raise ValueError(f"{name}: {cells[name]!r}; must be a whole number") from error


def _optional(name: str, cells: Mapping[str, str]) -> int | None:
    return _whole(name, cells) if cells[name] else None
