# SPDX-License-Identifier: Apache-2.0
"""Reads waveforms in FST and GHW by pywellen (github.com/ekiwi/wellen).

A file of a version that the library does not know makes it panic. It then prints a trace of its own
to the standard error, which is closed meanwhile.
"""

from __future__ import annotations

import os
import struct
import zlib
from array import array
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from plexor.base.errors import UsageError, reason_of
from plexor.files.imports.capture import (
    MOST_EDGES,
    Capture,
    CaptureFile,
    Declared,
    ReadRules,
    SignalBit,
    by_name,
    too_many,
)
from plexor.files.imports.edges import LEVELS, UNKNOWN, Levels, SignalEdges, Times, edges_of
from plexor.files.imports.exported import ABOUT, SCOPE, exported_run
from plexor.files.imports.units import unit_fs_of

_FORMATS = {".fst": "FST", ".ghw": "GHW"}
_HEADER = struct.Struct(">BQQQ")
"""An FST file's first block: its type, its length, the first and the last time."""
_HEADER_TYPE, _HEADER_LENGTH = 0, 329
_BLOCK = struct.Struct(">BQ")
"""A block's type and the length of all behind the type, in FST (GTKWave's `fstapi.h`)."""
_PACKED_WHOLE = 254
_LENGTH = 8
"""Bytes of a length, in FST."""
_GZIP_WINDOW = 31
"""zlib's number for gzip."""
_PIECE = 1 << 12
_BLOCK_TYPES = {*range(9), _PACKED_WHOLE, 255}
_OPEN = (255, 0)
"""The type and the length of a block that is still being written."""
_LACKS = "not yet implemented: "
"""How the library says that it lacks something."""
_AGAIN = "write it again, or as a VCD"
_GHW_START = b"GHDLwave\n"


def open_wave(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a waveform with its signals. Raises UsageError with the path for what is none."""
    try:
        wellen: Any = import_module("pywellen")
    except ImportError as error:
        raise UsageError(
            f"{path}: needs pywellen, which is not installed; it is in Plexor's extra `captures`"
        ) from error
    name = _FORMATS[path.suffix.lower()]
    head = _head(path, name)
    with _refusing(path):
        wave: Any = wellen.Waveform(str(path))
        variables = [(str(variable.full_name), variable) for variable in wave.all_vars()]
        unit = str(wave.timescale.unit).rpartition(".")[2]
        unit_fs = int(wave.timescale.factor) * unit_fs_of(unit)

        signals = by_name((name, _declared(own), own.signal_id) for name, own in variables)
        exported = exported_run(_told(dict(variables).get(f"{SCOPE}.{ABOUT}")))

    def read(chosen: Sequence[SignalBit]) -> Capture:
        edges: dict[str, SignalEdges] = {}
        last = _end(head)
        with _refusing(path):
            for signal in chosen:
                times, levels = _values(path, signal)
                last = max(last, int(times[-1]) if len(times) else 0)
                edges[signal.name] = edges_of(times, levels, rules.unknown)
        return Capture(
            name,
            Fraction(unit_fs),
            sampled=False,
            start=exported.lead_ticks * (exported.tick_fs or 0) // unit_fs,
            end=last,
            edges=edges,
            exported=exported,
            notes=tuple(
                f"{signal.name}: bit {signal.bit} from the right; the reader does not tell which "
                "range was declared"
                for signal in chosen
                if signal.of > 1
            ),
        )

    return CaptureFile(path, name, signals, read)


@contextmanager
def _refusing(path: Path) -> Generator[None]:
    """Turn what the library raises into UsageError. Its panics are no Exception."""
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError, UsageError):
        raise
    except BaseException as error:
        text = " ".join(str(error).split())
        if text.startswith(_LACKS):
            lacks = text.removeprefix(_LACKS).rstrip("!")[:200]
            raise UsageError(f"{path}: pywellen does not read it: {lacks}; write a VCD") from error
        raise UsageError(f"{path}: not a whole waveform: {text[:200]}; {_AGAIN}") from error
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def _head(path: Path, name: str) -> bytes:
    """Return the start of a file of that format. Raises UsageError for a file of another one.

    pywellen 0.25.7 never returns from an FST file with a block of no length.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
            packed = (
                file.read(_PIECE) if name == "FST" and head[:1] == bytes([_PACKED_WHOLE]) else b""
            )
            if name == "GHW":
                like = head.startswith(_GHW_START)
            else:
                like = head[:1] in (bytes([_HEADER_TYPE]), bytes([_PACKED_WHOLE]))
                place, size = 0, path.stat().st_size
                while like and place + _BLOCK.size <= size:
                    file.seek(place)
                    kind, length = _BLOCK.unpack(file.read(_BLOCK.size))
                    if (kind, length) == _OPEN:
                        raise _not_closed(path)
                    like = kind in _BLOCK_TYPES and length >= _BLOCK.size - 1
                    place += 1 + length
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    if not like:
        raise UsageError(
            f"{path}: not a whole waveform: its bytes are not those of {name}; {_AGAIN}"
        )
    return _unpacked_head(head, packed) if packed else head


def _unpacked_head(head: bytes, packed: bytes) -> bytes:
    """Return the start of a file that is packed whole: behind two lengths, by gzip."""
    try:
        gzipped = (head + packed)[_BLOCK.size + _LENGTH :]
        return zlib.decompressobj(_GZIP_WINDOW).decompress(gzipped, _HEADER.size)
    except zlib.error:
        # The library tells what is wrong with it.
        return b""


def _not_closed(path: Path) -> UsageError:
    return UsageError(
        f"{path}: not a whole waveform: the program that wrote it did not close it; let the "
        "simulation end, by $finish, or write a VCD"
    )


def _end(head: bytes) -> int:
    """Return the last time of an FST file; 0 of another format."""
    if len(head) < _HEADER.size:
        return 0
    kind, length, _, last = _HEADER.unpack(head)
    return last if (kind, length) == (_HEADER_TYPE, _HEADER_LENGTH) else 0


def _told(variable: Any) -> str:
    """Return the text that a file of Plexor's has of its run; empty if there is none."""
    if variable is None or not variable.is_string:
        return ""
    return str(next(iter(variable.tv), (0, ""))[1])


def _declared(variable: Any) -> Declared:
    width = variable.bitwidth
    is_event = str(variable.var_type).lower() == "event"
    has_levels = width and not (variable.is_real or variable.is_string or is_event)
    return Declared(str(variable.var_type), int(width) if has_levels else 0, variable)


def _values(path: Path, signal: SignalBit) -> tuple[Times, Levels]:
    """Return the times and levels of a signal, or of one bit of it."""
    times, levels = array("q"), bytearray()
    changes: Iterable[tuple[int, Any]] = signal.handle.tv
    for time, value in changes:
        times.append(time)
        levels.append(_level(value, signal.bit))
        if len(times) > MOST_EDGES:
            raise too_many(path)
    return np.frombuffer(times, np.int64), np.frombuffer(levels, np.uint8)


def _level(value: Any, bit: int) -> int:
    """Return the level of a bit: of a number, or of a text with a character for each bit."""
    if isinstance(value, int):
        return value >> bit & 1
    text = str(value)
    return LEVELS.get(text[len(text) - 1 - bit], UNKNOWN) if bit < len(text) else UNKNOWN
