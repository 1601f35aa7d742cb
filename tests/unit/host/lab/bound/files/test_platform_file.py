# SPDX-License-Identifier: Apache-2.0
"""Platforms as files: the study's times, and each wrong row as one line."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.platform_file import read_platform
from plexor_lab.bound.model import AccessKind

from ..createthread import COLUMNS, EXAMPLES, PLATFORMS, TIMES_NS, platform_file


@pytest.mark.parametrize("number", PLATFORMS)
def test_the_platforms_that_ship_have_the_times_of_the_study(number):
    found = read_platform(platform_file(number))
    assert [found.time_ns(*column) for column in COLUMNS] == list(TIMES_NS[number])
    assert found.title.startswith("ARM7TDMI at 72 MHz")


def test_a_cycle_of_72_mhz_is_exact():
    assert read_platform(EXAMPLES / "memory.toml").time_ns(
        "sram", AccessKind.READ
    ) == 1000 / Fraction(72)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.toml", '[ns]\na = 13.889\n".b" = { read = "125/9", burst_write = 7 }\n'),
        ("p.csv", "kind,ns,region\n,13.889,a\nread,125/9,.b\nburst_write,7,.b\n"),
    ],
)
def test_both_forms_say_the_same(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = read_platform(tmp_path / name)
    assert found.title == "p"
    assert found.times_ns == {
        ("a", AccessKind.ANY): Fraction(13889, 1000),
        (".b", AccessKind.READ): Fraction(125, 9),
        (".b", AccessKind.BURST_WRITE): Fraction(7),
    }


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("p.toml", "", "p.toml:1: ns: is missing; must be a table with entries"),
        ("p.toml", "[ns]", "p.toml:1: ns: {}; must be a table with entries"),
        ("p.toml", "[us]\na = 1", "p.toml:1: 'us': no such key; must be title or [ns]"),
        ("p.toml", "[ns]\na = -1", "p.toml:2: a: -1; must be nanoseconds of at least 0"),
        ("p.toml", '[ns]\n\na.read = "1 us"', "p.toml:3: a.read: '1 us'; must be nanoseconds of"),
        ("p.toml", "[ns]\na.fetch = 1", "p.toml:2: a.fetch: 'fetch'; must be a kind of access"),
        ("p.toml", "[ns]\na = inf", "p.toml:2: a: Infinity; must be nanoseconds of at least 0"),
        ("p.csv", "region,kind,ns\n", "p.csv:1: no times; must have a row for each"),
        ("p.csv", "region,ns\n", "p.csv:1: no column 'kind'; must have region, kind, ns"),
        (
            "p.csv",
            "region,kind,ns\na,,1\nb,,1\na,any,2\n",
            "p.csv:4: a: is in line 2 too; each must have one time",
        ),
        ("p.csv", "region,kind,ns\na,fetch,1\n", "p.csv:2: kind: 'fetch'; must be a kind of"),
        ("p.csv", "region,kind,ns\na,read,-1\n", "p.csv:2: a.read: '-1'; must be nanoseconds of"),
        ("p.csv", "region,kind,ns\n,read,1\n", "p.csv:2: region: ''; must be a name"),
    ],
)
def test_a_wrong_platform_is_one_line_with_its_place(tmp_path, monkeypatch, name, text, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        read_platform(name)
    assert str(caught.value).startswith(expected)
