# SPDX-License-Identifier: Apache-2.0
"""Sources by patterns and lists of files, as simulators take them; all that is missing is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plexor_sim.design.sources import sources_of

from .core_files import MADE, write_cores


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


VC = r"""--Mdir .
--cc
+incdir+inc
-CFLAGS -Iinc
../top.v
--top-module top
--exe
../vip/model.cpp
-GDEPTH=16 -GMASK=0x10
-GNAME=\"loud\"
-DFAST=1
"""
"""As FuseSoC 2.4.7 writes it for Verilator."""


def test_the_list_that_fusesoc_makes_for_verilator_is_taken(folder: Path) -> None:
    (folder / "made/inc").mkdir(parents=True)
    (folder / "made/top.vc").write_text(VC)
    sources = sources_of(folder, ["made/top.vc"])
    assert [path.name for path in sources.files] == ["top.v", "model.cpp", "top.vc"]
    assert sources.include == [folder / "made/inc"]
    assert sources.parameters == {"DEPTH": 16, "MASK": 16, "NAME": "loud"}
    assert sources.defines == {"FAST": "1"}


def test_a_core_is_taken_with_its_parameters_if_its_top_is_that_of_the_manifest(
    tmp_path: Path,
) -> None:
    write_cores(tmp_path)
    default = MADE[0]
    sources = sources_of(tmp_path, ["top.core", "tb/tb.v"], defines={"FAST": 7}, top="top")
    assert sorted(names(tmp_path, sources.verilog)) == sorted([*default.files, "tb/tb.v"])
    assert (sources.parameters, sources.plusargs) == (default.parameters, default.plusargs)
    assert sources.defines == {**default.defines, "FAST": "7"}
    assert {path.suffix for path in sources.lists} == {".core"}
    assert sources_of(tmp_path, ["top.core"], top="wrapper").parameters == {}


def test_what_is_missing_in_a_core_is_named_with_what_is_missing_beside_it(tmp_path: Path) -> None:
    write_cores(tmp_path)
    (tmp_path / "lib/uart.v").unlink()
    (tmp_path / "rtl/fast.v").unlink()
    with pytest.raises(ValueError, match=r"uart\.v.*fast\.v.*no\.core.*no\.v do not exist"):
        sources_of(tmp_path, ["top.core", "no.core", "no.v"])


def test_all_that_is_missing_is_named_at_once(folder: Path) -> None:
    (folder / "all.f").write_text("no1.v\nrtl/a.sv\nno2.v\n")
    with pytest.raises(ValueError, match="do not exist") as caught:
        sources_of(folder, ["all.f", "none/*.v", "no3.v"])
    assert all(name in str(caught.value) for name in ("no1.v", "no2.v", "none/*.v", "no3.v"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "$ROOT/no.v +incdir+$(MORE)/x",
            "all.f: ROOT, MORE: variables without a text; must be in [",
        ),
        ("-elab lib", "'-elab' is not supported; must be a file, +incdir+"),
        ("+fault", "'+fault' is not supported"),
        ("-f all.f", "all.f names itself, or is named twice"),
        ("--binary", "'--binary' is not supported"),
        ("a.so", "a.so: objects are not supported"),
        ("// nothing", "must be a list of Verilog or VHDL files"),
    ],
)
def test_what_a_list_cannot_have_is_refused(text: str, line: str, folder: Path) -> None:
    (folder / "all.f").write_text(text)
    (folder / "a.so").write_text("")
    with pytest.raises(ValueError, match=re.escape(line)):
        sources_of(folder, ["all.f"])


VARIABLES = """-timescale=1ns/1ps -sverilog -full64 +notimingcheck
${ROOT}/rtl/a.sv
+incdir+$ROOT/rtl/sub+$(ROOT)/lib
$DEEP/${SUB}/c.v
"""


def test_a_variable_in_a_list_is_its_text_or_the_folder_above_with_the_path(folder: Path) -> None:
    (folder / "sim").mkdir()
    (folder / "sim/Flist.dut").write_text(VARIABLES)
    sources = sources_of(folder, ["sim/Flist.dut"], variables={"SUB": "sub", "DEEP": "rtl"})
    assert [path.resolve() for path in sources.verilog] == [
        folder / "rtl/a.sv",
        folder / "rtl/sub/c.v",
    ]
    assert [path.resolve() for path in sources.include] == [folder / "rtl/sub", folder / "lib"]
    with pytest.raises(ValueError, match=r"Flist\.dut: DEEP, SUB: variables without a text"):
        sources_of(folder, ["sim/Flist.dut"])


def test_a_core_whose_files_have_no_type_is_told_so(folder: Path) -> None:
    """By CAPI2 a file without a type is of the user's, and no simulator takes it."""
    text = "CAPI=2:\nname: ::x:0\nfilesets: {rtl: {files: [top.v]}}\n"
    (folder / "x.core").write_text(f"{text}targets: {{default: {{filesets: [rtl]}}}}\n")
    with pytest.raises(ValueError, match=r"x\.core: no file .* type verilogSource.* file_type"):
        sources_of(folder, ["x.core"])
    with pytest.raises(ValueError, match=r"^sources: missing; must be a list"):
        sources_of(folder, ["vip/model.cpp"])


def test_files_of_a_library_are_analysed_first_and_once(folder: Path) -> None:
    for name in ("cells/b.vhd", "cells/a.vhd", "top.vhd"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    wanted = {"Cells": ["cells/b.vhd", "cells/*.vhd"]}
    sources = sources_of(folder, ["**/*.vhd"], libraries=wanted)
    assert names(folder, sources.vhdl) == ["cells/b.vhd", "cells/a.vhd", "top.vhd"]
    found = {path.name: library for path, library in sources.libraries.items()}
    assert found == {"b.vhd": "cells", "a.vhd": "cells"}


def test_a_library_may_be_a_list_of_files(folder: Path) -> None:
    for name in ("b.vhd", "a.vhd", "top.vhd"):
        (folder / name).write_text("")
    (folder / "cells.f").write_text("$HOME_OF_CELLS/b.vhd\na.vhd\n")
    sources = sources_of(folder, ["*.vhd"], libraries={"cells": ["cells.f"]})
    assert [path.name for path in sources.vhdl] == ["b.vhd", "a.vhd", "top.vhd"]
    assert {path.name for path in sources.libraries} == {"a.vhd", "b.vhd"}
    assert folder / "cells.f" in sources.files


@pytest.mark.parametrize(
    ("libraries", "told"),
    [
        ({"work": ["top.vhd"]}, "libraries.work: must be the name of a library of your own; files"),
        ({"IEEE": ["top.vhd"]}, "libraries.IEEE: must be the name of a library of your own; files"),
        ({"a-b": ["top.vhd"]}, "libraries.a-b: must be the name of a library of your own; files"),
        ({"cells": ["top.v"]}, "libraries.cells: top.v; must be VHDL (.vhd, .vhdl)"),
        ({"a": ["top.vhd"], "b": ["*.vhd"]}, "libraries.b: top.vhd is in a too; must be in one"),
        ({"cells": ["none/*.vhd"]}, "sources: none/*.vhd does not exist"),
    ],
)
def test_what_is_wrong_with_a_library_is_named(
    libraries: dict[str, list[str]], told: str, folder: Path
) -> None:
    (folder / "top.vhd").write_text("")
    with pytest.raises(ValueError, match=re.escape(told)):
        sources_of(folder, ["top.v"], libraries=libraries)
