# SPDX-License-Identifier: Apache-2.0
"""docs/PROTOCOL.md is the declarations' own text, and holds every name that they declare."""

from pathlib import Path

import pytest

from plexor.protocol import frames, geometry, memory, registers
from plexor.protocol.document import document, members, table

PAGE = Path(__file__).parents[2] / "docs" / "PROTOCOL.md"


@pytest.fixture(scope="module")
def page():
    return document()


def test_protocol_md_is_fresh():
    expected = document()
    assert PAGE.read_text() == expected, (
        "run: python -m plexor.protocol.document > docs/PROTOCOL.md"
    )


def test_every_register_is_on_the_page_with_its_address(page):
    for block in registers.BLOCKS:
        assert f"### {block.name}\n" in page
        for register in block.registers:
            address = registers.address(block.name, register.name)
            assert f"| 0x{address:03x} | `{register.name}` | {register.bits}" in page


@pytest.mark.parametrize("record", [frames.HEADER, frames.OPERATION, memory.STATISTICS])
def test_every_field_is_on_the_page(record, page):
    for field in record.fields:
        assert f"| `{field.name}` | {field.bits}" in page


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, member.name)
        for module in (frames, registers, memory, geometry)
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__
        for member in getattr(kind, "__members__", {}).values()
        if isinstance(member, int)
    ],
)
def test_every_enumeration_member_is_on_the_page(kind, name, page):
    assert f"**{kind.__name__}**" in page
    assert f"| {name} |" in page


def test_the_comment_beside_a_member_is_its_meaning():
    assert ("TRACE", 7, "event words kept around a trigger") in list(members(frames.FrameType))
    assert ("OLDEST", 0, "") in list(members(registers.Policy))


def test_a_pipe_in_a_cell_is_escaped():
    assert table(("a",), [("x | y",)]) == "| a |\n| --- |\n| x \\| y |\n"
