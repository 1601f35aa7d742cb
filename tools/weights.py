# SPDX-License-Identifier: Apache-2.0
"""What an installation weighs: the host alone, and with each extra, from the locked versions.

    .venv/bin/python -m tools.weights

Installs into a temporary folder, so it needs the package index or its cache. Prints megabytes, what
the extra adds, and how long its modules take to import in a new process (the least of five).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.setup import ROOT

MODULES = {
    "": ("numpy", "pyarrow", "click", "serial", "rich.live"),
    "scope": ("starlette.applications", "uvicorn", "websockets"),
    "archive": ("duckdb",),
    "export": (
        "hdrh.histogram",
        "perfetto.trace_builder.proto_builder",
        "prometheus_client",
        "vcd",
    ),
    "pictures": ("vl_convert",),
    "cluster": ("distributed",),
}
"""Extras that a user of the host may choose, and the modules that they are for."""
_TIMES = 5
_IMPORT = "import time; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"


@dataclass(frozen=True, slots=True)
class Weight:
    """One extra; its name is empty for the host alone."""

    extra: str
    megabytes: float
    """Of the whole installation."""
    import_s: dict[str, float]


def main() -> int:
    """Print the weights."""
    alone = 0.0
    print("installation     MB    adds  import")
    for weight in weights():
        alone = alone or weight.megabytes
        name = f"plexor[{weight.extra}]" if weight.extra else "plexor"
        times = ", ".join(f"{module} {s * 1e3:.0f} ms" for module, s in weight.import_s.items())
        added = f"{weight.megabytes - alone:.0f}" if weight.extra else ""
        print(f"{name:<15} {weight.megabytes:4.0f}  {added:>6}  {times}", flush=True)
    return 0


def weights(extras: Sequence[str] = tuple(MODULES)) -> Iterator[Weight]:
    """Yield the weight of each installation."""
    for extra in extras:
        with tempfile.TemporaryDirectory() as folder:
            _install(extra, folder)
            # Before modules are imported, which writes their compiled files.
            megabytes = _bytes(Path(folder)) / 1e6
            times = {module: _import_s(module, folder) for module in MODULES[extra]}
            yield Weight(extra, megabytes, times)


def _install(extra: str, folder: str) -> None:
    uv = Path(sys.executable).parent / "uv"
    lock = ROOT / "requirements" / "test.lock"
    what = f"{ROOT}[{extra}]" if extra else str(ROOT)
    command = [uv, "pip", "install", "--quiet", "--target", folder, "--constraint", lock, what]
    subprocess.run([*command, "--python", sys.executable], check=True)


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _import_s(module: str, folder: str) -> float:
    # -S: without the environment of this process.
    command = [sys.executable, "-S", "-c", _IMPORT.format(module)]
    environment = {"PYTHONPATH": folder}
    return min(
        float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
        for _ in range(_TIMES)
    )


if __name__ == "__main__":
    sys.exit(main())
