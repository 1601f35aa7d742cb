# SPDX-License-Identifier: Apache-2.0
"""Programs of packages that are unpacked, not installed: GTKWave's, and ghdl's ghwdump."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from plexor_sim.packages import PackageMissing
from tools.captures.fetch import Package, locked

_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs, in the folder of the unpacked packages."""

    packages: Path

    def gtkwave(self, program: str) -> Path:
        """Return a program of GTKWave, which needs the `environment`."""
        return self._folder("gtkwave") / "bin" / program

    @property
    def environment(self) -> dict[str, str]:
        """Where GTKWave's programs find the library that they need."""
        paths = [*self._folder("libjudydebian1").glob("lib/*")]
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(str(path) for path in paths)}

    @property
    def vcdvcd(self) -> Path:
        """The folder of the Python package vcdvcd."""
        return self._folder("vcdvcd") / "vcdvcd"

    @property
    def lz4(self) -> Path:
        """The folder with headers and the library that Verilator's FST needs."""
        return self._folder("liblz4-dev")

    def ghwdump(self, folder: Path) -> Path:
        """Compile ghwdump into a folder and return it. Raises PackageMissing without a compiler."""
        compiler, program = shutil.which("cc"), folder / "ghwdump"
        if compiler is None:
            raise PackageMissing("cc", "not on the path", "install a C compiler")
        folder.mkdir(parents=True, exist_ok=True)
        sources = sorted((self._folder("ghdl") / "ghw").glob("*.c"))
        command = [compiler, "-O2", "-w", "-o", str(program), *map(str, sources)]
        subprocess.run(command, check=True, timeout=_TIMEOUT_S)
        return program

    def _folder(self, name: str) -> Path:
        return self.packages / next(own.folder for own in locked() if own.name == name)


def package_of(path: Path, packages: Path) -> Package:
    """Return the package that a capture is in."""
    folder = path.relative_to(packages).parts[0]
    return next(own for own in locked() if own.folder == folder)
