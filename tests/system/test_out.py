# SPDX-License-Identifier: Apache-2.0
"""`--out` continues what fits, and names what does not: every command that keeps a folder."""

import re
from pathlib import Path

import pytest

from plexor import cli
from plexor.cli import every_command

CONTINUING = {
    # The command, and what else is asked at the second time with how that is named.
    "sweep": (
        "sweep --dut synthetic --from 1k --to 40k --points 2 --criterion missed<20%",
        [
            ("--dut synthetic:ch0.latency=9us", "--dut synthetic:ch0.latency=9us, there synthetic"),
            ("--to 20k", "--to 20k, there 40k"),
            ("--dither 1us", "--dither 1us, there not given"),
            ("--channel A=ch0", "another --channel"),
        ],
    ),
    "burst": (
        "burst --dut synthetic --from 5us --to 20us --period 1ms --points 2 --most 2",
        [
            ("--most 8", "--most 8, there 2"),
            ("--seed 7 --points 3", "--points 3, there 2; --seed 7, there not given"),
        ],
    ),
    "farm": ("farm farm.toml --archive archive", [("", "rate 10k, there 20k")]),
}
"""Steps are kept as they are taken."""
CONTINUED = {"lab bound sweep"}
"""So are its runs; test_bound_sweep.py holds it."""
NEW = {
    "measure": "measure --dut bare --rate 20k --count 50",
    "phase": "phase --dut synthetic --against strike1 --period 20us --rate 10k --points 4",
    "import": "import run.csv --strike strike --channel A=a",
    "lab bench": "lab bench kernel --iterations 2",
    "lab mixed": "lab mixed --count 2",
}
"""Each is one thing: it is begun anew, in a new folder."""
GROWING = {"scope"}
"""Each run that is kept is a folder of its own."""
FARM = """
[measure]
rate = "{}"
count = 50
[instruments]
one = {{link = "sim:", dut = "bare"}}
[loads.none]
"""


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def typed(line, capsys):
    """Type a command; return its exit code and its errors."""
    code = cli.main(line.split())
    return code, capsys.readouterr().err


def folders():
    """Return the help of each command's option --out, where it names a folder."""
    return {
        name: option.help
        for name, command in every_command()
        for option in command.params
        if option.name == "out" and option.metavar == "DIR"
    }


def steps():
    """Return what is kept of steps: a file of steps, or the runs of a farm."""
    files = (path for path in Path("kept").rglob("*") if path.name in ("steps.jsonl", "run.json"))
    return {path: path.read_bytes() for path in files}


def test_every_command_that_keeps_a_folder_says_which_of_the_three_it_does():
    told = folders()
    assert set(told) == {*CONTINUING, *CONTINUED, *NEW, *GROWING}
    for name in (*CONTINUING, *CONTINUED):
        assert re.search(r"with the same options continues|are not measured again", told[name])
        assert "a new one" not in told[name]
    for name in NEW:
        assert "a new one" in told[name]
    for name in GROWING:
        assert "Each kept run is a folder in it." in told[name]


@pytest.mark.parametrize("name", CONTINUING)
def test_what_has_steps_goes_on_and_names_each_setting_that_differs(name, capsys):
    line, others = CONTINUING[name]
    farm = Path("farm.toml")
    farm.write_text(FARM.format("20k"))
    line = f"{line} --out kept"
    code, said = typed(line, capsys)
    assert code == 0, said
    before = steps()
    assert before
    code, said = typed(line, capsys)
    assert code == 0, said
    assert steps() == before
    farm.write_text(FARM.format("10k"))
    for more, named in others:
        code, said = typed(f"{line} {more}", capsys)
        assert code == 2
        assert re.search(f"(already exists, with|holds another farm:) {re.escape(named)};", said)
        assert steps() == before


@pytest.mark.parametrize("name", NEW)
def test_what_is_one_thing_is_begun_in_a_new_folder_and_replaces_none_unasked(name, capsys):
    Path("kept").mkdir()
    Path("kept/notes.txt").write_text("mine")
    Path("run.csv").write_text("Time [s],strike,a\n0,0,0\n0.001,1,0\n0.002,1,1\n0.003,0,0\n")
    code, said = typed(f"{NEW[name]} --out kept", capsys)
    assert code == 2
    assert "--out kept: already exists" in said
    assert [path.name for path in Path("kept").iterdir()] == ["notes.txt"]
