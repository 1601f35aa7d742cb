# SPDX-License-Identifier: Apache-2.0
"""Codes of the firmware come out of the device's pins, each at its time, and change nothing else.

A code is its class, four bits, over its id, four bits. The classes are those of the instrument's
contract: 1 RUN, 2 READY, 3 BLOCKED, 4 SLEEPING, 5 INHERIT, 6 and 7 an interrupt, 8 and 9 a call,
10 SET, 11 and 12 a value, 13 to 15 the user's.
"""

import itertools
import random
import re
import shutil
import statistics
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from plexor_sim import riscv
from plexor_sim.packages import default_cache
from plexor_sim.riscv import (
    build_firmware,
    compile_firmware,
    memory_image,
    riscv_device,
    trace_headers,
)

from ..riscv_player import CLOCK_PS, WIDTH_PS, Play, periodic, player, riscv_builds
from .reading import code, code_stores, port_codes, retired, sections, strobed_codes, wire_codes

HERE = Path(__file__).parent
FIRMWARE = Path(riscv.__file__).with_name("firmware")
PORT = ("-DPLEXOR_PORT=PLEXOR_PORT_VEXRISCV",)
RUN, READY, BLOCKED, ENTER, EXIT = 1, 2, 3, 6, 7
ISR, TASK = 0, 1
VALUE = 0xDEADBEEF
MARKS = [
    *(code(number, number) for number in range(1, 11)),
    *[code(8, 11)] * 3,
    *[code(9, 11)] * 3,
    *(code(11 + part % 2, VALUE >> 4 * part & 15) for part in range(8)),
    code(13, 15),
    code(15, 0),
]
"""What marks.c sends."""

WORD_CLOCKS, FIRST_RISE_CLOCKS = 117, 7
"""Of two wires: from code to code, and from the port's change to the first rise of the clock."""


def changes(codes: list[int], level: int = 0) -> list[int]:
    """Return the codes that a change port shows: not those that equal the one before."""
    return [one for before, one in itertools.pairwise([level, *codes]) if one != before]


@pytest.fixture(scope="module")
def play() -> Play:
    return player(riscv_builds())


@pytest.fixture(scope="module")
def traced() -> tuple[Play, Path]:
    """Return a player of FreeRTOS that sends codes and writes what retires, and its image."""
    build = riscv_device("freertos", default_cache(), {"codes": "port", "retired": "FILE"})
    return player({"freertos": build}), Path(build.options["firmware"])


@pytest.fixture(scope="module")
def image() -> Path:
    """Return the image of FreeRTOS that sends codes."""
    build = riscv_device("freertos", default_cache(), {"codes": "port"})
    return Path(build.options["firmware"])


def marks(folder: Path, *flags: str, source: Path = HERE / "marks.c") -> Path:
    """Return the ELF file of marks.c."""
    elf, libraries = folder / "marks.elf", [FIRMWARE / "start.S", FIRMWARE / "loads.c"]
    includes = [FIRMWARE, FIRMWARE / "libc", trace_headers()]
    compile_firmware([*libraries, source], includes, elf, default_cache(), flags)
    return elf


def image_of(elf: Path) -> Path:
    image = elf.with_suffix(".hex")
    image.write_text(memory_image(elf.read_bytes()))
    return image


def test_each_macro_sends_its_code(play: Play, tmp_path: Path) -> None:
    image = image_of(marks(tmp_path, *PORT))
    played = play("freertos", [10**9], f"codes=port,firmware={image}")
    assert played.code == 0, played.text
    codes = port_codes(played.edges)
    assert [value for _, value in codes] == changes(MARKS)
    # One instruction of one cycle, but for lines of the cache that must come first.
    gaps_ps = [after - before for (before, _), (after, _) in itertools.pairwise(codes[:10])]
    assert gaps_ps.count(CLOCK_PS) == 8


