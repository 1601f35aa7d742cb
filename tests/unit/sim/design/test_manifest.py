# SPDX-License-Identifier: Apache-2.0
"""Manifests of a user's own Verilog: what is said when something in them is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from plexor_sim.design.clocks import Clock, Reset
from plexor_sim.design.manifest import ManifestError, load
from plexor_sim.design.pins import Pin

from ..counter_device import MANIFEST, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("sources = ", "sources = 1 #"), r"sources: 1; must be list"),
        (("dut.v", "no.v"), r"sources: .*no\.v does not exist"),
        (('top = "dut"', ""), r"top: missing"),
        (("top = ", "tip = "), r"tip: unknown key; must be one of sources, top, include, clock"),
        (
            ("period_ps", "period_ns"),
            r"clock.period_ns: unknown key; must be one of port, period_ps",
        ),
        (
            ("period_ps = 10_007", ""),
            r"\[clock\]: needs port and period_ps, which must be at least 2",
        ),
        (('"low"', '"lo"'), r'reset.active: \'lo\'; must be "high" or "low"'),
        (('["pins[1]"]', "[]"), r"ports.strikes: 0 pins; must be 1 to 8"),
        (
            ('["pins[1]"]', '["pins(1)"]'),
            r"ports.strikes: 'pins\(1\)'; must be name or name\[bit\]",
        ),
        (('["pins[1]"]', '["pins[1]"]\ncodes = []'), r"ports.codes: 0 pins; must be 1 to 16"),
        (('["pins[1]"]', '["pins[1]"]\ntimecode = []'), r"ports.timecode: 0 pins; must be 1 to 16"),
        (("cycles = 3", 'cycles = "3"'), r"reset.cycles: '3'; must be int"),
        (("cycles = 3", "cycles = -3"), r"reset.cycles: -3; must be 0 or more"),
        (("[clock]", "[clock"), r"Expected ']'"),
        (
            ("[ports]", "[[ports]]"),
            r"\[\[ports\]\]: 1 of them; must be one table \[ports\], more are not supported",
        ),
        (("[clock]", "[clocks]"), r"clocks: unknown key; must be one of sources, .*clock, reset"),
        (('top = "dut"', 'top = "dut"\ntiming = 3'), r"timing: 3; must be a table \[timing\]"),
        (('top = "dut"', 'top = "dut"\ndefines = { A = 1.5 }'), r"defines.A: 1\.5; must be int"),
    ],
)
def test_a_wrong_manifest_is_one_line_with_file_and_key(
    folder: Path, change: tuple[str, str], sentence: str
) -> None:
    path = folder / "dut.toml"
    path.write_text(MANIFEST.replace(*change))
    with pytest.raises(ManifestError, match=sentence) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_source_that_is_an_object_is_named(folder: Path) -> None:
    (folder / "dut.so").write_text("")
    path = folder / "dut.toml"
    path.write_text(MANIFEST.replace('"dut.v"', '"dut.v", "dut.so"'))
    with pytest.raises(ManifestError, match=r"sources: dut\.so: objects are not supported"):
        load(path)


def test_all_that_is_wrong_is_told_at_once(folder: Path) -> None:
    path = folder / "dut.toml"
    text = MANIFEST.replace('"dut.v"', '"dut.v", "no.v", "nor.v"').replace('"low"', '"lo"')
    path.write_text(text.replace('"echo"', '"echo("').replace("cycles = 3", "cycle = 3"))
    with pytest.raises(ManifestError) as caught:
        load(path)
    said = str(caught.value)
    for part in (
        "reset.cycle: unknown key",
        "no.v, ",
        "nor.v do not exist",
        "reset.active: 'lo'",
        "ports.responses: 'echo('",
    ):
        assert part in said
    assert "\n" not in said


SEVERAL = """
[[clock]]
port = "wclk"
period_ps = 10_000
[[clock]]
port = "rclk"
period_ps = 7_000
phase_ps = 1_500
ppm = -40
jitter_ps = 50
[[reset]]
port = "wrst"
cycles = 4
[[reset]]
port = "rrst_n"
active = "low"
clock = "rclk"
early_cycles = 2
synchronous = true
[ports]
idle_high = ["pins[1]"]
strikes = ["pins[1]"]
responses = ["echo"]
[random]
data = "rclk"
"""


def test_several_clocks_and_resets_are_what_their_tables_say(folder: Path) -> None:
    path = folder / "dut.toml"
    path.write_text('sources = ["dut.v"]\ntop = "dut"\n' + SEVERAL)
    manifest = load(path)
    rclk = Pin("rclk", 0)
    assert manifest.clocks == (Clock(Pin("wclk", 0), 10_000), Clock(rclk, 7_000, 1_500, -40, 50))
    assert manifest.resets == (
        Reset(Pin("wrst", 0), cycles=4),
        Reset(Pin("rrst_n", 0), True, 1, 1, 2, True),
    )
    assert manifest.idle_high == (Pin("pins", 1),)
    assert manifest.random == {"data": 1}


CORE = """CAPI=2:
name : ::counter:1
filesets:
  rtl: {files: [dut.v, "slow ? (slow.v)"], file_type: verilogSource, depend: [lib, debug]}
