# SPDX-License-Identifier: Apache-2.0
"""VHDL as a device: GHDL makes Verilog of it, and what is wrong in it is one line."""

from __future__ import annotations

import re
import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from plexor_sim.design.vhdl import LibraryError, libraries_of, ordered, verilog_of
from plexor_sim.packages import PackageMissing, default_cache
from plexor_sim.toolchain import BuildError

DELAY = """library ieee; use ieee.std_logic_1164.all;
entity delay is
  generic (STAGES : positive := 2);
  port (clk, rst_n, d : in std_logic; q : out std_logic);
end;
architecture rtl of delay is
  signal stages_r : std_logic_vector(STAGES - 1 downto 0);
begin
  process (clk, rst_n) begin
    if rst_n = '0' then stages_r <= (others => '0');
    elsif rising_edge(clk) then stages_r <= stages_r(STAGES - 2 downto 0) & d; end if;
  end process;
  q <= stages_r(STAGES - 1);
end;
"""


TWICE = """
library ieee; use ieee.std_logic_1164.all;
entity twice is port (clk, rst_n, d : in std_logic; q : out std_logic); end;
architecture rtl of twice is
  signal first_q, second_q : std_logic;
begin
  first : entity work.delay port map (clk => clk, rst_n => rst_n, d => d, q => first_q);
  second : entity work.delay port map (clk => clk, rst_n => rst_n, d => first_q, q => second_q);
  q <= second_q when first_q = '1' else '0';
end;
"""
"""Signals with the names of an instance and its port."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "delay.vhd").write_text(DELAY)
    return tmp_path / "delay.vhd"


def test_an_entity_becomes_a_module_with_its_generics(source: Path) -> None:
    made = verilog_of([source], "delay", {"STAGES": 5}, default_cache()).read_text()
    assert "module delay" in made
    assert "[4:0] stages_r" in made
    assert "[1:0] stages_r" in verilog_of([source], "delay", {}, default_cache()).read_text()


def test_what_was_made_is_made_again_only_if_a_file_changes(source: Path, tmp_path: Path) -> None:
    first = verilog_of([source], "delay", {}, tmp_path)
    assert verilog_of([source], "delay", {}, tmp_path) == first
    source.write_text(DELAY + "-- another\n")
    assert verilog_of([source], "delay", {}, tmp_path) != first


def test_a_signal_with_the_name_of_an_instance_and_its_port_is_declared_once(
    source: Path, tmp_path: Path
) -> None:
    source.write_text(DELAY + TWICE)
    made = verilog_of([source], "twice", {}, default_cache()).read_text()
    assert made.count("wire first_q;") == made.count("wire second_q;") == 1
    (tmp_path / "made.v").write_text(made)
    command = ["iverilog", "-s", "twice", "-o", str(tmp_path / "made.vvp"), tmp_path / "made.v"]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""


def test_vhdl_that_does_not_compile_is_its_first_error(source: Path) -> None:
    source.write_text(DELAY.replace("rising_edge", "rising_egde"))
    with pytest.raises(BuildError, match=r'synthesizing delay: .*no declaration for "rising_egde"'):
        verilog_of([source], "delay", {}, default_cache())


PACKAGE = """library ieee;
use ieee.std_logic_1164.all;
package sizes is
  constant STAGES_C : natural := 3;
end;
"""


def test_files_are_of_the_library_that_they_name(source: Path, tmp_path: Path) -> None:
    """As NEORV32 is written: its package is in a library of its own."""
    (tmp_path / "sizes.vhd").write_text(PACKAGE)
    text = DELAY.replace(
        "entity delay", "library cells; -- library other;\nuse cells.sizes.all;\nentity delay", 1
    ).replace(":= 2", ":= STAGES_C")
    source.write_text(text)
    assert "cells.sizes" in source.read_text()
    made = verilog_of([tmp_path / "sizes.vhd", source], "delay", {}, default_cache()).read_text()
    assert "[2:0] stages_r" in made


CELLS = DELAY.replace("entity delay", "library cells;\nuse cells.sizes.all;\nentity cell").replace(
    "of delay", "of cell"
)
TOP = """library ieee, cells; use ieee.std_logic_1164.all;
entity top is port (clk, rst_n, d : in std_logic; q : out std_logic); end;
architecture rtl of top is
  signal first : std_logic;
begin
  a : entity cells.cell generic map (cells.sizes.STAGES_C)
    port map (clk => clk, rst_n => rst_n, d => d, q => first);
  b : entity work.delay port map (clk => clk, rst_n => rst_n, d => first, q => q);