def test_wide_codes_are_the_data_of_a_store(play: Play, tmp_path: Path) -> None:
    gpio = ("-DPLEXOR_PORT=PLEXOR_PORT_GPIO", "-DPLEXOR_ADDRESS=0x80000034")
    image = image_of(marks(tmp_path, *gpio, "-DPLEXOR_CODE_BITS=16"))
    wanted = [
        *(number << 12 | number for number in range(1, 11)),
        *[8 << 12 | 11] * 3,
        *[9 << 12 | 11] * 3,
        *(11 + part % 2 << 12 | VALUE >> 12 * part & 4095 for part in range(3)),
        13 << 12 | 15,
        15 << 12,
    ]
    for codes, read in (("strobed", strobed_codes), ("two-wire", partial(wire_codes, bits=16))):
        played = play("freertos", [10**9], f"codes={codes},firmware={image}")
        assert [value for _, value in read(played.edges)] == wanted


@pytest.mark.parametrize(("zones", "kinds"), [(1, {1}), (2, {2, 3, 4, 5}), (4, {6, 7}), (24, None)])
def test_only_codes_of_chosen_zones_are_compiled(
    play: Play, tmp_path: Path, zones: int, kinds: set[int] | None
) -> None:
    image = image_of(marks(tmp_path, *PORT, f"-DPLEXOR_ZONES={zones}"))
    played = play("freertos", [10**9], f"codes=port,firmware={image}")
    wanted = [one for one in MARKS if one >> 4 in (kinds or range(8, 16))]
    assert [value for _, value in port_codes(played.edges)] == changes(wanted)


def test_a_strobe_rises_with_each_code_and_shows_equal_ones(play: Play, tmp_path: Path) -> None:
    image = image_of(marks(tmp_path, *PORT))
    played = play("freertos", [10**9], f"codes=strobed,firmware={image}", step_ps=7001)
    codes = strobed_codes(played.edges)
    assert [value for _, value in codes] == MARKS
    port = play("freertos", [10**9], f"codes=port,firmware={image}")
    assert set(port_codes(port.edges)) <= set(codes)
    strobe = [time_ps for time_ps, pin, _ in played.edges if pin == 7]
    assert {fall - rise for rise, fall in zip(strobe[::2], strobe[1::2], strict=True)} == {
        CLOCK_PS // 2
    }


def test_two_wires_carry_each_code_even_if_more_come_than_can_wait(
    play: Play, tmp_path: Path
) -> None:
    image = image_of(marks(tmp_path, *PORT))
    played = play("freertos", [10**9], f"codes=two-wire,firmware={image}")
    codes = wire_codes(played.edges)
    assert [value for _, value in codes] == MARKS
    assert all(b[0] - a[0] == WORD_CLOCKS * CLOCK_PS for a, b in itertools.pairwise(codes))


def test_names_are_in_a_section_that_is_not_loaded(tmp_path: Path) -> None:
    found = {
        name: (flags, content)
        for name, flags, content in sections(marks(tmp_path, *PORT).read_bytes())
    }
    flags, content = found[".plexor.names"]
    assert content == b"1 1 one\x006 6 six\x008 8 eight\x0010 10 ten\x0013 15 a name of its own\0"
    assert flags == 0


def without_marks(text: str) -> str:
    """Return a source without any word of plexor_trace.h, line for line."""
    return re.sub(r"^(\s*PLEXOR_\w+\(.*\);|#include \"plexor_.*\")$", "", text, flags=re.MULTILINE)


def test_without_codes_nothing_is_compiled(tmp_path: Path) -> None:
    plain = tmp_path / "plain.c"
    plain.write_text(without_marks((HERE / "marks.c").read_text()))
    assert "PLEXOR" not in plain.read_text()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    elfs = marks(tmp_path / "a", source=plain), marks(tmp_path / "b", "-DPLEXOR_TRACE=0")
    contents = [
        [(name, content) for name, flags, content in sections(elf.read_bytes()) if flags & 2]
        for elf in elfs
    ]
    assert contents[0] == contents[1]
    assert ".text" in dict(contents[0])


