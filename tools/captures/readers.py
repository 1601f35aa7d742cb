# SPDX-License-Identifier: Apache-2.0
"""Readers by other hands: pyvcd, vcdvcd and pywellen for a VCD, GTKWave's fst2vcd for an FST,
GHDL's ghwdump for a GHW.
"""

from __future__ import annotations

import gzip
import importlib.util
import io
import re
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from vcd.reader import TokenKind, VCDParseError, tokenize

from plexor.base.units import FEMTOSECONDS
from tools.captures.reading import Changes, OtherReading, ReaderError

_TIMEOUT_S = 300
_FACTORS = {"s": 15, "ms": 12, "us": 9, "ns": 6, "ps": 3, "fs": 0}
_INTEGER = 32
"""Bits of an integer of VHDL."""
_WEAK = re.compile(r"(?m)^[uUwWlLhH-]\S")
"""A level of IEEE Std 1164 that the VCD of IEEE Std 1364 has not."""
_SIGNAL = re.compile(r"(?:signal|port-\w+) (.+?): ([^:]*): #(\d+)(?:-#(\d+))?")
_CHANGE = re.compile(r"#(\d+): (?:'(.)'|(false|true)|(-?\d+)(?= *$))")


def by_pyvcd(path: Path) -> OtherReading:
    """Read a VCD by pyvcd (github.com/westerndigitalcorporation/pyvcd)."""
    with _unpacked(path) as file:
        return _pyvcd(file)


def _pyvcd(file: BinaryIO) -> OtherReading:
    changes, scopes, now = Changes(), list[str](), 0
    unit_fs, in_dump, started = 0, False, False
    for token in tokenize(cast("io.BytesIO", file)):
        kind, data = token.kind, cast("Any", token.data)
        if kind is TokenKind.CHANGE_SCALAR:
            changes.add(now, data.id_code, data.value)
        elif kind is TokenKind.CHANGE_VECTOR:
            value = data.value
            changes.add(now, data.id_code, f"{value:b}" if isinstance(value, int) else value)
        elif kind is TokenKind.CHANGE_TIME:
            if data < now:
                raise ReaderError(f"time {data} after {now}")
            if in_dump and (not started or data > now):
                in_dump = _end_dump(changes)
            now, started = data, True
        elif kind is TokenKind.DUMPVARS:
            # A later one says what there is, once more.
            in_dump = not changes.initial
        elif kind is TokenKind.END and in_dump:
            in_dump = _end_dump(changes)
        elif kind is TokenKind.TIMESCALE:
            unit = data.unit.value
            unit_fs = int(data.magnitude.value) * 10 ** _FACTORS[unit]
        elif kind is TokenKind.SCOPE:
            scopes.append(data.ident)
        elif kind is TokenKind.UPSCOPE:
            scopes.pop()
        elif kind is TokenKind.VAR:
            name = ".".join([*scopes, data.ref_str])
            has_levels = data.type_.value not in ("real", "realtime", "string", "event")
            changes.declare(name, data.id_code, data.size if has_levels else 0)
    return OtherReading("pyvcd", Fraction(unit_fs), changes.signals(), tells_start=True)


def _end_dump(changes: Changes) -> bool:
    """Note what $dumpvars said; return that it has ended."""
    changes.initial = {code: len(times) for code, times in changes.times.items()}
    return False


def by_vcdvcd(folder: Path) -> Callable[[Path], OtherReading]:
    """Return what reads a VCD by vcdvcd (github.com/cirosantilli/vcdvcd), unpacked in a folder."""

    def read(path: Path) -> OtherReading:
        with _unpacked(path) as file:
            return _vcdvcd(folder, file)

    return read


