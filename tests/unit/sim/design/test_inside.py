# SPDX-License-Identifier: Apache-2.0
"""Signals inside a design and inouts: every edge is that of Icarus, to the ps."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.strangers.bench import settled
from tools.strangers.icarus import play_in_icarus

from plexor_sim.design.inside import check, missing
from plexor_sim.design.manifest import ManifestError, load
from plexor_sim.design.verilog import verilog_device
from plexor_sim.packages import default_cache

from ..test_icarus import strikes_of
from ..verilog_player import play_design

DESIGN = """`timescale 1ns/1ps
module core(input clk, input rst_n, input d, output q);
  reg [3:0] s;
  wire irq_ack = s[1] & d;
  always @(posedge clk or negedge rst_n) if (!rst_n) s <= 0; else s <= {s[2:0], d};
  assign q = s[3];
endmodule
// A target that holds an open drain low for three clocks once somebody else has.
module top(input clk, input rst_n, input d, inout [1:0] od, inout os, output q);
  genvar i;
  generate for (i = 0; i < 1; i = i + 1) begin : g core u(clk, rst_n, d, q); end endgenerate
  reg [1:0] held;
  reg old;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin held <= 0; old <= 1; end
    else begin
      old <= od[1];
      if (old & !od[1]) held <= 3; else if (held != 0) held <= held - 1;
    end
  assign od[1] = held != 0 ? 1'b0 : 1'bz;
  assign od[0] = !os ? 1'b0 : 1'bz;
  assign os = g[0].u.s[2] ? 1'b1 : 1'bz;
endmodule
"""
MANIFEST = """
sources = ["top.v"]
top = "top"
[clock]
port = "clk"
period_ps = 10_000
[reset]
port = "rst_n"
active = "low"
cycles = 2
[ports]
strikes = ["d", "od[1]"]
idle_high = ["od[1]"]
responses = ["q", "ack", "second", "od[1]", "od[0]", "os"]
[probes]
ack = "g[0].u.irq_ack"
second = "g[0].u.s[1]"
[inouts]
od = "up"
os = "down"
"""


@pytest.mark.parametrize("mark", ["", " /* verilator public */"])
def test_signals_inside_and_open_drains_are_those_of_icarus(mark: str, tmp_path: Path) -> None:
    """A design may have signals marked as public: then its top is a class of its own."""
    (tmp_path / "top.v").write_text(DESIGN.replace("reg [1:0] held;", f"reg [1:0] held{mark};"))
    path = tmp_path / "top.toml"
    path.write_text(MANIFEST)
    strikes, end_ps = strikes_of(60, 400_000, seed=3)[1:], 24_000_000
    played = play_design(path, [(-1, 0b10), *strikes], end_ps)
    assert played.code == 0, played.said
    expected = play_in_icarus(path, strikes, end_ps, tmp_path)
    assert settled(played.edges) == expected
    assert {channel for _, channel, _ in expected} == set(range(6))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ("g[0].u.irq_ack", "g[0].u.ack"),
            r"top.toml: probes.ack: g\[0\].u.ack is no signal of the design$",
        ),
        (("[inouts]", '[inouts]\nq = "up"'), r"inouts: top has no inout 'q'; must be one of"),
        (('os = "down"', ""), r"ports.responses: os is an inout; \[inouts\] must say what it is"),
        (('"down"', '"dwn"'), r'inouts.os: \'dwn\'; must be "up", "down" or "keep"'),
        (('od = "up"', 'od = "keep"'), r'inouts.od: "keep"; must be "up" or "down"'),
    ],
)
def test_a_signal_or_an_inout_that_there_is_not_is_named(
    change: tuple[str, str], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "top.v").write_text(DESIGN)
    (tmp_path / "top.toml").write_text(MANIFEST.replace(*change))
    with pytest.raises(ManifestError, match=sentence):
        verilog_device(load(tmp_path / "top.toml"), default_cache())


def test_a_path_is_names_and_bits_with_dots() -> None:
    faults: list[str] = []
    check({"a": "core.u[3].state[0]", "b": "core.;x", "c": "s", "1d": "s"}, faults)
    assert faults == [
        "probes.b: 'core.;x'; must be a path such as core.irq_ack[0]",
        "probes.1d: must be a name of letters, digits and underscores",
    ]


def test_each_line_of_an_error_names_its_probe_once() -> None:
    lines = [f"%Error: x/plexor_probes.sv:{n}:9: Can't find" for n in (2, 2, 1, 7)]
    assert missing({"a": "x", "b": "y"}, [*lines, "%Error: top.v:1:1: no"]) == [
        "probes.b: y is no signal of the design",
        "probes.a: x is no signal of the design",
    ]