@pytest.mark.parametrize("kind", ["bare", "freertos"])
def test_the_usual_firmware_is_as_if_there_were_no_codes(
    kind: riscv.Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Path(riscv_device(kind, default_cache()).options["firmware"]).read_text()
    plain = tmp_path / "firmware"
    shutil.copytree(FIRMWARE, plain)
    for path in plain.glob("*.[ch]"):
        path.write_text(without_marks(path.read_text()))
    monkeypatch.setattr(riscv, "_FIRMWARE", plain)
    assert build_firmware(kind, "strikes", (), tmp_path / "cache").read_text() == usual


def test_a_strike_is_seen_in_codes_from_interrupt_to_idle(play: Play, image: Path) -> None:
    strikes = periodic(100)
    played = play("freertos", strikes, f"codes=port,firmware={image}")
    assert played.code == 0, played.text
    rises = {
        pin: [time_ps for time_ps, number, level in played.edges if (number, level) == (pin, 1)]
        for pin in (ISR, TASK)
    }
    codes = port_codes(played.edges)
    ticks = {code(ENTER, 15), code(EXIT, 15)}
    for number, strike_ps in enumerate(strikes):
        after = [
            (time_ps, value)
            for time_ps, value in codes
            if strike_ps <= time_ps < strike_ps + 2000 * CLOCK_PS and value not in ticks
        ]
        kinds = [(ENTER, 0), (READY, 1), (EXIT, 0), (RUN, 1), (BLOCKED, 1), (RUN, 0)]
        assert [value for _, value in after] == [code(*each) for each in kinds]
        times = [time_ps for time_ps, _ in after]
        assert strike_ps < times[0] < rises[ISR][number] < times[1]
        assert times[3] < rises[TASK][number] < times[4]


@pytest.mark.parametrize(
    ("load", "strikes", "codes_at_least"),
    [
        ("none", 60, 300),
        ("all", 60, 500),
        pytest.param("none", 18_000, 100_000, marks=pytest.mark.full),
        pytest.param("all", 18_000, 100_000, marks=pytest.mark.full),
    ],
)
def test_each_store_that_retires_is_a_change_of_the_pins_one_clock_later(
    traced: tuple[Play, Path], tmp_path: Path, load: str, strikes: int, codes_at_least: int
) -> None:
    played_by, image = traced
    delay_ps = 700
    file = tmp_path / "retired"
    played = played_by(
        "freertos",
        periodic(strikes, 55_555_413),  # 18 kHz
        f"codes=port,retired={file},load={load},clk_to_q_ps={delay_ps}",
        load=1,
    )
    assert played.code == 0, played.text
    instructions, codes = retired(file)
    assert len(codes) > codes_at_least
    stores = code_stores(image)
    sent = instructions[np.isin(instructions["pc"], list(stores))]
    # `stores` has those of zero bytes to variables, too.
    by_time = dict(codes)
    assert len(by_time) == len(codes)
    assert set(by_time) <= set((sent["time_ps"] + CLOCK_PS).tolist())
    known = [
        (time_ps + CLOCK_PS, stores[pc])
        for time_ps, pc in zip(sent["time_ps"].tolist(), sent["pc"].tolist(), strict=True)
        if stores[pc] is not None
    ]
    assert len(known) > codes_at_least / 3
    assert all(by_time[time_ps] == value for time_ps, value in known)
    at_pins = [(time_ps - delay_ps, value) for time_ps, value in port_codes(played.edges)]
    # The first is of startup.
    before = [at_pins[0][1], *(value for _, value in codes)]
    assert at_pins[1:] == [each for each, was in zip(codes, before, strict=False) if each[1] != was]


@pytest.mark.parametrize("load", ["none", "all"])
def test_what_retires_is_kept_without_a_change_of_any_edge(
    play: Play, traced: tuple[Play, Path], tmp_path: Path, load: str
) -> None:
    strikes = periodic(20)
    options = f"codes=port,firmware={traced[1]},load={load}"
    usual = play("freertos", strikes, options, load=1)
    kept = traced[0]("freertos", strikes, f"{options},retired={tmp_path / 'retired'}", load=1)
    assert kept.edges == usual.edges
    # Rounds of a loop are not left out: the core waits for lines of its caches alone.
    instructions, _ = retired(tmp_path / "retired")
    assert np.diff(instructions["time_ps"]).max() < 100 * CLOCK_PS


@pytest.mark.parametrize(
    ("codes", "load"),
    [
        ("port", "none"),
        ("port", "all"),
        ("strobed", "all"),
        ("two-wire", "all"),
        pytest.param("strobed", "none", marks=pytest.mark.full),
        pytest.param("two-wire", "none", marks=pytest.mark.full),
    ],
)
def test_rounds_that_are_left_out_change_no_code(
    play: Play, image: Path, codes: str, load: str
) -> None:
    draw = random.Random(f"{codes} {load}")
    strikes, time_ps = list[int](), 0
    for _ in range(60):
        time_ps += WIDTH_PS + draw.choice((200_000, draw.randrange(10**7), draw.randrange(10**9)))
        strikes.append(time_ps)
    options = f"codes={codes},firmware={image},load={load},ppm=37"
    every = play("freertos", strikes, f"{options},every_cycle=1", load=1)
    left_out = play("freertos", strikes, options, load=1, step_ps=1_234_567)
    assert (every.code, left_out.code) == (0, 0)
    assert len(every.edges) > 500
    assert left_out.edges == every.edges


def test_two_wires_say_what_the_port_says(play: Play, image: Path) -> None:
    strikes = periodic(50)
    port, wires = (
        play("freertos", strikes, f"codes={codes},firmware={image}")
        for codes in ("port", "two-wire")
    )
    # The first code of the port is that of startup.
    said, shown = wire_codes(wires.edges), port_codes(port.edges)[1:]
    assert len(said) > 300
    assert [value for _, value in said] == [value for _, value in shown]
    # Each begins behind the one before it, or as soon as the port shows it.
    free_ps = 0
    for (time_ps, _), (at_ps, _) in zip(said, shown, strict=True):
        assert time_ps == max(at_ps + FIRST_RISE_CLOCKS * CLOCK_PS, free_ps)
        free_ps = time_ps + WORD_CLOCKS * CLOCK_PS


def test_hooks_of_task_switches_move_the_medians_by_at_most_15_cycles(play: Play) -> None:
    strikes = periodic(500)
    medians: list[list[float]] = []
    for flags in (("-DPLEXOR_TRACE=0",), (*PORT, "-DPLEXOR_ZONES=1")):
        image = build_firmware("freertos", "strikes", flags, default_cache())
        played = play("freertos", strikes, f"codes=port,firmware={image}")
        medians.append([])
        for pin in (ISR, TASK):
            rises = [time_ps for time_ps, number, up in played.edges if (number, up) == (pin, 1)]
            late_ps = [rise - strike for rise, strike in zip(rises, strikes, strict=True)]
            medians[-1].append(statistics.median(late_ps) / CLOCK_PS)
    print("cycles, interrupt and task: without and with", medians)
    assert all(abs(after - before) <= 15 for before, after in zip(*medians, strict=True))


def test_data_begins_on_the_same_line_of_the_cache_with_codes_and_without(image: Path) -> None:
    usual = Path(riscv_device("freertos", default_cache()).options["firmware"])
    text_bytes: list[int] = []
    for each in (usual, image):
        found = sections(each.with_name("firmware.elf").read_bytes())
        text_bytes += [len(content) for name, _, content in found if name == ".text"]
    assert text_bytes[0] < text_bytes[1]
    assert text_bytes[0] % 4096 == text_bytes[1] % 4096


def test_a_store_to_the_window_is_an_access_to_nowhere_without_codes(
    play: Play, image: Path
) -> None:
    played = play("freertos", [10**9], f"firmware={image}")
    assert played.code == 4
    assert re.search(r"access to nowhere, address 0xfffff[c-f]", played.text)
