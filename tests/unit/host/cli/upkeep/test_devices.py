# SPDX-License-Identifier: Apache-2.0
"""`plexor dut`: a manifest is written once, beside its design or elsewhere, and checked."""

import json
import tomllib

import pytest

from plexor import cli

DESIGN = """module gate(input clk, input rst_n, input irq, output reg done);
always @(posedge clk) done <= rst_n & irq;
endmodule
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rtl").mkdir()
    (tmp_path / "sim").mkdir()
    (tmp_path / "rtl/gate.v").write_text(DESIGN)
    return tmp_path


def test_a_manifest_is_written_and_printed_and_never_replaced(folder, capsys):
    assert cli.main(["dut", "init", "gate", "rtl/gate.v"]) == 0
    printed, err = capsys.readouterr()
    assert (folder / "gate.toml").read_text() == printed
    manifest = tomllib.loads(printed)
    assert manifest["ports"] == {"strikes": ["irq"], "responses": ["done"]}
    assert manifest["reset"]["active"] == "low"
    assert err == "plexor: manifest gate.toml; try plexor measure --dut ./gate.toml\n"
    assert cli.main(["dut", "init", "gate", "rtl/gate.v"]) == 2
    assert "gate.toml already exists; name a new file" in capsys.readouterr().err


def test_paths_are_relative_to_the_manifest(folder, capsys):
    words = ["dut", "init", "gate", "rtl/*.v", "--to", "sim/gate.toml", "--json"]
    assert cli.main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert tomllib.loads(document["text"])["sources"] == ["../rtl/*.v"]
    assert (document["file"], document["ports"][2]["name"]) == ("sim/gate.toml", "irq")


def test_folders_of_includes_and_parameters_are_taken(folder, capsys):
    (folder / "inc/deep").mkdir(parents=True)
    (folder / "inc/deep/widths.vh").write_text("`define WIDTH 3\n")
    text = '`include "deep/widths.vh"\n' + DESIGN.replace(
        "module gate(", 'module gate #(parameter DEPTH = 1, parameter MODE = "a")('
    ).replace("output reg done", "output [`WIDTH+DEPTH-1:0] wide, output reg done")
    (folder / "rtl/gate.v").write_text(text)
    words = ["dut", "init", "gate", "rtl/gate.v", "--to", "sim/gate.toml", "--json"]
    assert cli.main(words) == 2
    assert "no folder has deep/widths.vh; name the folder (--include" in capsys.readouterr().err
    words += ["--include", "inc", "--parameter", "DEPTH=0x4", "--parameter", "MODE=b c"]
    assert cli.main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert {port["name"]: port["bits"] for port in document["ports"]}["wide"] == 7
    manifest = tomllib.loads((folder / "sim/gate.toml").read_text())
    assert manifest["include"][0] == "../inc"
    assert manifest["parameters"] == {"DEPTH": 4, "MODE": "b c"}
    assert cli.main(["dut", "check", "sim/gate.toml"]) in (0, 1)


CELLS = """library ieee; use ieee.std_logic_1164.all;
entity stage is port (clk, irq : in std_logic; done : out std_logic); end;
architecture rtl of stage is begin
  process (clk) begin if rising_edge(clk) then done <= irq; end if; end process;
end;
"""
ENTITY = """library ieee, cells, other; use ieee.std_logic_1164.all;
entity whole is port (clk, irq : in std_logic; done : out std_logic); end;
architecture rtl of whole is begin
  a : entity cells.stage port map (clk, irq, done);
end;
"""


def test_libraries_of_vhdl_stand_in_the_manifest_and_are_seen_from_it(folder, capsys):
    (folder / "rtl/cell.vhd").write_text(CELLS)
    (folder / "rtl/whole.vhd").write_text(ENTITY)
    (folder / "rtl/other.vhd").write_text(CELLS.replace("stage", "unused"))
    words = ["dut", "init", "whole", "rtl/whole.vhd", "--to", "sim/whole.toml"]
    words += ["--vhdl-library", "cells=rtl/cell.vhd"]
    assert cli.main(words) == 2
    assert "library other, which whole.vhd names: no file is said to" in capsys.readouterr().err
    assert cli.main([*words, "--vhdl-library", "other=rtl/other.vhd"]) == 0
    capsys.readouterr()
    manifest = tomllib.loads((folder / "sim/whole.toml").read_text())
    assert manifest["libraries"] == {"cells": ["../rtl/cell.vhd"], "other": ["../rtl/other.vhd"]}
    assert cli.main(["dut", "check", "sim/whole.toml"]) == 1
    assert "ok    outputs  all responses move in 12 strikes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["gate", "none.v"], 2, "none.v does not exist"),
        (["gate", "rtl/gate.v", "--to", "no/gate.toml"], 2, "--to: no is no folder"),
        (["nope", "rtl/gate.v"], 3, "'nope' was not found in design"),
    ],
)
def test_what_is_wrong_is_one_line_and_writes_nothing(folder, capsys, words, code, line):
    assert cli.main(["dut", "init", *words]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert line in err
    assert not list(folder.glob("*.toml"))


def test_a_check_is_a_line_for_each_thing_and_fails_for_what_is_wrong(folder, capsys):
    text = 'sources = ["rtl/gate.v"]\ntop = "gate"\n[clock]\nport = "clk"\nperiod_ps = 10_000\n'
    text += '[ports]\nstrikes = ["irq"]\nresponses = ["done"]\n'
    (folder / "gate.toml").write_text(text)
    assert cli.main(["dut", "check", "gate.toml"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["reset", "inputs", "outputs", "states"]
    assert lines[0].startswith("LOOK  reset    done is at time zero as the initial state was")
    assert lines[1] == "LOOK  inputs   nothing drives rst_n; [constants] would"
    (folder / "gate.toml").write_text(f'{text}[reset]\nport = "rst_n"\nactive = "low"\n')
    assert cli.main(["dut", "check", "gate.toml", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["right"] for one in document["findings"]] == [True] * 4
    assert cli.main(["dut", "check", "none.toml"]) == 2
    assert "none.toml: No such file" in capsys.readouterr().err
