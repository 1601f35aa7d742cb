# SPDX-License-Identifier: Apache-2.0
"""The simulated RISC-V devices answer strikes as a real microcontroller with an RTOS does.

All figures are cycles of the device's clock, nominally 50 MHz. Bands come from an independent
measurement of the same core and kernel: bare ISR 23/34, FreeRTOS ISR 108/317 and task 481/767
(p50/max, idle); they are wide enough for what code layout moves.
"""

import itertools
from pathlib import Path

import pytest

from plexor_sim.packages import default_cache
from plexor_sim.riscv import DeviceBuild, memory_image, riscv_device

from .riscv_player import (
    CLOCK_PS,
    PERIOD_PS,
    Play,
    Played,
    periodic,
    player,
    riscv_builds,
)

ISR, TASK = 0, 1


@pytest.fixture(scope="session")
def builds() -> dict[str, DeviceBuild]:
    return riscv_builds()


@pytest.fixture(scope="session")
def play(builds: dict[str, DeviceBuild]) -> Play:
    return player(builds)


def rises(played: Played, channel: int) -> list[int]:
    assert played.code == 0, played.text
    return [time_ps for time_ps, pin, level in played.edges if (pin, level) == (channel, 1)]


def latencies(strikes_ps: list[int], rises_ps: list[int]) -> list[float]:
    """Return sorted latencies in cycles, where each strike has exactly one answer, in order."""
    assert len(rises_ps) == len(strikes_ps)
    after = zip(rises_ps, strikes_ps, strict=True)
    result = sorted((rise_ps - strike_ps) / CLOCK_PS for rise_ps, strike_ps in after)
    assert result[0] > 0
    return result


def percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def test_bare_answers_each_strike_once_and_fast(play: Play) -> None:
    strikes = periodic(1000)
    played = play("bare", strikes)
    latency = latencies(strikes, rises(played, 0))
    assert 15 <= percentile(latency, 0.5) <= 40
    assert latency[-1] <= 110  # the first strike finds cold caches
    assert {pin for _, pin, _ in played.edges} == {0}


def test_freertos_answers_each_strike_once_by_isr_and_once_by_task(play: Play) -> None:
    strikes = periodic(2000)
    played = play("freertos", strikes)
    isr_ps, task_ps = rises(played, ISR), rises(played, TASK)
    isr, task = latencies(strikes, isr_ps), latencies(strikes, task_ps)
    assert all(i < t for i, t in zip(isr_ps, task_ps, strict=True))
    assert 80 <= percentile(isr, 0.5) <= 140
    assert 380 <= percentile(task, 0.5) <= 600
    assert 200 <= isr[-1] <= 450  # a strike that meets the tick's interrupt waits for its end
    assert 600 <= task[-1] <= 1000
    assert [edge[2] for edge in played.edges if edge[1] == ISR] == [1, 0] * 2000


def test_strikes_on_the_other_inputs_use_pins_of_their_own(play: Play) -> None:
    played = play("freertos", periodic(3), mask=0b110)
    assert {pin: len(rises(played, pin)) for pin in range(8)} == {
        **dict.fromkeys(range(8), 0),
        **dict.fromkeys((2, 3, 4, 5), 3),
    }


def test_output_edges_lie_on_the_devices_own_clock(play: Play) -> None:
    played = play("bare", periodic(50), "clock_ps=19000,phase_ps=123,clk_to_q_ps=50")
    assert len(played.edges) == 100
    assert all((time_ps - 173) % 19000 == 0 for time_ps, _, _ in played.edges)


def test_ppm_speeds_the_clock_up_exactly(play: Play) -> None:
    nominal, fast = (play("bare", [10**9], f"ppm={ppm}").edges[0][0] for ppm in (0, 100_000))
    # 10 % faster: the same edge number, counted from zero, comes at 10/11 of the time.
    cycles = fast * 11 / (10 * CLOCK_PS)
    assert abs(cycles - round(cycles)) < 0.01
    assert fast < nominal


def test_critical_sections_delay_the_isr(play: Play) -> None:
    strikes = periodic(500)
    idle, loaded = (
        latencies(strikes, rises(play("freertos", strikes, "load=critical", load=load), ISR))
        for load in (0, 1)
    )
    assert loaded[-1] > 1000
    assert loaded[-1] > 3 * idle[-1]


