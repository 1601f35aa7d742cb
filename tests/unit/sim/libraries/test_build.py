# SPDX-License-Identifier: Apache-2.0
"""Libraries as devices: compiled from each language, several at once, and their faults told."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from tools.bench_twin import library as synthetic_library

from plexor_sim.build import BuildError
from plexor_sim.design.manifest import ManifestError
from plexor_sim.device_options import LIBRARY, checked
from plexor_sim.devices import cpp_device, find_device
from plexor_sim.libraries.build import files_of, is_of_libraries, libraries_of
from plexor_sim.packages import default_cache
from plexor_sim.reads import files_of as design_files

from .playing import END_PS, EXAMPLES, HOSTILE, of_libraries, play, play_device

STRIKE = [(1_000_000, 1), (1_500_000, 0)]
ECHO = [(1_300_000, 0, 1), (1_350_000, 0, 0)]
"""The answer of each example `echo`: a pulse of 50 ns, 300 ns later."""


LATENCY_PS = "uniform:100000:300000"
LEVEL = "static uint32_t level;\n"
LEVELS = "static uint32_t levels(void *device) { (void)device; return level; }\n"


def random_strikes(seed: int) -> list[tuple[int, int]]:
    """Return changes of two strikes at any picosecond, close enough for some to be missed."""
    draws = random.Random(seed)
    time_ps = 0
    strikes: list[tuple[int, int]] = []
    while (time_ps := time_ps + draws.randint(1, 900_000)) < END_PS - 5_000_000:
        strikes.append((time_ps, draws.randint(0, 3)))
    return strikes


@pytest.mark.parametrize("name", ["echo_cpp", "echo_rs", "echo_zig", "echo_py"])
def test_each_language_answers(name: str) -> None:
    assert play(EXAMPLES / f"{name}.toml", STRIKE).edges == ECHO


@pytest.mark.parametrize("seed", range(5))
def test_a_design_in_c_does_what_it_does_in_verilog(seed: int) -> None:
    strikes = random_strikes(seed)
    in_c = play(EXAMPLES / "irq_c.toml", strikes)
    in_verilog = play(EXAMPLES / "irq.toml", strikes)
    assert len(in_c.edges) > 100
    assert (in_c.edges, in_c.levels) == (in_verilog.edges, in_verilog.levels)


def test_how_often_a_library_is_asked_changes_nothing() -> None:
    strikes = random_strikes(1)
    manifest = EXAMPLES / "irq_c.toml"
    assert play(manifest, strikes, step_ps=7_001).edges == play(manifest, strikes).edges


def test_strikes_that_idle_high_stand_from_before_time_zero() -> None:
    strikes = [(-1, 3), *((time_ps, 3 ^ levels) for time_ps, levels in random_strikes(2))]
    in_c = play(EXAMPLES / "irq_c.toml", strikes)
    assert in_c.edges == play(EXAMPLES / "irq.toml", strikes).edges


def test_outputs_that_follow_such_strikes_are_high_from_the_beginning(tmp_path: Path) -> None:
    text = HOSTILE.read_text().replace("(void)strikes;", "level = strikes & 1;")
    text = text.replace("return !strcmp(how", "return level || !strcmp(how", 1)
    text = text.replace("static int64_t input_ps", LEVEL + "static int64_t input_ps")
    text = text.replace("static const char *error", LEVELS + "static const char *error")
    text = text.replace(".error = error", ".error = error, .initial_levels = levels")
    (tmp_path / "hostile.c").write_text(text)
    manifest = of_libraries(tmp_path, 'file = "hostile.c"')
    assert [play(manifest, [(-1, strikes)]).levels for strikes in (0, 1)] == [0, 1]


def test_two_libraries_have_inputs_and_outputs_of_their_own() -> None:
    strikes = [(1_000_000, 1), (1_000_100, 3), (1_500_000, 0)]
    edges = play(EXAMPLES / "two.toml", strikes).edges
    alone = play(EXAMPLES / "irq_c.toml", [(1_000_000, 1), (1_000_100, 3), (1_500_000, 0)]).edges
    assert [edge for edge in edges if edge[1] < 3] == alone
    assert [edge for edge in edges if edge[1] == 3] == [(1_300_100, 3, 1), (1_350_100, 3, 0)]
    assert edges == sorted(edges, key=lambda edge: edge[0])


def test_an_option_is_the_first_librarys_and_one_with_a_number_that_librarys(
    tmp_path: Path,
) -> None:
    for name in ("irq.c", "echo.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    manifest = of_libraries(
        tmp_path,
        'file = "irq.c"\noptions = "save=2"',
        'file = "echo.py"\nresponses = [7]\noptions = "delay_ps=1000,width_ps=10"',
    )
    played = play(manifest, STRIKE, "work=5,1.width_ps=20")
    # Three clocks of 10 ns after the one that sees the strike, and 700 ps: so irq.v is written.
    assert [(t, p, v) for t, p, v in played.edges if p != 7] == [
        (1_030_700, 0, 1),
        (1_050_700, 0, 0),
        (1_050_700, 1, 1),
        (1_100_700, 1, 0),
    ]
    assert [(t, p, v) for t, p, v in played.edges if p == 7] == [
        (1_001_000, 7, 1),
        (1_001_020, 7, 0),
    ]


RETURNS = "must be 0 with 0 to 256, or 1 with 1 to 256"


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (
            "address",
            "has crashed in advance at 1.000000 us: it used an address that is not its own",
        ),
        ("stack", "has crashed in advance at 1.000000 us: it used an address that is not its own"),
        ("divide", "has crashed in advance at 1.000000 us: it divided by zero, or the like"),
        ("abort", "has crashed in advance at 1.000000 us: it aborted"),
        ("exit", "has called exit in advance at 1.000000 us"),
        ("fail", "the motor is jammed"),
        ("result", f"advance returns 7 with a *count of 0; {RETURNS}"),
        ("room", f"advance returns 0 with a *count of 1048576; {RETURNS}"),
        ("more", f"advance returns 1 with a *count of 0; {RETURNS}"),
        (
            "flood",
            "advance to 100000000 ps has given 16777472 edges, and says that there are more; must "
            "be at most 16777216",
        ),
        (
            "future",
            "an edge of pin 0 at 100000000 ps: this advance goes to 100000000 ps; must be before "
            "it",
        ),
        ("order", "an edge of pin 0 at 99999998 ps: edges must come in order"),
        ("pin", "an edge of pin 24 at 99999999 ps: pin 24; must be 0 to 23"),
    ],
)
def test_a_fault_of_a_library_ends_in_one_line(how: str, told: str, tmp_path: Path) -> None:
    shutil.copy(HOSTILE, tmp_path)
    played = play(of_libraries(tmp_path, 'file = "hostile.c"'), [(1_000_000, 1)], f"how={how}")
    assert played.code == 3
    assert played.said.removeprefix("error: ") == f"hostile.c: {told}\n"


def test_a_call_that_does_not_return_ends_in_one_line(tmp_path: Path) -> None:
    shutil.copy(HOSTILE, tmp_path)
    manifest = of_libraries(tmp_path, 'file = "hostile.c"\noptions = "how=loop"')
    played = play(manifest, [(1_000_000, 1)], "patience=1")
    assert (played.code, played.said) == (
        3,
        "error: hostile.c: has not returned from advance at 1.000000 us for 1 s; the device option "
        "patience=SECONDS waits longer\n",
    )


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (
            "#define VERSION 2",
            "has version 2 of plexor_device.h; must be version 1",
        ),
        ("#define VERSION 0", "has another version of plexor_device.h; must be version 1"),
        (
            "#define plexor_device_get another",
            "has no plexor_device_get; plexor_device.h declares it",
        ),
        ("#define create NULL", "must have create, destroy, input and advance"),
    ],
)
def test_a_library_of_another_interface_is_refused(before: str, told: str, tmp_path: Path) -> None:
    text = HOSTILE.read_text()
    if "create" in before:
        text = text.replace(".create = create,", "")
    else:
        text = text.replace('"plexor_device.h"', '"plexor_device.h"\n' + before)
    (tmp_path / "hostile.c").write_text(text.replace("#ifndef VERSION", "#if !defined VERSION"))
    played = play(of_libraries(tmp_path, 'file = "hostile.c"'), [])
    assert (played.code, played.said) == (2, f"hostile.c: {told}\n")


def test_one_of_an_earlier_header_has_the_calls_that_this_had(tmp_path: Path) -> None:
    # Its table ends before `error`.
    text = HOSTILE.read_text()
    (tmp_path / "hostile.c").write_text(
        text.replace("sizeof calls", "offsetof(plexor_device, error)")
    )
    manifest = of_libraries(tmp_path, 'file = "hostile.c"')
    played = play(manifest, [(1_000_000, 1)], "how=fail")
    assert (played.code, played.said) == (3, "hostile.c: advance has failed\n")


def test_a_reason_for_refusing_an_option_is_the_librarys(tmp_path: Path) -> None:
    shutil.copy(HOSTILE, tmp_path)
    played = play(of_libraries(tmp_path, 'file = "hostile.c"'), [], "how=refuse")
    assert (played.code, played.said) == (2, "hostile.c: how=refuse; must be anything else\n")
    irq = play(EXAMPLES / "irq_c.toml", [], "work=0")
    assert irq.said == "irq.c: work=0; must be clock_ps, delay_ps, save or work, above 0\n"
    third = play(EXAMPLES / "two.toml", [], "2.work=1")
    assert third.said == "2.work=1: there are 2 libraries, counted from 0\n"


def test_what_does_not_compile_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text('#include "plexor_device.h"\nint x = y;\n')
    with pytest.raises(BuildError, match=r"^compiling wrong\.c: .*wrong\.c:2:9: error: .*'?y"):
        find_device(str(of_libraries(tmp_path, 'file = "wrong.c"')), default_cache())


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "library.file: missing; must be a library or its source"),
        ('file = "a.c"', "library.file: {folder}/a.c does not exist"),
        (
            'file = "dut.toml"',
            "library.file: dut.toml; must end with .c, .cpp, .cc, .rs, .zig, .py, .so, .dylib",
        ),
        ('file = "b.c"\nstrikes = [8]', "library.strikes: 8; must be a number from 0 to 7"),
        ('file = "b.c"\nresponses = "x"', "library.responses: 'x'; must be list"),
        (
            'file = "b.c"\nsource = 1',
            "library.source: unknown key; must be one of file, options, strikes, responses",
        ),
        ('file = "b.c"\n[clock]', "clock: unknown key; must be [[library]] or [ports]"),
    ],
)
def test_what_is_wrong_in_a_manifest_is_told(table: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "b.c").touch()
    path = of_libraries(tmp_path, table)
    with pytest.raises(ManifestError) as error:
        libraries_of(path)
    assert str(error.value) == f"{path}: {told.format(folder=tmp_path.resolve())}"


def test_one_table_is_told_to_be_several(tmp_path: Path) -> None:
    path = tmp_path / "dut.toml"
    path.write_text('[library]\nfile = "b.c"\n')
    with pytest.raises(ManifestError, match=r"must be tables \[\[library\]\]"):
        libraries_of(path)


def test_a_library_is_compiled_again_if_it_or_a_header_beside_it_changed(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("enum { LEVEL = 1 };\n")
    source = HOSTILE.read_text().replace("to_ps - 1,", "to_ps - 1 - LEVEL,")
    (tmp_path / "hostile.c").write_text('#include "own.h"\n' + source)
    manifest = of_libraries(tmp_path, 'file = "hostile.c"')
    assert files_of(manifest) == [tmp_path / "hostile.c", tmp_path / "own.h"]

    def file() -> str:
        return find_device(str(manifest), default_cache()).options["library.0.file"]

    first = file()
    assert file() == first
    (tmp_path / "own.h").write_text("enum { LEVEL = 2 };\n")
    second = file()
    assert second != first
    (tmp_path / "hostile.c").write_text((tmp_path / "hostile.c").read_text() + "// more\n")
    assert file() not in (first, second)


def test_libraries_are_linked_to_one_program() -> None:
    cache = default_cache()
    devices = [find_device(str(EXAMPLES / f"{n}.toml"), cache) for n in ("irq_c", "echo_cpp")]
    assert devices[0].cpp == devices[1].cpp
    assert devices[0].key == devices[1].key


def test_a_device_of_ours_is_the_same_as_a_library(tmp_path: Path) -> None:
    linked = f"latency={LATENCY_PS},width=100000"
    manifest = synthetic_library(tmp_path, f"{linked},ch1.drop=0.5")
    strikes = random_strikes(3)
    expected = play_device(cpp_device("synthetic"), f"{linked},ch1.drop=0.5", strikes)
    assert play(manifest, strikes).edges == expected.edges
    assert len(expected.edges) > 100


def test_a_source_alone_is_told_how_to_name_it() -> None:
    with pytest.raises(ValueError, match=r'two lines of a NAME\.toml name it: .* file = "a\.rs"$'):
        find_device("sub/a.rs", default_cache())


def test_a_sweep_knows_the_files_of_a_library(tmp_path: Path) -> None:
    shutil.copy(HOSTILE, tmp_path)
    (tmp_path / "own.h").touch()
    manifest = of_libraries(tmp_path, 'file = "hostile.c"')
    expected = [tmp_path / "hostile.c", tmp_path / "own.h"]
    assert design_files(f"{manifest}:how=fail", default_cache()) == expected


def test_a_manifest_of_verilog_is_none_of_libraries(tmp_path: Path) -> None:
    assert not is_of_libraries(str(EXAMPLES / "irq.toml"))
    assert not is_of_libraries(str(tmp_path / "none.toml"))
    assert not is_of_libraries("freertos")
    assert is_of_libraries(str(EXAMPLES / "two.toml"))


def test_options_have_any_name_but_a_wrong_patience_is_told() -> None:
    assert checked(LIBRARY, "work=3,1.a=b,patience=7", "x") == "work=3,1.a=b,patience=7"
    with pytest.raises(ValueError, match=r"^patience=0: must be a whole number from 1 to 1000000$"):
        checked(LIBRARY, "patience=0", "x")
