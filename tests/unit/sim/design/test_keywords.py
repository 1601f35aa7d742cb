# SPDX-License-Identifier: Apache-2.0
"""Names of VHDL that are words of Verilog: what GHDL makes of them is Verilog all the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from plexor_sim.design.keywords import spelled
from plexor_sim.design.vhdl import verilog_of
from plexor_sim.packages import default_cache

NAMES = ("reg", "edge", "always", "byte", "int", "module", "initial", "do", "logic", "bit_q")
INNER = """library ieee; use ieee.std_logic_1164.all;
entity cell is port (clk, input : in std_logic; wire : out std_logic_vector(1 downto 0)); end;
architecture rtl of cell is
  signal {names} : std_logic;
  type Words is array (0 to 3) of std_logic_vector(1 downto 0);
  constant table : Words := ("00", "01", "11", "10");
  signal forever : integer range 0 to 3;
begin
  process (clk) begin
    if rising_edge(clk) then
      {moves}
      if input = '1' then forever <= (forever + 1) mod 4; end if;
      case forever is when 2 => wire <= "10"; when others => wire <= table(forever); end case;
    end if;
  end process;
end;
library ieee; use ieee.std_logic_1164.all;
entity whole is port (clk, d : in std_logic; q : out std_logic_vector(1 downto 0)); end;
architecture rtl of whole is
  signal assign : std_logic_vector(1 downto 0);
begin
  buf : entity work.cell port map (clk => clk, input => d, wire => assign);
  q <= assign;
end;
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    pairs = zip(NAMES, ("input", *NAMES), strict=False)
    moves = " ".join(f"{name} <= {before};" for name, before in pairs)
    path = tmp_path / "a.vhd"
    path.write_text(INNER.format(names=", ".join(NAMES), moves=moves))
    return path


def test_a_design_with_such_names_compiles_under_icarus(source: Path, tmp_path: Path) -> None:
    made = verilog_of([source], "whole", {}, default_cache())
    command = ["iverilog", "-g2012", "-s", "whole", "-o", str(tmp_path / "a.vvp"), str(made)]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
    assert "module cell_" in made.read_text()


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("  wire reg;", "  wire reg_;"),
        ("  (input  clk,", "  (input  clk,"),
        ("   input  input,", "   input  input_,"),
        ("   output [1:0] output);", "   output [1:0] output_);"),
        ("  assign edge = wire ? byte : 1'b0; // (signal)", None),
        ("  always @(posedge clk or negedge always)", "  always @(posedge clk or negedge always_)"),
        ("    .input(reg),", "    .input_(reg_),"),
        ("  reg cell (", "  reg_ cell_ ("),
        ("  /* a/reg/edge.vhd:3:2 */", "  /* a/reg/edge.vhd:3:2 */"),
        ("  initial begin", "  initial begin"),
        ("    int[3] = 32'b0;", "    int_[3] = 32'b0;"),
        ("module edge", "module edge_"),
        ("    default: n <= signed;", "    default: n <= signed;"),
        ("  registers reg_q (", "  registers reg_q ("),
    ],
)
def test_only_names_are_changed(line: str, right: str | None) -> None:
    expected = "  assign edge_ = wire_ ? byte_ : 1'b0; // (signal)" if right is None else right
    assert spelled(line) == expected