targets:
  default: {filesets: [rtl], toplevel: dut, parameters: [A, B, verbose, "slow ? (text=a_b)"]}
  other: {filesets: [rtl], toplevel: dut}
parameters:
  A: {datatype: int, default: 1, paramtype: vlogparam}
  B: {datatype: int, default: 2, paramtype: vlogparam}
  verbose: {datatype: int, default: 3, paramtype: plusarg}
  text: {datatype: str, default: "a,b", paramtype: plusarg}
"""


def test_a_core_gives_sources_parameters_and_plusargs_and_the_manifest_has_the_last_word(
    folder: Path,
) -> None:
    (folder / "dut.core").write_text(CORE)
    (folder / "cores").mkdir()
    (folder / "slow.v").touch()
    (folder / "cores" / "lib.core").write_text("CAPI=2:\nname: ::lib:0\ntargets: {default: {}}\n")
    of_core = '[core]\nlibraries = ["cores"]\nwithout = ["debug"]\n'
    text = MANIFEST.replace('"dut.v"', '"dut.core"') + of_core
    path = folder / "dut.toml"
    path.write_text(text.replace("[parameters]", "[parameters]\nB = 7"))
    manifest = load(path)
    assert [file.name for file in manifest.sources.verilog] == ["dut.v"]
    assert [file.name for file in manifest.sources.lists] == ["dut.core", "lib.core"]
    own = load(written(folder) / "dut.toml").parameters or {}
    assert manifest.parameters == {**own, "A": 1, "B": 7}
    assert (manifest.options or {})["plus.verbose"] == "3"
    path.write_text(text + 'flags = ["slow"]\n')
    manifest = load(path)
    assert [file.name for file in manifest.sources.verilog] == ["dut.v", "slow.v"]
    assert (manifest.options or {})["plus.text"] == "a_b"
    path.write_text(text + 'target = "other"\n')
    assert load(path).parameters == own


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ('target = "no"', r"sources: dut\.core: no target 'no'; must be one of default, other"),
        ('libraries = ["no"]', r"core\.libraries: .*/no is no folder"),
        ("flags = [1]", r"core\.flags: 1; must be text"),
        ('flag = ["a"]', r"core\.flag: unknown key; must be one of target, flags, libraries"),
        ("", r"sources: dut\.core: no core lib, debug beside it; must be in a folder of core"),
    ],
)
def test_what_is_wrong_with_a_core_is_one_line(folder: Path, lines: str, sentence: str) -> None:
    (folder / "dut.core").write_text(CORE)
    path = folder / "dut.toml"
    path.write_text(MANIFEST.replace('"dut.v"', '"dut.core"') + f"[core]\n{lines}\n")
    with pytest.raises(ManifestError, match=sentence) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_a_plusarg_of_a_core_has_no_comma(folder: Path) -> None:
    text = CORE.replace("depend: [lib, debug]", "depend: []").replace('"slow ? (text=a_b)"', "text")
    (folder / "dut.core").write_text(text)
    path = folder / "dut.toml"
    path.write_text(MANIFEST.replace('"dut.v"', '"dut.core"'))
    with pytest.raises(ManifestError, match=r"sources: plusarg text: 'a,b' contains a comma"):
        load(path)


def test_a_manifest_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"no\.toml: No such file"):
        load(tmp_path / "no.toml")


def test_a_device_that_reads_the_timecode_needs_no_strikes(folder: Path) -> None:
    path = folder / "dut.toml"
    path.write_text(MANIFEST.replace('strikes = ["pins[1]"]', 'timecode = ["now[1]", "now[0]"]'))
    manifest = load(path)
    assert manifest.strikes == ()
    assert manifest.timecode == (Pin("now", 1), Pin("now", 0))
