# SPDX-License-Identifier: Apache-2.0
"""FreeRTOS under test: what is measured is what its pins did, and measuring changes nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import TRUTH, Outcome, assert_equals_truth, run
from links import SCENARIOS, Left, Subject, assert_same, cut, idle, left_by

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import LatencyKind
from plexor_hdl.build import boards

US = Fraction(1, 1_000_000)
LOADS = ("none", "cpu", "critical", "polygons", "queue", "storm", "all")
SHORT_LOADS = ("all",)
PINS = ("ISR", "TASK")
# A clock that is nowhere on the instrument's ticks.
CLOCK = "phase=1234ps,ppm=37"
FULL_STRIKES = 5000


def settings(strikes: int) -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=50 * US, width_s=2 * US, dither_s=4096 * US / 1000),),
        channels=tuple(Channel(number, name) for number, name in enumerate(PINS)),
        timeout_s=400 * US,
        count=strikes,
        load=True,
    )


def latencies(outcome: Outcome, channel: int) -> np.ndarray:
    """Return the latencies in ticks, each within a tick of what the pins did.

    The golden model says which response answers which strike; their times in ps are the pins' own.
    """
    tick_ps = outcome.result.tick_fs // 1000
    samples = outcome.golden().latency_samples[LatencyKind.RISE, channel]
    responses_ps, strikes_ps = outcome.edges_ps(channel), outcome.edges_ps(SOURCE_STRIKE)
    responses = np.searchsorted(-(-responses_ps // tick_ps), samples.time_ticks)
    strikes = np.searchsorted(strikes_ps // tick_ps, samples.time_ticks - samples.value_ticks)
    real_ps = responses_ps[responses] - strikes_ps[strikes]
    errors_ps = samples.value_ticks * tick_ps - real_ps
    assert ((errors_ps >= 0) & (errors_ps < tick_ps)).all()
    assert (errors_ps > 0).mean() > 0.9
    return samples.value_ticks


def row(outcome: Outcome, load: str) -> str:
    """Return a line of the table: p50, p99 and maximum of each pin in microseconds."""
    cells = [f"{load:<9}"]
    for number in range(len(PINS)):
        values = latencies(outcome, number) * outcome.result.tick_fs / 1e9
        p50, p99 = np.percentile(values, [50, 99], method="inverted_cdf")
        cells.append(f"{len(values):>7}{p50:9.2f}{p99:9.2f}{values.max():9.2f}")
    return "".join(cells)


def measure_load(load: str, strikes: int, folder: Path) -> Outcome:
    outcome = run(f"freertos:load={load},{CLOCK}", settings(strikes), folder)
    assert_equals_truth(outcome)
    for number, pin in enumerate(outcome.result.channels):
        rise = pin.measurement("rise").statistics
        values = latencies(outcome, number)
        assert rise.count == len(values) > 0.8 * strikes
        assert (rise.min_ticks, rise.max_ticks) == (values.min(), values.max())
        assert rise.sum_ticks == values.sum()
    return outcome


@pytest.mark.parametrize(
    "load",
    [load if load in SHORT_LOADS else pytest.param(load, marks=pytest.mark.full) for load in LOADS],
)
def test_latencies_are_those_of_the_pins_under_each_load(load, tmp_path):
    measure_load(load, 80, tmp_path)


def test_an_idle_kernel_answers_each_strike_in_turn(tmp_path):
    strikes = 60
    outcome = run(f"freertos:{CLOCK}", replace(settings(strikes), load=False), tmp_path)
    strikes_ps = outcome.edges_ps(SOURCE_STRIKE)
    for number, pin in enumerate(outcome.result.channels):
        real_ps = outcome.edges_ps(number) - strikes_ps
        assert ((real_ps > 0) & (real_ps < 50_000_000)).all()
        rise = pin.measurement("rise").statistics
        tick_ps = outcome.result.tick_fs // 1000
        assert (rise.count, rise.min_ticks) == (strikes, -(-real_ps.min() // tick_ps))
        assert rise.max_ticks == -(-real_ps.max() // tick_ps)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_table_of_all_loads(tmp_path, capsys):
    lines = []
    for load in LOADS:
        lines.append(row(measure_load(load, FULL_STRIKES, tmp_path), load))
    with capsys.disabled():
        head = f"{'n':>7}{'p50':>9}{'p99':>9}{'max':>9}"
        print("\nFreeRTOS, simulated, 20 kHz, microseconds: ISR, then TASK")
        print(f"{'load':<9}{head}{head}")
        print("\n".join(lines))


SUBJECT = Subject(
    f"freertos:load=all,load_switched=0,{CLOCK}",
    boards.simulated(),
    40_000,
    tuple(Channel(number, name) for number, name in enumerate(PINS)),
    gate_clock=5_000_000,
)


def assert_attached_or_not(strikes: int, scenarios: list[str], folder: Path) -> None:
    """Assert that the pins do the same, to the ps, whether anybody listens to them or not.

    Detached: no channel is enabled, and nobody is at the link. The strikes, which the device needs,
    are the instrument's in either case, started by the gate at the same tick.
    """
    detached = left_by(replace(SUBJECT, channels=()), cut, strikes, folder)
    attached = left_by(SUBJECT, idle, strikes, folder)
    both = told(attached, detached, strikes)
    assert attached.truth[:both] == detached.truth[:both]
    for scenario in scenarios:
        left = left_by(SUBJECT, SCENARIOS[scenario], strikes, folder)
        both = told(attached, left, strikes)
        assert_same(
            replace(left, truth=left.truth[:both]), replace(attached, truth=attached.truth[:both])
        )


def told(one: Left, other: Left, strikes: int) -> int:
    """Return up to where both truths go, with each strike and its responses in it.

    The kernel goes on while a run's end is sent, which takes its time.
    """
    both = min(len(one.truth), len(other.truth))
    assert both >= TRUTH.itemsize * strikes * 5
    struck = np.frombuffer(one.truth[:both], TRUTH)["source"] == SOURCE_STRIKE
    assert struck.sum() == 2 * strikes
    return both


@pytest.mark.full
def test_the_kernel_does_the_same_attached_or_not(tmp_path):
    assert_attached_or_not(40, ["streaming"], tmp_path)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_kernel_does_the_same_for_long_attached_or_not(tmp_path):
    assert_attached_or_not(2000, list(SCENARIOS), tmp_path)
