# SPDX-License-Identifier: Apache-2.0
"""Reads lists of events: PicoQuant's PTU in T2 and T3, and the arrays of Swabian's Time Tagger.

An event has a time and no width. Each is a pulse of half of the file's resolution, unless the file
has trailing edges too.

PTU is PicoQuant's "Unified TTTR" format: a header of tagged values, then records of 32 bits
(github.com/PicoQuant/PicoQuant-Time-Tagged-File-Format-Demos, the file headers and the programs
that read PTU). In T2 a record has its own time; overflows carry it on. In T3 it has the number of a
sync and the time since that one.

A Time Tagger's Python API gives timestamps in picoseconds and channels. A negative channel has the
trailing edges of the positive one (Time Tagger user manual, "Channel numbers").
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.base.errors import UsageError
from plexor.files.imports.capture import (
    MOST_EDGES,
    Capture,
    CaptureFile,
    Declared,
    ReadRules,
    SignalBit,
    too_many,
)
from plexor.files.imports.edges import SignalEdges, Times, edges_of

Records = npt.NDArray[np.uint32]

_MAGIC = b"PQTTTR\0\0"
_TAG = struct.Struct("<32siIq")
"""A tag of the header: its name, its index, its type, its value or the length of what follows."""
_EMPTY, _FLOAT = 0xFFFF0008, 0x20000008
_FOLLOWED = frozenset((0x2001FFFF, 0x4001FFFF, 0x4002FFFF, 0xFFFFFFFF))
"""Types whose value follows the tag: lists of floats, texts of both kinds, blobs."""
_MOST_TAGS = 10_000
_PICOHARP_T2, _PICOHARP_T3 = 0x00010203, 0x00010303
_HYDRAHARP_1_T2, _HYDRAHARP_1_T3 = 0x00010204, 0x00010304
_T2 = (_PICOHARP_T2, _HYDRAHARP_1_T2, 0x01010204, 0x00010205, 0x00010206, 0x00010207)
_T3 = (_PICOHARP_T3, _HYDRAHARP_1_T3, 0x01010304, 0x00010305, 0x00010306, 0x00010307)
_OVERFLOW = 63
_MARKERS = 4
_PULSES = (
    "its events have no width: each is a pulse of half of the file's resolution, and on-widths and "
    "trailing edges mean nothing"
)
_TIMESTAMPS, _CHANNELS = "timestamps", "channels"
_FEMTOSECONDS = 10**15


@dataclass(frozen=True, slots=True, eq=False)
class _Events:
    """The events of a PTU file, each kind by the name of its signal, and its last time."""

    times: Mapping[str, Times]
    end: int


def open_ptu(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a PTU file with its signals: `sync`, the inputs `ch1` on, and `marker1` to `marker4`.

    A T3 file has its `sync` pulses by their number and their period. Raises UsageError with the
    path for another file, and for one that is cut off within its header.
    """
    del rules
    try:
        with path.open("rb") as file:
            header = _header(path, file)
            kind = int(header.get("TTResultFormat_TTTRRecType", 0))
            if kind not in (*_T2, *_T3):
                raise UsageError(
                    f"{path}: records of type {kind:#010x} are not read; T2 and T3 are"
                )
            count = int(header.get("TTResult_NumberOfRecords", 0))
            if count > MOST_EDGES:
                raise too_many(path)
            records = np.fromfile(file, "<u4", count)
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror or error}") from error
    unit_fs, per_sync = _units(path, header, is_t3=kind in _T3)
    read = _t3(records, kind, per_sync) if kind in _T3 else _t2(records, kind)
    notes = [_PULSES]
    if len(records) < count:
        notes.append(f"it is incomplete: {len(records):,} of {count:,} records")
    return _file(path, "PTU", unit_fs, read, tuple(notes))


def _header(path: Path, file: Any) -> dict[str, float]:
    """Return the numbers of a PTU header, and leave the file at the first record."""
    if file.read(len(_MAGIC)) != _MAGIC:
        raise UsageError(f"{path}: is no PTU file: it does not begin with PQTTTR")
    file.read(8)
    found: dict[str, float] = {}
    for _ in range(_MOST_TAGS):
        raw = file.read(_TAG.size)
        if len(raw) < _TAG.size:
            break
        name_bytes, _, kind, value = _TAG.unpack(raw)
        name = name_bytes.split(b"\0")[0].decode("latin-1")
        if name == "Header_End":
            return found
        if kind in _FOLLOWED:
            if not 0 <= value <= MOST_EDGES:
                break
            file.seek(value, 1)
        elif kind == _FLOAT:
            found[name] = struct.unpack("<d", struct.pack("<q", value))[0]
        elif kind != _EMPTY:
            found[name] = value
    raise UsageError(f"{path}: its header has no end")


