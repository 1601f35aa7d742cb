# SPDX-License-Identifier: Apache-2.0
"""Designs answer as under Icarus Verilog with the same strikes: every response edge, to the ps."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tools.strangers.bench import settled
from tools.strangers.icarus import play_in_icarus

from .random_designs import MANY, random_clocks, random_design
from .verilog_player import play_design

DESIGN = r"""
`timescale 1ns/1ps
// What a clock divider drives is reset by the edge of the reset alone.
module divided(input clk, input rst_n, input d, output reg q);
  reg half, old, due;
  reg [2:0] turn;
  always @(posedge clk or negedge rst_n) if (!rst_n) half <= 0; else half <= ~half;
  always @(posedge half or negedge rst_n)
    if (!rst_n) turn <= 3'b001; else turn <= {turn[1:0], turn[2]};
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {q, old, due} <= 0;
    else begin
      old <= d;
      if (d & !old) due <= 1;
      q <= due & turn[0];
      if (due & turn[0]) due <= 0;
    end
endmodule
module delayed(input clk, input rst_n, input d, output q);
  reg r;
  always @(posedge clk or negedge rst_n) if (!rst_n) r <= 0; else r <= #3.3 d;
  assign #4.1 q = r;
endmodule
module timed(input clk, input rst_n, input d, output reg q);
  reg old;
  time last;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin q <= 0; old <= 0; last <= 0; end
    else begin
      old <= d;
      q <= 0;
      if (d & !old && $time - last >= 1000) begin q <= 1; last <= $time; end
    end
endmodule
module stored(input clk, input rst_n, input d, output reg q);
  reg [7:0] rom [0:0];
  reg [7:0] left;
  reg old;
  initial $readmemh("images/five.hex", rom);
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin q <= 0; left <= 0; old <= 0; end
    else begin
      old <= d;
      if (d & !old) left <= rom[0] + 2; else if (left != 0) left <= left - 1;
      q <= left == 1;
    end
endmodule
// An oscillator of its own, without a reset.
module ringing(input d, output reg q);
  reg ring = 0;
  initial q = 0;
  always #3.7 ring = ~ring;
  always @(posedge ring) q <= d;
endmodule
module wide(input clk, input rst_n, input d, input [95:0] key, input [39:0] little, output reg q);
  always @(posedge clk)
    if (!rst_n) q <= 0;
    else q <= d & (key == 96'h1234_5678_9abc_def0_1234_5678) & (little == 40'h12_3456_789a);
endmodule
// A strap is sampled as the reset ends; the strike idles high.
module strapped(input clk, input rst_n, input d, output reg q);
  reg first, strap;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin q <= 0; first <= 1; strap <= 0; end
    else begin first <= 0; if (first & !d) strap <= 1; q <= !d & !strap; end
endmodule
module every(
  input clk, input rst_n, input d, input d_n, input [95:0] key, input [39:0] little,
  output [7:0] q
);
  divided u0(clk, rst_n, d, q[0]);
  delayed u1(clk, rst_n, d, q[1]);
  timed u2(clk, rst_n, d, q[2]);
  stored u3(clk, rst_n, d, q[3]);
  ringing u4(d, q[4]);
  wide u5(clk, rst_n, d, key, little, q[5]);
  strapped u6(clk, rst_n, d_n, q[6]);
  assign q[7] = ~(d & q[0]);
endmodule
"""
MANIFEST = """
sources = ["every.v"]
top = "every"
[clock]
port = "clk"
period_ps = 10_000
[reset]
port = "rst_n"
active = "low"
cycles = 4
[ports]
strikes = ["d", "d_n"]
responses = ["q[0]", "q[1]", "q[2]", "q[3]", "q[4]", "q[5]", "q[6]", "q[7]"]
[constants]
key = 0x1234_5678_9abc_def0_1234_5678
little = 0x12_3456_789a
"""
IDLE = 0b10
"""The second strike idles high."""


def strikes_of(count: int, period_ps: int, seed: int) -> list[tuple[int, int]]:
    """Return strikes with dither on the grid of ticks, each for some clocks; the second is low."""
    drawn = random.Random(seed)
    found = [(-1, IDLE)]
    for number in range(count):
        rise = number * period_ps + 500 * drawn.randrange(1, period_ps // 2000)
        found += [(rise, 0b01), (rise + 500 * drawn.randrange(1, period_ps // 2000), IDLE)]
    return found


@pytest.fixture
def every(tmp_path: Path) -> Path:
    (tmp_path / "every.v").write_text(DESIGN)
    (tmp_path / "every.toml").write_text(MANIFEST)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "five.hex").write_text("5\n")
    return tmp_path / "every.toml"


@pytest.mark.full
def test_resets_delays_times_images_and_wide_inputs_are_those_of_icarus(
    every: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strikes = strikes_of(200, 600_000, seed=1)
    end_ps = 200 * 600_000
    monkeypatch.chdir("/")
    played = play_design(every, strikes, end_ps)
    assert played.code == 0, played.said
    expected = play_in_icarus(every, strikes, end_ps, every.parent)
    assert settled(played.edges) == expected
    answered = {channel for _, channel, _ in expected}
    assert answered == set(range(8))


SEEDS = [pytest.param(n, marks=pytest.mark.full) for n in range(1, 39)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_designs_are_those_of_icarus(seed: int, tmp_path: Path) -> None:
    path = random_design(seed, tmp_path)
    strikes = strikes_of(60, 1_000_000, seed)[1:]
    played = play_design(path, strikes, 60_000_000)
    assert played.code == 0, played.said
    expected = play_in_icarus(path, strikes, 60_000_000, tmp_path)
    assert settled(played.edges) == expected
    assert len({channel for _, channel, _ in expected}) >= MANY // 2


@pytest.mark.parametrize("seed", [124, *SEEDS])
def test_random_designs_on_several_clocks_are_those_of_icarus(seed: int, tmp_path: Path) -> None:
    """Clocks with ppm and jitter, resets of both kinds one after another, random inputs."""
    path = random_clocks(seed, tmp_path)
    # The third strike idles high, and is low from its first strike on.
    strikes = [(time_ps, levels | 0b100) for time_ps, levels in strikes_of(20, 400_000, seed)[1:]]
    strikes += [(time_ps + 8_000_000, levels) for time_ps, levels in strikes_of(20, 400_000, 9)[1:]]
    idle = [(-1, 0b100)]
    played = play_design(path, [*idle, *strikes], 16_000_000)
    assert played.code == 0, played.said
    expected = play_in_icarus(path, strikes, 16_000_000, tmp_path)
    assert settled(played.edges) == expected
    assert len({channel for _, channel, _ in expected}) >= MANY // 2
