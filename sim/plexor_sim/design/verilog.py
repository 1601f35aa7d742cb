# SPDX-License-Identifier: Apache-2.0
"""A user's own Verilog as a device: Verilates it, and checks its ports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from plexor_sim.build import SAID_FILE, BuildError, Verilation, is_timed, ports, verilate
from plexor_sim.design import inside
from plexor_sim.design.glue import PREFIX, Ports, glue
from plexor_sim.design.manifest import Manifest, ManifestError
from plexor_sim.design.mixed import MixedError, as_verilog
from plexor_sim.design.order import in_order
from plexor_sim.design.pins import Pin
from plexor_sim.design.text import bare, defined, switched_on
from plexor_sim.design.vhdl import LibraryError
from plexor_sim.packages import make_once, sha256
from plexor_sim.riscv import DeviceBuild

_PRECISION = Path(__file__).parents[1] / "device" / "precision.sv"
_DELAYED = re.compile(
    r"""(?:\{[^{};]*\}|[\w$.]+(?:\s*\[[^\];]*\])*)  # what is assigned
        \s*<?=\s*\#[^;]*;""",
    re.VERBOSE,
)
"""An assignment with a delay in it, such as `q <= #1 d;`."""
_PART_MISSING = re.compile(
    r"(?:Cannot find file containing (?:module|interface)|Import package not found): '([^']+)'"
)
_INCLUDE_MISSING = re.compile(r"Cannot find include file: '([^']+)'")
_KEPT = 'begin {} $c(";"); end'
_RANDOM = ("--x-initial", "unique", "--x-assign", "unique")
_ARRAY_PORT = re.compile(r"^ +VlUnpacked<.*> &(\w+);", re.MULTILINE)
"""As Verilator declares it in a model's header."""
_OF_VERILATOR = ("VERILATOR", "VERILATOR_TIMING", "verilator", "verilator3", "SYSTEMVERILOG")
"""Macros that Verilator may define (its manual, "Language Extensions")."""
_MOST_NAMED = 12
"""Number of pins that a message names."""


def verilog_device(manifest: Manifest, cache: Path, *, is_random: bool = False) -> DeviceBuild:
    """Return the parts from which the device is linked; Verilates it to check its ports.

    With `is_random`, initial values that nothing sets are random at run time; otherwise they are 0.
    Raises ManifestError for a port that is missing or for what is not supported, BuildError if
    Verilator rejects the sources.
    """
    item = _verilation(manifest, cache, is_random=is_random)
    verilated = _verilated(manifest, item, cache)
    found = _ports(manifest, verilated)
    _check_ports(manifest, found)
    _check_times(manifest, verilated)
    text = glue(
        manifest,
        found,
        draws=draws_at_random(verilated),
        timed=is_timed(verilated, PREFIX),
        is_class=bool(manifest.probes)
        and inside.is_class((verilated / f"{PREFIX}___024root.h").read_text()),
    )

    def fill(directory: Path) -> None:
        (directory / "glue.cpp").write_text(text)

    return DeviceBuild(
        name=manifest.top,
        verilog=item.verilog,
        top=manifest.top,
        prefix=PREFIX,
        cpp=(
            make_once(cache / "glue" / sha256(text.encode())[:32], fill) / "glue.cpp",
            *manifest.sources.native,
        ),
        parameters=dict(item.parameters),
        options=dict(manifest.options or {}),
        flags=item.flags,
        key=_headers(manifest.sources.native),
        folder=item.folder,
        searched=item.searched,
        notes=(*_floating_notes(manifest, found, is_random), *_array_notes(verilated)),
    )


def ports_of(manifest: Manifest, cache: Path) -> Ports:
    """Return direction and width of each port of a manifest's top. Raises as `verilog_device`."""
    return _ports(manifest, _verilated(manifest, _verilation(manifest, cache), cache))


def _ports(manifest: Manifest, verilated: Path) -> Ports:
    """Return direction and width of each port. An inout is one port, in Verilator three."""
    found = ports(verilated, PREFIX)
    for name in list(found) if manifest.inouts else ():
        if f"{name}__en" in found and f"{name}__out" in found:
            del found[f"{name}__en"], found[f"{name}__out"]
            found[name] = ("inout", found[name][1])
    return found


def _verilation(manifest: Manifest, cache: Path, *, is_random: bool = False) -> Verilation:
    """Return what Verilator is given of a manifest."""
    folder = manifest.path.parent.resolve()
    sources = manifest.sources
    verilog = in_order(sources.verilog)
    parameters = {name: _parameter(value) for name, value in (manifest.parameters or {}).items()}
    if sources.vhdl:
        given = manifest.parameters or {}
        try:
            mixed = as_verilog(
                sources.vhdl, verilog, manifest.top, given, folder, cache, sources.libraries
            )
        except (LibraryError, MixedError) as error:
            raise ManifestError(f"{manifest.path}: sources: {error}") from None
        verilog = mixed.files
        parameters = {} if mixed.is_entity else parameters
    probes: tuple[Path, ...] = ()
    if manifest.probes:
        probes = (inside.probes_file(manifest.top, manifest.probes, cache),)
    macros = (f"-D{name}={text}" if text else f"-D{name}" for name, text in sources.defines.items())
    return Verilation(
        name=manifest.top,
        verilog=(*(_with_delays(path, folder, cache) for path in verilog), *probes, _PRECISION),
        top=manifest.top,
        prefix=PREFIX,
        parameters=parameters,
        flags=(
            *("--timing", "--assert", "-Wwarn-TIMESCALEMOD"),
            *macros,
            *(_RANDOM if is_random else ()),
            *(("--pins-inout-enables",) if manifest.inouts else ()),
        ),
        folder=folder,
        searched=tuple(sources.include),
    )