def _units(path: Path, header: Mapping[str, float], *, is_t3: bool) -> tuple[Fraction, Fraction]:
    """Return the unit of times in femtoseconds, half of the resolution, and a sync's in units."""
    name = "MeasDesc_Resolution" if is_t3 else "MeasDesc_GlobalResolution"
    seconds = header.get(name, 0.0)
    period_s = header.get("MeasDesc_GlobalResolution", 0.0)
    for value in (seconds, period_s):
        if not 0 < value < 1:
            raise UsageError(f"{path}: its {name} is {value:g} s; must be between 0 and 1 s")
    unit_fs = Fraction(round(Fraction(seconds) * _FEMTOSECONDS), 2)
    if not unit_fs:
        raise UsageError(f"{path}: its {name} is {seconds:g} s; must be a femtosecond or more")
    return unit_fs, Fraction(period_s) * _FEMTOSECONDS / unit_fs


def _t2(records: Records, kind: int) -> _Events:
    if kind == _PICOHARP_T2:
        channel, time = records >> 28, (records & 0xFFFFFFF).astype(np.int64)
        marker = np.where(channel == 15, time & 0xF, 0)
        over = (channel == 15) & (marker == 0)
        # A marker stands in the lowest bits of its own time.
        time = np.where(marker > 0, time & ~0xF, time) + np.cumsum(over * 210_698_240)
        own = channel < 15
        return _named(2 * time, own, channel, marker)
    special, channel = records >> 31, records >> 25 & 0x3F
    time = (records & 0x1FFFFFF).astype(np.int64)
    over = (special == 1) & (channel == _OVERFLOW)
    if kind == _HYDRAHARP_1_T2:
        past = np.cumsum(over * 33_552_000)
    else:
        past = np.cumsum(np.where(over, np.maximum(time, 1) << 25, 0))
    time = np.where(over, 0, time) + past
    is_sync = (special == 1) & (channel == 0)
    marker = np.where((special == 1) & (channel <= 15), channel, 0)
    # Inputs count from 1: the number before them is the sync's.
    number = np.where(is_sync, 0, channel + 1)
    return _named(2 * time, (special == 0) | is_sync, number, marker)


def _t3(records: Records, kind: int, per_sync: Fraction) -> _Events:
    if kind == _PICOHARP_T3:
        channel, later = records >> 28, records >> 16 & 0xFFF
        sync = (records & 0xFFFF).astype(np.int64)
        marker = np.where(channel == 15, later & 0xF, 0)
        over = (channel == 15) & (later == 0)
        past = np.cumsum(over * 65_536)
        own, number = channel < 15, channel
    else:
        special, channel = records >> 31, records >> 25 & 0x3F
        later, sync = records >> 10 & 0x7FFF, (records & 0x3FF).astype(np.int64)
        over = (special == 1) & (channel == _OVERFLOW)
        times = 1 if kind == _HYDRAHARP_1_T3 else np.maximum(sync, 1)
        past = np.cumsum(np.where(over, 1024 * times, 0))
        marker = np.where((special == 1) & (channel <= 15), channel, 0)
        own, number = special == 0, channel + 1
    sync = np.where(over, 0, sync) + past
    time = _at(sync, per_sync) + np.where(own, 2 * later.astype(np.int64), 0)
    found = _named(time, own, number, marker, "ch0")
    last = int(sync.max(initial=0))
    if last >= MOST_EDGES // 2:
        return found
    syncs = _at(np.arange(last + 1), per_sync)
    return _Events({"sync": syncs, **found.times}, max(found.end, int(syncs[-1])))


def _at(sync: Times, per_sync: Fraction) -> Times:
    """Return the times of syncs, each rounded once: their numbers have more bits than a float."""
    whole = int(per_sync)
    return sync * whole + np.rint(sync * float(per_sync - whole)).astype(np.int64)


