# SPDX-License-Identifier: Apache-2.0
"""VHDL and Verilog in one design: every edge is that of the design in Verilog, under Icarus."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.strangers.bench import Edges, settled
from tools.strangers.ghdl import play_in_ghdl
from tools.strangers.icarus import play_in_icarus

from plexor_sim.design.manifest import ManifestError, load
from plexor_sim.design.verilog import ports_of, verilog_device
from plexor_sim.packages import default_cache

from ..test_icarus import strikes_of
from ..verilog_player import play_design

DELAY_VHDL = """library ieee; use ieee.std_logic_1164.all;
entity Delay is
  generic (STAGES : positive := 2; MODE : string := "plain");
  port (Clk, rst_n, d : in std_logic; Q : out std_logic_vector(STAGES - 1 downto 0));
end;
architecture rtl of Delay is
  signal stages_r : std_logic_vector(STAGES - 1 downto 0);
begin
  process (Clk, rst_n) begin
    if rst_n = '0' then stages_r <= (others => '0');
    elsif rising_edge(Clk) then
      for n in 1 to STAGES - 1 loop stages_r(n) <= stages_r(n - 1); end loop;
      stages_r(0) <= d;
    end if;
  end process;
  Q <= not stages_r when MODE = "inverted" else stages_r;
end;
"""
DELAY_VERILOG = """`timescale 1ns/1ps
module Delay #(parameter STAGES = 2, parameter MODE = "plain")
  (input Clk, input rst_n, input d, output [STAGES-1:0] Q);
  reg [STAGES-1:0] stages;
  always @(posedge Clk or negedge rst_n)
    if (!rst_n) stages <= 0; else stages <= {stages, d};
  assign Q = MODE == "inverted" ? ~stages : stages;
endmodule
"""
TOGGLE = """`timescale 1ns/1ps
module toggle #(parameter WIDTH = 1) (input clk, input rst_n, input en, output [WIDTH-1:0] count);
  reg [WIDTH-1:0] n;
  wire [2:0] seen;
  // Delay #(.STAGES(9)) would be another one.
  Delay #(
    .STAGES(3),  // in VHDL
    .MODE("plain")
  ) late (.Clk(clk), .rst_n(rst_n), .d(en), .Q(seen));
  always @(posedge clk or negedge rst_n)
    if (!rst_n) n <= 0; else if (seen[2]) n <= n + 1;
  assign count = n;
