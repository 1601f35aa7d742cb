# SPDX-License-Identifier: Apache-2.0
"""Rounds of a loop in which a RISC-V device waits are left out, and nothing shows that."""

import random
import re
from pathlib import Path

import pytest

from plexor_sim import riscv
from plexor_sim.packages import default_cache, make_once, sha256
from plexor_sim.riscv import compile_firmware, memory_image

from .riscv_player import WIDTH_PS, Play, Played, periodic, player, riscv_builds

_HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def play() -> Play:
    return player(riscv_builds())


ROUNDS_LOADS = {
    "freertos": ("none", "cpu", "critical", "polygons", "queue", "storm", "all"),
    "bare": ("none", "critical", "storm"),
}
QUICK = (("freertos", "none"), ("freertos", "all"), ("bare", "none"), ("bare", "storm"))


@pytest.mark.parametrize(
    ("kind", "load"),
    [
        pytest.param(kind, load, marks=() if (kind, load) in QUICK else pytest.mark.full)
        for kind, loads in ROUNDS_LOADS.items()
        for load in loads
    ],
)
def test_rounds_of_a_loop_that_are_left_out_change_no_edge(
    play: Play, kind: str, load: str
) -> None:
    draw = random.Random(f"{kind} {load}")
    strikes, time_ps = list[int](), 0
    for _ in range(200):
        time_ps += WIDTH_PS + draw.choice((200_000, draw.randrange(10**7), draw.randrange(10**9)))
        strikes.append(time_ps)
    options = f"load={load},ppm=37,clk_to_q_ps={draw.choice((0, 50, 900_000))}"
    step_ps = draw.choice((0, 8000, 1_234_567))
    every = play(kind, strikes, f"{options},every_cycle=1", load=1, step_ps=0)
    left_out = play(kind, strikes, options, load=1, step_ps=step_ps)
    assert (every.code, left_out.code) == (0, 0)
    assert len(every.edges) > 100
    assert left_out.edges == every.edges


@pytest.fixture(scope="session")
def counters() -> str:
    """Return the image of firmware that shows its counters."""
    firmware, source = Path(riscv.__file__).with_name("firmware"), _HERE / "counters.c"
    sources = [firmware / "start.S", firmware / "loads.c", source]
    key = sha256("".join(item.read_text() for item in (*sources, firmware / "soc.h")).encode())

    def fill(directory: Path) -> None:
        elf = directory / "counters.elf"
        compile_firmware(sources, [firmware, firmware / "libc"], elf, default_cache())
        (directory / "counters.hex").write_text(memory_image(elf.read_bytes()))

    return str(make_once(default_cache() / "firmware" / f"counters-{key}", fill) / "counters.hex")


def speed(played: Played) -> float:
    """Return how much was simulated in a second, in ps."""
    (found,) = re.findall(r"(\d+) ps simulated per second", played.text)
    return float(found)


def test_counters_run_on_while_rounds_are_left_out(play: Play, counters: str) -> None:
    strikes = periodic(40, 2_500_123_413)
    every, left_out = (
        play("bare", strikes, f"firmware={counters},{end}") for end in ("every_cycle=1", "ppm=0")
    )
    assert len(every.edges) > 40 * 20
    assert left_out.edges == every.edges
    # Hardly any of its cycles were evaluated.
    assert speed(left_out) > 3 * speed(every)


def test_a_loop_that_reads_the_same_of_a_counter_is_evaluated(play: Play, counters: str) -> None:
    options = f"firmware={counters},load=critical"
    every, left_out = (play("bare", [], f"{options},{end}") for end in ("every_cycle=1", "ppm=0"))
    # In a millisecond of 50,000 cycles.
    assert [pin for _, pin, _ in every.edges] == [0] * 6
    assert left_out.edges == every.edges
