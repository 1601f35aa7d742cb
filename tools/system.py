"""System packages: which are missing, and apt to install them. Standard library only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# Older ones clone an index of hundreds of megabytes before they fetch one crate.
_OLDEST_CARGO = (1, 68)
# Debian 12 has a recent cargo under the first name, later releases under the second.
_CARGO_PACKAGES = ("cargo-web", "cargo")


class SetupError(Exception):
    """Something that set-up cannot do; the text says what to do instead."""


def missing_packages(environment: Path, *, cargo: bool) -> list[str]:
    """Return the Debian packages to install for g++, make, an environment, and cargo if asked.

    `environment` is the virtual environment: Python needs no means to make one that is there.
    """
    missing = [name for name in ("g++", "make") if shutil.which(name) is None]
    if not environment.is_dir() and not _runs(sys.executable, "-c", "import ensurepip"):
        missing.append("python3-venv")
    if cargo and not _recent_cargo():
        known = (name for name in _CARGO_PACKAGES if _runs("apt-cache", "show", name))
        missing.append(next(known, _CARGO_PACKAGES[0]))
    return missing


def install(packages: Sequence[str]) -> None:
    """Install Debian packages as root or through sudo; raise SetupError with what to do instead."""
    by_hand = f"install {' '.join(packages)}: apt-get install {' '.join(packages)}"
    prefix = _root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        raise SetupError(by_hand)
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    for step in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        done = subprocess.run([*apt, *step], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SetupError(f"{by_hand} (here it failed: {last_line(done.stderr)})")


def last_line(text: str) -> str:
    """Return the line of a tool's messages that says most: its last error, or its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"E:|ERROR", line)]
    return (errors or lines or ["no reason given"])[-1]


def _recent_cargo() -> bool:
    """Return whether the cargo on the path can fetch one crate without a whole index."""
    try:
        done = subprocess.run(
            ["cargo", "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.match(r"cargo (\d+)\.(\d+)", done.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= _OLDEST_CARGO


def _root_prefix() -> list[str] | None:
    """Return what a command is prefixed with to run as root; None if that is not allowed."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if _runs("sudo", "-n", "true") else None


def _runs(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
