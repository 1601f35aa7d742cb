# SPDX-License-Identifier: Apache-2.0
"""Sources by patterns and lists of files, as simulators take them; all that is missing is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plexor_sim.design.sources import sources_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("top.v", "rtl/b.sv", "rtl/a.sv", "rtl/sub/c.v", "vip/model.cpp", "lib/cell.v"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def names(folder: Path, paths: list[Path]) -> list[str]:
    return [str(path.relative_to(folder)) for path in paths]


def test_a_pattern_means_files_in_the_order_of_their_names(folder: Path) -> None:
    sources = sources_of(folder, ["top.v", "rtl/*.sv", "**/*.v"])
    found = names(folder, sources.verilog)
    assert found == ["top.v", "rtl/a.sv", "rtl/b.sv", "lib/cell.v", "rtl/sub/c.v"]


def test_files_are_what_their_suffix_says(folder: Path) -> None:
    (folder / "e.VHD").write_text("")
    sources = sources_of(folder, ["top.v", "vip/model.cpp", "e.VHD"], ["rtl"], {"A": 1, "B": True})
    assert names(folder, sources.native) == ["vip/model.cpp"]
    assert names(folder, sources.vhdl) == ["e.VHD"]
    assert (sources.include, sources.defines) == ([folder / "rtl"], {"A": "1", "B": "1"})


LIST = """// a comment
/* of two
   lines */ -sv +libext+.v+.sv
+incdir+inc+../rtl
+define+WIDTH=8+FAST   # a comment
-f more.f
-y ../lib -v ../lib/cell.v
"../top.v"
rtl/b.sv
"""


def test_a_list_of_files_has_files_folders_and_macros(folder: Path) -> None:
    """Paths are relative to the list, as of -F, or else to the manifest, as of -f."""
    (folder / "sim/inc").mkdir(parents=True)
    (folder / "sim/all.f").write_text(LIST)
    (folder / "sim/more.f").write_text("../rtl/a.sv\n-DDEEP\n-I ../vip\n")
    sources = sources_of(folder, ["sim/all.f"], defines={"WIDTH": 4})
    resolved = [path.resolve() for path in sources.verilog]
    found = names(folder.resolve(), resolved)
    assert found == ["rtl/a.sv", "lib/cell.v", "top.v", "rtl/b.sv"]
    # The manifest's own macro counts.
    assert sources.defines == {"WIDTH": "4", "FAST": "", "DEEP": ""}
    folders = {path.resolve() for path in sources.include}
    assert folders == {(folder / name).resolve() for name in ("sim/inc", "rtl", "vip", "lib")}
    assert set(sources.lists) == {folder / "sim/all.f", folder / "sim/more.f"}


def test_all_that_is_missing_is_named_at_once(folder: Path) -> None:
    (folder / "all.f").write_text("no1.v\nrtl/a.sv\nno2.v\n")
    with pytest.raises(ValueError, match="do not exist") as caught:
        sources_of(folder, ["all.f", "none/*.v", "no3.v"])
    assert all(name in str(caught.value) for name in ("no1.v", "no2.v", "none/*.v", "no3.v"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("$ROOT/a.v", "'$ROOT/a.v' has a variable of the environment"),
        ("-work lib", "'-work' is not supported; must be a file, +incdir+"),
        ("+notimingcheck", "'+notimingcheck' is not supported"),
        ("-f all.f", "all.f names itself, or is named twice"),
        ("a.so", "a.so: objects are not supported"),
        ("// nothing", "must be a list of Verilog or VHDL files"),
    ],
)
def test_what_a_list_cannot_have_is_refused(text: str, line: str, folder: Path) -> None:
    (folder / "all.f").write_text(text)
    (folder / "a.so").write_text("")
    with pytest.raises(ValueError, match=re.escape(line)):
        sources_of(folder, ["all.f"])
