# SPDX-License-Identifier: Apache-2.0
"""docs/do/extend.md: its wheel is built from the page's own text, and does what the page says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plexor
from plexor.files.store.run_folder import save
from plexor.library.instrument import Instrument
from plexor.library.parts import extensions

PAGE = (Path(__file__).parents[5] / "docs" / "do" / "extend.md").read_text()
FILE = re.compile(
    r"`(plexor-tally/[\w/.-]+)`[^\n]*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
TYPED = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OFFLINE = "--no-index --no-deps --no-build-isolation --quiet --disable-pip-version-check"


def written(folder: Path) -> list[str]:
    """Write the page's files into a folder; return their names."""
    for name, text in FILE.findall(PAGE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return [name for name, _ in FILE.findall(PAGE)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return a folder with the page's files, and the variables in which its wheel is installed."""
    folder = tmp_path_factory.mktemp("stranger")
    assert written(folder) == [
        "plexor-tally/pyproject.toml",
        "plexor-tally/plexor_tally/__init__.py",
        "plexor-tally/plexor_tally/counting.py",
    ]
    pip = f"{shlex.quote(sys.executable)} -m pip"
    for command in (
        f"{pip} wheel {OFFLINE} --wheel-dir wheels ./plexor-tally",
        f"{pip} install {OFFLINE} --target site wheels/plexor_tally-0.1.0-py3-none-any.whl",
    ):
        done = subprocess.run(
            shlex.split(command), cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    # What runs is the wheel alone.
    shutil.rmtree(folder / "plexor-tally")
    paths = os.pathsep.join([str(folder / "site"), *filter(None, sys.path)])
    return folder, {**os.environ, "PYTHONPATH": paths}


def typed(command, environment):
    folder, variables = environment
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_what_the_page_types_prints_what_it_shows(environment, run_of):
    folder, _ = environment
    save(run_of([[1000] * 150, [2000] * 120 + [None] * 30]), folder / "run1")
    (session,) = TYPED.findall(PAGE)
    first, *commands = re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", session, re.MULTILINE)
    assert first == ("pip install ./plexor-tally", "")
    assert len(commands) == 2
    for command, shown in commands:
        assert typed(command, environment) == (0, shown)
    assert (folder / "run1.tally").read_text() == "ISR 150\nTASK 120\n"
    assert typed("plexor lab tally run1 --least 130", environment)[0] == 1
    code, said = typed("plexor show run1 --to run1.tal", environment)
    assert code == 2
    assert said.endswith(", .tally\n")


def test_the_help_shows_the_command_and_its_options(environment):
    code, said = typed("plexor lab --help", environment)
    assert (code, "tally         Count the answers of a stored run." in said) == (0, True)
    assert "Answers that each pin must have." in typed("plexor lab tally --help", environment)[1]


def test_the_measurement_is_a_method_of_an_instrument(environment, monkeypatch):
    monkeypatch.syspath_prepend(environment[0] / "site")
    instrument = object.__new__(Instrument)
    instrument.run = lambda **options: options
    assert instrument.again(times=2, rate="20k") == [{"rate": "20k"}] * 2


def test_the_page_names_each_group_and_no_other():
    groups = {
        value
        for name, value in vars(extensions).items()
        if name.isupper() and str(value).startswith("plexor.")
    }
    assert set(re.findall(r"^\| `(plexor\.\w+)` \|", PAGE, re.MULTILINE)) == groups


def test_the_page_names_each_module_of_the_parts():
    folder = Path(extensions.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"`parts\.(\w+)`", PAGE)) == modules


def test_what_the_page_calls_public_is_what_the_import_rule_leaves():
    rules = (Path(__file__).parents[5] / "pyproject.toml").read_text()
    (forbidden,) = re.findall(
        r'source_modules = \["plexor.cli", "plexor_lab"\]\n'
        r"forbidden_modules = \[(.*?)\]",
        rules,
        re.DOTALL,
    )
    hidden = set(re.findall(r'"(plexor\.[\w.]+)"', forbidden))
    text = PAGE.partition("## What is public")[2].partition("| module |")[0]
    public = set(re.findall(r"`(plexor\.[\w.]+)`", text)) - {"plexor.library.parts"}
    host = Path(plexor.__file__).parent
    names = {
        ".".join(path.relative_to(host.parent).with_suffix("").parts) for path in host.glob("*")
    }
    names |= {f"plexor.base.{path.stem}" for path in (host / "base").iterdir()}
    assert len(public) > 5
    assert public <= names - hidden
