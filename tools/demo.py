"""Measure FreeRTOS on a RISC-V core, idle and then loaded, and say where the pictures are.

    .venv/bin/python -m tools.demo

Both the instrument and the device are simulated. All is done by the command line `plexor`; runs
and pages are in runs/demo. Ends with the exit code of the first measurement that is not valid.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.setup import ROOT, kernel_reason

_PLEXOR = str(Path(sys.executable).with_name("plexor"))
_FOLDER = Path("runs", "demo")
_STRIKES = ("--rate", "20k", "--count", "5k")
_LOADS = "load=all"
_RUNS = {"idle": (), "loaded": ("--load",)}


def main() -> int:
    """Run the demo; return its exit code."""
    reason = kernel_reason(path="")
    device = "freertos" if reason is None else "bare"
    if reason is not None:
        print(f"demo: FreeRTOS cannot be had ({reason}); measuring the device `bare` instead")
    (ROOT / _FOLDER).mkdir(parents=True, exist_ok=True)
    for name, options in _RUNS.items():
        print(f"\ndemo: {device}, {name}, simulated", flush=True)
        run = str(_FOLDER / name)
        command = ["measure", "--dut", f"{device}:{_LOADS}", *_STRIKES, *options]
        command += ["--out", run, "--force", "--page", f"{run}.html", "--key", f"load={name}"]
        code = _plexor(*command) or _plexor("report", run, "--page", f"{run}.svg")
        if code:
            return code
    print("\ndemo: pages to open in a browser, and their pictures:")
    for name in _RUNS:
        print(f"  {_FOLDER / name}.html  {_FOLDER / name}.svg")
    return 0


def _plexor(*arguments: str) -> int:
    return subprocess.run([_PLEXOR, *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
