# SPDX-License-Identifier: Apache-2.0
"""The files that a user's own Verilog is made of and reads: sources, included files and images.

    python -m plexor_sim.reads MANIFEST[:options]

prints their paths as JSON, for a digest of the design. Exit codes as of plexor_sim.serve.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from plexor_sim.build import (
    BuildError,
    device_objects,
    device_verilation,
    digest,
    files_read,
    find_tools,
    verilate,
)
from plexor_sim.design.manifest import ManifestError, load
from plexor_sim.devices import find_device, option_text
from plexor_sim.entry import entered
from plexor_sim.libraries.build import files_of as library_files
from plexor_sim.libraries.build import is_of_libraries
from plexor_sim.packages import PackageMissing, default_cache, make_once
from plexor_sim.riscv import DeviceBuild, FirmwareError
from plexor_sim.toolchain import COMPILE, run_tool

_HERE = Path(__file__).parent
_OPENED = re.compile(r'VL_(?:READMEM_N\([^"]*|FOPEN_\w+\()"((?:[^"\\]|\\.)*)"s')
"""A name in Verilator's C++ of a file that a design may open at any time."""
_TIMEOUT_S = 60


def files_of(dut: str, cache: Path) -> list[Path]:
    """Return all files of `MANIFEST[:options]`: read by Verilator, as it starts, or named in it.

    A file may be missing. Of libraries they are their sources and headers. Other devices than
    manifests have none. Raises as `serve.prepare` does.
    """
    name, _, own = dut.partition(":")
    if is_of_libraries(name):
        return library_files(Path(name))
    device = find_device(name, cache, own)
    if device.folder is None:
        return []
    folder = device.folder
    verilated = verilate(device_verilation(device), cache)
    names = [
        found for path in verilated.glob("*.cpp") for found in _OPENED.findall(path.read_text())
    ]
    names += _opened(device, option_text(name, device, own), cache)
    named = {*load(Path(name)).sources.files, *(folder / opened for opened in names if opened)}
    return sorted({*files_read(device, cache), *named})


def _opened(device: DeviceBuild, options: str, cache: Path) -> list[str]:
    """Return the names of the files that a device opens for reading as it starts."""
    tools, source = find_tools(), _HERE / "reads.cpp"
    objects = device_objects(device, cache)

    def fill(directory: Path) -> None:
        includes = (f"-I{_HERE / 'device'}",)
        output = ("-o", str(directory / "reads"), "-pthread")
        command = (*tools.compiler, *COMPILE, *includes, str(source), *map(str, objects), *output)
        run_tool("reads", command, directory)

    key = digest(tools.key, source, *(item.parent.name for item in objects))
    program = make_once(cache / "reads" / key, fill) / "reads"
    done = subprocess.run(
        [program, options], capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
    )
    return done.stdout.splitlines()


def main(arguments: list[str]) -> int:
    """Print the files of the named device; return an exit code."""
    try:
        (dut,) = arguments
        json.dump([str(path) for path in files_of(dut, default_cache())], sys.stdout)
    except (ValueError, ManifestError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (
        BuildError,
        FirmwareError,
        PackageMissing,
        OSError,
        subprocess.SubprocessError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(entered(lambda: main(sys.argv[1:])))
