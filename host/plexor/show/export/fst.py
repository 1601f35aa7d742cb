# SPDX-License-Identifier: Apache-2.0
"""Events as waveforms in GTKWave's compressed form (FST), by GTKWave's own writer."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from plexor.files.imports.exported import ABOUT, SCOPE
from plexor.show.export.about import about, line_of
from plexor.show.export.source import CHUNK, ExportSource
from plexor.show.export.target import needed
from plexor.show.export.vcd import LEAD_TICKS, identifiers, timescale

_LENGTH_BYTES = 8
_NAMES = (b"\x04", b"\x06", b"\x07")
"""Kinds of blocks that have the names of wires: packed by zlib or by LZ4, once or twice. The writer
ends a file with one (FST_BL_HIER... in fstapi.h)."""
_LEVELS = (b"0", b"1")


def write_fst(source: ExportSource, path: Path, name: Path) -> None:
    """Write a wire for each pin, with the levels and times of `write_vcd`, compressed.

    A text beside the wires says what is known of the run, in lines of `key: value`, since most
    readers show no comments. Raises UsageError, with `name`, if the run kept no events.
    """
    events = source.edges(name)
    library = needed("pylibfst", "pylibfst", name)
    fst, nothing = library.lib, library.ffi.NULL
    size, unit, factor = timescale(source.result.tick_fs)
    end = (source.duration_ticks + LEAD_TICKS) * factor
    writer = fst.fstWriterCreate(os.fsencode(path), 1)
    if writer == nothing:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    try:
        fst.fstWriterSetTimescaleFromString(writer, f"{size}{unit}".encode())
        fst.fstWriterSetVersion(writer, b"Plexor")
        fst.fstWriterSetDate(writer, line_of(source.result.started).encode())
        facts = {**about(source), "lead_ticks": str(LEAD_TICKS), "level": "1 is the active level"}
        told = "\n".join(line_of(f"{key}: {text}") for key, text in facts.items()).encode()
        fst.fstWriterSetScope(writer, fst.FST_ST_VCD_MODULE, SCOPE.encode(), nothing)
        labels = identifiers([pin.name for pin in source.waves])
        wires: dict[int, Any] = {
            pin.source: fst.fstWriterCreateVar(
                writer, fst.FST_VT_VCD_WIRE, fst.FST_VD_IMPLICIT, 1, label.encode(), 0
            )
            for pin, label in zip(source.waves, labels, strict=True)
        }
        note = fst.fstWriterCreateVar(
            writer, fst.FST_VT_GEN_STRING, fst.FST_VD_IMPLICIT, 0, ABOUT.encode(), 0
        )
        fst.fstWriterSetUpscope(writer)
        fst.fstWriterEmitTimeChange(writer, 0)
        fst.fstWriterEmitVariableLengthValueChange(writer, note, told, len(told))
        for number, wire in wires.items():
            fst.fstWriterEmitValueChange(writer, wire, _LEVELS[source.level_at_start(number)])
        for first in range(0, len(events), CHUNK):
            piece = events[first : first + CHUNK]
            times = (source.times(piece) + LEAD_TICKS).tolist()
            sources, levels = piece["source"].tolist(), piece["polarity"].tolist()
            for time, number, level in zip(times, sources, levels, strict=True):
                fst.fstWriterEmitTimeChange(writer, time * factor)
                fst.fstWriterEmitValueChange(writer, wires[number], _LEVELS[level])
        fst.fstWriterEmitTimeChange(writer, end)
    finally:
        fst.fstWriterClose(writer)
    if not is_whole(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def is_whole(path: Path) -> bool:
    """Return whether a file ends with a whole block of names. Its writer tells of no full disk.

    A block has a byte for its kind, and eight for its length, in which they are included.
    """
    place, size, kind = 0, path.stat().st_size, b""
    with path.open("rb") as file:
        while place < size:
            file.seek(place)
            kind, length = file.read(1), int.from_bytes(file.read(_LENGTH_BYTES))
            if length < _LENGTH_BYTES:
                return False
            place += 1 + length
    return place == size and kind in _NAMES