@pytest.mark.full
def test_polygons_delay_the_task_but_hardly_the_isr(play: Play) -> None:
    # 2 kHz: longer than a burst, so that no strike is coalesced.
    strikes = periodic(400, 500_123_413)
    idle, loaded = (play("freertos", strikes, "load=polygons", load=load) for load in (0, 1))
    task = [latencies(strikes, rises(played, TASK)) for played in (idle, loaded)]
    isr = [latencies(strikes, rises(played, ISR)) for played in (idle, loaded)]
    assert percentile(task[1], 0.99) > 8 * percentile(task[0], 0.99)
    assert percentile(task[1], 0.5) < 2 * percentile(task[0], 0.5)
    assert percentile(isr[1], 0.5) < 1.3 * percentile(isr[0], 0.5)


@pytest.mark.full
def test_a_load_switched_off_is_always_on(play: Play) -> None:
    strikes = periodic(200)
    switched = play("freertos", strikes, "load=cpu", load=1)
    always = play("freertos", strikes, "load=cpu,load_switched=0", load=0)
    medians = [percentile(latencies(strikes, rises(p, TASK)), 0.5) for p in (switched, always)]
    assert all(median > 600 for median in medians)


def test_overload_loses_strikes_and_the_device_recovers(play: Play) -> None:
    burst = [10**9 + k * 200 * CLOCK_PS for k in range(2000)]
    after = [burst[-1] + PERIOD_PS * (k + 1) for k in range(100)]
    played = play("freertos", burst + after)
    isr_ps, task_ps = rises(played, ISR), rises(played, TASK)
    late_ps = after[0]
    assert 1000 < sum(time_ps < late_ps for time_ps in isr_ps) < 2000
    assert sum(time_ps < late_ps for time_ps in task_ps) < 1000
    latencies(after, [time_ps for time_ps in isr_ps if time_ps >= late_ps])
    latencies(after, [time_ps for time_ps in task_ps if time_ps >= late_ps])


def test_a_pulse_between_two_clock_edges_goes_unseen(play: Play) -> None:
    assert play("bare", [10**9 + 1000], width_ps=CLOCK_PS - 2000).edges == []
    # The clock's edge falls into it; an input at the very time of an edge counts.
    assert len(play("bare", [10**9 + 1000], width_ps=CLOCK_PS).edges) == 2
    assert len(play("bare", [10**9], width_ps=1).edges) == 2


@pytest.mark.full
def test_the_same_inputs_give_the_same_edges_however_time_is_cut(play: Play) -> None:
    strikes, options = periodic(100), "load=all,ppm=37"
    traces = [
        play("freertos", strikes, options, load=1, step_ps=step_ps).edges
        for step_ps in (0, 0, 8000, 1_234_567)
    ]
    assert len(traces[0]) > 300
    assert all(trace == traces[0] for trace in traces)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("clock_ps=999", "clock_ps=999: an integer from 1000 to 1000000"),
        ("clock_ps=fast", "clock_ps=fast"),
        ("load=coffee", "'coffee' is none of none, cpu, critical"),
        ("load=", "load="),
        ("load=polygons", "load=polygons: this firmware does not have it"),
        ("volume=11", "'volume=11': the options are firmware, load"),
        ("firmware=/nowhere", "firmware=/nowhere: cannot be read"),
    ],
)
def test_a_wrong_option_is_refused_by_name(play: Play, options: str, names: str) -> None:
    played = play("bare", [], options)
    assert played.code == 3
    assert names in played.text


@pytest.mark.parametrize(
    ("program", "address"),
    [
        # sw zero, 4(zero)
        (["00002223"], "0x4"),
        # The startup stack run over: lui sp, 0x40001; then addi sp, sp, -16; sw zero, 0(sp); j .-8
        (["40001137", "ff010113", "00012023", "ff9ff06f"], "0x3ffffff0"),
    ],
)
def test_an_access_to_nowhere_stops_the_run(
    play: Play, tmp_path: Path, program: list[str], address: str
) -> None:
    image = tmp_path / "nowhere.hex"
    image.write_text("\n".join(["00000000"] * 1024 + program) + "\n")
    played = play("bare", [], f"firmware={image}")
    assert played.code == 4
    assert f"access to nowhere, address {address}" in played.text


