# SPDX-License-Identifier: Apache-2.0
"""Packages of SystemVerilog are compiled before what names them, in whatever order they come."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from plexor_sim.design.manifest import load
from plexor_sim.design.order import in_order
from plexor_sim.design.verilog import ports_of
from plexor_sim.packages import default_cache

TEXTS = {
    "top": "import two_pkg::*; // one_pkg::x\nmodule top(input clk, output two_t q); endmodule\n",
    "two": "package two_pkg; typedef logic [one_pkg::WIDTH-1:0] two_t; endpackage\n",
    "one": "package automatic one_pkg; parameter WIDTH = 3; endpackage\n",
    "cell": 'module plain(input a); string s = "four_pkg::x"; endmodule\n',
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.sv").write_text(text)
    return {name: tmp_path / f"{name}.sv" for name in TEXTS}


def test_packages_stand_before_what_names_them_in_each_permutation(files: dict[str, Path]) -> None:
    for given in permutations(files.values()):
        names = [path.stem for path in in_order(given)]
        assert sorted(names) == sorted(TEXTS)
        assert names.index("one") < names.index("two") < names.index("top")


def test_what_is_in_order_is_not_moved(files: dict[str, Path]) -> None:
    given = tuple(files[name] for name in ("one", "cell", "two", "top"))
    assert in_order(given) == given
    assert in_order([*given, Path("missing.sv")])[-1] == Path("missing.sv")


def test_packages_that_name_each_other_stay_in_their_order(tmp_path: Path) -> None:
    one, other = tmp_path / "one.sv", tmp_path / "other.sv"
    one.write_text("package one; parameter A = other::B; endpackage\n")
    other.write_text("package other; parameter B = one::A; endpackage\n")
    assert in_order([one, other]) == (other, one)


def test_a_pattern_may_name_a_package_last(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        'sources = ["top.sv", "two.sv", "one.sv"]\ntop = "top"\n[clock]\nport = "clk"\n'
        'period_ps = 1000\n[ports]\nstrikes = ["clk"]\nresponses = ["q[0]"]\n'
    )
    assert ports_of(load(path), default_cache())["q"] == ("out", 3)
