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
    pip_download(LOCK, wheels, "--only-binary=:all:")
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(directory)
        wheel.unlink()


def pip_download(requirements: Path, folder: Path, *options: str) -> None:
    """Have pip download what a file with checksums names. Raises PackageMissing."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--disable-pip-version-check", "--dest", str(folder), *options]
    done = subprocess.run(
        [*command, "--requirement", str(requirements)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise PackageMissing(requirements.name, lines[-1], "let pip reach an index or mirror once")
