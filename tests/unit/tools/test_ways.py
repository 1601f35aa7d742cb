# SPDX-License-Identifier: Apache-2.0
"""Ways over pads from a planted SDF file, and the table and page that they go into."""

import json

import pytest
from tools.gateware import board as boards
from tools.gateware import ways
from tools.gateware.sdf import Delays

from plexor.experiments.calibration.ways import Ways, read

HEAD = '(DELAYFILE (CELL (CELLTYPE "top") (INSTANCE ) (DELAY (ABSOLUTE'
TABLE = "front.sampler.seen_{}_SB_LUT4_O_LC"
CHANNELS = 4


def sdf(*, looped=CHANNELS):
    """Return the SDF of a design in which each channel has a pin, and `looped` of them a loop.

    Channel n's pin: a wire of 100 n + 1000 and a table of 50. Its loop: two wires of 2000 and
    100 n + 700 around a table of 80, or by another pin of that table 90; and its own table's 60.
    """
    wires, cells = [], []

    def wire(start, end, ps):
        wires.append(f"(INTERCONNECT {start} {end} ({ps // 4}:{ps}:{ps}) ({ps // 4}:{ps}:{ps}))")

    def cell(name, *paths):
        cells.append(f"(INSTANCE {name})")
        cells.extend(f"(IOPATH {a} {b} ({ps}:{ps}:{ps}) ({ps}:{ps}:{ps}))" for a, b, ps in paths)

    wire("front.output_0/D_IN_0", "mux/I0", 2000)
    wire("front.output_0/D_IN_0", "mux/I1", 1900)
    # Registers and rings are no way.
    wire("front.output_0/D_IN_0", "register/D", 1)
    wire("register/O", "mux/I2", 90_000)
    wire("ring/O", "ring/I0", 9)
    wire("ring/O", "mux/I3", 9)
    cell("mux", ("I0", "O", 80), ("I1", "O", 190), ("I2", "O", 80), ("I3", "O", 80))
    cell("register", ("CLK", "O", 540))
    cell("ring", ("I0", "O", 9))
    for number in range(CHANNELS):
        table = TABLE.format(number)
        wire(f"channels\\[{number}\\]\\$sb_io/D_IN_0", f"{table}/I2", 1000 + 100 * number)
        if number < looped:
            wire("mux/O", f"{table}/I3", 700 + 100 * number)
        cell(table, ("I2", "O", 50), ("I3", "O", 60))
    return "\n".join([HEAD, *wires, *cells])


@pytest.fixture
def board():
    return boards.load("hx8k-evn")


def test_ways_are_the_longest_without_clocks_and_the_least_is_half_at_most(tmp_path, board):
    (tmp_path / "top.sdf").write_text(sdf())
    found = ways.ways(board, tmp_path, 3)
    assert (found.board, found.seed, found.buffers_ps) == ("hx8kevn", 3, 600)
    # Least: a quarter of the wires and the whole table, where that is less than half.
    assert found.pins[1] == (1100 // 4 + 50, 1150)
    # By the second pin it is 1900 + 190, more than 2000 + 80.
    greatest = 1900 + 190 + 800 + 60
    assert found.loops[0][1] == (1900 // 4 + 190 + 800 // 4 + 60, greatest)
    assert [loop[1] - greatest for loop in found.loops[0]] == [-100, 0, 100, 200]


def test_a_channel_without_a_loop_is_told(tmp_path, board):
    (tmp_path / "top.sdf").write_text(sdf(looped=2))
    with pytest.raises(ValueError, match="no way from the pad of output 0 to channel 2"):
        ways.ways(board, tmp_path, 1)
    delays = Delays(tmp_path / "top.sdf")
    assert delays.between("front.output_0", TABLE.format(1), "O") == 1900 + 190 + 800 + 60
    assert delays.between("nowhere", TABLE.format(1), "O") is None


def test_a_build_replaces_the_same_boards_and_seeds_in_the_table_and_is_on_the_page(
    tmp_path, board, monkeypatch
):
    (tmp_path / "top.sdf").write_text(sdf())
    table = tmp_path / "ways.json"
    for gateware in (1, 2):
        monkeypatch.setattr(ways, "board_hash", lambda of, named=gateware: named)
        for seed in (2, 1):
            ways.keep(board, tmp_path, seed, table)
    rows = read(table)
    assert [row.seed for row in rows.values()] == [1, 2]
    named = [f"{ways.build_id(board, seed, 2):016x}" for seed in (1, 2)]
    assert list(rows) == named
    assert all(isinstance(row, Ways) for row in rows.values())
    assert len(json.loads(table.read_text())) == 2
    text = ways.section(table)
    assert f"| `hx8kevn` | 1 | `{named[0]}` | 300 to 1350 | " in text
    assert text.startswith("\n## Ways over pads\n")
