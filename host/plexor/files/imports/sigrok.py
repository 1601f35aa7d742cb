# SPDX-License-Identifier: Apache-2.0
"""Reads a sigrok session file, version 1 or 2 (sigrok.org/wiki/File_format:Sigrok/v2)."""

from __future__ import annotations

import configparser
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

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
from plexor.files.imports.edges import Levels, SignalEdges, Times, edges_of
from plexor.files.imports.exported import exported_run
from plexor.files.imports.units import scale_of

MOST_BYTES = 10**11
"""Greatest length of the samples: about five minutes of reading."""
ABOUT = "about.txt"
_AGAIN = "save it again, by PulseView or sigrok-cli"
_ANALOG = "analog, and left out; a CSV of these alone is read, as by sigrok-cli -C NAMES -O csv"
_PIECE = 1 << 22
_MOST_TEXT = 1 << 20
_MOST_UNIT = 8
_RATE = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*([kMG]?)(?:Hz)?")


@dataclass(frozen=True, slots=True)
class _Session:
    """What the metadata of a session says."""

    hertz: Fraction
    unit: int
    """Bytes of a sample."""
    probes: Mapping[str, int]
    """Bit of each probe, by its name."""
    about: str
    """What Plexor writes into its own files."""
    entries: tuple[str, ...]
    """Files of samples in the archive, in order."""
    analog: tuple[str, ...]
    """Names of the analog channels, which are not read."""


@dataclass(slots=True)
class _Bit:
    """One probe while samples are read."""

    bit: int
    level: int | None = None
    edges: int = 0
    times: list[Times] = field(default_factory=list["Times"])
    levels: list[Levels] = field(default_factory=list["Levels"])


def open_sr(path: Path, rules: ReadRules) -> CaptureFile:
    """Return a session with its probes. All that a session holds is known: no rule applies.

    Raises UsageError with the path for what is no such session. Reading raises it for more samples
    or edges than can be read.
    """
    del rules
    try:
        with zipfile.ZipFile(path) as archive:
            session = _session(path, archive)
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    except NOT_WHOLE as error:
        raise UsageError(f"{path}: not a whole sigrok session: {error}; {_AGAIN}") from error

    def read(chosen: Sequence[SignalBit]) -> Capture:
        return _read(path, session, chosen)

    signals = {name: Declared("probe", 1, bit) for name, bit in session.probes.items()}
    return CaptureFile(path, "sigrok session", signals, read)


def _read(path: Path, session: _Session, chosen: Sequence[SignalBit]) -> Capture:
    """Return the edges of some probes."""
    probes = {bit: _Bit(bit) for bit in {signal.handle for signal in chosen}}
    count = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for samples in _samples(archive, session):
                count = _take(path, samples, count, list(probes.values()))
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {reason_of(error)}") from error
    except NOT_WHOLE as error:
        raise UsageError(f"{path}: not a whole sigrok session: {error}; {_AGAIN}") from error
    exported = exported_run(session.about)
    return Capture(
        format="sigrok session",
        unit_fs=Fraction(FEMTOSECONDS) / session.hertz,
        sampled=True,
        start=min(exported.lead_ticks, count),
        end=count,
        edges={signal.name: _edges(probes[signal.handle]) for signal in chosen},
        exported=exported,
        notes=(f"{', '.join(session.analog)}: {_ANALOG}",) if session.analog else (),
    )


