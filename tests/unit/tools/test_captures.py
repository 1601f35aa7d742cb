# SPDX-License-Identifier: Apache-2.0
"""Captures compared with other readers: what differs is found, and all are equal."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tools.captures import __main__ as captures
from tools.captures import made
from tools.captures.checked import checked, wrong_refusal
from tools.captures.fetch import LOCK, captures_in, locked
from tools.captures.readers import by_pyvcd, by_pywellen, by_zip
from tools.captures.reading import OtherReading, plain_name

from plexor_sim.packages import default_cache

from ..host.files.imports.captures import sr

DUMP = """$timescale 10 ps $end $scope module top $end
$var wire 1 ! clk $end $var wire 4 " word [3:0] $end $var real 1 # volts $end
$upscope $end $enddefinitions $end
#0
$dumpvars
0!
bx "
$end
#5
1!
b101 "
#9
0!
bz1 "
#12
1!
x!
#20
0!
"""


def dump(path: Path, text: str = DUMP) -> Path:
    path.write_text(text)
    return path


def test_each_edge_and_gap_is_compared_with_other_readers(tmp_path: Path) -> None:
    found = checked(dump(tmp_path / "a.vcd"), "here", [by_pyvcd, by_pywellen])
    assert (found.wrong, found.refusal, found.left_out) == ("", "", 0)
    assert (found.signals, found.bits, found.readers) == (3, 5, ("pyvcd", "pywellen"))
    # clk: two edges, a gap with two borders. word: from unknown to known, four gaps' starts and
    # ends; then three bits are lost, and one falls.
    assert found.edges == 4 + 4 * 2 + 3 + 0


@pytest.mark.parametrize("change", ["time", "level", "more"])
def test_a_planted_wrong_edge_is_seen(tmp_path: Path, change: str) -> None:
    def wrong(path: Path) -> OtherReading:
        reading = by_pyvcd(path)
        clk = reading.signals["top.clk"]
        times, values = clk.times.copy(), clk.values.copy()
        if change == "time":
            times[1] += 1
        elif change == "level":
            values[2] = ord("x")
        else:
            times, values = np.append(times, 30), np.append(values, [[ord("1")]], axis=0)
        signals = {**reading.signals, "top.clk": replace(clk, times=times, values=values)}
        return replace(reading, signals=signals)

    path = dump(tmp_path / "a.vcd")
    assert checked(path, "here", [by_pyvcd]).wrong == ""
    found = checked(path, "here", [wrong, by_pyvcd])
    assert re.fullmatch(r"pyvcd: top\.clk: number \d: .* here, .* there", found.wrong)
    assert "WRONG: pyvcd: top.clk" in captures.row(found)
    assert ", 1 wrong" in captures.total([found])


def test_a_refusal_must_name_a_way_on(tmp_path: Path) -> None:
    found = checked(dump(tmp_path / "a.vcd", "nothing"), "here", [by_pyvcd])
    assert found.refusal.startswith("no $enddefinitions; ")
    assert found.wrong == ""
    assert wrong_refusal("a.vcd: it is wrong") == "no way on"
    assert wrong_refusal("a.vcd: time 3 after 4; must not go back") == "no way on"
    assert wrong_refusal("a.vcd: no $timescale; such as --timescale 1ns") == ""
    assert wrong_refusal("a.vcd: it is wrong; write it again\nTraceback") == "more than a line"


def test_what_no_other_reader_reads_is_wrong(tmp_path: Path) -> None:
    def refuses(_: Path) -> OtherReading:
        raise ValueError

    assert checked(dump(tmp_path / "a.vcd"), "here", [refuses]).wrong == "no other reader reads it"


def test_samples_are_compared_by_their_bytes(tmp_path: Path) -> None:
    path = sr(tmp_path / "a.sr", {"A": (0, [3, 9]), "B": (1, [4])}, 20)
    found = checked(path, "here", [by_zip])
    assert (found.wrong, found.edges, found.bits) == ("", 3, 2)


def test_names_are_equal_whatever_a_reader_makes_of_them() -> None:
    for name in ("top.word[3:0]", "top.word [3:0]", ".top.word", "top.\\word "):
        assert plain_name(name) == "top.word"
    assert plain_name("top.many.[2][7:0]") == "top.many[2]"


def test_each_package_is_locked_by_its_checksum() -> None:
    lines = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]
    form = r"(pypi|crate|debian|source) [\w.+-]+ [\w.+~-]+ [0-9a-f]{64}"
    assert all(re.fullmatch(form, line) for line in lines)
    assert len({own.folder for own in locked()}) == len(lines)
    committed = captures_in(Path(made.__file__).parent)
    assert committed == []


def test_the_designs_that_are_dumped_compile(tmp_path: Path) -> None:
    designs = Path(made.__file__).parent / "designs"
    command = ["iverilog", "-g2012", '-DFILE="a.vcd"', "-o", "a.vvp", str(designs / "bench.v")]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run(["vvp", "a.vvp"], cwd=tmp_path, check=True, capture_output=True)
    found = checked(tmp_path / "a.vcd", "Icarus Verilog", [by_pyvcd, by_pywellen])
    assert (found.wrong, found.left_out) == ("", 0)
    assert found.edges > 2_500


def test_a_tool_that_takes_too_long_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(*_: object) -> list[object]:
        raise subprocess.TimeoutExpired(["/usr/bin/verilator", "--trace"], 300.0)

    monkeypatch.setattr(captures, "check_all", late)
    assert captures.main([]) == 3
    assert capsys.readouterr().err == "error: verilator took more than 300 s; try again\n"


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_all_captures_are_read_as_others_read_them_or_refused_with_a_way_on(
    tmp_path: Path,
) -> None:
    found = list(captures.check_all(default_cache(), tmp_path))
    assert {one.file: one.wrong for one in found if one.wrong} == {}
    assert len(found) >= 140
    assert sum(one.edges for one in found) > 7_000_000
