# SPDX-License-Identifier: Apache-2.0
"""Farms as TOML files: every cell of the matrix, and one clear line for what is none."""

from pathlib import Path

import pytest

from plexor.base.errors import UsageError
from plexor.library.cells import file as under_test
from plexor.library.cells.file import read_cells

WHOLE = """
[measure]
rate = "20k"
count = "400"
channel = ["ISR=ch0", "TASK=ch1"]
stop-on = "missed"
key = { site = "lab" }

[instruments]
left = "serial:/dev/ttyUSB1"
[instruments.right]
link = "sim:"
dut = "irq.toml:clock=20ns"
count = 100

[loads.none]
[loads.busy]
load = "on"
load-on = "stress"
load-off = "calm"

[builds.debug]
prepare = "make flash"
key = { os = "FreeRTOS" }
[builds.release]
budget = "limits.toml"
commit = "v1.2"
branch = "main"

[options.slow]
[options.fast]
rate = "40k"
"""


@pytest.fixture
def farm(tmp_path):
    """Return a function that writes a file and reads its cells."""

    def read(text):
        path = tmp_path / "farm.toml"
        path.write_text(text)
        (tmp_path / "limits.toml").write_text('[all]\nmax = "1 s"\n')
        return read_cells(path)

    return read


def test_a_matrix_has_a_cell_for_each_choice_of_all_axes(farm):
    cells = farm(WHOLE)
    assert [cell.name for cell in cells] == [
        f"{instrument}/{load}/{build}/{options}"
        for instrument in ("left", "right")
        for load in ("none", "busy")
        for build in ("debug", "release")
        for options in ("slow", "fast")
    ]


def test_what_comes_later_replaces_what_comes_before_and_keys_are_joined(farm, tmp_path):
    cells = {cell.name: cell for cell in farm(WHOLE)}
    one = cells["left/none/debug/slow"]
    assert one.link == "serial:/dev/ttyUSB1"
    assert one.real
    assert one.options == {
        "rate": "20k",
        "count": "400",
        "channels": ["ISR=ch0", "TASK=ch1"],
        "stop_on": "missed",
    }
    assert (one.prepare, one.load_on, one.budget, one.commit) == ("make flash", None, None, None)
    assert one.device == {
        "instrument": "left",
        "load": "none",
        "build": "debug",
        "site": "lab",
        "os": "FreeRTOS",
    }
    other = cells["right/busy/release/fast"]
    assert not other.real
    assert [other.options[name] for name in ("rate", "count", "load")] == ["40k", 100, "on"]
    assert (other.load_on, other.load_off) == ("stress", "calm")
    assert (other.budget, other.commit, other.branch) == (
        str(tmp_path / "limits.toml"),
        "v1.2",
        "main",
    )
    assert other.device == {
        "instrument": "right",
        "load": "busy",
        "build": "release",
        "site": "lab",
    }


def test_an_axis_that_is_left_out_has_one_value_without_a_name(farm):
    (one,) = farm('[measure]\nrate = "1k"\ncount = 5\n[instruments]\na = "sim:"\n')
    assert (one.name, one.device, one.dut) == ("a", {"instrument": "a"}, None)


def test_files_lie_where_the_farm_lies(farm, tmp_path, monkeypatch):
    (tmp_path / "irq.toml").touch()
    (tmp_path / "budget.toml").write_text("[all]\nmissed = 0\n")
    monkeypatch.chdir("/")
    text = WHOLE.replace('budget = "limits.toml"', 'budget = "budget.toml"')
    cells = {cell.name: cell for cell in farm(text)}
    one = cells["right/none/release/slow"]
    assert one.dut == f"{tmp_path / 'irq.toml'}:clock=20ns"
    assert one.budget == str(tmp_path / "budget.toml")


SOUND = '[measure]\nrate = "1k"\ncount = 5\n[instruments]\na = "sim:"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", r"\[instruments\]: names none"),
        ("rate = 5", r"\[rate\]: no such table; must be one of measure, instruments, loads"),
        ("[", "farm.toml: "),
        ("instruments = 5", r"\[instruments\]: 5; must be a table"),
        ('[instruments]\n"a/b" = "sim:"', r"\[instruments\] 'a/b': must be up to 64 letters"),
        ('[instruments]\n".." = "sim:"', r"'\.\.': must be up to 64 letters"),
        ("[instruments]\na = 5", r"\[instruments\.a\]: 5; must be a table"),
        ("[instruments.a]\nrate = 5", "a: link: is missing"),
        ('[instruments]\na = "file:wire.bin"', "a: link: 'file:wire.bin': is a recording"),
        (f"{SOUND}[loads.x]\nrate = 'fast'", "a/x: rate: 'fast'; must be a number above 0"),
        (f"{SOUND}[loads.x]\nwhere = 1", "a/x: where: no such option; must be one of rate, count"),
        (f"{SOUND}[loads.x]\nevery = '1ms'", "a/x: every: no such option"),
        (f"{SOUND}[loads.x]\nkey = 5", r"\[key\]: 5; must be a table"),
        (f"{SOUND}[loads.x]\nkey = {{ os = 5 }}", "a/x: os: 5; must be a text"),
        (f"{SOUND}[loads.x]\nprepare = ['a']", r"a/x: prepare: \['a'\]; must be a text"),
        (f"{SOUND}[builds.x]\nbudget = 'gone.toml'", "a/x: .*gone.toml"),
        ('[measure]\nrate = "1k"\n[instruments]\na = "sim:"', "a: say when to stop with count"),
        (
            '[measure]\nrate = "1k"\ncount = 5\n[instruments]\na = "tcp://h:1"\nb = "tcp://h:1"',
            "instruments a and b: both have the link tcp://h:1; each must have its own",
        ),
    ],
)
def test_what_is_no_farm_is_told_in_one_line_with_its_path(farm, text, why):
    with pytest.raises(UsageError, match=why) as caught:
        farm(text)
    assert str(caught.value).count("\n") == 0
    assert "farm.toml: " in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.toml: cannot read: No such file"):
        read_cells(tmp_path / "gone.toml")


def test_the_example_of_the_docstring_is_read(farm):
    text = "\n".join(line[4:] for line in under_test.__doc__.splitlines() if line[:4] == " " * 4)
    cells = farm(text)
    assert len(cells) == 4
    assert {cell.names["load"] for cell in cells} == {"none", "stress"}
    assert all(cell.real for cell in cells)
    assert Path(cells[0].link.removeprefix("serial:")).name == "ttyUSB1"
