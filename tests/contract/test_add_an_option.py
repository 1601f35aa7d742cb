# SPDX-License-Identifier: Apache-2.0
"""The recipe of CONTRIBUTING, on a copy: one field in a Spec is an option everywhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIELD = """\
    settle: Fraction = option(
        on_page=True,
        converter=seconds,
        default="0s",
        metavar="TIME",
        help="Planted: time to wait before the first strike.",
    )
"""
BEFORE = "    zoom: Fraction | str | None = option("
PROBE = """
import json, sys
from fractions import Fraction
from plexor import cli
from plexor.base.errors import UsageError
from plexor.library.run_spec import MeasureSpec, TakeSpec
from plexor.scope.messages import parse
from tools.lookup import options_page
found = {
    "keyword": [str(spec.of({"settle": "3us"}).settle) for spec in (MeasureSpec, TakeSpec)],
    "default": str(TakeSpec().settle),
    "rows": [line for line in options_page().splitlines() if "--settle" in line],
    "codes": [],
    "page": parse('{"do": "run", "settle": "3us"}').options,
}
try:
    TakeSpec.of({"settle": "soon"})
except UsageError as error:
    found["refused"] = str(error)
open("plexor.toml", "w").write('[measure]\\nsettle = "later"\\n')
for words in (["--settle", "soon"], []):
    found["codes"].append(cli.main(["measure", "--rate", "1k", "--count", "1", *words]))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return what a copy of the host says of an option that one field declares."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "host" / "plexor", folder / "plexor", ignore=ignored)
    spec = folder / "plexor" / "library" / "run_spec.py"
    text = spec.read_text()
    assert text.count(BEFORE) == 1
    spec.write_text(text.replace(BEFORE, FIELD + BEFORE))
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_it_is_a_keyword_that_is_exact_and_refused_by_its_name(planted):
    found, _ = planted
    assert found["keyword"] == ["3/1000000"] * 2
    assert found["default"] == "0"
    assert found["refused"].startswith("settle: 'soon'; must be a number with a unit")


def test_it_is_an_option_of_the_command_line_and_a_key_of_the_defaults_file(planted):
    found, told = planted
    assert found["codes"] == [2, 2]
    by_flag, by_file = [line for line in told.splitlines() if "Invalid value" in line]
    assert "Invalid value for '--settle': 'soon'" in by_flag
    assert "Invalid value for '--settle': 'later'" in by_file


def test_the_live_page_may_set_it(planted):
    found, _ = planted
    assert found["page"] == {"settle": "3us"}


def test_it_has_its_row_in_the_documentation(planted):
    found, _ = planted
    # In that of each command that takes a run: measure, and the sweep of a bound.
    assert len(found["rows"]) == 2
    (row,) = set(found["rows"])
    assert row == "| `--settle TIME` | Planted: time to wait before the first strike. |"
