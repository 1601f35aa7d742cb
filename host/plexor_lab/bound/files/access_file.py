# SPDX-License-Identifier: Apache-2.0
"""What calls of a service did, as a CSV file into which the trace of any simulator can be made.

    what,address,bytes,value
    call,,,13
    run,0x400012a4,4,
    read,0x3ffb0010,4,
    write,0x3ffb0014,4,1
    end,,,

`call` begins a call; its value is N, and may be empty. `run` is an instruction that retires. A
column `masked` is yes where the core takes no interrupts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from plexor.base.errors import UsageError
from plexor_lab.bound.files.bus_log import BURST, JUMP, MASKED, RECORD, RecordKind, ServiceCall
from plexor_lab.bound.files.image import Image
from plexor_lab.bound.files.source import Spot, csv_rows

COLUMNS = ("what", "address", "bytes", "value")
MASKED_COLUMN = "masked"
_KINDS = {"run": RecordKind.RETIRED, "read": RecordKind.READ, "write": RecordKind.WRITE}
_SIZES = (1, 2, 4, 8)
_MOST = (1 << 32) - 1
_Record = tuple[int, int, int, int, int, int, int, int]


def access_calls(path: Path, image: Image) -> Iterator[ServiceCall]:
    """Yield each whole call in a file, in order. Raises UsageError, with the line, for a wrong one.

    `image` has the sections: an access goes on a burst, as on the simulated device's bus, if it is
    of the kind of its section's last one and begins where that ended. What comes outside of a call
    is left out.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            _, _, rows = csv_rows(str(path), file, COLUMNS, (MASKED_COLUMN,))
            yield from _calls(str(path), rows, image)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{path}: cannot read: {reason or error}") from error


def _calls(
    name: str, rows: Iterator[tuple[int, Mapping[str, str]]], image: Image
) -> Iterator[ServiceCall]:
    records: list[_Record] | None = None
    n: int | None = None
    last: dict[str, tuple[RecordKind, int]] = {}
    """Kind and end of the last access to each section."""
    behind = -1
    """Where the last instruction ended."""
    for line, cells in rows:

        def spot(column: str, line: int = line) -> Spot:
            return Spot(lambda: f"{name}:{line}", column)

        what = cells["what"]
        if what == "call":
            if records is not None:
                raise spot("what").error("a call within a call; must be behind its end")
            records, last, behind = [], {}, -1
            n = spot("value").read(_number, cells["value"]) if cells["value"] else None
        elif what == "end":
            if records is None:
                raise spot("what").error("an end without a call; must be behind one")
            yield ServiceCall(n, np.array(records, RECORD), 0)
            records = None
        elif what not in _KINDS:
            raise spot("what").error(f"{what!r}; must be call, run, read, write or end")
        else:
            kind = _KINDS[what]
            address = spot("address").read(_number, cells["address"])
            size = spot("bytes").read(_size, cells["bytes"])
            value = spot("value").read(_number, cells["value"] or "0")
            section = _section(address, image)
            flags = BURST if last.get(section) == (kind, address) else 0
            flags |= JUMP if kind == RecordKind.RETIRED and address != behind else 0
            if spot(MASKED_COLUMN).read(_is_yes, cells.get(MASKED_COLUMN, "")):
                flags |= MASKED
            last[section] = kind, address + size
            behind = address + size if kind == RecordKind.RETIRED else behind
            if records is not None:
                records.append((0, address, value, 0, kind, size, flags, 0))


def _section(address: int, image: Image) -> str:
    """Return the section that an address is in; empty for another address."""
    sections = image.sections.items()
    return next((name for name, (first, end) in sections if first <= address <= end), "")


def _number(text: str) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        number = -1
    if not 0 <= number <= _MOST:
        raise ValueError(
            f"{text!r}; must be a whole number from 0 to {_MOST}, such as 12 or 0x400012a4"
        )
    return number


def _size(text: str) -> int:
    if (size := _number(text)) not in _SIZES:
        raise ValueError(f"{size}; must be 1, 2, 4 or 8")
    return size


def _is_yes(text: str) -> bool:
    if text not in ("yes", "no", ""):
        raise ValueError(f"{text!r}; must be yes, no or empty")
    return text == "yes"