def _vcdvcd(folder: Path, file: BinaryIO) -> OtherReading:
    vcdvcd = _module("vcdvcd.vcdvcd", folder / "vcdvcd.py")
    text = file.read().decode("latin-1")
    if _WEAK.search(text, text.find("$enddefinitions")):
        raise ReaderError("it skips levels of IEEE Std 1164")
    dump = vcdvcd.VCDVCD(vcd_string=text)
    if not dump.timescale:
        raise ReaderError("no timescale")
    changes = Changes()
    # It does not tell the order of two signals of one name.
    doubled = {name for name, count in Counter[str](dump.signals).items() if count > 1}
    for name, code in dump.references_to_ids.items():
        declared = dump.data[code]
        has_levels = declared.var_type not in ("real", "realtime", "string", "event")
        if name not in doubled:
            # A scope without a name is called as what ends it.
            plain = name.replace("$end.", ".")
            changes.declare(plain, code, int(declared.size) if has_levels else 0)
    for code, declared in dump.data.items():
        changes.times[code] = [time for time, _ in declared.tv]
        changes.values[code] = [value for _, value in declared.tv]
    unit_fs = Fraction(dump.timescale["timescale"]) * FEMTOSECONDS
    return OtherReading("vcdvcd", unit_fs, changes.signals())