endmodule
"""
TOP_VERILOG = """`timescale 1ns/1ps
module top(input clk, input rst_n, input d, output [1:0] p, output [4:0] i, output [3:0] t);
  Delay plain (clk, rst_n, d, p);
  Delay #(.MODE("inverted"), .STAGES('h5)) inverted (clk, rst_n, d, i);
  toggle #(.WIDTH(4)) counted (clk, rst_n, p[1], t);
endmodule
"""
TOP_VHDL = """library ieee; use ieee.std_logic_1164.all;
entity top is
  port (clk, rst_n, d : in std_logic; p : out std_logic_vector(1 downto 0);
        i : out std_logic_vector(4 downto 0); t : out std_logic_vector(3 downto 0));
end;
architecture rtl of top is
  component toggle is
    generic (WIDTH : positive := 1);
    port (clk, rst_n, en : in std_logic; count : out std_logic_vector(WIDTH - 1 downto 0));
  end component;
  signal first : std_logic_vector(1 downto 0);
begin
  plain : entity work.Delay port map (clk, rst_n, d, first);
  inverted : entity work.Delay generic map (5, "inverted") port map (clk, rst_n, d, i);
  counted : toggle generic map (WIDTH => 4) port map (clk, rst_n, first(1), t);
  p <= first;
end;
"""
FILES = {
    "delay.vhd": DELAY_VHDL,
    "delay.v": DELAY_VERILOG,
    "toggle.v": TOGGLE,
    "top.v": TOP_VERILOG,
    "top.vhd": TOP_VHDL,
}
MANIFEST = """
sources = [{sources}]
top = "top"
[clock]
port = "clk"
period_ps = 10_000
[reset]
port = "rst_n"
active = "low"
cycles = 3
[ports]
strikes = ["d"]
responses = ["p[0]", "p[1]", "i[0]", "i[4]", "t[0]", "t[3]"]
"""


def written(folder: Path, *names: str) -> Path:
    """Write the files and a manifest of those that are named; return the manifest."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    path = folder / f"{'-'.join(names)}.toml"
    path.write_text(MANIFEST.format(sources=", ".join(f'"{name}"' for name in names)))
    return path


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Edges:
    folder = tmp_path_factory.mktemp("icarus")
    strikes, end_ps = strikes_of(60, 400_000, seed=5), 24_000_000
    path = written(folder, "delay.v", "toggle.v", "top.v")
    return play_in_icarus(path, strikes, end_ps, folder)


@pytest.mark.parametrize(
    "names",
    [
        # Entities in Verilog; a module in VHDL, with an entity in it.
        ("delay.vhd", "toggle.v", "top.v"),
        ("top.vhd", "toggle.v", "delay.vhd"),
    ],
    ids="-".join,
)
def test_every_edge_is_that_of_verilog_alone(
    names: tuple[str, ...], expected: Edges, tmp_path: Path
) -> None:
    strikes, end_ps = strikes_of(60, 400_000, seed=5), 24_000_000
    played = play_design(written(tmp_path, *names), strikes, end_ps)
    assert played.code == 0, played.said
    assert settled(played.edges) == expected
    assert {channel for _, channel, _ in expected} == set(range(6))


def test_parameters_are_the_tops_in_either_language(tmp_path: Path) -> None:
    for source, verilog in (("delay.vhd", "toggle.v"), ("toggle.v", "delay.vhd")):
        written(tmp_path)
        top = "Delay" if source == "delay.vhd" else "toggle"
        port, name = ("Q", "STAGES") if top == "Delay" else ("count", "WIDTH")
        (tmp_path / "any.toml").write_text(
            f'sources = ["{source}", "{verilog}"]\ntop = "{top}"\n[parameters]\n{name} = 7\n'
            f'[ports]\nstrikes = ["rst_n"]\nresponses = ["{port}"]\n'
        )
        found = ports_of(load(tmp_path / "any.toml"), default_cache())
        assert found[port] == ("out", 7)


@pytest.mark.parametrize(
    ("change", "names", "sentence"),
    [
        (
            (".STAGES(3)", ".STAGES(WIDTH)"),
            ("delay.vhd", "toggle.v", "top.v"),
            r"sources: toggle\.v: generic STAGES of the entity Delay is 'WIDTH'; must be a number",
        ),
        (
            (".WIDTH(4)) counted", ".WIDTH(4)) counted"),
            ("delay.vhd", "top.v"),
            r"sources: no file has toggle; name the files",
        ),
        (
            ("Delay plain", "Delay #(2) plain"),
            ("delay.vhd", "toggle.v", "top.v"),
            r"sources: top\.v: generics of the entity Delay are '2'; must be by name",
        ),
        (
            ("none", "none"),
            ("delay.vhd", "top.vhd"),
            r"sources: no file has the entity or module toggle; must be spelled as its component",
        ),
    ],
)
def test_what_cannot_be_is_one_line(
    change: tuple[str, str], names: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    path = written(tmp_path, *names)
    for name in ("toggle.v", "top.v"):
        (tmp_path / name).write_text(FILES[name].replace(*change))
    if "toggle.v" not in names:
        # A module is found beside the manifest, too.
        (tmp_path / "toggle.v").unlink()
    with pytest.raises(ManifestError, match=sentence):
        verilog_device(load(path), default_cache())


def test_an_error_in_verilog_names_its_own_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, "delay.vhd", "toggle.v", "top.v")
    (tmp_path / "toggle.v").write_text(TOGGLE.replace("n + 1", "n + nothing"))
    with pytest.raises(Exception, match=r"toggle\.v:11:") as caught:
        verilog_device(load(path), default_cache())
    assert "mixed" not in str(caught.value)


def test_a_design_in_two_libraries_is_that_of_ghdl(tmp_path: Path) -> None:
    """The delay is in `cells`, the top in `work`; GHDL's simulator is another part of it."""
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells/delay.vhd").write_text(DELAY_VHDL)
    (tmp_path / "counted.vhd").write_text(DELAY_VHDL.replace("Delay", "Counted"))
    begin, end = TOP_VHDL.index("  component"), TOP_VHDL.index("  signal first")
    text = f"library cells; {TOP_VHDL[:begin]}{TOP_VHDL[end:]}".replace("work.Delay", "cells.Delay")
    text = text.replace("toggle generic map (WIDTH => 4)", "entity work.Counted generic map (4)")
    (tmp_path / "top.vhd").write_text(text)
    path = tmp_path / "split.toml"
    # A pattern may have the files of a library too: they are in it all the same.
    manifest = MANIFEST.format(sources='"**/*.vhd"')
    path.write_text(manifest + '[libraries]\nCells = ["cells/*.vhd"]\n')
    strikes, end_ps = strikes_of(60, 400_000, seed=5), 24_000_000
    played = play_design(path, strikes, end_ps)
    assert played.code == 0, played.said
    bits = ports_of(load(path), default_cache())
    expected = play_in_ghdl(path, bits, strikes, end_ps, tmp_path)
    assert settled(played.edges) == expected
    assert {channel for _, channel, _ in expected} == set(range(6))


def test_a_library_that_is_missing_is_a_fault_of_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "top.vhd").write_text("library cells, more;\n" + DELAY_VHDL)
    path = tmp_path / "a.toml"
    path.write_text(MANIFEST.format(sources='"top.vhd"').replace('"top"', '"Delay"'))
    with pytest.raises(ManifestError, match=r"a\.toml: sources: libraries cells, more, which top"):
        verilog_device(load(path), default_cache())
