# SPDX-License-Identifier: Apache-2.0
"""A design played to alone: its levels at time zero, its edges, and how it ends."""

from __future__ import annotations

from pathlib import Path

from ..verilog_player import play_design

GATE = """`timescale 1ns/1ps
module gate(input a, output y, output n);
  assign y = a; assign n = ~a;
  always @(posedge a) if ($time > 0) begin $display("a"); if ($time > 500) $finish; end
endmodule
"""
MANIFEST = """
sources = ["gate.v"]
top = "gate"
[ports]
strikes = ["a"]
responses = ["y", "n"]
"""


def test_levels_at_time_zero_and_edges_behind_it_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "gate.v").write_text(GATE)
    (tmp_path / "gate.toml").write_text(MANIFEST)
    low = play_design(tmp_path / "gate.toml", [(100, 1)], 1000)
    assert (low.levels, low.edges, low.code) == (0b10, [(100, 0, 1), (100, 1, 0)], 0)
    high = play_design(tmp_path / "gate.toml", [(-1, 1), (100, 0)], 1000)
    assert (high.levels, high.edges) == (0b01, [(100, 0, 0), (100, 1, 1)])
    ended = play_design(tmp_path / "gate.toml", [(600_000, 1)], 1_000_000)
    assert ended.code == 3
    assert "the design has ended the simulation" in ended.said
