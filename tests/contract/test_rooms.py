"""Rooms: how many files each holds, and that nothing imports up."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOST = ROOT / "host" / "plexor"
MOST_FILES = 25


def broken_contracts(folder: Path, host: Path) -> str:
    """Return what the import linter prints of the host there; empty where all contracts hold."""
    paths = [host, *(ROOT / name for name in ("hdl", "sim", "soc"))]
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--config", ROOT / "pyproject.toml"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode else ""


def test_no_room_of_the_host_holds_more_than_25_files():
    files = Counter(path.parent for path in HOST.rglob("*.py"))
    assert {str(room): count for room, count in files.items() if count > MOST_FILES} == {}


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("decode/steps.py", "from plexor.session.session import measure"),
        ("link/order.py", "from plexor.model.identity import Identity"),
        ("planted/__init__.py", ""),
    ],
)
def test_an_import_up_and_a_room_without_a_place_are_found(file, line, tmp_path):
    shutil.copytree(ROOT / "host", tmp_path / "host", ignore=shutil.ignore_patterns("*.pyc"))
    path = tmp_path / "host" / "plexor" / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as source:
        source.write(f"{line}\n")
    said = broken_contracts(tmp_path, tmp_path / "host")
    assert "Data flows down the rooms of the host, and nothing imports up BROKEN" in said
