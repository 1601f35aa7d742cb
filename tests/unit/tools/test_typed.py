# SPDX-License-Identifier: Apache-2.0
"""What counts as a parameter, and as public."""

import pytest
from tools import typed

SOURCE = """
class Stage:
    def __init__(self, bits: int, *others, name=None) -> None:
        def inner(at): ...

    async def read(self, *, at: int, **more): ...

    def _kept(self) -> int: ...


def _private(a, /, b): ...
"""


@pytest.fixture
def found():
    return {one.name[-1]: one for one in typed.functions(SOURCE)}


def test_every_parameter_but_self_counts_and_those_without_a_type_are_named(found):
    counts = {name: (one.parameters, one.untyped) for name, one in found.items()}
    assert counts == {
        "__init__": (3, ("name", "others")),
        "inner": (1, ("at",)),
        "read": (2, ("more",)),
        "_kept": (0, ()),
        "_private": (2, ("a", "b")),
    }


def test_a_result_has_a_type_where_it_is_written(found):
    assert [name for name, one in found.items() if one.has_result] == ["__init__", "_kept"]


def test_constructors_are_public_and_private_and_inner_functions_are_not(found):
    assert [name for name, one in found.items() if one.is_public] == ["__init__", "read"]


def test_a_line_for_each_package_says_how_strict_pyright_is():
    lines = dict(line.split(": ", 1) for line in typed.lines())
    assert "strict;" in lines["host/plexor"]
    assert "strict less" in lines["hdl/plexor_hdl"]
