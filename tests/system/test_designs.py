# SPDX-License-Identifier: Apache-2.0
"""Designs of others at the instrument: they answer as under Icarus, and what they say is shown."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from bench import run
from tools.strangers.icarus import play_in_icarus

import plexor
from plexor.cli import main
from plexor.library.load import load_run
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE

from ..unit.sim.test_icarus import DESIGN, MANIFEST

SPEAKER = """
`timescale 1ns/1ps
module speaker(input clk, input rst_n, input d, input nothing, output reg q);
  reg [7:0] count;
  reg is_short;
  initial begin is_short = $test$plusargs("short"); $display("hello"); end
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin q <= 0; count <= 0; end
    else begin
      q <= d;
      if (d & !q) begin
        count <= count + 1;
        if (count[0]) $error("odd"); else $write("strike %0d\\033[2J\\n", count);
        if (is_short && count == 10) $finish;
      end
    end
endmodule
"""
SPEAKS = """
sources = ["speaker.v"]
top = "speaker"
[clock]
port = "clk"
period_ps = 10_000
[reset]
port = "rst_n"
active = "low"
[ports]
strikes = ["d"]
responses = ["q"]
"""
RUN = ["--rate", "20k", "--count", "60", "--width", "1us", "--channel", "q=ch0"]


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.full)])
def test_every_response_edge_is_that_of_icarus_to_a_tick(count: int, tmp_path: Path) -> None:
    (tmp_path / "every.v").write_text(DESIGN)
    (tmp_path / "every.toml").write_text(MANIFEST)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "five.hex").write_text("5\n")
    strike = Stimulus(
        period_s=Fraction(1, 20_000),
        width_s=Fraction(3, 10**7),
        dither_s=Fraction(1024, 10**9),
        count=count,
        seed=5,
    )
    settings = Settings(
        strikes=(strike, replace(strike, output=1, invert=True, seed=6)),
        channels=tuple(Channel(number) for number in range(8)),
        count=count,
    )
    outcome = run(str(tmp_path / "every.toml"), settings, tmp_path)
    tick_fs, events = outcome.result.tick_fs, outcome.result.events
    assert events is not None
    assert outcome.result.valid, outcome.result.invalid_reasons
    levels, strikes = 0b10, [(-1, 0b10)]
    found: list[tuple[int, int, int]] = []
    for event in events:
        time_ticks, source, polarity = (
            int(event[name]) for name in ("time_ticks", "source", "polarity")
        )
        if source < SOURCE_STRIKE:
            found.append((time_ticks, source, polarity))
        elif source < SOURCE_STRIKE + 2:
            active_low = source - SOURCE_STRIKE
            levels = levels & ~(1 << active_low) | (polarity ^ active_low) << active_low
            strikes.append((time_ticks * tick_fs // 1000, levels))
    end_ps = outcome.result.end_ticks * tick_fs // 1000
    answers = play_in_icarus(tmp_path / "every.toml", strikes, end_ps, tmp_path)
    ticks = [(-(-ps * 1000 // tick_fs), channel, level) for ps, channel, level in answers]
    begin = outcome.result.start_ticks
    right = [edge for edge in ticks if begin <= edge[0] < outcome.result.end_ticks]
    assert sorted(found) == sorted(right)
    assert len(found) > 10 * count


def test_what_a_design_says_is_shown_with_its_time_up_to_a_limit_and_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speaker.v").write_text(SPEAKER)
    (tmp_path / "speaker.toml").write_text(SPEAKS)
    dut, kept = tmp_path / "speaker.toml", tmp_path / "said.txt"
    out = tmp_path / "run"
    assert main(["measure", "--dut", f"{dut}:said={kept}", *RUN, "--out", str(out)]) == 0
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("design")]
    assert lines[0] == ("design: nothing drives nothing, which is 0; [constants] sets inputs")
    assert lines[1] == "design at -0.020000 us: hello"
    assert lines[2].endswith(r" us: strike 0\x1b[2J")
    assert "%Error: speaker.v:13: " in lines[3]
    assert lines[3].endswith("odd")
    assert lines[-1] == "design: 41 more lines were left out"
    assert len(lines) == 1 + 20 + 1
    said = load_run(out).result.device_said
    assert [f"design at {line}" for line in said] == lines[1:21]
    with plexor.open(dut=str(dut)) as instrument:
        first, second = (instrument.run(channels=["q=ch0"], rate="20k", count=2) for _ in range(2))
    assert first.result.device_said[0].endswith("hello")
    assert [line.rpartition(" ")[2] for line in second.result.device_said] == [r"2\x1b[2J", "odd"]
    assert len(kept.read_text().splitlines()) == 61
    assert main(["measure", "--dut", f"{dut}:plus.short=1", *RUN]) == 4
    said = " ".join(capfd.readouterr().out.split())
    assert "INVALID RUN" in said
    assert "the design has ended the simulation at " in said
    assert "speaker.v:14: $finish" in said
