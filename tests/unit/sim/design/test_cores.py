# SPDX-License-Identifier: Apache-2.0
"""Core files of FuseSoC: what FuseSoC itself makes of them, and what is not supported by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plexor_sim.design.cores import Selection, core_sources, expanded
from plexor_sim.design.sources import sources_of

from .core_files import CORES, MADE, ORDER, Made, write_cores

ONE = """CAPI=2:
name : ::one:1
filesets: {{rtl: {{files: [one.v{attributes}], file_type: {file_type}{fileset}}}}}
targets: {{default: {{filesets: [rtl]{target}}}}}
{more}
"""
"""A core in which a part is put."""
PARTS = dict.fromkeys(("attributes", "fileset", "target", "more"), "")


def one(folder: Path, **parts: str) -> Path:
    (folder / "one.v").touch()
    path = folder / "one.core"
    path.write_text(ONE.format(**{**PARTS, "file_type": "verilogSource", **parts}))
    return path


@pytest.mark.parametrize("made", MADE, ids=lambda made: f"{made.target}-{'-'.join(made.flags)}")
def test_a_target_is_made_of_what_fusesoc_makes_it_of(made: Made, tmp_path: Path) -> None:
    found = core_sources(write_cores(tmp_path), Selection(made.target, made.flags))
    files = [str(path.relative_to(tmp_path)) for _, path in found.files]
    assert sorted(files) == sorted(made.files)
    for first, second in ORDER:
        if second in files and first in files:
            assert files.index(first) < files.index(second)
    assert found.include == [tmp_path / name for name in made.include]
    assert found.defines == made.defines
    assert found.parameters == made.parameters
    assert found.plusargs == made.plusargs
    assert found.tops == made.tops
    assert not found.missing


def test_a_target_is_the_default_one_or_else_sim(tmp_path: Path) -> None:
    path = write_cores(tmp_path)
    assert core_sources(path, Selection()).tops == ("top",)
    path.write_text(CORES["top.core"].replace("default: &base", "other: &base"))
    assert core_sources(path, Selection()).tops == ("tb",)
    with pytest.raises(ValueError, match=r"no target 'synth'; must be one of other, sim, bare"):
        core_sources(path, Selection("synth"))


def test_a_flag_that_is_unset_unsets_one_of_the_tool_and_one_of_the_target(tmp_path: Path) -> None:
    """As the reference says of flags; FuseSoC 2.4.7 unsets neither."""
    selection = Selection("sim", ("-tool_verilator", "-sram_fake"))
    found = core_sources(write_cores(tmp_path), selection)
    names = {path.name for _, path in found.files}
    assert "slow.v" in names
    assert not {"fast.v", "debug.v"} & names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rtl/a.v", "rtl/a.v"),
        ("on ? (a b)", "a b"),
        ("!on ? (a)", ""),
        ("off?(a) !off ? ( b )", "b"),
        ("a on ? (b !off ? (c) off ? (d)) e", "a b c e"),
    ],
)
def test_an_expression_is_its_words_whose_conditions_hold(text: str, words: str) -> None:
    """The grammar in the reference: a condition is a flag, or one behind `!`."""
    assert expanded(text, {"on": True, "off": False}) == words


@pytest.mark.parametrize("text", ["on ? (a", "on ? a", "a)", "!on", "? (a)", "on ? ()) b"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no expression"):
        expanded(text, {"on": True})


@pytest.mark.parametrize(
    ("wanted", "version"),
    [
        # What the reference says of each operator.
        ("a:b:c", "2.10.0"),
        ("a:b:c:1.2", "1.2.0"),
        ("=a:b:c:1.2.0", "1.2.0"),
        ("<a:b:c:1.2", "0.3.0"),
        ("<=a:b:c:1.2", "1.2.0"),
        (">a:b:c:2.9", "2.10.0"),
        ("~a:b:c:1.2", "1.2.9"),
        ("^a:b:c:1.2", "1.9.0"),
        ("^a:b:c:0.2", "0.2.9"),
        ("~a:b:c:1", "1.9.0"),
        (">a:b:c:2.10", ""),
    ],
)
def test_a_dependency_is_the_highest_version_that_fits(
    wanted: str, version: str, tmp_path: Path
) -> None:
    for number in ("0.2.9", "0.3.0", "1.2.0", "1.2.9", "1.9.0", "2.10.0"):
        (tmp_path / f"{number}.v").touch()
        (tmp_path / f"{number}.core").write_text(
            f"CAPI=2:\nname: a:b:c:{number}\nfilesets: {{rtl: {{files: [{number}.v], file_type: "
            "verilogSource}}\ntargets: {default: {filesets: [rtl]}}\n"
        )
    path = one(tmp_path, fileset=f', depend: ["{wanted}"]')
    if version:
        names = [file.name for _, file in core_sources(path, Selection()).files]
        assert names == [f"{version}.v", "one.v"]
    else:
        with pytest.raises(ValueError, match="no core a:b:c in that version beside it"):
            core_sources(path, Selection())


def test_cores_are_looked_for_in_libraries_and_not_in_an_ignored_folder(tmp_path: Path) -> None:
    write_cores(tmp_path)
    (tmp_path / "lib" / "uart.core").rename(tmp_path / "uart.core")
    (tmp_path / "cores").mkdir()
    (tmp_path / "uart.core").rename(tmp_path / "cores" / "uart.core")
    (tmp_path / "lib" / "uart.v").rename(tmp_path / "cores" / "uart.v")
    path = tmp_path / "cores" / "uart.core"
    with pytest.raises(ValueError, match=r"uart.core: no core acme:demo:fifo, gates beside it; .*"):
        core_sources(path, Selection())
    found = core_sources(path, Selection(libraries=(tmp_path / "lib",)))
    assert [file.name for _, file in found.files] == ["fifo.v", "fifo_pkg.sv", "gates.v", "uart.v"]


def test_a_core_that_is_left_out_is_not_needed(tmp_path: Path) -> None:
    path = write_cores(tmp_path)
    (tmp_path / "lib" / "uart.core").unlink()
    found = core_sources(path, Selection(without=("::uart",)))
    assert "uart.v" not in {file.name for _, file in found.files}
    with pytest.raises(ValueError, match=r"core.without: nothing depends on acme:demo:no"):
        core_sources(path, Selection(without=("uart", "acme:demo:no:1.0")))


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        (
            {"target": ", generate: [lut]", "more": "generate: {lut: {generator: lutgen}}"},
            "one.core: generators and providers are not run, which have files of one (by lutgen)",
        ),
        (
            {"attributes": ", no.v", "more": "provider: {name: github, user: a, repo: b}"},
            "have files of one (fetched by github)",
        ),
        ({"attributes": ", one.v : {define: {A: 1}}"}, "one.v has macros of its own"),
        ({"target": ", parameters: [NO=1]"}, "one.core: no parameter 'NO'"),
        (
            {
                "target": ", parameters: [N=many]",
                "more": "parameters: {N: {datatype: int, paramtype: vlogparam}}",
            },
            "one.core: parameter N: 'many'; must be",
        ),
        ({"attributes": "}"}, "one.core, line 3: "),
        ({"more": "- a list"}, "one.core, line 5: "),
        ({"fileset": ", depend: ['a:b']"}, "'a:b' is no name of a core; must be vendor:library:"),
        ({"fileset": ", depend: [two]"}, "one.core: no core two beside it"),
        ({"target": ", <<: 3"}, "one.core: <<: 3; must be"),
    ],
)
def test_what_cannot_be_is_one_line(parts: dict[str, str], line: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(line)) as caught:
        core_sources(one(tmp_path, **parts), Selection())
    assert "\n" not in str(caught.value)


def test_the_only_target_of_a_core_is_taken(tmp_path: Path) -> None:
    """As of CVA6, whose one target is `verilator`."""
    (tmp_path / "a.v").write_text("")
    path = tmp_path / "a.core"
    text = "CAPI=2:\nname: ::a:1\nfilesets: {rtl: {files: [a.v], file_type: verilogSource}}\n"
    path.write_text(text + "targets: {lint: {filesets: [rtl]}}\n")
    assert core_sources(path, Selection()).files == [("verilog", tmp_path / "a.v")]
    path.write_text(text + "targets: {lint: {filesets: [rtl]}, synth: {filesets: [rtl]}}\n")
    with pytest.raises(ValueError, match="no target 'sim'; must be one of lint, synth"):
        core_sources(path, Selection())


def test_a_file_of_another_version_of_capi_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.core").write_text("CAPI=1\n[main]\nname = old\n")
    with pytest.raises(ValueError, match=r"old\.core: must begin with the line CAPI=2:"):
        core_sources(tmp_path / "old.core", Selection())


def test_files_that_are_missing_are_named_and_other_types_are_not_looked_for(
    tmp_path: Path,
) -> None:
    path = one(tmp_path, attributes=", no.v, no.tcl : {file_type: tclSource}")
    assert core_sources(path, Selection()).missing == [str(tmp_path / "no.v")]


def test_a_logical_name_is_the_library_of_a_file(tmp_path: Path) -> None:
    """That of a file comes before that of its fileset, as FuseSoC 2.4.7 writes it for GHDL."""
    for name in ("cells/sizes.vhd", "cells/own.vhd", "top.vhd"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "split.core").write_text("""CAPI=2:
name: acme:demo:split:1.0
filesets:
  cells:
    files: [cells/sizes.vhd, cells/own.vhd : {logical_name : Other}]
    file_type: vhdlSource-2008
    logical_name: cells
  rtl: {files: [top.vhd], file_type: vhdlSource-2008}
targets: {default: {filesets: [cells, rtl], toplevel: top}}
""")
    found = core_sources(tmp_path / "split.core", Selection())
    assert [file.name for _, file in found.files] == ["sizes.vhd", "own.vhd", "top.vhd"]
    libraries = {file.name: library for file, library in found.libraries.items()}
    assert libraries == {"sizes.vhd": "cells", "own.vhd": "other"}
    sources = sources_of(tmp_path, ["split.core"], top="top")
    assert sources.libraries == found.libraries
