# SPDX-License-Identifier: Apache-2.0
"""Checks one capture: read as other readers read it, or refused with a way on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.files.imports.capture import Capture, CaptureFile, ReadRules, SignalBit
from plexor.files.imports.open import open_capture
from tools.captures.compare import agreement
from tools.captures.reading import OtherReading

Reader = Callable[[Path], OtherReading]

_MOST_WIDTH = 64
_MOST_VECTOR_BITS = 25_000
_VERBS = "write|save|export|say|cut|rename|convert|let|name|read|split|install|put|round"
_WAY = re.compile(rf"[;:,] (?:or )?(?:{_VERBS})\b|--[a-z]")
"""How a line tells what to do: a verb at the start of a clause, or an option."""
_NO_RULES = ReadRules()


@dataclass(frozen=True, slots=True)
class Checked:
    """What one capture's check found."""

    file: str
    source: str
    """The package that it comes in, or what made it."""
    format: str
    signals: int
    bits: int
    """Bits of signals that were compared."""
    left_out: int
    """Bits that no other reader finds under that name."""
    edges: int
    """Edges and borders of gaps in all of these, equal in each reader."""
    readers: tuple[str, ...]
    """Other readers, and what each that could not read it says."""
    refusal: str
    wrong: str


def checked(
    path: Path, source: str, readers: Sequence[Reader], rules: ReadRules = _NO_RULES
) -> Checked:
    """Read a capture as Plexor and others do, and compare."""
    try:
        file = open_capture(path, rules)
        chosen = chosen_bits(file)
        capture = file.read([SignalBit(key, b.handle, b.bit, b.of) for key, b in chosen.items()])
    except UsageError as error:
        line = str(error).removeprefix(f"{path}: ")
        return Checked(path.name, source, "", 0, 0, 0, 0, (), line, wrong_refusal(str(error)))
    return _compared(file, source, capture, chosen, readers)


def wrong_refusal(line: str) -> str:
    """Return what is wrong with a line that refuses a capture; empty if it names a way on."""
    if "\n" in line:
        return "more than a line"
    return "" if _WAY.search(line) else "no way on"


def chosen_bits(file: CaptureFile) -> dict[str, SignalBit]:
    """Return all signals of one bit, then bits of vectors, by a key each."""
    chosen = {n: SignalBit(n, own.handle) for n, own in file.signals.items() if own.bits == 1}
    most = len(chosen) + _MOST_VECTOR_BITS
    for name, own in file.signals.items():
        if 1 < own.bits <= _MOST_WIDTH and len(chosen) + own.bits <= most:
            for bit in range(own.bits):
                chosen[f"{name}, bit {bit}"] = SignalBit(name, own.handle, bit, own.bits)
    return chosen


def _compared(
    file: CaptureFile,
    source: str,
    capture: Capture,
    chosen: dict[str, SignalBit],
    readers: Sequence[Reader],
) -> Checked:
    names, edges, wrong = list[str](), dict[str, int](), ""
    for reader in readers:
        try:
            reading = reader(file.path)
        except Exception:
            continue
        found = agreement(capture, chosen, reading)
        names.append(reading.reader)
        for key, count in found.edges.items():
            edges[key] = max(edges.get(key, 0), count)
        if found.wrong and not wrong:
            wrong = f"{reading.reader}: {found.wrong}"
    if not names and not wrong:
        wrong = "no other reader reads it"
    return Checked(
        file.path.name,
        source,
        file.format,
        len(file.signals),
        len(edges),
        len(chosen) - len(edges),
        sum(edges.values()),
        tuple(names),
        "",
        wrong,
    )
