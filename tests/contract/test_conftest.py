# SPDX-License-Identifier: Apache-2.0
"""The long suite goes on where it was stopped, as long as no file of the clone changed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent.parent / "conftest.py"
TESTS = """
import pytest

def test_good():
    pass

def test_bad():
    assert False

@pytest.fixture
def left_broken():
    yield
    raise RuntimeError

def test_that_leaves_something(left_broken):
    pass
"""


@pytest.fixture
def clone(tmp_path):
    """Return a clone with three tests; one of them passes."""
    (tmp_path / "tests").mkdir()
    shutil.copy(CONFTEST, tmp_path / "tests")
    shutil.copy(CONFTEST.parent.parent / ".gitignore", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project.entry-points]\n")
    (tmp_path / "tests" / "test_three.py").write_text(TESTS)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / "gone").touch()
    subprocess.run(["git", "add", "tests", "gone"], cwd=tmp_path, check=True)
    (tmp_path / "gone").unlink()
    return tmp_path


def ran(clone, *options):
    # Without the plug-ins that are not asked for, which take seconds to import.
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugins = ("-p", "no:cacheprovider", "-p", "xdist.plugin")
    command = (sys.executable, "-m", "pytest", "-q", *plugins, *options, "tests")
    return subprocess.run(
        command, cwd=clone, capture_output=True, text=True, check=False, env=environment
    )


def counts(clone, *options):
    """Return how many tests of a clone failed, and how many calls passed, as pytest says."""
    last = ran(clone, *options).stdout.splitlines()[-1]
    return tuple(int(re.search(rf"(\d+) {what}", last)[1]) for what in ("failed", "passed"))


@pytest.mark.parametrize(
    ("processes", "whole"),
    [("1", False), *(pytest.param(n, True, marks=pytest.mark.full) for n in ("0", "2"))],
)
def test_what_passed_is_left_out_until_a_file_changes(clone, processes, whole):
    options = ("-n", processes)
    assert counts(clone, "--go-on", *options) == (1, 2)
    # What fails after its end has not passed.
    assert counts(clone, "--go-on", *options) == (1, 1)
    if whole:
        assert counts(clone, *options) == (1, 2)
    with (clone / "tests" / "test_three.py").open("a") as file:
        file.write("# Changed.\n")
    assert counts(clone, "--go-on", *options) == (1, 2)
    if not whole:
        return
    (clone / "tests" / "new.txt").write_text("not tracked yet\n")
    assert counts(clone, "--go-on", *options) == (1, 2)
    (clone / "tests" / "new.txt").unlink()
    assert counts(clone, "--go-on", *options) == (1, 1)


@pytest.mark.parametrize(
    "processes", ["0", *(pytest.param(n, marks=pytest.mark.full) for n in ("1", "2"))]
)
def test_nothing_left_to_test_is_no_failure_and_what_passed_before_is_counted(clone, processes):
    options = ("-n", processes, "-k", "good")
    assert ran(clone, "--go-on", *options).returncode == 0
    done = ran(clone, "--go-on", *options)
    assert done.returncode == 0
    assert "1 passed before with the same files" in done.stdout