end;
"""


@pytest.fixture
def two(tmp_path: Path) -> dict[str, Path]:
    """A design in `work` and in a library of its own."""
    texts = {"sizes": PACKAGE, "cell": CELLS, "delay": DELAY, "top": TOP}
    for name, text in texts.items():
        (tmp_path / f"{name}.vhd").write_text(text)
    return {name: tmp_path / f"{name}.vhd" for name in texts}


def test_files_are_of_the_libraries_that_are_said(two: dict[str, Path]) -> None:
    cells = {two["sizes"]: "cells", two["cell"]: "cells"}
    made = verilog_of(list(two.values()), "top", {}, default_cache(), cells).read_text()
    assert "[2:0] stages_r" in made
    assert "[1:0] stages_r" in made
    # The top may be in another library than work.
    alone = verilog_of([two["sizes"], two["cell"]], "cell", {}, default_cache(), cells).read_text()
    assert "[1:0] stages_r" in alone


def test_the_library_of_each_file_is_told_apart(two: dict[str, Path]) -> None:
    cells = {two["sizes"]: "cells", two["cell"]: "cells"}
    found = libraries_of(list(two.values()), cells)
    assert {path.stem: library for path, library in found.items()} == {
        "sizes": "cells",
        "cell": "cells",
        "delay": "work",
        "top": "work",
    }
    # With one library named, and none said, all files are in it.
    assert set(libraries_of(list(two.values()), {}).values()) == {"cells"}


def test_a_library_without_files_is_named_with_the_file_that_wants_it(
    two: dict[str, Path],
) -> None:
    two["top"].write_text("library more;\n" + TOP)
    files = list(two.values())
    told = "libraries cells, more, which cell.vhd names: no file is said to be in them; must be in "
    with pytest.raises(LibraryError, match=re.escape(told + '[libraries], such as cells = ["*')):
        verilog_of(files, "top", {}, default_cache())
    told = "library more, which top.vhd names: no file is said to be in it; must be in [libraries]"
    with pytest.raises(LibraryError, match=re.escape(told)):
        verilog_of(files, "top", {}, default_cache(), {two["sizes"]: "cells", two["cell"]: "cells"})


def test_files_are_analysed_behind_those_that_they_name(two: dict[str, Path]) -> None:
    """In whatever order they are named, as a pattern has them: each permutation is right."""
    body = two["sizes"].with_name("a_body.vhd")
    body.write_text("package body sizes is\nend;\n")
    cells = dict.fromkeys((body, two["sizes"], two["cell"]), "cells")
    for files in permutations((*cells, two["delay"], two["top"])):
        found = [path.stem for path in ordered(libraries_of(files, cells))]
        places = {name: found.index(name) for name in found}
        assert places["sizes"] < min(places["a_body"], places["cell"], places["top"])
        assert max(places["cell"], places["delay"]) < places["top"]
    made = verilog_of(list(two.values())[::-1], "top", {}, default_cache(), cells).read_text()
    assert "module top" in made


def test_files_that_name_each_other_stay_in_their_order(tmp_path: Path) -> None:
    one, other = tmp_path / "one.vhd", tmp_path / "other.vhd"
    one.write_text("package one is constant a : integer := work.other.b; end; -- work.none\n")
    other.write_text("package other is constant b : integer := work.one.a; end;\n")
    assert [path.stem for path in ordered({one: "work", other: "work"})] == ["other", "one"]
    assert [path.stem for path in ordered({other: "work", one: "work"})] == ["one", "other"]


MEMORY = """library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity memory is port (clk, we : in std_logic; at : in unsigned(1 downto 0);
  d : in std_logic_vector(3 downto 0); q : out std_logic_vector(3 downto 0)); end;
architecture rtl of memory is
  type Words is array (0 to 3) of std_logic_vector(3 downto 0);
  shared variable words_v : Words := (others => "0000");
begin
  process (clk) begin
    if rising_edge(clk) then
      if we = '1' then words_v(to_integer(at)) := d; end if;
      q <= words_v(to_integer(at));
    end if;
  end process;
end;
"""


def test_a_memory_may_be_a_shared_variable_as_before_2008(tmp_path: Path) -> None:
    (tmp_path / "memory.vhd").write_text(MEMORY)
    made = verilog_of([tmp_path / "memory.vhd"], "memory", {}, default_cache()).read_text()
    assert "module memory" in made


def test_a_generic_without_a_default_is_told_to_be_given(source: Path) -> None:
    source.write_text(DELAY.replace("positive := 2", "positive"))
    told = r'generic "stages" has no default value.*; must be in \[parameters\]$'
    with pytest.raises(BuildError, match=told):
        verilog_of([source], "delay", {}, default_cache())
    source.write_text(DELAY.replace("positive := 2", "real").replace("STAGES -", "2 -"))
    with pytest.raises(BuildError, match="GHDL sets numbers and texts alone; must be set by an"):
        verilog_of([source], "delay", {"STAGES": "2.5"}, default_cache())


def test_the_first_error_is_told_where_ghdl_finds_too_many(source: Path) -> None:
    source.write_text(DELAY.replace("rising_edge", "rising_egde") + "use work.none.all;\n" * 50)
    with pytest.raises(BuildError, match=r"delay\.vhd:\d+:\d+: ?\S"):
        verilog_of([source], "delay", {}, default_cache())


def test_without_ghdl_it_is_said_how_to_get_it(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PackageMissing, match="ghdl-mcode"):
        verilog_of([source], "delay", {}, default_cache())
