# SPDX-License-Identifier: Apache-2.0
"""Tables of TOML files: titles, and numbers by region and kind."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.fields import whole
from plexor_lab.bound.files.source import parse_tables
from plexor_lab.bound.model import AccessKind
from plexor_lab.bound.tables import by_access, table_of, title_of


def file(text):
    return parse_tables("f.toml", text)


def said(call, *arguments):
    with pytest.raises(UsageError) as caught:
        call(*arguments)
    return str(caught.value)


def test_numbers_are_read_by_region_and_kind_in_either_form():
    found = by_access(
        file('[ns]\na = 1\nb.read = 2\n".c" = { write = 3, any = 4 }\nskip = 5'),
        ("ns",),
        "",
        whole,
        ("skip",),
    )
    assert found == {
        ("a", AccessKind.ANY): 1,
        ("b", AccessKind.READ): 2,
        (".c", AccessKind.WRITE): 3,
        (".c", AccessKind.ANY): 4,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ns]\na = 1\nb.fetch = 2", "f.toml:3: in b.fetch: 'fetch'; must be a kind of access: "),
        ("[ns]\na = 1\nb.read = -2", "f.toml:3: in b.read: -2; must be a whole number"),
        ("[ns]\na = [1]", "f.toml:2: in a: [1]; must be a whole number"),
        ("[ns.a]\nread.read = 1", "f.toml:2: in a.read: {'read': 1}; must be a whole number"),
        ('[ns]\n"" = 1', "f.toml:2: in : ''; must be a name of printable characters"),
    ],
)
def test_a_wrong_entry_is_said_with_its_line_and_its_name(text, expected):
    assert said(by_access, file(text), ("ns",), "in ", whole).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f.toml:1: ns: is missing; must be a table with entries"),
        ("\n[ns]", "f.toml:2: ns: {}; must be a table with entries"),
        ("\nns = 3", "f.toml:2: ns: 3; must be a table with entries"),
    ],
)
def test_a_table_that_is_missing_or_empty_is_refused(text, expected):
    assert said(table_of, file(text), "ns") == expected


def test_a_table_in_a_table_is_found():
    assert table_of(file("[a.b]\nx = 1"), "a", "b") == {"x": 1}


def test_a_file_is_called_by_its_title_or_by_its_name():
    assert title_of(file('title = "T"\n[ns]'), "stem", "ns") == "T"
    assert title_of(file("[ns]"), "x" * 200, "ns") == "x" * 200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title = 3", "f.toml:1: title: 3; must be a name"),
        ("\n[na]\na = 1", "f.toml:2: 'na': no such key; must be title or [ns]"),
    ],
)
def test_a_wrong_title_and_another_key_are_refused(text, expected):
    assert said(title_of, file(text), "stem", "ns").startswith(expected)
