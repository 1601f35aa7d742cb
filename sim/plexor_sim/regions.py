# SPDX-License-Identifier: Apache-2.0
"""Regions of memory in which a simulated device's firmware lies, and their times on a platform.

A region is a section of the firmware that has memory, without its dot. Beside them are
`interrupt_stack`, where startup and interrupts have theirs, and `registers`.
"""

from __future__ import annotations

import struct
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import cast

Regions = Mapping[str, tuple[int, int]]
"""First and last address of each."""

_OUTSIDE = {"interrupt_stack": (0x40000000, 0x40000FFF), "registers": (0x80000000, 0xFFFFFFFF)}
_KINDS = ("read", "write", "burst_read", "burst_write")
_MOST_NS = 1000
_ALLOCATED = 2
_SECTION = "<10I"


def regions(elf: bytes) -> Regions:
    """Return the regions of a 32-bit little-endian ELF file, by address."""
    (table,) = struct.unpack_from("<I", elf, 32)
    size, count, names = struct.unpack_from("<HHH", elf, 46)
    entries = [struct.unpack_from(_SECTION, elf, table + size * each) for each in range(count)]
    texts = entries[names][4]
    found = dict(_OUTSIDE)
    for name, _, flags, address, _, length, *_ in entries:
        if flags & _ALLOCATED and length:
            text = elf[texts + name : elf.index(b"\0", texts + name)].decode()
            found[text.removeprefix(".")] = (address, address + length - 1)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def region_option(found: Regions, platform: str | None) -> str:
    """Return the option `regions` of device/bus.h.

    `platform` is the path of a TOML file whose table [ns] has the time of an access to each region,
    by kind or as `any`; None lets each take one cycle. Raises ValueError, with what would be right,
    for a file that has none.
    """
    times = {} if platform is None else _times_ps(Path(platform), found)
    return "/".join(
        ":".join(map(str, (first, last, *times.get(name, (0, 0, 0, 0)))))
        for name, (first, last) in found.items()
    )


def _times_ps(path: Path, found: Regions) -> dict[str, tuple[int, ...]]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal).get("ns")
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"platform={path}: {error}; must be a readable TOML file") from None
    if not isinstance(table, dict):
        raise ValueError(f"platform={path}: has no table [ns]; must have the time of each region")
    known = cast("dict[str, object]", table)
    for name in found:
        if name not in known:
            raise ValueError(f"platform={path}: has no time of {name}; must have one in [ns]")
    return {name: _kinds_ps(f"platform={path}: {name}", known[name]) for name in found}


def _kinds_ps(place: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, dict):
        return (_time_ps(place, value),) * len(_KINDS)
    kinds = cast("dict[str, object]", value)
    for kind in _KINDS:
        if kind not in kinds and "any" not in kinds:
            raise ValueError(f"{place}.{kind}: is missing; must have its time, or `any`")
    return tuple(_time_ps(f"{place}.{kind}", kinds.get(kind, kinds.get("any"))) for kind in _KINDS)


def _time_ps(place: str, value: object) -> int:
    try:
        time_ns = Fraction(str(value)) if not isinstance(value, bool) else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        time_ns = Fraction(-1)
    if not 0 <= time_ns <= _MOST_NS:
        raise ValueError(f"{place}: {value!r}; must be nanoseconds from 0 to {_MOST_NS}")
    return -int(-time_ns * 1000 // 1)
