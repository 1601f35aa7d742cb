# SPDX-License-Identifier: Apache-2.0
"""What a simulated core did on its bus, as `freertos:bus=FILE` keeps it, and the calls in it.

A call of a service is what lies between two stores of its firmware: the one that raises a pin, and
the one that lowers it. Before the call the firmware may note its N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.base.errors import UsageError

RECORD = np.dtype(
    [
        ("time_ps", "<i8"),
        ("address", "<u4"),
        ("data", "<u4"),
        ("cycles", "<u4"),
        ("kind", "u1"),
        ("bytes", "u1"),
        ("flags", "u1"),
        ("zero", "u1"),
    ]
)
"""A record, as device/bus.h of the simulation has it."""
BURST, JUMP, MASKED = 1, 2, 4
"""Bits of `flags`."""
REGISTERS = 0x80000000
"""From here on addresses are those of registers."""
_RAISE, _LOWER, _NOTE = REGISTERS, REGISTERS + 4, REGISTERS + 0x38

Records = npt.NDArray[np.void]


class RecordKind(IntEnum):
    """What a record is about."""

    FETCH = 0
    READ = 1
    WRITE = 2
    RETIRED = 3


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """One call of a service."""

    n: int | None
    """The N that was noted; None if none was."""
    records: Records
    """What followed the store that raises the pin, up to the one that lowers it."""
    time_ps: int
    """How long the pin was high."""


def read_log(path: Path) -> Records:
    """Return the records in a file. Raises UsageError for one that is none."""
    try:
        size = path.stat().st_size
        if not size or size % RECORD.itemsize:
            raise UsageError(
                f"{path}: {counted(size, 'byte')}; must be a log of the bus, records of "
                f"{RECORD.itemsize} "
                "bytes, from freertos:bus=FILE"
            )
        records: Records = np.memmap(path, RECORD, "r")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"{path}: cannot read: {reason or error}") from error
    wrong = (records["kind"] > max(RecordKind)) | (records["zero"] != 0)
    wrong[1:] |= np.diff(records["time_ps"]) < 0
    if wrong.any():
        position = int(wrong.argmax())
        raise UsageError(
            f"{path}: record {position} is none; must be a log of the bus, from freertos:bus=FILE"
        )
    return records


def calls(records: Records, pin: int) -> Iterator[ServiceCall]:
    """Yield each whole call of the service that is marked by a pin, in order."""
    address, is_write = records["address"], records["kind"] == RecordKind.WRITE
    of_pin = is_write & (records["data"] >> pin & 1 > 0)
    raised = np.flatnonzero(of_pin & (address == _RAISE))
    lowered = np.flatnonzero(of_pin & (address == _LOWER))
    noted = np.flatnonzero(is_write & (address == _NOTE))
    nexts = np.searchsorted(lowered, raised)
    notes = np.searchsorted(noted, raised) - 1
    for first, next_position, note in zip(
        raised.tolist(), nexts.tolist(), notes.tolist(), strict=True
    ):
        if next_position < len(lowered):
            last = int(lowered[next_position])
            yield ServiceCall(
                int(records["data"][noted[note]]) if note >= 0 else None,
                np.asarray(records[first + 1 : last + 1]),
                int(records["time_ps"][last] - records["time_ps"][first]),
            )
