# SPDX-License-Identifier: Apache-2.0
"""A device in Verilog that answers a pin some of its clocks later, and its manifest."""

from __future__ import annotations

from pathlib import Path

COUNTER = """
module dut #(parameter DELAY = 3, parameter IMAGE = "") (
  input clk, input rst_n, input [2:0] pins, input load__in, input enable,
  output reg echo, output [39:0] wide
);
  reg [7:0] shift;
  reg [7:0] rom [0:0];
  reg [8*1024-1:0] path;
  initial begin
    rom[0] = 0;
    if (IMAGE != "") $readmemh(IMAGE, rom);
    if ($value$plusargs("rom=%s", path)) $readmemh(path, rom);
  end
  assign wide = {echo & rom[0][0], 39'h0};
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {shift, echo} <= 0;
    else begin
      shift <= {shift[6:0], pins[1] & enable};
      echo <= shift[DELAY] ^ load__in;
    end
endmodule
"""

MANIFEST = """
sources = ["dut.v"]
top = "dut"
[clock]
port = "clk"
period_ps = 10_007
phase_ps = 1_003
[reset]
port = "rst_n"
active = "low"
cycles = 3
[ports]
strikes = ["pins[1]"]
responses = ["echo", "wide[39]"]
[constants]
enable = 1
[parameters]
DELAY = 2
"""


def written(folder: Path) -> Path:
    """Write dut.v and dut.toml to a folder; return it."""
    (folder / "dut.v").write_text(COUNTER)
    (folder / "dut.toml").write_text(MANIFEST)
    return folder
