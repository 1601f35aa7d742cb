# SPDX-License-Identifier: Apache-2.0
"""Public designs compared with other simulators: what differs is found, and all are equal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.strangers import __main__ as strangers
from tools.strangers.bench import Edges, settled
from tools.strangers.fetch import LOCK, packages

from plexor_sim.packages import default_cache

DESIGN = """
module top(input clk, input rst, input d, output reg q);
`ifdef VERILATOR
  wire e = d;
`else
  wire e = d & `EXTRA;
`endif
  always @(posedge clk) if (rst) q <= 0; else q <= e;
endmodule
"""
MANIFEST = """
sources = ["packages/planted/top.v"]
top = "top"
[defines]
EXTRA = "!q"
[clock]
port = "clk"
period_ps = 10_000
[reset]
port = "rst"
[ports]
strikes = ["d"]
responses = ["q"]
"""


SYSTEM_VERILOG = """
package own; typedef struct packed { logic a; logic [1:0] b; } pair_t;
parameter pair_t Reset = '{a: 1'b1, b: 2'd2}; endpackage
module top import own::*; #(parameter pair_t First = Reset)
  (input logic clk, input logic rst, input logic d, input logic r, output logic q);
  pair_t now;
  always_ff @(posedge clk) if (rst) now <= First; else now <= '{a: d & r, b: now.b + 1};
  assign q = now.a;
endmodule
"""
VECTOR = """
module top(input clk, input rst, input [2:0] d, output reg q);
  always @(posedge clk) if (rst) q <= 0; else q <= d == 7;
endmodule
"""
VHDL = """
library ieee; use ieee.std_logic_1164.all;
entity top is port (clk, rst, d, r : in std_ulogic; q : out std_ulogic); end;
architecture rtl of top is begin
  process (clk) begin
    if rising_edge(clk) then
      if rst = '1' then q <= '0'; else q <= d and r; end if;
    end if;
  end process;
end;
"""


def test_a_design_that_answers_otherwise_under_icarus_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folder(_cache: Path) -> Path:
        return tmp_path

    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "top.v").write_text(DESIGN)
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(strangers, "packages", folder)
    monkeypatch.setattr(strangers, "DESIGNS", tmp_path)
    for name, extra in (("unlike", "!q"), ("like", "1'b1")):
        (tmp_path / f"{name}.toml").write_text(MANIFEST.replace("!q", extra))
    unlike = strangers.compare("unlike", default_cache(), tmp_path / "work")
    assert re.fullmatch(r"\(\d+, 0, [01]\) is \(\d+, 0, [01]\) there .*", unlike.wrong)
    like = strangers.compare("like", default_cache(), tmp_path / "work")
    assert (like.wrong, like.package, like.lines) == ("", "planted", 12)
    assert like.edges > like.strikes


@pytest.mark.parametrize(
    ("suffix", "text", "oracle"),
    [("sv", SYSTEM_VERILOG, "slang, Icarus"), ("vhd", VHDL, "GHDL")],
)
def test_other_languages_are_compared_with_what_else_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, text: str, oracle: str
) -> None:
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / f"top.{suffix}").write_text(text)
    (tmp_path / "own").mkdir()

    def folder(_cache: Path) -> Path:
        return tmp_path

    monkeypatch.setattr(strangers, "packages", folder)
    monkeypatch.setattr(strangers, "DESIGNS", tmp_path)
    manifest = MANIFEST.replace("top.v", f"top.{suffix}").replace('[defines]\nEXTRA = "!q"\n', "")
    (tmp_path / "other.toml").write_text(manifest + '[random]\nr = "clk"\n')
    found = strangers.compare("other", default_cache(), tmp_path / "work")
    assert (found.wrong, found.oracle) == ("", oracle)
    assert found.edges > found.strikes / 2

    def late(edges: Edges) -> Edges:
        return [(time_ps + 1, channel, level) for time_ps, channel, level in settled(edges)]

    monkeypatch.setattr(strangers, "settled", late)
    again = strangers.compare("other", default_cache(), tmp_path / "work")
    assert "there (ps, response, level)" in again.wrong


def test_the_other_bits_of_a_struck_vector_are_the_constants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folder(_cache: Path) -> Path:
        return tmp_path

    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "top.v").write_text(VECTOR)
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(strangers, "packages", folder)
    monkeypatch.setattr(strangers, "DESIGNS", tmp_path)
    text = MANIFEST.replace('strikes = ["d"]', 'strikes = ["d[1]"]') + "[constants]\nd = 5\n"
    (tmp_path / "vector.toml").write_text(text)
    found = strangers.compare("vector", default_cache(), tmp_path / "work")
    assert (found.wrong, found.oracle) == ("", "Icarus")
    assert found.edges > found.strikes


def test_each_package_is_locked_by_its_checksum_and_each_design_is_of_one() -> None:
    lines = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    names = {line.partition("==")[0].replace("-", "_") for line in lines}
    used: set[str] = set()
    for path in strangers.DESIGNS.glob("*.toml"):
        found = set(re.findall(r"packages/(\w+)/", path.read_text()))
        assert found <= names, path.name
        used |= found
    assert used == names
    # What is committed is ours: programs and memories around the cores.
    own = sorted(path.name for path in strangers.DESIGNS.rglob("*.*v"))
    assert own == ["cv32e40p_system.v", "ibex_system.v", "timescale.v"]


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_all_public_designs_answer_as_under_icarus(tmp_path: Path) -> None:
    assert packages(default_cache()).is_dir()
    names = [path.stem for path in strangers.DESIGNS.glob("*.toml")]
    found = [strangers.compare(name, default_cache(), tmp_path) for name in names]
    assert {one.name: one.wrong for one in found if one.wrong} == {}
    assert len(found) >= 25