def test_a_firmware_that_never_starts_is_reported(play: Play, tmp_path: Path) -> None:
    # From the reset address on: j . (jal zero, 0).
    image = tmp_path / "stuck.hex"
    image.write_text("00000000\n" * 1024 + "0000006f\n")
    played = play("bare", [], f"firmware={image}")
    assert played.code == 4
    assert "did not start within" in played.text


def test_a_build_is_found_again_by_its_content(builds: dict[str, DeviceBuild]) -> None:
    image = Path(builds["bare"].options["firmware"])
    made = image.stat().st_mtime_ns
    assert riscv_device("bare", default_cache()) == builds["bare"]
    assert image.stat().st_mtime_ns == made
    assert builds["bare"].options != builds["freertos"].options


def test_an_image_is_refused_that_is_no_elf() -> None:
    with pytest.raises(ValueError, match="not a 32-bit little-endian ELF"):
        memory_image(b"#!/bin/sh\n")


@pytest.mark.full
@pytest.mark.parametrize("load", ["cpu", "critical", "polygons", "queue", "storm", "all"])
def test_every_load_leaves_one_isr_pulse_a_strike(play: Play, load: str) -> None:
    strikes = periodic(5000, 500_123_413)
    played = play("freertos", strikes, f"load={load}", load=1)
    isr, task = latencies(strikes, rises(played, ISR)), latencies(strikes, rises(played, TASK))
    for name, latency in (("isr", isr), ("task", task)):
        figures = [round(percentile(latency, share)) for share in (0.5, 0.99)]
        print(f"{load} {name}: p50 {figures[0]} p99 {figures[1]} max {latency[-1]:.0f} cycles")
    assert isr[-1] < 3000
    assert task[-1] < 20_000


@pytest.mark.full
def test_the_task_keeps_up_at_1200_cycles_and_not_at_600(play: Play) -> None:
    answered = {
        cycles: len(rises(play("freertos", periodic(5000, cycles * CLOCK_PS + 7)), TASK))
        for cycles in (1200, 600)
    }
    assert answered[1200] == 5000
    assert answered[600] < 0.9 * 5000


def critical_cycles(count: int) -> list[int]:
    """Return the lengths that the load `critical` draws: every other number of its generator."""
    state, found = 2, []
    for _ in range(2 * count):
        state = (state * 1664525 + 1013904223) % (1 << 32)
        found.append((state >> 16) % 1500)
    return found[::2]


@pytest.mark.parametrize("pin", [6, 2])
def test_a_pin_is_high_while_critical_sections_last(play: Play, pin: int) -> None:
    options = f"load=critical,load_switched=0,critical_pin={pin}"
    played = play("freertos", periodic(20), options)
    times = [(time_ps, level) for time_ps, number, level in played.edges if number == pin]
    assert times[0][1] == 1
    widths = [(fall - rise) // CLOCK_PS for (rise, _), (fall, _) in itertools.pairwise(times)][::2]
    # Some sections have passed before time zero.
    lengths = critical_cycles(len(widths) + 400)
    first = next(
        n for n in range(400) if all(0 <= widths[k] - lengths[n + k] < 100 for k in range(10))
    )
    spent = [width - length for width, length in zip(widths, lengths[first:], strict=False)]
    assert len(spent) > 100
    assert min(spent) >= 0
    assert max(spent) < 100


@pytest.mark.parametrize("program", ["strikes", "calls", "critsec", "philosophers", "malloc"])
def test_each_program_is_built_for_the_core_without_caches(program: str) -> None:
    build = riscv_device("freertos", default_cache(), {"program": program, "bus": "log"})
    assert "VexRiscv_Min.v" in {path.name for path in build.verilog}
    assert build.options["regions"].count("/") >= 4


def test_another_device_has_neither_regions_nor_that_core() -> None:
    build = riscv_device("freertos", default_cache(), {"program": "malloc"})
    assert "VexRiscv_Full.v" in {path.name for path in build.verilog}
    assert set(build.options) == {"firmware"}
    assert build.cpp[0].name == "riscv.cpp"
