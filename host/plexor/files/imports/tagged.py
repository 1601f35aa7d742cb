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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.base.errors import UsageError, reason_of
from plexor.base.units import FEMTOSECONDS
from plexor.files.imports.capture import (
    MOST_EDGES,
    NOT_WHOLE,
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
_LAST = 1 << 61
"""Greatest time, in units: sums and differences of such times have room in 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class _Events:
    """The events of a PTU file."""

    times: Mapping[str, Callable[[], Times]]
    """What gives those of a signal, by its name."""
    end: int
    """The last time."""
    notes: tuple[str, ...] = ()


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
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    unit_fs, per_sync = _units(path, header, is_t3=kind in _T3)
    try:
        events = _t3(records, kind, per_sync) if kind in _T3 else _t2(records, kind)
    except OverflowError as error:
        raise UsageError(f"{path}: its times are beyond what can be measured") from error
    notes = [_PULSES, *events.notes]
    if len(records) < count:
        notes.append(f"it is incomplete: {len(records):,} of {counted(count, 'record')}")
    return _file(path, unit_fs, events, tuple(notes))


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
    unit_fs = Fraction(round(Fraction(seconds) * FEMTOSECONDS), 2)
    if not unit_fs:
        raise UsageError(f"{path}: its {name} is {seconds:g} s; must be a femtosecond or more")
    return unit_fs, Fraction(period_s) * FEMTOSECONDS / unit_fs


def _t2(records: Records, kind: int) -> _Events:
    if kind == _PICOHARP_T2:
        channel, time = records >> 28, (records & 0xFFFFFFF).astype(np.int64)
        marker = np.where(channel == 15, time & 0xF, 0)
        over = (channel == 15) & (marker == 0)
        # A marker stands in the lowest bits of its own time.
        time = np.where(marker > 0, time & ~0xF, time) + _past(over * 210_698_240)
        own = channel < 15
        return _named(2 * time, own, channel, marker)
    special, channel = records >> 31, records >> 25 & 0x3F
    time = (records & 0x1FFFFFF).astype(np.int64)
    over = (special == 1) & (channel == _OVERFLOW)
    if kind == _HYDRAHARP_1_T2:
        past = _past(over * 33_552_000)
    else:
        past = _past(np.where(over, np.maximum(time, 1) << 25, 0))
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
        past = _past(over * 65_536)
        own, number = channel < 15, channel
    else:
        special, channel = records >> 31, records >> 25 & 0x3F
        later, sync = records >> 10 & 0x7FFF, (records & 0x3FF).astype(np.int64)
        over = (special == 1) & (channel == _OVERFLOW)
        times = 1 if kind == _HYDRAHARP_1_T3 else np.maximum(sync, 1)
        past = _past(np.where(over, 1024 * times, 0))
        marker = np.where((special == 1) & (channel <= 15), channel, 0)
        own, number = special == 0, channel + 1
    sync = np.where(over, 0, sync) + past
    time = _at(sync, per_sync) + np.where(own, 2 * later.astype(np.int64), 0)
    found = _named(time, own, number, marker, "ch0")
    count = int(sync.max(initial=0)) + 1
    if count > MOST_EDGES // 2:
        return replace(
            found, notes=(f"sync is left out: its {counted(count, 'pulse')} cannot be read",)
        )
    syncs = {"sync": lambda: _at(np.arange(count), per_sync)}
    return replace(found, times=syncs | dict(found.times))


def _past(carried: Times) -> Times:
    """Return what overflows have carried up to each record. Raises OverflowError beyond _LAST."""
    if np.sum(carried, dtype=np.float64) > _LAST // 2:
        raise OverflowError
    return np.cumsum(carried)


def _at(sync: Times, per_sync: Fraction) -> Times:
    """Return the times of syncs, each rounded once: their numbers have more bits than a float.

    Raises OverflowError beyond _LAST.
    """
    if int(sync.max(initial=0)) * per_sync > _LAST:
        raise OverflowError
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

    def where(chosen: npt.NDArray[np.bool_]) -> Callable[[], Times]:
        return lambda: time[chosen]

    times = {
        f"ch{channel}" if channel else zero: where(own & (number == channel))
        for channel in np.unique(number[own]).tolist()
    }
    for bit in range(_MARKERS):
        if (chosen := (marker >> bit & 1) > 0).any():
            times[f"marker{bit + 1}"] = where(chosen)
    return _Events(times, int(time.max(initial=0)))


def _file(path: Path, unit_fs: Fraction, events: _Events, notes: tuple[str, ...]) -> CaptureFile:
    def read(chosen: Sequence[SignalBit]) -> Capture:
        edges = {signal.name: _pulses(signal.handle()) for signal in chosen}
        return Capture(
            "PTU", unit_fs, sampled=False, start=0, end=events.end + 2, edges=edges, notes=notes
        )

    signals = {name: Declared("events", 1, times) for name, times in events.times.items()}
    return CaptureFile(path, "PTU", signals, read)


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
    # Half picoseconds, for pulses whose end the file does not tell.
    times = 2 * times
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
    """Return times, from the first event on, and channels."""
    wants = f"must be numpy.savez(FILE, {_TIMESTAMPS}=…, {_CHANNELS}=…) of whole numbers"
    try:
        with zipfile.ZipFile(path) as archive:
            for name in (_TIMESTAMPS, _CHANNELS):
                with archive.open(f"{name}.npy") as member:
                    version = np.lib.format.read_magic(member)
                    reads = np.lib.format.read_array_header_1_0
                    if version != (1, 0):
                        reads = np.lib.format.read_array_header_2_0
                    shape, _, kind = reads(member)
                    if len(shape) != 1 or kind.kind not in "iu":
                        raise ValueError(f"{name}: {len(shape)} dimensions of {kind}")
                    if shape[0] > MOST_EDGES:
                        raise too_many(path)
        with np.load(path, allow_pickle=False) as loaded:
            times, channels = loaded[_TIMESTAMPS], loaded[_CHANNELS]
        if len(times) != len(channels):
            raise ValueError(
                f"{counted(len(times), 'timestamp')}, {counted(len(channels), 'channel')}"
            )
        span = int(times.max()) - int(times.min()) if len(times) else 0
        if 2 * span > _LAST:
            raise ValueError(f"timestamps have a span of {span} ps")
    except UsageError:
        raise
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    except (*NOT_WHOLE, KeyError) as error:
        text = " ".join(str(error).split())[:200]
        raise UsageError(f"{path}: {text}; {wants}") from error
    # In their own type: a number of 64 bits without a sign may be beyond those with one.
    later = times - times.min() if len(times) else times
    return later.astype(np.int64), channels.astype(np.int64)