def _headers(native: list[Path]) -> str:
    """Return a digest of the headers beside the design's own C and C++."""
    folders = dict.fromkeys(path.parent for path in native)
    headers = [header for folder in folders for header in sorted(folder.glob("*.h*"))]
    return sha256(b"\0".join(header.read_bytes() for header in headers)) if headers else ""


def _with_delays(source: Path, folder: Path, cache: Path) -> Path:
    """Return a source in which Verilator keeps all delays; the source itself if it has none.

    Of `if (r) q <= 0; else q <= #1 d;` Verilator 5.48 makes `q <= r ? 0 : d` before it looks at
    delays. It does not if a branch has another statement.
    """
    text = source.read_bytes().decode(errors="surrogateescape")
    code = bare(text)
    parts: list[str] = []
    end = 0
    for found in _DELAYED.finditer(code):
        parts += [text[end : found.start()], _KEPT.format(text[found.start() : found.end()])]
        end = found.end()
    if not parts:
        return source
    changed = f'`line 1 "{os.path.relpath(source, folder)}" 0\n' + "".join(parts) + text[end:]
    data = changed.encode(errors="surrogateescape")

    def fill(directory: Path) -> None:
        (directory / source.name).write_bytes(data)

    return make_once(cache / "delays" / sha256(data)[:32], fill) / source.name


def _parameter(value: int | str) -> str:
    """Return a parameter's value as Verilog has it: an integer is as wide as it must be."""
    if isinstance(value, str):
        return f'"{value}"'
    return str(value) if value < 1 << 31 else f"{value.bit_length() + 1}'d{value}"


def _verilated(manifest: Manifest, item: Verilation, cache: Path) -> Path:
    try:
        verilated = verilate(item, cache)
    except BuildError as error:
        if "Interfaced port" in str(error):
            raise ManifestError(
                f"{manifest.path}: top: {manifest.top} has an interface as a port, which is not "
                "supported; name a module around it that has plain ports"
            ) from None
        wrong = inside.missing(manifest.probes, error.lines)
        if wrong:
            raise ManifestError(f"{manifest.path}: {'; '.join(wrong)}") from None
        if files := _named_in(error.lines, _INCLUDE_MISSING):
            raise ManifestError(
                f"{manifest.path}: include: no folder has {files}; name the folder "
                "(--include of plexor dut init)"
            ) from None
        if parts := _named_in(error.lines, _PART_MISSING):
            raise ManifestError(
                f"{manifest.path}: sources: no file has {parts}; name the files, or their folder "
                "in include"
            ) from None
        raise
    header = verilated / f"{PREFIX}__Dpi.h"
    if header.is_file() and not manifest.sources.native:
        names = re.findall(r"(?m)^ +extern .*?(\w+)\(", header.read_text())
        # What the design marks as public makes the file too, with nothing in it.
        if names:
            raise ManifestError(
                f"{manifest.path}: sources: {', '.join(names)}: no file in C or C++ has what the "
                "design imports (DPI); name it too"
            )
    return verilated


def _named_in(lines: Iterable[str], pattern: re.Pattern[str]) -> str:
    """Return what a tool's lines name by a pattern, each once."""
    return ", ".join(dict.fromkeys(found[1] for line in lines if (found := pattern.search(line))))


def _check_times(manifest: Manifest, verilated: Path) -> None:
    """Raise ManifestError for delays and times in a module without `timescale, but for those that
    `ifdef switches off.

    What they mean without one differs from tool to tool: 1 s in Icarus, 1 ps in Verilator.
    """
    said = (verilated / SAID_FILE).read_text()
    without = re.findall(r"(?m)^%Warning-TIMESCALEMOD: (.*?):(\d+):", said)
    folder = manifest.path.parent.resolve()
    read = manifest.sources.verilog if without else ()
    texts = {path.resolve(): bare(path.read_text(errors="replace")) for path in read}
    for name in dict.fromkeys(file for file, _ in without):
        own = (folder / name).resolve()
        elsewhere = [each for path, text in texts.items() if path != own for each in defined(text)]
        known = {*manifest.sources.defines, *_OF_VERILATOR, *elsewhere}
        firsts = {int(line) for file, line in without if file == name}
        is_without = False
        text = texts.get(own) or bare(own.read_text(errors="replace"))
        lines = switched_on(text, known).splitlines()
        for number, line in enumerate(lines, 1):
            if number in firsts or re.match(
                r"\s*(module|macromodule|interface|program|package)\b", line
            ):
                is_without = number in firsts
            used = re.search(r"#\s*[\d.]+\w*|\$(?:time|stime|realtime)\b", line)
            if is_without and used:
                raise ManifestError(
                    f"{manifest.path}: {name}, line {number}: {used[0]} has no `timescale; put "
                    "a file with `timescale 1ns/1ps, or what is right, first in sources"
                )


