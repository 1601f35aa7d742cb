# SPDX-License-Identifier: Apache-2.0
"""VHDL as Verilog, by GHDL's synthesis (ghdl.github.io/ghdl, `ghdl --synth --out=verilog`)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from plexor_sim.packages import PackageMissing, make_once, sha256
from plexor_sim.toolchain import run_tool

_NAMES = ("ghdl", "ghdl-mcode", "ghdl-llvm", "ghdl-gcc")
_STANDARD = "--std=08"


def verilog_of(
    files: Sequence[Path], top: str, generics: Mapping[str, int | str], cache: Path
) -> Path:
    """Return a Verilog file of a VHDL entity, as GHDL synthesizes it.

    `files` are in the order in which they are analysed. Raises PackageMissing without GHDL,
    BuildError with GHDL's first error.
    """
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise PackageMissing("GHDL", "not on the path", "on Debian: apt install ghdl-mcode")
    version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    set_generics = [f"-g{name}={value}" for name, value in sorted(generics.items())]
    parts = [version, _STANDARD.encode(), top.encode(), *(text.encode() for text in set_generics)]
    parts += [part for path in files for part in (str(path).encode(), path.read_bytes())]
    key = sha256(b"\0".join(parts))[:32]

    def fill(directory: Path) -> None:
        command = [program, "--synth", _STANDARD, "--out=verilog", *set_generics]
        command += [*(str(path.resolve()) for path in files), "-e", top]
        output = run_tool(f"synthesizing {top}", command, directory, wants_output=True)
        (directory / f"{top}.v").write_text(f"`timescale 1ns/1ps\n{output}")

    return make_once(cache / "vhdl" / key, fill) / f"{top}.v"
