# SPDX-License-Identifier: Apache-2.0
"""Runs the host's tests of files, pages and servers with the newest libraries that it allows.

    .venv/bin/python -m tools.newest [pytest's arguments]

The locked environment has older ones than an installation, which takes the newest that
pyproject.toml allows. They go into an environment of their own, build/newest, which is brought up
to date each time: that takes seconds if the package index or its cache is near. Exits as pytest
does, or with 1 if the libraries cannot be had.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.setup import ROOT

ENVIRONMENT = ROOT / "build" / "newest"
EXTRAS = ("archive", "captures", "cluster", "export", "lab", "notebook", "pictures", "scope")
"""What a user of the host may choose. The simulator's tools are locked by their versions."""
RUNNERS = (
    "hypothesis",
    "pandas",
    "pillow",
    "ptufile",
    "pytest",
    "pytest-timeout",
    "pytest-xdist",
    "scipy",
)
"""What the tests need beside the host, from the extra `dev`."""
TESTS = tuple(
    f"tests/unit/host/{path}"
    for path in (
        "files/archive/test_folder.py",
        "files/archive/test_query.py",
        "files/archive/test_record.py",
        "files/archive/test_schema.py",
        "cli/test_archive.py",
        "cli/test_parameters.py",
        "wire/decode/test_bins.py",
        "experiments/test_pool.py",
        "show/export",
        "files/imports",
        "library/test_exchange.py",
        "library/test_tables.py",
        "wire/link/test_serial_port.py",
        "show/pictures/test_convert.py",
        "show/terminal/test_live.py",
        "scope/test_app.py",
        "scope/test_serve.py",
        "scope/test_wire.py",
        "files/store/test_arrow.py",
        "files/store/test_checks.py",
        "files/store/test_digest.py",
        "files/store/test_done.py",
        "files/store/test_file_door.py",
        "files/store/test_run_folder.py",
        "files/store/test_run_folder_rows.py",
        "files/store/test_seconds.py",
    )
)
"""Tests in which each of these libraries does what it is there for."""
_UV = str(Path(sys.executable).parent / "uv")
_OPTIONS = ("-q", "-n", "2", "--dist", "worksteal", "-m", "not full and not hardware")


def main(arguments: Sequence[str]) -> int:
    """Bring the environment up to date and run the tests in it; return the exit code."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        _uv("venv", "--quiet", "--python", sys.executable, str(ENVIRONMENT))
    install = ("pip", "install", "--quiet", "--python", str(python), "--upgrade")
    if _uv(*install, "--editable", f"{ROOT}[{','.join(EXTRAS)}]", *runners()):
        print("newest: the libraries cannot be had; the package index must answer", file=sys.stderr)
        return 1
    listed = _versions(python)
    print(f"newest: {listed}", flush=True)
    chosen = arguments or (*_OPTIONS, *TESTS)
    done = subprocess.run([python, "-m", "pytest", *chosen], cwd=ROOT, check=False)
    return done.returncode


def runners() -> list[str]:
    """Return the requirements of RUNNERS, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    by_name = {
        re.split(r"[^A-Za-z0-9-]", text, maxsplit=1)[0]: text
        for text in project["optional-dependencies"]["dev"]
    }
    return [by_name[name] for name in RUNNERS]


def _uv(*arguments: str) -> int:
    # The environment's own, and none that this process was started in.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    return subprocess.run([_UV, *arguments], cwd=ROOT, check=False, env=environment).returncode


def _versions(python: Path) -> str:
    """Return the versions of what the host and its extras name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = list(project["dependencies"])
    named += [text for extra in EXTRAS for text in project["optional-dependencies"][extra]]
    names = [re.split(r"[^A-Za-z0-9-]", text, maxsplit=1)[0] for text in named]
    code = "import sys; from importlib.metadata import version as v; print(', '.join("
    code += "f'{name} {v(name)}' for name in sys.argv[1:]))"
    done = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