def by_pywellen(path: Path) -> OtherReading:
    """Read a VCD by pywellen (github.com/ekiwi/wellen)."""
    wellen: Any = import_module("pywellen")
    try:
        wave = wellen.Waveform(str(path))
        changes = Changes()
        for variable in wave.all_vars():
            width = variable.bitwidth
            has_levels = width and not variable.is_real and not variable.is_string
            code = f"{variable.signal_id}"
            changes.declare(str(variable.full_name), code, int(width) if has_levels else 0)
            if not has_levels or code in changes.times:
                continue
            for time, value in variable.tv:
                text = f"{value:0{width}b}" if isinstance(value, int) else str(value)
                changes.add(time, code, text)
    except Exception as error:
        raise ReaderError(str(error)) from error
    unit = str(wave.timescale.unit).rpartition(".")[2].lower()
    names = {"seconds": "s", "milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
    names |= {"picoseconds": "ps", "femtoseconds": "fs"}
    unit_fs = int(wave.timescale.factor) * 10 ** _FACTORS[names.get(unit, unit)]
    return OtherReading("pywellen", Fraction(unit_fs), changes.signals())


def by_first(folder: Path) -> Callable[[Path], OtherReading]:
    """Return what reads a VCD by the first reader that can. vcdvcd is in the folder."""

    def read(path: Path) -> OtherReading:
        for reader in (by_pyvcd, by_vcdvcd(folder)):
            try:
                return reader(path)
            except (ReaderError, VCDParseError, ValueError, IndexError, KeyError):
                continue
        return by_pywellen(path)

    return read


def by_fst2vcd(
    program: Path, environment: Mapping[str, str], folder: Path
) -> Callable[[Path], OtherReading]:
    """Return what reads an FST by GTKWave's fst2vcd, and the VCD that it writes by another one."""

    def read(path: Path) -> OtherReading:
        with tempfile.TemporaryDirectory() as scratch:
            dump = Path(scratch, "dump.vcd")
            dump.write_bytes(_told([str(program), "-f", str(path)], environment))
            return replace(by_first(folder)(dump), reader="fst2vcd", tells_start=False)

    return read


def by_ghwdump(program: Path) -> Callable[[Path], OtherReading]:
    """Return what reads a GHW by GHDL's ghwdump."""

    def read(path: Path) -> OtherReading:
        changes, scopes = Changes(), list[str]()
        parts: dict[str, list[str]] = {}
        for line in _told([str(program), "-h", str(path)]).decode("latin-1").splitlines():
            depth, text = len(line) - len(line.lstrip()), line.strip()
            if not depth:
                continue
            del scopes[depth - 1 :]
            match = _SIGNAL.fullmatch(text)
            if match is None:
                scopes.append(text.partition(" ")[2].partition(":")[0].strip())
                continue
            first, last = int(match[3]), int(match[4] or match[3])
            code = f"{first}-{last}"
            parts[code] = [f"{number}" for number in range(first, last + 1)]
            width = _INTEGER if match[2] in ("integer", "natural") else len(parts[code])
            changes.declare(".".join([*scopes, match[1]]), code, width)
        _take_ghwdump(program, path, changes, parts)
        return OtherReading("ghwdump", Fraction(1), changes.signals(), has_wholes=True)

    return read


def _characters(match: re.Match[str]) -> str:
    """Return a value that ghwdump prints as bits: a level, a boolean or an integer."""
    _, level, truth, number = match.groups()
    if number:
        return f"{int(number) % (1 << _INTEGER):0{_INTEGER}b}"
    return level or str(int(truth == "true"))


def _take_ghwdump(
    program: Path, path: Path, changes: Changes, parts: Mapping[str, list[str]]
) -> None:
    """Add the changes that ghwdump prints. Composites change as a whole."""
    owners = defaultdict[str, list[str]](list)
    for code, numbers in parts.items():
        for number in numbers:
            owners[number].append(code)
    now, values, changed = 0, dict[str, str](), set[str]()

    def end() -> None:
        for code in changed:
            levels = [values.get(number, "") for number in parts[code]]
            if all(levels):
                changes.add(now, code, "".join(levels))
        changed.clear()

    for line in _told([str(program), "-s", str(path)]).decode("latin-1").splitlines():
        match = _CHANGE.match(line)
        if match is not None:
            values[match[1]] = _characters(match)
            changed.update(owners[match[1]])
        elif line.startswith("Time is "):
            end()
            now = int(line.split()[2])
    end()


def _unpacked(path: Path) -> BinaryIO:
    data = path.read_bytes()
    return io.BytesIO(gzip.decompress(data) if path.suffix == ".gz" else data)


def by_zip(path: Path) -> OtherReading:
    """Read the logic of a sigrok session: a zip of samples (sigrok.org, file format v2)."""
    with zipfile.ZipFile(path) as archive:
        lines = archive.read("metadata").decode().splitlines()
        said = dict(line.split("=", 1) for line in lines if "=" in line)
        file, unit = said["capturefile"], int(said["unitsize"])
        count = sum(name.startswith(f"{file}-") for name in archive.namelist())
        names = [f"{file}-{number + 1}" for number in range(count)] or [file]
        samples = b"".join(archive.read(name) for name in names)
    rows = [
        int.from_bytes(samples[at : at + unit], "little") for at in range(0, len(samples), unit)
    ]
    probes = {said[key]: int(key[5:]) - 1 for key in said if re.fullmatch(r"probe\d+", key)}
    columns = {name: [row >> bit & 1 for row in rows] for name, bit in probes.items()}
    return _sampled("zip", said["samplerate"], columns)


def by_sigrok_cli(path: Path) -> OtherReading:
    """Read a sigrok session, or what sigrok-cli wrote as CSV, by sigrok-cli's CSV of it."""
    text = path.read_bytes()
    if path.suffix == ".sr":
        text = _told(["sigrok-cli", "-i", str(path), "-O", "csv"])
    lines = text.decode().splitlines()
    above = [line for line in lines if line.startswith(";")]
    names = next(line for line in above if "Channels" in line).partition(": ")[2].split(", ")
    rate = next(line for line in above if "Samplerate" in line).partition(": ")[2]
    rows = [line.split(",") for line in lines if line[:1] in ("0", "1")]
    columns = {name: [int(row[at]) for row in rows] for at, name in enumerate(names)}
    return _sampled("sigrok-cli" if path.suffix == ".sr" else "split lines", rate, columns)


def _sampled(reader: str, rate: str, columns: Mapping[str, list[int]]) -> OtherReading:
    """Return levels of equal steps as a reading."""
    number, unit = rate.split()
    hertz = Fraction(number) * {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}[unit]
    changes = Changes()
    for name, levels in columns.items():
        changes.declare(name, name, 1)
        for time, level in enumerate(levels):
            if not time or level != levels[time - 1]:
                changes.add(time, name, str(level))
    return OtherReading(reader, FEMTOSECONDS / hertz, changes.signals())


def _told(command: list[str], environment: Mapping[str, str] | None = None) -> bytes:
    done = subprocess.run(
        command,
        capture_output=True,
        check=False,
        timeout=_TIMEOUT_S,
        env=environment,
    )
    if done.returncode:
        lines = done.stderr.decode("latin-1").strip().splitlines()
        raise ReaderError((lines or [f"exit code {done.returncode}"])[-1])
    return done.stdout


def _module(name: str, path: Path) -> Any:
    """Return a module of a package that is unpacked, not installed."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        before = signal.getsignal(signal.SIGPIPE)
        spec.loader.exec_module(module)
        # vcdvcd changes it for the whole program.
        signal.signal(signal.SIGPIPE, before)
        sys.modules[name] = module
    return sys.modules[name]
