# SPDX-License-Identifier: Apache-2.0
"""Rooms: how many files each holds, and that nothing imports up."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"host": ROOT / "host" / "plexor", "gateware": ROOT / "hdl" / "plexor_hdl"}
SOURCES = ("host", "hdl", "sim", "soc")
MOST_FILES = 25
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def linted(folder: Path) -> str:
    """Return what the import linter says of the packages in a folder."""
    paths = os.pathsep.join(str(folder / name) for name in SOURCES)
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--config", ROOT / "pyproject.toml"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_no_room_holds_more_than_25_files(package):
    files = Counter(path.parent for path in PACKAGES[package].rglob("*.py"))
    assert {str(room): count for room, count in files.items() if count > MOST_FILES} == {}


def planted(file: Path, line: str, folder: Path) -> str:
    """Return what the import linter says of the packages with a line more at the end of a file."""
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc"))
    path = folder / file.relative_to(ROOT)
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as source:
        source.write(f"{line}\n")
    return linted(folder)


@pytest.mark.parametrize(
    ("package", "file", "line"),
    [
        ("host", "wire/decode/steps.py", "from plexor.run.session.session import measure"),
        ("host", "planted/__init__.py", ""),
        ("gateware", "capture/edges.py", "from plexor_hdl.results.bins import Bins"),
        pytest.param(
            *("host", "model/sources.py", "from plexor.wire.link.order import __doc__"),
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("gateware", "match/turns.py", "from plexor_hdl.stimulus.painter import Painter"),
            marks=pytest.mark.full,
        ),
        pytest.param("gateware", "planted/__init__.py", "", marks=pytest.mark.full),
    ],
)
def test_an_import_up_and_a_room_without_a_layer_are_found(package, file, line, tmp_path):
    claim = f"Data flows down the rooms of the {package}, and nothing imports up"
    assert f"{claim} BROKEN" in planted(PACKAGES[package] / file, line, tmp_path)


CLIENT = "The command line and plexor_lab are clients of the library, and of nothing below it"


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("cli/upkeep/doctor.py", "from plexor.wire.desk.doctor import examine"),
        ("cli/measure/take.py", "    from plexor.run.session.session import measure"),
        ("cli/__init__.py", "import plexor.base.jsonable"),
        ("../plexor_lab/study/table.py", "from plexor.experiments.sweep.store import SWEEP"),
    ],
)
def test_a_command_or_a_study_that_goes_past_the_library_is_found(file, line, tmp_path):
    # The linter wraps a long name.
    said = " ".join(planted(PACKAGES["host"] / file, line, tmp_path).split())
    assert f"{CLIENT} BROKEN" in said


def test_of_the_rooms_below_the_library_nine_files_alone_are_for_its_clients():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    by_name = {entry["name"]: entry for entry in contracts["contracts"]}
    layers = by_name["Data flows down the rooms of the host, and nothing imports up"]["layers"]
    below = layers[layers.index("library") + 1 :]
    rooms = {f"plexor.{room.strip()}" for layer in below for room in layer.split("|")}
    base = {f"plexor.base.{p.stem}" for p in (PACKAGES["host"] / "base").iterdir()}
    files = (rooms | base) - {"plexor.base", "plexor.base.__init__", "plexor.base.__pycache__"}
    forbidden = set(by_name[CLIENT]["forbidden_modules"])
    assert files - forbidden == {
        f"plexor.base.{name}"
        for name in (
            "constraints",
            "counts",
            "ending",
            "errors",
            "meant",
            "shown",
            "streams",
            "toml_text",
            "units",
        )
    }
    assert forbidden <= files


def rooms(package: str) -> set[str]:
    """Return the names of the rooms and files at the top of a package."""
    return {
        path.stem
        for path in PACKAGES[package].iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").is_file()) and path.stem[0] != "_"
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_and_no_other_is_in_the_page_of_the_architecture(package):
    _, gateware, host, *_ = ARCHITECTURE.split("\n## ")
    table = {"gateware": gateware, "host": host}[package]
    firsts = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", firsts)) == rooms(package)


def test_every_file_of_the_two_walks_is_there():
    named = re.findall(r"`(\w+/[\w/]+\.py)`", ARCHITECTURE)
    assert len(named) > 25
    places = (*PACKAGES.values(), ROOT)
    assert [name for name in named if not any((at / name).is_file() for at in places)] == []


def test_bits_enter_a_clock_domain_through_one_component():
    users = {
        path.relative_to(PACKAGES["gateware"]).as_posix()
        for path in PACKAGES["gateware"].rglob("*.py")
        if re.search(r"amaranth\.lib(\.| import )cdc|FFSynchronizer", path.read_text())
    }
    assert users == {"lib/crossing.py"}
    named = set(re.findall(r"`(\w+_to_\w+)`", ARCHITECTURE))
    crossings = {
        name.replace("{number}", "0")
        for path in PACKAGES["gateware"].rglob("*.py")
        for name in re.findall(
            r"submodules(?:\.|\[f\")(\w+(?:{number})?_to_\w+)(?: =|\"\])", path.read_text()
        )
    }
    assert named == crossings
