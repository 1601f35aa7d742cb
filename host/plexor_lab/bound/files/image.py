# SPDX-License-Identifier: Apache-2.0
"""Sections and symbols of a firmware's ELF file (Tool Interface Standard 1.2, part 1), 32 bits."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from plexor.base.errors import UsageError

_ALLOCATED = 2
_SYMBOLS = 2
_MOST_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Image:
    """Where a firmware lies in memory."""

    sections: Mapping[str, tuple[int, int]]
    """First and last address of each section that has memory, by its name without the dot."""
    symbols: Mapping[str, int]
    """Address of each symbol that has a name."""


def read_image(path: Path) -> Image:
    """Return the image in an ELF file. Raises UsageError for a file without one."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"{path}: cannot read: {reason or error}") from error
    if data[:6] != b"\x7fELF\x01\x01" or len(data) > _MOST_BYTES:
        raise UsageError(f"{path}: no 32-bit little-endian ELF file; name the firmware's .elf")
    try:
        return _image(data)
    except (struct.error, ValueError, IndexError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: damaged ELF file: {error}; build it again") from error


def _image(data: bytes) -> Image:
    (table,) = struct.unpack_from("<I", data, 32)
    size, count, names = struct.unpack_from("<HHH", data, 46)
    heads = [struct.unpack_from("<10I", data, table + size * number) for number in range(count)]
    sections: dict[str, tuple[int, int]] = {}
    symbols: dict[str, int] = {}
    for name, kind, flags, address, offset, length, link, *_ in heads:
        if flags & _ALLOCATED and length:
            text = _text(data, heads[names][4] + name)
            sections[text.removeprefix(".")] = (address, address + length - 1)
        if kind == _SYMBOLS:
            symbols |= _named(data[offset : offset + length], data, heads[link][4])
    return Image(sections, symbols)


def _named(table: bytes, data: bytes, texts: int) -> Iterator[tuple[str, int]]:
    for name, address, *_ in struct.iter_unpack("<IIIBBH", table):
        if name:
            yield _text(data, texts + name), address


def _text(data: bytes, offset_bytes: int) -> str:
    return data[offset_bytes : data.index(b"\0", offset_bytes)].decode()
