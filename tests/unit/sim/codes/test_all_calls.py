# SPDX-License-Identifier: Apache-2.0
"""Every function of FreeRTOS and its application in codes, by -finstrument-functions."""

import statistics

import pytest

from plexor_sim.packages import default_cache
from plexor_sim.riscv import build_firmware

from ..riscv_player import CLOCK_PS, Play, Played, periodic, player, riscv_builds
from .reading import functions, strobed_codes

ENTER, EXIT = 8, 9
WIDE = (
    "-DPLEXOR_PORT=PLEXOR_PORT_GPIO",
    "-DPLEXOR_ADDRESS=0x80000034",
    "-DPLEXOR_CODE_BITS=16",
    "-DPLEXOR_ZONES=PLEXOR_ZONE_CALLS",
    "-finstrument-functions-after-inlining",
)
STRIKES = periodic(300)


@pytest.fixture(scope="module")
def play() -> Play:
    return player(riscv_builds())


@pytest.fixture(scope="module")
def traced(play: Play) -> tuple[Played, dict[int, str]]:
    """Return a run, and which function an id stands for, by the ELF file's symbols."""
    image = build_firmware("freertos", "strikes", WIDE, default_cache())
    played = play("freertos", STRIKES, f"codes=strobed,firmware={image}")
    assert played.code == 0, played.text
    found = functions(image.with_name("firmware.elf").read_bytes())
    names = {address >> 2 & 4095: name for name, address in found.items()}
    assert len(names) == len(found)
    return played, names


def test_the_functions_of_a_strike_are_named_in_their_order(
    traced: tuple[Played, dict[int, str]],
) -> None:
    played, names = traced
    codes = strobed_codes(played.edges)
    called = [
        "freertos_risc_v_application_interrupt_handler",
        "vTaskGenericNotifyGiveFromISR",
        "vTaskSwitchContext",
        "ulTaskGenericNotifyTake",
        "uxListRemove",
    ]
    for strike_ps in STRIKES:
        entered = [
            names[value & 4095]
            for time_ps, value in codes
            if strike_ps <= time_ps < strike_ps + 3000 * CLOCK_PS and value >> 12 == ENTER
        ]
        rest = iter(name for name in entered if name != "xTaskIncrementTick")
        assert all(name in rest for name in called), entered


def test_each_exit_is_of_the_function_that_was_entered_last_or_of_another_task(
    traced: tuple[Played, dict[int, str]],
) -> None:
    played, _ = traced
    codes = [value for _, value in strobed_codes(played.edges)]
    assert {value >> 12 for value in codes} == {ENTER, EXIT}
    depth: dict[int, int] = {}
    for value in codes:
        change = 1 if value >> 12 == ENTER else -1
        depth[value & 4095] = depth.get(value & 4095, 0) + change
    # Calls that are under way at the end, or were at the start, are those of waiting tasks.
    assert all(-4 <= left <= 4 for left in depth.values())


def test_tracing_every_function_costs_at_most_a_factor_of_1_4(
    play: Play, traced: tuple[Played, dict[int, str]]
) -> None:
    plain = play("freertos", STRIKES)
    for pin, name in enumerate(("interrupt", "task")):
        medians: list[float] = []
        for played in (plain, traced[0]):
            rises = [time_ps for time_ps, number, up in played.edges if (number, up) == (pin, 1)]
            late_ps = [rise - strike for rise, strike in zip(rises, STRIKES, strict=True)]
            medians.append(statistics.median(late_ps) / CLOCK_PS)
        print(f"{name}: {medians[0]:.0f} cycles, {medians[1]:.0f} with every function traced")
        assert 1 < medians[1] / medians[0] <= 1.4
