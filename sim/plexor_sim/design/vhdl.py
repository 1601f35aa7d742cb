# SPDX-License-Identifier: Apache-2.0
"""VHDL as Verilog, by GHDL's synthesis (ghdl.github.io/ghdl, `ghdl --synth --out=verilog`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from plexor_sim.packages import PackageMissing, make_once, sha256
from plexor_sim.toolchain import BuildError, run_tool

NAMES = ("ghdl", "ghdl-mcode", "ghdl-llvm", "ghdl-gcc")
STANDARD = "--std=08"
_COMMENT = re.compile(r"--.*")
_LIBRARIES = re.compile(r"^\s*library\s+([\w\s,]+);", re.IGNORECASE | re.MULTILINE)
_OF_GHDL = frozenset(("ieee", "std", "work"))
_FORM = b"2"
"""Another one if something else is made of what GHDL writes."""
_WIRE = re.compile(r"  wire (?:\[\d+:\d+\] )?(\w+);")
_MODULE = re.compile(r"(?m)^(?=module )")
_COPIED = re.compile(r"  assign (\w+) = \1; // \(signal\)")


def verilog_of(
    files: Sequence[Path], top: str, generics: Mapping[str, int | str], cache: Path
) -> Path:
    """Return a Verilog file of a VHDL entity, as GHDL synthesizes it.

    `files` are in the order in which they are analysed, in the one library that they name beside
    those of the standard. Raises PackageMissing without GHDL, BuildError for several libraries and
    with GHDL's first error.
    """
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise PackageMissing("GHDL", "not on the path", "on Debian: apt install ghdl-mcode")
    version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    set_generics = [f"-g{name}={value}" for name, value in sorted(generics.items())]
    library = library_of(files, top)
    of_library = [f"--work={library}"] if library else []
    parts = [
        version,
        _FORM,
        STANDARD.encode(),
        top.encode(),
        *(text.encode() for text in set_generics),
    ]
    parts += [part for path in files for part in (str(path).encode(), path.read_bytes())]
    key = sha256(b"\0".join(parts))[:32]

    def fill(directory: Path) -> None:
        command = [program, "--synth", STANDARD, *of_library, "--out=verilog", *set_generics]
        command += [*(str(path.resolve()) for path in files), "-e", top]
        output = run_tool(f"synthesizing {top}", command, directory, wants_output=True)
        text = _without_copies(output)
        (directory / f"{top}.v").write_text(f"`timescale 1ns/1ps\n{text}")

    return make_once(cache / "vhdl" / key, fill) / f"{top}.v"


def library_of(files: Sequence[Path], top: str) -> str | None:
    """Return the library that files name beside those of the standard; None if they name none.

    Raises BuildError for several.
    """
    names: dict[str, None] = {}
    for path in files:
        text = _COMMENT.sub("", path.read_text("latin-1"))
        for listed in _LIBRARIES.findall(text):
            names |= dict.fromkeys(name.strip().lower() for name in listed.split(","))
    own = [name for name in names if name not in _OF_GHDL]
    if len(own) > 1:
        raise BuildError(
            f"synthesizing {top}: libraries {', '.join(own)}: must be one, beside ieee and std"
        )
    return own[0] if own else None


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
