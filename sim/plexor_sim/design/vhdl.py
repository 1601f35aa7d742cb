# SPDX-License-Identifier: Apache-2.0
"""VHDL as Verilog, by GHDL's synthesis (ghdl.github.io/ghdl, `ghdl --synth --out=verilog`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from plexor_sim.design.keywords import spelled
from plexor_sim.design.order import behind_needed
from plexor_sim.packages import PackageMissing, make_once, sha256
from plexor_sim.toolchain import BuildError, run_tool

NAMES = ("ghdl", "ghdl-mcode", "ghdl-llvm", "ghdl-gcc")
OPTIONS = ("--std=08", "-frelaxed")
"""Of 2008, but for what older designs have: memories as shared variables."""
_COMMENT = re.compile(r"--.*")
_LIBRARIES = re.compile(r"^\s*library\s+([\w\s,]+);", re.IGNORECASE | re.MULTILINE)
WORK = "work"
STANDARD_LIBRARIES = frozenset(("ieee", "std", WORK))
_ENTITY = re.compile(r"^\s*entity\s+(\w+)\s+is\b", re.IGNORECASE | re.MULTILINE)
_NO_DEFAULT = re.compile(r'generic "(\w+)" has no default value')
_UNIT = re.compile(r"\b(?:package|entity|context)\s+(\w+)\s+is\b")
"""What a file has that others may need, in small letters."""
_OF_UNIT = re.compile(r"\b(?:package\s+body|architecture\s+\w+\s+of)\s+(\w+)\s+is\b")
"""What needs its unit, in whichever file that is."""
_SELECTED = re.compile(r"\b(\w+)\s*\.\s*(\w+)")
_FORM = b"4"
"""Another one if something else is made of what GHDL writes."""
_WIRE = re.compile(r"  wire (?:\[\d+:\d+\] )?(\w+);")
_MODULE = re.compile(r"(?m)^(?=module )")
_COPIED = re.compile(r"  assign (\w+) = \1; // \(signal\)")


class LibraryError(ValueError):
    """A library whose files are not known, and what would be right."""


def verilog_of(
    files: Sequence[Path],
    top: str,
    generics: Mapping[str, int | str],
    cache: Path,
    libraries: Mapping[Path, str] | None = None,
) -> Path:
    """Return a Verilog file of a VHDL entity, as GHDL synthesizes it.

    `files` are in the libraries of `libraries_of`, and are analysed as `ordered`. Raises
    PackageMissing without GHDL, BuildError with its first error, and as `libraries_of`.
    """
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise PackageMissing("GHDL", "not on the path", "on Debian: apt install ghdl-mcode")
    version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    set_generics = [f"-g{name}={value}" for name, value in sorted(generics.items())]
    within = ordered(libraries_of(files, libraries or {}))
    parts = [
        version,
        _FORM,
        *(text.encode() for text in OPTIONS),
        top.encode(),
        *(text.encode() for text in set_generics),
    ]
    for path, library in within.items():
        parts += [library.encode(), str(path).encode(), path.read_bytes()]
    key = sha256(b"\0".join(parts))[:32]

    def fill(directory: Path) -> None:
        command = [program, "--synth", *OPTIONS, "--out=verilog", *set_generics]
        for path, library in within.items():
            command += [f"--work={library}", str(path.resolve())]
        # The top is looked for in the last one.
        command += [f"--work={_library_of(within, top)}", "-e", top]
        try:
            output = run_tool(f"synthesizing {top}", command, directory, wants_output=True)
        except BuildError as error:
            raise _about_generics(error, generics) from None
        text = spelled(_without_copies(output))
        (directory / f"{top}.v").write_text(f"`timescale 1ns/1ps\n{text}")

    return make_once(cache / "vhdl" / key, fill) / f"{top}.v"


def _about_generics(error: BuildError, generics: Mapping[str, int | str]) -> BuildError:
    """Return an error, with what would be right for a generic without a value."""
    found = _NO_DEFAULT.search(str(error))
    if found is None:
        return error
    if found[1] in {name.lower() for name in generics}:
        return BuildError(
            f"{error}: GHDL sets numbers and texts alone; must be set by an entity around it"
        )
    return BuildError(f"{error}; must be in [parameters]")


def libraries_of(files: Sequence[Path], given: Mapping[Path, str]) -> dict[Path, str]:
    """Return the library of each file: a given one, or else `work`.

    Without given ones, files that name a single library, beside those of the standard, are all in
    it. Raises LibraryError for one that is named and has no files.
    """
    named: dict[str, Path] = {}
    for path in files:
        text = _COMMENT.sub("", path.read_text("latin-1"))
        for listed in _LIBRARIES.findall(text):
            for name in listed.split(","):
                named.setdefault(name.strip().lower(), path)
    known = {*STANDARD_LIBRARIES, *given.values()}
    own = [name for name in named if name not in known]
    if own and (given or len(own) > 1):
        several = f"libraries {', '.join(own)}" if len(own) > 1 else f"library {own[0]}"
        raise LibraryError(
            f"{several}, which {named[own[0]].name} names: no file is said to be in "
            f"{'them' if len(own) > 1 else 'it'}; must be in [libraries], such as "
            f'{own[0]} = ["*.vhd"]'
        )
    usual = own[0] if own else WORK
    return {path: given.get(path, usual) for path in files}


def ordered(libraries: Mapping[Path, str]) -> dict[Path, str]:
    """Return files with their libraries, each behind those whose units it names."""
    texts = {path: _COMMENT.sub("", path.read_text("latin-1")).lower() for path in libraries}
    homes: dict[tuple[str, str], Path] = {}
    for path, text in texts.items():
        for unit in _UNIT.findall(text):
            homes.setdefault((libraries[path], unit), path)

    def needed(path: Path) -> Iterator[Path]:
        own = libraries[path]
        names = [(own, unit) for unit in _OF_UNIT.findall(texts[path])]
        for library, unit in _SELECTED.findall(texts[path]):
            names.append((own if library == WORK else library, unit))
        return (homes[name] for name in names if name in homes)

    return {path: libraries[path] for path in behind_needed(libraries, needed)}


def _library_of(libraries: Mapping[Path, str], entity: str) -> str:
    """Return the library with an entity; the last one that has it, as GHDL would take it."""
    found = [WORK]
    for path, library in libraries.items():
        names = {name.lower() for name in _ENTITY.findall(path.read_text("latin-1"))}
        if entity.lower() in names:
            found.append(library)
    return found[-1]


def _without_copies(verilog: str) -> str:
    """Return GHDL's Verilog without second declarations of the same wire.

    A signal `fifo_full` and the port `full` of an instance `fifo` have one name in GHDL 2.0. Where
    it assigns one to the other, they are one wire. Others stay, and Verilator refuses them.
    """
    found: list[str] = []
    for module in _MODULE.split(verilog):
        same = {copied[1] for line in module.splitlines() if (copied := _COPIED.fullmatch(line))}
        declared: set[str] = set()
        for line in module.splitlines():
            wire = _WIRE.fullmatch(line)
            is_again = wire is not None and wire[1] in declared & same
            if not is_again and not _COPIED.fullmatch(line):
                found.append(line)
            if wire is not None:
                declared.add(wire[1])
    return "\n".join(found) + "\n"
