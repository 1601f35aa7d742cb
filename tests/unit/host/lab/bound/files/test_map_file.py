# SPDX-License-Identifier: Apache-2.0
"""Maps as files: where logical regions lie, and each wrong row as one line."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.map_file import read_map

from ..createthread import EXAMPLES


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("m.toml", '[map]\n".text" = "flash"\nstack = "sram"\n', "m.toml:3"),
        ("m.csv", "logical,region\n.text,flash\nstack,sram\n", "m.csv:3"),
    ],
)
def test_both_forms_say_the_same_and_where(tmp_path, monkeypatch, name, text, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    found = read_map(name)
    assert found.regions == {".text": "flash", "stack": "sram"}
    assert found.place("stack") == place


def test_the_map_that_ships_puts_all_but_jumps_into_one_memory():
    regions = read_map(EXAMPLES / "map.toml").regions
    assert set(regions) == {"iram_text", "text", "const", "stack", "heap32", "heap8"}
    assert set(regions.values()) == {"sram"}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("m.toml", "", "m.toml:1: map: is missing; must be a table with entries"),
        ("m.toml", "[map]\ntext = 3", "m.toml:2: 'text': 3; must be a name of printable"),
        ("m.toml", "[maps]\ntext = 3", "m.toml:1: 'maps': no such key; must be title or [map]"),
        ("m.csv", "logical,region\n", "m.csv:1: no regions; must have a row for each"),
        ("m.csv", "logical,region\na,\n", "m.csv:2: a: ''; must be a name of printable"),
        ("m.csv", "logical,region\n,a\n", "m.csv:2: logical: ''; must be a name of printable"),
        ("m.csv", "logical,region\na,x\na,y\n", "m.csv:3: a: is in line 2 too; each must lie in"),
        ("m.csv", "a,x\n", "m.csv:1: no column 'logical'; must have logical, region"),
    ],
)
def test_a_wrong_map_is_one_line_with_its_place(tmp_path, monkeypatch, name, text, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        read_map(name)
    assert str(caught.value).startswith(expected)