def _session(path: Path, archive: zipfile.ZipFile) -> _Session:
    version = _text(path, archive, "version").strip()
    if version not in ("1", "2"):
        raise UsageError(
            f"{path}: version {version[:20]!r} of sigrok's format; must be 1 or 2: {_AGAIN}"
        )
    table = configparser.RawConfigParser(delimiters="=", strict=False)
    try:
        table.read_string(_text(path, archive, "metadata"))
        device = table["device 1"]
        rate = _RATE.fullmatch(device["samplerate"].strip())
        unit = int(device.get("unitsize", "1"))
        file = device["capturefile"]
    except KeyError as error:
        raise UsageError(f"{path}: its metadata does not say {error}; {_AGAIN}") from error
    except (configparser.Error, ValueError) as error:
        text = " ".join(str(error).split())
        raise UsageError(f"{path}: its metadata: {text[:200]}; {_AGAIN}") from error
    hertz = Fraction(rate[1]) * scale_of(rate[2]) if rate else Fraction(0)
    if not hertz:
        raise UsageError(f"{path}: samplerate {device['samplerate'][:40]!r}; must be above 0 Hz")
    if not 1 <= unit <= _MOST_UNIT:
        raise UsageError(f"{path}: unitsize {unit}; must be 1 to {_MOST_UNIT}")
    probes = {
        text: int(key.removeprefix("probe")) - 1
        for key, text in device.items()
        if re.fullmatch(r"probe\d{1,3}", key)
    }
    outside = [name for name, bit in probes.items() if not 0 <= bit < unit * 8]
    if outside:
        raise UsageError(
            f"{path}: probe {outside[0]!r} is not in samples of {counted(unit, 'byte')}"
        )
    about = _text(path, archive, ABOUT) if ABOUT in archive.namelist() else ""
    analog = tuple(text for key, text in device.items() if re.fullmatch(r"analog\d{1,3}", key))
    return _Session(hertz, unit, probes, about, _entries(path, archive, file), analog)


def _entries(path: Path, archive: zipfile.ZipFile, file: str) -> tuple[str, ...]:
    """Return the names of the files of samples: one, or some with numbers, in their order."""
    numbered = {
        int(name.removeprefix(f"{file}-")): name
        for name in archive.namelist()
        if re.fullmatch(rf"{re.escape(file)}-\d{{1,9}}", name)
    }
    names = [numbered[number] for number in sorted(numbered)]
    if file in archive.namelist():
        names = [file]
    elif sorted(numbered) != [*range(1, len(numbered) + 1)]:
        raise UsageError(f"{path}: {file}-1 to {file}-{max(numbered)} must all be there")
    if not names:
        entries = ", ".join(archive.namelist())
        raise UsageError(
            f"{path}: no samples of logic; it has {entries[:200]}: export volts as CSV"
        )
    for name in names:
        if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UsageError(f"{path}: {name} is compressed in a way that sigrok does not use")
    size = sum(archive.getinfo(name).file_size for name in names)
    if size > MOST_BYTES:
        raise UsageError(
            f"{path}: {counted(size, 'byte')} of samples; at most {MOST_BYTES} can be read"
        )
    return tuple(names)


def _text(path: Path, archive: zipfile.ZipFile, name: str) -> str:
    try:
        with archive.open(name) as file:
            data = file.read(_MOST_TEXT)
    except KeyError as error:
        raise UsageError(
            f"{path}: not a sigrok session: no {name!r} in the archive; {_AGAIN}"
        ) from error
    return data.decode("utf-8", "replace")


def _samples(archive: zipfile.ZipFile, session: _Session) -> Iterator[Levels]:
    """Yield whole samples, a row of bytes each."""
    remainder = b""
    for name in session.entries:
        with archive.open(name) as file:
            while data := file.read(_PIECE):
                data = remainder + data
                size = len(data) - len(data) % session.unit
                remainder = data[size:]
                yield np.frombuffer(data, np.uint8, size).reshape(-1, session.unit)


def _take(path: Path, samples: Levels, first: int, bits: list[_Bit]) -> int:
    """Add the values of each probe at its changes; return how many samples came so far."""
    if not len(samples):
        return first
    for column in {probe.bit >> 3 for probe in bits}:
        own = samples[:, column]
        changed = np.append(0, np.flatnonzero(own[1:] != own[:-1]) + 1)
        for probe in bits:
            if probe.bit >> 3 != column:
                continue
            levels = own[changed] >> np.uint8(probe.bit & 7) & np.uint8(1)
            previous = np.append(levels[0] if probe.level is None else probe.level, levels[:-1])
            changes = levels != previous
            # The first value of all is kept too: it says what the first edge is.
            changes[0] |= probe.level is None
            probe.times.append(changed[changes] + first)
            probe.levels.append(levels[changes])
            probe.level = int(levels[-1])
            probe.edges += int(np.count_nonzero(changes))
    if sum(probe.edges for probe in bits) > MOST_EDGES:
        raise too_many(path)
    return first + len(samples)


def _edges(probe: _Bit) -> SignalEdges:
    if not probe.times:
        return edges_of(np.zeros(0, np.int64), np.zeros(0, np.uint8))
    return edges_of(np.concatenate(probe.times), np.concatenate(probe.levels))
