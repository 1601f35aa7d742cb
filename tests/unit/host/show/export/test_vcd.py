# SPDX-License-Identifier: Apache-2.0
"""VCD by pyvcd's reader and by sigrok-cli: every edge at its exact time."""

import subprocess
from dataclasses import replace

import pytest
from vcd.reader import TokenKind, tokenize

from plexor.base.errors import UsageError
from plexor.show.export import vcd as module
from plexor.show.export.vcd import identifiers, timescale, write_vcd

from . import planted

FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}


def read(path):
    """Return (fs, name, level) of each change, names by their initial level, and the end in fs."""
    names, changes, initial, time, unit = {}, [], {}, 0, 0
    with path.open("rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.TIMESCALE:
                unit = int(str(token.timescale).split()[0]) * FS[token.timescale.unit.value]
            elif token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.ref_str
            elif token.kind is TokenKind.CHANGE_TIME:
                time = token.time_change * unit
            elif token.kind is TokenKind.CHANGE_SCALAR:
                name, level = names[token.scalar_change.id_code], int(token.scalar_change.value)
                if name in initial:
                    changes.append((time, name, level))
                initial.setdefault(name, level)
    return changes, initial, time


@pytest.mark.parametrize("tick_fs", planted.TICKS_FS)
@pytest.mark.parametrize("chunk", [3, 1 << 16])
def test_each_edge_is_at_its_exact_time(tick_fs, chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", chunk)
    changes, initial, end = read(
        planted.written(write_vcd, tmp_path / "a.vcd", planted.run(tick_fs))
    )
    assert changes == [
        ((time - planted.START + 1) * tick_fs, planted.NAMES[source], polarity)
        for time, source, polarity in planted.ROWS
    ]
    assert initial == {"strike0": 0, "ISR": 0, "TASK": 0}
    assert end == (planted.END - planted.START + 1) * tick_fs


def test_a_strike_in_the_first_tick_is_an_edge_to_sigrok(tmp_path):
    """sigrok takes what is at the first time for the level before it."""
    run = planted.run(rows=[(planted.START, 8, 1), (planted.START + 5, 8, 0)])
    path = planted.written(write_vcd, tmp_path / "a.vcd", run)
    command = ("sigrok-cli", "-i", path, "-C", "strike0", "-O", "bits:width=0")
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1].replace(" ", "").startswith("strike0:0111110")


def test_code_pins_change_as_their_codes_do(tmp_path):
    changes, initial, _ = read(planted.written(write_vcd, tmp_path / "a.vcd", planted.coded()))
    assert {name: level for name, level in initial.items() if name.startswith("code")} == {
        f"code{bit}": 0 for bit in range(6)
    }
    pins = [each for each in changes if each[1].startswith("code")]
    assert pins == [
        ((time - planted.START + 1) * 10**6, name, level)
        for time, name, level in planted.CODE_EDGES
    ]
    assert len(changes) - len(pins) == len(planted.ROWS)


def test_a_pin_that_is_active_at_the_start_falls(tmp_path):
    run = planted.run(rows=[(1050, 0, 0), (1060, 0, 1)])
    changes, initial, _ = read(planted.written(write_vcd, tmp_path / "a.vcd", run))
    assert initial["ISR"] == 1
    assert [level for _, _, level in changes] == [0, 1]


@pytest.mark.parametrize(
    ("tick_fs", "expected"),
    [
        (1_000_000, (1, "ns", 1)),
        (500_000, (100, "ps", 5)),
        (1_041_667, (1, "fs", 1_041_667)),
        (10_000_000, (10, "ns", 1)),
        (4_000_000_000, (1, "us", 4)),
    ],
)
def test_the_unit_is_the_greatest_that_a_tick_is_a_multiple_of(tick_fs, expected):
    assert timescale(tick_fs) == expected


def test_names_are_what_readers_take():
    names = ["a b", "a_b", "µ", "$x", "", "h[0]"]
    assert identifiers(names) == ["a_b", "a_b_2", "_", "_x", "__2", "h[0]"]


def test_what_a_run_says_does_not_end_the_comment(tmp_path):
    run = replace(planted.run(), device={"os": "x $end $var wire 1 q q $end\n“y”"})
    path = planted.written(write_vcd, tmp_path / "a.vcd", run)
    assert list(read(path)[1]) == ["strike0", "ISR", "TASK"]
    with path.open("rb") as file:
        comment = next(iter(tokenize(file))).comment
    assert r"device.os: x $ end $var wire 1 q q $ end \u201cy\u201d" in comment


def test_a_run_without_events_is_refused(tmp_path):
    with pytest.raises(UsageError, match="needs the events of the run"):
        planted.written(write_vcd, tmp_path / "a.vcd", replace(planted.run(), events=None))


def test_sigrok_reads_it_at_the_same_rate(tmp_path):
    path = planted.written(write_vcd, tmp_path / "a.vcd", planted.run())
    shown = subprocess.run(
        ["sigrok-cli", "-i", path, "--show"], capture_output=True, text=True, check=True
    ).stdout
    assert "Samplerate: 1000000000\n" in shown
    assert "- ISR: logic\n" in shown
