# SPDX-License-Identifier: Apache-2.0
"""Resolves the lock files again from pyproject.toml, for every platform, with hashes.

    .venv/bin/python -m tools.lock [package ...]

Versions in the lock files stay the same, except those of the named packages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.setup import ROOT, lock_file

_TEST = (
    "sim",
    "gateware",
    "soc",
    "cluster",
    "scope",
    "archive",
    "export",
    "captures",
    "pictures",
    "dev",
)
EXTRAS = {"demo": ("sim",), "test": _TEST, "flash": (*_TEST, "flash")}
"""Extras of each profile, beside the host and the package's own build."""
_LARGEST = "flash"
_UV = (
    str(Path(sys.executable).parent / "uv"),
    "pip",
    "compile",
    "--quiet",
    "--universal",
    "--generate-hashes",
    "--no-header",
)


def main(upgraded: Sequence[str]) -> int:
    """Write the lock files; return an exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    oldest = project["project"]["requires-python"].removeprefix(">=")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as build:
        build.write("\n".join(project["build-system"]["requires"]))
        build.flush()
        # The largest comes first. The others are parts of it, at the same versions.
        for profile in reversed(EXTRAS):
            command = [*_UV, "--python-version", oldest, "pyproject.toml", build.name]
            command += ["--no-annotate", "--output-file", str(lock_file(profile))]
            command += [word for extra in EXTRAS[profile] for word in ("--extra", extra)]
            command += [word for name in upgraded for word in ("--upgrade-package", name)]
            if profile != _LARGEST:
                command += ["--constraints", str(lock_file(_LARGEST))]
            if subprocess.run(command, cwd=ROOT, check=False).returncode:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
