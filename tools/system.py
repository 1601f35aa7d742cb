# SPDX-License-Identifier: Apache-2.0
"""Finds missing system packages, and installs them with apt. Uses the standard library only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# Older ones cannot read the 2024 edition, which some crates beside FreeRTOS' are written in.
_OLDEST_CARGO = (1, 85)
# In Debian 12 the recent cargo has the first name, in later releases the second.
_CARGO_PACKAGES = ("cargo-web", "cargo")
_TEST_TOOLS = {
    "chromium": "chromium",  # the live page is driven in it
    "chromedriver": "chromium-driver",
    "sigrok-cli": "sigrok-cli",  # reads what was exported for it
    "iverilog": "iverilog",  # simulates designs with the strikes that Plexor gave, and writes FST
    "ghdl-mcode": "ghdl-mcode",  # writes waveforms of VHDL: GHW, FST and VCD
}
"""Programs that only tests use: name to Debian package."""
_FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")


class SetupError(Exception):
    """Set-up cannot do something. The text says what to do instead."""


def missing_packages(environment: Path) -> list[str]:
    """Return the Debian packages to install for g++, make and a virtual environment.

    `environment` is its place. If it exists, Python needs no package to make it.
    """
    missing = [name for name in ("g++", "make") if shutil.which(name) is None]
    if not environment.is_dir() and not _runs(sys.executable, "-c", "import ensurepip"):
        missing.append("python3-venv")
    return missing


def missing_test_tools() -> list[str]:
    """Return the Debian packages to install for programs that only tests use."""
    missing = [package for name, package in _TEST_TOOLS.items() if shutil.which(name) is None]
    # Without a font, Chromium draws no text.
    return missing if _FONT.is_file() else [*missing, "fonts-dejavu-core"]


def missing_cargo() -> list[str]:
    """Return the Debian package to install for a recent cargo; none if there is one."""
    if _recent_cargo():
        return []
    known = (name for name in _CARGO_PACKAGES if _runs("apt-cache", "show", name))
    return [next(known, _CARGO_PACKAGES[0])]


def install(packages: Sequence[str], later: Sequence[str] = ()) -> None:
    """Install Debian packages as root or through sudo, without removing any other package.

    Raises SetupError, which says what to do by hand. Its text also names the packages `later`.
    """
    if not packages:
        return
    by_hand = f"system packages are missing; apt-get install {' '.join([*packages, *later])}"
    prefix = _root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        raise SetupError(by_hand)
    print(f"set-up: installing {' '.join(packages)}", flush=True)
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    flags = ("--yes", "--no-remove", "--no-install-recommends")
    for step in (["update"], ["install", *flags, *packages]):
        done = subprocess.run([*apt, *step], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SetupError(f"{by_hand} (failed here: {last_line(done.stderr)})")


def last_line(text: str) -> str:
    """Return a tool's most telling line: its last error, or else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"E:|ERROR", line)]
    return (errors or lines or ["no reason given"])[-1]


def _recent_cargo() -> bool:
    """Return whether the cargo on the path can fetch FreeRTOS' crate."""
    try:
        done = subprocess.run(
            ["cargo", "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.match(r"cargo (\d+)\.(\d+)", done.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= _OLDEST_CARGO


def _root_prefix() -> list[str] | None:
    """Return the prefix of a command to run it as root; None if that is not allowed."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if _runs("sudo", "-n", "true") else None


def _runs(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
