# SPDX-License-Identifier: Apache-2.0
"""`import plexor`: which names it gives, and that it loads nothing before one is used."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import plexor

TREE = ast.parse(Path(plexor.__file__).read_text())
TYPED = {
    alias.asname: node.module
    for block in TREE.body
    if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
    for node in block.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}


def test_type_checkers_see_the_names_that_there_are():
    assert set(TYPED) == set(plexor.__all__)


@pytest.mark.parametrize("name", plexor.__all__)
def test_each_name_is_there_and_explained(name):
    value = getattr(plexor, name)
    assert value is getattr(sys.modules[TYPED[name]], name)
    assert name in dir(plexor)
    if callable(value):
        assert (value.__doc__ or "").rstrip().endswith((".", "`"))


def test_a_name_of_another_package_is_there_beside_them():
    assert plexor.Bound is importlib.import_module("plexor_lab.bound.bound").Bound


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'mesure'"):
        _ = plexor.mesure


def test_importing_plexor_loads_none_of_its_rooms():
    code = "import sys, plexor; print([n for n in sys.modules if n.startswith('plexor.')])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert found.stdout == "[]\n"
