# SPDX-License-Identifier: Apache-2.0
"""What calls of a service did, as a CSV file into which the trace of any simulator can be made.

    what,address,bytes,value
    call,,,13
    run,0x400012a4,4,
    read,0x3ffb0010,4,
    write,0x3ffb0014,4,1
    end,,,

`call` begins a call; its value is N, and may be empty. `run` is an instruction that retires. A
fifth column `masked` is yes where the core takes no interrupts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from plexor.base.errors import UsageError
from plexor_lab.bound.files.bus_log import BURST, JUMP, MASKED, RECORD, RecordKind, ServiceCall

COLUMNS = ("what", "address", "bytes", "value")
MASKED_COLUMN = "masked"
_KINDS = {"run": RecordKind.RETIRED, "read": RecordKind.READ, "write": RecordKind.WRITE}
_SIZES = (1, 2, 4, 8)
_MOST = (1 << 32) - 1
_Row = tuple[int, int, int, int, int, int, int, int]


def access_calls(path: Path) -> Iterator[ServiceCall]:
    """Yield each whole call in a file, in order. Raises UsageError, with the line, for a wrong one.

    What comes outside of a call is read and left out.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield from _calls(str(path), csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{path}: cannot read: {reason or error}") from error
    except csv.Error as error:
        raise UsageError(f"{path}: {error}; must be CSV, with commas") from error


def _calls(name: str, rows: Iterator[list[str]]) -> Iterator[ServiceCall]:
    header = [cell.strip() for cell in next(rows, list[str]())]
    may_be_masked = header == [*COLUMNS, MASKED_COLUMN]
    if not may_be_masked and header != list(COLUMNS):
        raise UsageError(
            f"{name}:1: {','.join(header)}; must be {','.join(COLUMNS)}, and may end with "
            f"{MASKED_COLUMN}"
        )
    records: list[_Row] | None = None
    n: int | None = None
    ends: dict[RecordKind, int] = {}
    for line, cells in enumerate(rows, 2):
        if not any(cells):
            continue
        where = f"{name}:{line}"
        if len(cells) != len(header):
            raise UsageError(
                f"{where}: {len(cells)} cells; must be {len(header)}, as in the header"
            )
        what, address, size, value = (cell.strip() for cell in cells[:4])
        if what == "call":
            if records is not None:
                raise UsageError(f"{where}: a call within a call; must be behind its end")
            records, ends = [], {}
            n = _number(where, "value", value, _MOST) if value else None
        elif what == "end":
            if records is None:
                raise UsageError(f"{where}: an end without a call; must be behind one")
            yield ServiceCall(n, np.array(records, RECORD), 0)
            records = None
        elif what in _KINDS:
            kind, at = _KINDS[what], _number(where, "address", address, _MOST)
            length = _number(where, "bytes", size, max(_SIZES))
            if length not in _SIZES:
                raise UsageError(f"{where}: bytes: {length}; must be 1, 2, 4 or 8")
            goes_on = ends.get(kind) == at
            ends[kind] = at + length
            data = _number(where, "value", value, _MOST) if value else 0
            flags = (JUMP if kind == RecordKind.RETIRED else 0) if not goes_on else BURST
            flags |= MASKED if may_be_masked and _is_yes(where, cells[4].strip()) else 0
            if records is not None:
                records.append((0, at, data, 0, kind, length, flags, 0))
        else:
            raise UsageError(f"{where}: what: {what!r}; must be call, run, read, write or end")


def _number(where: str, name: str, text: str, most: int) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        raise UsageError(
            f"{where}: {name}: {text!r}; must be a whole number from 0 to {most}, such as 12 or "
            "0x400012a4"
        )
    return number


def _is_yes(where: str, text: str) -> bool:
    if text not in ("yes", "no", ""):
        raise UsageError(f"{where}: {MASKED_COLUMN}: {text!r}; must be yes, no or empty")
    return text == "yes"
