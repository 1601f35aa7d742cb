# SPDX-License-Identifier: Apache-2.0
"""What `plexor dut check` finds in designs with one planted fault each."""

from __future__ import annotations

from pathlib import Path

import pytest

from plexor_sim.design.check import checked, strikes_of
from plexor_sim.design.manifest import load
from plexor_sim.packages import default_cache

DESIGN = """
module top(input clk, input rst, input d, input [1:0] mode, output reg q, output reg r);
  reg [15:0] never;
  always @(posedge clk)
    if (rst) begin q <= 0; r <= RESET; end
    else begin q <= d; r <= d & ANSWER; never <= {never[14:0], never[15] ^ never[3]}; end
endmodule
"""
MANIFEST = """
sources = ["top.v"]
top = "top"
[clock]
port = "clk"
period_ps = 10_000
[reset]
port = "rst"
cycles = 3
[ports]
strikes = ["d"]
responses = ["q", "r"]
"""
TIED = "[constants]\nmode = 1\n"


@pytest.mark.parametrize(
    ("reset", "answer", "manifest", "wrong"),
    [
        pytest.param("0", "mode[0]", MANIFEST + TIED, {}, marks=pytest.mark.full),
        (
            "0",
            "never[0] | mode[1]",
            MANIFEST,
            {
                "inputs": "nothing drives mode; [constants] would",
                "states": "something was neither reset nor driven",
            },
        ),
        pytest.param(
            *("never[2]", "never[2]", MANIFEST + TIED),
            {"reset": "r is at time zero as the initial", "states": "of r is at"},
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("0", "mode[1]", MANIFEST + TIED),
            {"outputs": "r is still in 12 strikes"},
            marks=pytest.mark.full,
        ),
        pytest.param(
            *("0", "mode[0]", MANIFEST.replace('"rst"', '"rst"\nactive = "low"') + TIED),
            {"outputs": 'q, r are still in 12 strikes; responses move if rst is active = "high"'},
            marks=pytest.mark.full,
        ),
    ],
)
def test_each_fault_is_found_and_nothing_else(
    reset: str, answer: str, manifest: str, wrong: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "top.v").write_text(DESIGN.replace("RESET", reset).replace("ANSWER", answer))
    (tmp_path / "top.toml").write_text(manifest)
    found = checked(tmp_path / "top.toml", default_cache())
    assert [one.what for one in found] == ["reset", "inputs", "outputs", "states"]
    assert {one.what for one in found if not one.is_right} == set(wrong)
    for one in found:
        assert wrong.get(one.what, "") in one.text


def test_each_input_is_struck_in_turn_from_its_idle_level(tmp_path: Path) -> None:
    (tmp_path / "top.v").touch()
    text = MANIFEST.replace('["d"]', '["d", "mode[1]"]\nidle_high = ["mode[1]"]')
    (tmp_path / "top.toml").write_text(text)
    strikes, end_ps = strikes_of(load(tmp_path / "top.toml"))
    assert [levels for _, levels in strikes[:6]] == [0b10, 0b11, 0b10, 0b00, 0b10, 0b11]
    times = [time_ps for time_ps, _ in strikes]
    assert times == sorted(times)
    assert times[-1] < end_ps


HELD = """
module top(input clk, input rst, input d, input [1:0] mode, output reg q, output reg r);
  always @(posedge clk)
    if (rst) begin q <= 0; r <= 0; end
    else if (mode == 3) begin q <= d; r <= ~d; end
endmodule
"""


def test_a_design_that_only_enters_its_reset_does_not_move(tmp_path: Path) -> None:
    """Held in reset, registers that were 1 fall once: the reset is not active at that level."""
    (tmp_path / "top.v").write_text(HELD)
    (tmp_path / "top.toml").write_text(MANIFEST + TIED)
    (outputs,) = (
        one for one in checked(tmp_path / "top.toml", default_cache()) if not one.is_right
    )
    assert outputs.text == "q, r are still in 12 strikes"