def floating(manifest: Manifest, found: Ports) -> list[str]:
    """Return the inputs, or bits of them, that nothing drives."""
    driven = {*manifest.strikes, *manifest.timecode, manifest.load}
    driven |= {each.pin for each in (*manifest.clocks, *manifest.resets)}
    names: list[str] = []
    for name, (way, bits) in found.items():
        set_whole = {*(manifest.constants or {}), *(manifest.random or {}), *manifest.inouts}
        if way == "out" or name in set_whole:
            continue
        open_bits = [bit for bit in range(bits) if Pin(name, bit) not in driven]
        whole = len(open_bits) == bits
        names += [name] if whole else [f"{name}[{bit}]" for bit in open_bits]
    return names


def _floating_notes(manifest: Manifest, found: Ports, is_random: bool) -> tuple[str, ...]:
    """Return a line that names the inputs that nothing drives; none if there are none."""
    names = floating(manifest, found)
    if not names:
        return ()
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    level = "random" if is_random else "0"
    return (
        f"nothing drives {', '.join(names[:_MOST_NAMED])}{more}, which "
        f"{'is' if len(names) == 1 else 'are'} {level}; [constants] sets inputs",
    )


def _array_notes(verilated: Path) -> tuple[str, ...]:
    """Return a line that names the ports that are unpacked arrays; none if there are none."""
    names = _ARRAY_PORT.findall((verilated / f"{PREFIX}.h").read_text())
    if not names:
        return ()
    return (
        f"{', '.join(name.replace('___05F', '__') for name in names)}: an array at the pins is "
        "neither struck nor seen, and 0 if it is an input",
    )


def _check_ports(manifest: Manifest, found: Ports) -> None:
    """Raise ManifestError that names all pins which are none of the module's."""
    wanted = [("ports.strikes", pin, "in") for pin in manifest.strikes]
    seen = [("ports.responses", pin) for pin in manifest.responses]
    seen += [("ports.codes", pin) for pin in manifest.codes]
    wanted += [(key, pin, "out") for key, pin in seen if pin.port not in manifest.probes]
    wanted += [("inouts", Pin(name, 0), "inout") for name in manifest.inouts]
    wanted += [("ports.timecode", pin, "in") for pin in manifest.timecode]
    wanted += [("ports.load", manifest.load, "in")] if manifest.load else []
    wanted += [("clock.port", clock.pin, "in") for clock in manifest.clocks]
    wanted += [("reset.port", reset.pin, "in") for reset in manifest.resets]
    wanted += [("constants", Pin(name, 0), "in") for name in manifest.constants or {}]
    wanted += [("random", Pin(name, 0), "in") for name in manifest.random or {}]
    wrong = [text for entry in wanted if (text := _wrong_pin(manifest, found, *entry))]
    for name, value in (manifest.constants or {}).items():
        bits = found.get(name, ("", 0))[1]
        if bits and value >> bits:
            wrong.append(
                f"constants.{name}: {value:#x} does not fit in the {bits} bits of {name}; must be "
                f"at most {(1 << bits) - 1:#x}"
            )
    if wrong:
        raise ManifestError(f"{manifest.path}: {'; '.join(wrong)}")


def _wrong_pin(manifest: Manifest, found: Ports, key: str, pin: Pin, direction: str) -> str:
    """Return why a pin of the manifest is none of the module's; nothing if it is one."""
    way, bits = found.get(pin.port, ("", 0))
    if way == "inout" and pin.port in manifest.inouts:
        direction = way
    if way == "inout" != direction:
        return (
            f"{key}: {pin.port} is an inout; [inouts] must say what it is while nothing drives it, "
            f'such as {pin.port} = "up"'
        )
    if way != direction:
        names = ", ".join(
            name.replace("___05F", "__")
            for name, (is_way, _) in found.items()
            if is_way == direction
        )
        if direction == "inout":
            return (
                f"{key}: {manifest.top} has no inout {pin.port!r}; must be one of {names or 'none'}"
            )
        return (
            f"{key}: {manifest.top} has no {direction}put {pin.port!r}; must be one of "
            f"{names or 'none'}"
        )
    if pin.bit >= bits:
        return f"{key}: {pin.port}[{pin.bit}]; {pin.port} has {bits} bits"
    return ""


def draws_at_random(verilated: Path) -> bool:
    """Return whether a design uses $random, $urandom or the like."""
    return any(
        re.search(r"\bVL_U?RANDOM", source.read_text())
        for source in verilated.glob(f"{PREFIX}*.cpp")
    )
