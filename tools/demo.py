# SPDX-License-Identifier: Apache-2.0
"""Measures FreeRTOS on a RISC-V core, idle and loaded, and prints where the pages are.

    .venv/bin/python -m tools.demo [FOLDER]

Instrument and device are simulated. The command line `plexor` does all of it. Runs, pages and
pictures go to runs/demo, or to the named folder. The figures are the same each time, and the
picture is docs/picture.svg. If a change of gateware, device or drawing has changed it, `cp
runs/demo/picture.svg docs/` updates it. The exit code is that of the first command that fails.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.setup import ROOT, kernel_reason

_PLEXOR = str(Path(sys.executable).with_name("plexor"))
# Without dither, every strike would meet the same phase of the device's clock.
_STRIKES = ("--rate", "18k", "--width", "2us", "--dither", "8192ns")
# A 99.9th percentile needs 3,688 answers. The loaded run is the one that has it.
_RUNS = {"idle": ("--count", "1500"), "loaded": ("--count", "3700")}
_LOADS = {"freertos": "critical", "bare": "all"}
"""Each device's load."""
_SYSTEMS = {"freertos": "FreeRTOS", "bare": "bare metal"}


def main(folder: Path = Path("runs", "demo")) -> int:
    """Run the demo into a folder; return its exit code."""
    reason = kernel_reason(path="")
    device = "freertos" if reason is None else "bare"
    if reason is not None:
        print(f"demo: FreeRTOS is not available ({reason}); measuring the device `bare` instead")
    link = f"sim:{device}"
    print("demo: the simulator is built the first time, which takes a minute or two", flush=True)
    code = _plexor("board", "identify", "--link", link).wait()
    if code:
        return code
    (ROOT / folder).mkdir(parents=True, exist_ok=True)
    print(f"\ndemo: measuring {device}, simulated, {' and '.join(_RUNS)} at once", flush=True)
    for name, (code, figures) in _measure(device, link, folder).items():
        print(f"\n{'=' * 8} {device}, {name} {'=' * 8}\n{figures}", end="", flush=True)
        if code:
            return code
    runs = [str(folder / name) for name in _RUNS]
    picture = folder / "picture.svg"
    code = _plexor("show", *runs, "--to", str(picture)).wait()
    if code:
        return code
    print("\ndemo: open in a browser:", *(f"{run}.html" for run in runs), picture)
    return 0


def _measure(device: str, link: str, folder: Path) -> dict[str, tuple[int, str]]:
    """Return exit code and figures of each run. Only the first run shows its progress."""
    running: dict[str, subprocess.Popen[str]] = {}
    for name, options in _RUNS.items():
        run = str(folder / name)
        kept = ("--out", run, "--force", "--page", f"{run}.html")
        described = [f"os={_SYSTEMS[device]}", "board=VexRiscv at 50 MHz"]
        load = ("--load", _LOADS[device]) if name == "loaded" else ()
        keys = [word for key in described for word in ("--label", key)]
        command = ("measure", "--link", link, *load, *_STRIKES, *options, *kept, *keys)
        running[name] = _plexor(*command, quiet=bool(running), figures=True)
    ended: dict[str, tuple[int, str]] = {}
    for name, process in running.items():
        figures, errors = process.communicate()
        ended[name] = (process.returncode, figures + (errors or "" if process.returncode else ""))
    return ended


def _plexor(*arguments: str, quiet: bool = False, figures: bool = False) -> subprocess.Popen[str]:
    """Start a command. `figures` keeps its output; `quiet` hides its messages."""
    return subprocess.Popen(
        [_PLEXOR, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE if figures else None,
        stderr=subprocess.PIPE if quiet else None,
        text=True,
    )


if __name__ == "__main__":
    try:
        sys.exit(main(*map(Path, sys.argv[1:2])))
    except KeyboardInterrupt:
        sys.exit(130)
