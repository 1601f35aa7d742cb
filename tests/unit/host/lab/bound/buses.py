# SPDX-License-Identifier: Apache-2.0
"""Logs of a bus and ELF files, written by hand."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

TEXT, BSS, HEAP = 0x40001000, 0x40002000, 0x40003000
SECTIONS = {"text": (TEXT, 0x100), "bss": (BSS, 0x100), "heap": (HEAP, 0x100)}
SUSPENDED, TRAP = BSS + 0x10, TEXT + 0x80
SYMBOLS = {"uxSchedulerSuspended": SUSPENDED, "freertos_risc_v_trap_handler": TRAP}
FETCH, READ, WRITE, RETIRED = range(4)
RAISE, LOWER, NOTE = 0x80000000, 0x80000004, 0x80000038

Record = tuple[int, int, int, int, int]
"""kind, address, data, bytes, flags."""


def ran(*addresses: int, masked: bool = False) -> list[Record]:
    """Return instructions, each a jump unless it is behind the one before."""
    found: list[Record] = []
    for place, address in enumerate(addresses):
        jumps = place == 0 or address != addresses[place - 1] + 4
        found.append((RETIRED, address, 0, 4, 2 * jumps + 4 * masked))
    return found


def read(address: int, size: int = 4, flags: int = 0) -> Record:
    return (READ, address, 0, size, flags)


def wrote(address: int, data: int = 0, size: int = 4, flags: int = 0) -> Record:
    return (WRITE, address, data, size, flags)


def call(n: int | None, records: Iterable[Record], pin: int = 0) -> list[Record]:
    """Return a call with these records in it."""
    noted = [] if n is None else [wrote(NOTE, n)]
    return [*noted, wrote(RAISE, 1 << pin), *records, wrote(LOWER, 1 << pin)]


def log_bytes(records: Iterable[Record]) -> bytes:
    """Return the file of these records, one each 20 ns."""
    return b"".join(
        struct.pack("<qIIIBBBB", 20_000 * place, address, data, 1, kind, size, flags, 0)
        for place, (kind, address, data, size, flags) in enumerate(records)
    )


def elf_bytes(
    sections: Mapping[str, tuple[int, int]] = SECTIONS, symbols: Mapping[str, int] = SYMBOLS
) -> bytes:
    """Return an ELF file with these sections, first address and size, and symbols."""
    names = b"\0" + b"".join(f".{name}\0".encode() for name in sections) + b".symtab\0.strtab\0"
    texts = b"\0" + b"".join(f"{name}\0".encode() for name in symbols)
    table = bytes(16) + b"".join(
        struct.pack("<IIIBBH", texts.index(f"{name}\0".encode()), at, 4, 0, 0, 1)
        for name, at in symbols.items()
    )
    body = names + texts + table
    at_names, at_texts, at_table = 52, 52 + len(names), 52 + len(names) + len(texts)
    heads = [struct.pack("<10I", *[0] * 10)]
    for name, (address, size) in sections.items():
        place = names.index(f".{name}\0".encode())
        heads.append(struct.pack("<10I", place, 1, 2, address, 0, size, 0, 0, 4, 0))
    link = len(heads) + 1
    for name, kind, offset, size in (
        (".symtab", 2, at_table, len(table)),
        (".strtab", 3, at_texts, len(texts)),
        (".strtab", 3, at_names, len(names)),
    ):
        place = names.index(f"{name}\0".encode())
        heads.append(struct.pack("<10I", place, kind, 0, 0, offset, size, link, 0, 1, 16))
    head = (
        b"\x7fELF\x01\x01" + bytes(10) + struct.pack("<HHIIII", 2, 243, 1, TEXT, 0, 52 + len(body))
    )
    head += struct.pack("<IHHHHHH", 0, 52, 0, 0, 40, len(heads), len(heads) - 1)
    return head + body + b"".join(heads)


def written(folder: Path, records: Iterable[Record]) -> Path:
    """Return the path of a log with its ELF file beside it."""
    log = folder / "bus"
    log.write_bytes(log_bytes(records))
    Path(f"{log}.elf").write_bytes(elf_bytes())
    return log


def walk(n: int) -> list[Record]:
    """Return a service: an instruction, then a loop over N words of the heap while suspended."""
    steps = [record for k in range(n) for record in (*ran(TEXT + 8), read(HEAP + 8 * k))]
    return [
        *ran(TEXT, TEXT + 4),
        wrote(SUSPENDED, 1),
        *steps,
        wrote(SUSPENDED, 0),
        *ran(TEXT + 12, masked=True),
    ]
