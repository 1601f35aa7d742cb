# SPDX-License-Identifier: Apache-2.0
"""Codes at a device's pins, and what else shows them: its ELF file and its retired instructions."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..riscv_player import CLOCK_PS, Edges

FIRST_CODE_PIN = 8
RAM = 0x40000000

Codes = list[tuple[int, int]]
"""(time_ps, code) of each."""
Instructions = NDArray[np.void]
"""Fields time_ps and pc of each."""


def code(kind: int, number: int) -> int:
    """Return the code of a port of eight bits."""
    return kind << 4 | number


def port_codes(edges: Edges) -> Codes:
    """Return each code that the port shows after its reset level."""
    found: Codes = []
    value = 0
    for time_ps, pin, level in edges:
        if pin < FIRST_CODE_PIN:
            continue
        bit = 1 << pin - FIRST_CODE_PIN
        value = value | bit if level else value & ~bit
        if found and found[-1][0] == time_ps:
            found.pop()
        found.append((time_ps, value))
    return found


def strobed_codes(edges: Edges) -> Codes:
    """Return the code at each rise of the strobe, which changes with the port."""
    codes = dict(port_codes(edges))
    found: Codes = []
    for time_ps in (time_ps for time_ps, pin, level in edges if (pin, level) == (7, 1)):
        found.append((time_ps, codes.get(time_ps, found[-1][1] if found else 0)))
    return found


def wire_codes(edges: Edges, bits: int = 8) -> Codes:
    """Return each word of the two wires. A word begins when the clock has been low for long."""
    words: list[tuple[int, list[int]]] = []
    data, rise_ps = 0, -(10**9)
    for time_ps, pin, level in edges:
        if pin == 3:
            data = level
        elif pin == 2 and level:
            if time_ps - rise_ps > 15 * CLOCK_PS:
                words.append((time_ps, []))
            words[-1][1].append(data)
            rise_ps = time_ps
    assert all(len(word) == bits for _, word in words[:-1])
    return [(time_ps, int("".join(map(str, word)), 2)) for time_ps, word in words]


def retired(path: Path) -> tuple[Instructions, Codes]:
    """Return the instructions and the codes of a file of the option `retired`."""
    records = np.fromfile(path, dtype=[("time_ps", "<i8"), ("pc", "<u4"), ("code", "<u4")])
    codes = records[records["pc"] == 0]
    values = zip(codes["time_ps"].tolist(), codes["code"].tolist(), strict=True)
    return records[records["pc"] != 0], list(values)


def code_stores(image: Path) -> dict[int, int | None]:
    """Return the address of each `sb zero` to the window, with its code if the base is `zero`.

    From the RISC-V instruction set: opcode 0x23, funct3 0, rs2 0; the offset is signed.
    """
    found: dict[int, int | None] = {}
    for index, line in enumerate(image.read_text().split()):
        word = int(line, 16)
        if word & 0x01F0707F != 0x23:
            continue
        offset = word >> 25 << 5 | word >> 7 & 31
        base = word >> 15 & 31
        found[RAM + 4 * index] = None if base else (offset - 0xF00 if offset >= 0xF00 else None)
    return found


def sections(elf: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Yield name, flags and content of each section of a 32-bit ELF file, but for empty ones."""
    (table,) = struct.unpack_from("<I", elf, 32)
    size, count, names = struct.unpack_from("<HHH", elf, 46)
    headers = [struct.unpack_from("<10I", elf, table + size * index) for index in range(count)]
    for name, kind, flags, _, offset, length, *_ in headers:
        start = headers[names][4] + name
        text = elf[start : elf.index(b"\0", start)].decode()
        if kind != 8:  # NOBITS
            yield text, flags, elf[offset : offset + length]


def functions(elf: bytes) -> dict[str, int]:
    """Return the address of each function of a 32-bit ELF file."""
    found = {name: content for name, _, content in sections(elf)}
    symbols = struct.iter_unpack("<3I2BH", found[".symtab"])
    names = found[".strtab"]
    return {
        names[name : names.index(b"\0", name)].decode(): address
        for name, address, _, kind, _, _ in symbols
        if kind & 15 == 2  # FUNC
    }
