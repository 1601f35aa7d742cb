# SPDX-License-Identifier: Apache-2.0
"""Runs all checks of style, types and imports, even if one fails; counts what has types.

    .venv/bin/python -m tools.lint

Exits with 1 if a check fails.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import typed

_BIN = Path(sys.executable).parent
CHECKS = (
    ("ruff", "check", "--quiet"),
    ("ruff", "format", "--check", "--quiet"),
    ("lint-imports",),
    ("pyright", "--warnings", "--pythonpath", sys.executable),
)


def main() -> int:
    """Run each check; return 1 if one fails."""
    with ThreadPoolExecutor() as pool:
        codes = list(pool.map(check, CHECKS))
    print(*(f"types: {line}" for line in typed.lines()), sep="\n", flush=True)
    return int(any(codes))


def check(command: tuple[str, ...]) -> int:
    """Run one of CHECKS and print its output; return its exit code."""
    done = subprocess.run(
        [str(_BIN / command[0]), *command[1:]], capture_output=True, text=True, check=False
    )
    print(f"lint: {' '.join(command)}: {'failed' if done.returncode else 'clean'}", flush=True)
    if done.returncode:
        print(done.stdout + done.stderr, end="", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
