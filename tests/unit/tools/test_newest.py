# SPDX-License-Identifier: Apache-2.0
"""The newest libraries: what is installed, and that each is tried by a test."""

import re
import tomllib

from tools.newest import EXTRAS, ROOT, TESTS, runners

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_runners_have_the_projects_bounds():
    assert set(runners()) <= set(PROJECT["optional-dependencies"]["dev"])
    assert any(text.startswith("pytest>=") for text in runners())


def test_each_test_is_there():
    assert all((ROOT / path).exists() for path in TESTS)


def test_each_extra_of_the_host_is_tried():
    """Others have fixed versions, or programs of an FPGA flow."""
    others = {"sim", "gateware", "flash", "soc", "dev"}
    assert set(EXTRAS) == set(PROJECT["optional-dependencies"]) - others


def test_make_test_runs_them():
    text = (ROOT / "Makefile").read_text()
    recipe = re.search(r"^test: .*\n((?:\t.*\n)+)", text, re.MULTILINE)[1]
    assert "tools.newest" in recipe