def _named(
    time: Times,
    own: npt.NDArray[np.bool_],
    number: npt.NDArray[Any],
    marker: npt.NDArray[Any],
    zero: str = "sync",
) -> _Events:
    """Return the events by the names of their signals; `zero` is that of number 0."""
    times: dict[str, Times] = {}
    for channel in np.unique(number[own]).tolist():
        name = f"ch{channel}" if channel else zero
        times[name] = time[own & (number == channel)]
    for bit in range(_MARKERS):
        if (chosen := (marker >> bit & 1) > 0).any():
            times[f"marker{bit + 1}"] = time[chosen]
    return _Events(times, int(time.max(initial=0)))


def _file(
    path: Path, name: str, unit_fs: Fraction, events: _Events, notes: tuple[str, ...]
) -> CaptureFile:
    def read(chosen: Sequence[SignalBit]) -> Capture:
        edges = {signal.name: _pulses(events.times[signal.name]) for signal in chosen}
        return Capture(
            name, unit_fs, sampled=False, start=0, end=events.end + 2, edges=edges, notes=notes
        )

    signals = {signal: Declared("events", 1, None) for signal in events.times}
    return CaptureFile(path, name, signals, read)


def _pulses(times: Times) -> SignalEdges:
    """Return a pulse of a unit for each event; the level before them is low."""
    times = np.sort(times)
    both = np.column_stack((times, times + 1)).ravel()
    levels = np.tile(np.array([1, 0], np.uint8), len(times))
    start = min(int(times[0]) - 1, -1) if len(times) else -1
    return edges_of(np.append(start, both), np.append(np.uint8(0), levels))


def open_npz(path: Path, rules: ReadRules) -> CaptureFile:
    """Return the events of a Time Tagger, which numpy.savez wrote, with a signal for each channel.

    The arrays are `timestamps`, in picoseconds, and `channels`. Raises UsageError with the path for
    another file.
    """
    del rules
    times, channels = _arrays(path)
    order = np.argsort(times, kind="stable")
    times, channels = times[order], channels[order]
    # Half picoseconds, for pulses whose end the file does not tell; from 0 on, as a capture is.
    first = int(times[0]) if len(times) else 0
    times = 2 * (times - first)
    found: dict[str, SignalEdges] = {}
    notes: list[str] = []
    for channel in np.unique(np.abs(channels)).tolist():
        rises, falls = channels == channel, channels == -channel
        if rises.any() and falls.any():
            both = rises | falls
            levels = rises[both].astype(np.uint8)
            found[f"ch{channel}"] = edges_of(
                np.append(-1, times[both]), np.append(np.uint8(1 - levels[0]), levels)
            )
        else:
            found[f"ch{channel}"] = _pulses(times[rises | falls])
            notes.append(f"ch{channel}: {_PULSES}")

    def read(chosen: Sequence[SignalBit]) -> Capture:
        edges = {signal.name: found[signal.name] for signal in chosen}
        end = int(times[-1]) + 2 if len(times) else 2
        told = tuple(note for note in notes if note.partition(":")[0] in edges)
        return Capture(
            "Time Tagger", Fraction(500), sampled=False, start=0, end=end, edges=edges, notes=told
        )

    signals = {name: Declared("events", 1, None) for name in found}
    return CaptureFile(path, "Time Tagger", signals, read)


def _arrays(path: Path) -> tuple[Times, Times]:
    wants = f"must be numpy.savez(FILE, {_TIMESTAMPS}=…, {_CHANNELS}=…) of whole numbers"
    try:
        with zipfile.ZipFile(path) as archive:
            for name in (_TIMESTAMPS, _CHANNELS):
                with archive.open(f"{name}.npy") as member:
                    version = np.lib.format.read_magic(member)
                    reads = np.lib.format.read_array_header_1_0
                    if version != (1, 0):
                        reads = np.lib.format.read_array_header_2_0
                    shape, _, _ = reads(member)
                    if len(shape) != 1:
                        raise ValueError(f"{name} has {len(shape)} dimensions")
                    if shape[0] > MOST_EDGES:
                        raise too_many(path)
        with np.load(path, allow_pickle=False) as loaded:
            times, channels = loaded[_TIMESTAMPS], loaded[_CHANNELS]
        if len(times) != len(channels):
            raise ValueError(f"{len(times)} timestamps, {len(channels)} channels")
        if times.dtype.kind not in "iu" or channels.dtype.kind not in "iu":
            raise ValueError(f"they are {times.dtype} and {channels.dtype}")
    except UsageError:
        raise
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror or error}") from error
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        text = " ".join(str(error).split())[:200]
        raise UsageError(f"{path}: {text}; {wants}") from error
    return times.astype(np.int64), channels.astype(np.int64)
