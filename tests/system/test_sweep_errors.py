# SPDX-License-Identifier: Apache-2.0
"""How often sweeps of the Verilated instrument are wrong about a device that is at its limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from plexor.experiments.criterion import Criterion, CriterionSubject
from plexor.experiments.pool import Workers
from plexor.experiments.stepping import stepped
from plexor.experiments.store import StepStore
from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad, SweepSteps
from plexor.figures.analyse.analyse import analyse
from plexor.figures.judge.verdict import Outcome
from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open as links
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache
from plexor_sim.serve import prepare

LIMIT = Fraction(1, 20)
LOW_HZ = 5_000_000
"""A strike takes the simulator 25 clocks."""
SMALLEST = Geometry(
    channels=1, strikes=1, latency_mantissa_bits=2, interval_mantissa_bits=2, zoom_bits=4
)
DITHER_S = Fraction(64, 10**9)
SWEEPS = 300
MOST = Fraction(5, 100)
"""What `@95%` leaves for wrong passes, and for wrong failures."""


def wanted(seed: int) -> SweepGoal:
    """Return a sweep of a device that loses just the limit at both of its rates."""
    device = f"synthetic:latency=30ns,width=20ns,drop={float(LIMIT)},seed={seed}"
    return SweepGoal(
        "sim:",
        {"none": SweepLoad(device, False)},
        Settings(
            strikes=(Stimulus(period_s=Fraction(1, LOW_HZ)),),
            channels=(Channel(0, "R"),),
            # A strike that is missing has timed out when the next one comes.
            timeout_s=Fraction(190, 10**9),
        ),
        Fraction(LOW_HZ),
        Fraction(LOW_HZ * 51, 50),
        (Criterion(CriterionSubject.MISSED, LIMIT),),
        Fraction(1, 20),
        2,
        1,
    )


@pytest.fixture
def started_at_once(monkeypatch):
    """Have links start the simulator itself: what builds it takes longer than a short run."""
    executable = prepare("synthetic", SMALLEST, default_cache()).executable

    def command(dut, arguments=()):
        name, _, own = dut.partition(":")
        options = option_text(name, find_device(name, default_cache()), own)
        return [str(executable), "--device", options, "--once", *arguments]

    monkeypatch.setattr(links, "sim_command", command)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_of_hundreds_of_sweeps_at_the_limit_at_most_a_twentieth_is_wrong_each_way(
    capsys, started_at_once
):
    passed = failed = 0
    for seed in range(1, SWEEPS + 1):
        with Workers(lambda: ThreadPoolExecutor(2)) as workers:
            found = stepped(SweepSteps(wanted(seed)), workers, StepStore(None))
        assert found.error is None
        verdicts = [step.of("R").verdict for step in found.result.steps]
        passed += Outcome.PASS in verdicts
        failed += Outcome.FAIL in verdicts
        with capsys.disabled():
            print(f"\n{seed}: {passed} passed, {failed} failed", end="", flush=True)
    assert passed <= MOST * SWEEPS
    assert failed <= MOST * SWEEPS


def run(dut: str, rate_hz: int, strikes: int):
    """Return times and latencies of a run, from its start."""
    period_s = Fraction(1, rate_hz)
    stimulus = Stimulus(period_s=period_s, count=strikes, dither_s=DITHER_S, seed=5)
    settings = Settings(strikes=(stimulus,), channels=(Channel(0),), timeout_s=period_s / 2)
    with Device(links.open_link("sim:", dut)) as device:
        result = measure(device, settings)
    samples = analyse(result).channels[0].kinds[Kind.RISE].samples
    return np.stack([samples.start_ticks - result.start_ticks, samples.value_ticks])


@pytest.mark.parametrize(
    ("dut", "rate_hz"),
    [
        ("synthetic:latency=uniform:100ns:300ns,width=20ns,clock=7001ps,drop=0.1", 1_000_000),
        pytest.param("bare", 100_000, marks=pytest.mark.full),
    ],
)
def test_a_longer_run_of_a_simulated_device_begins_as_the_shorter_one_was(dut, rate_hz):
    shorter, longer = run(dut, rate_hz, 64), run(dut, rate_hz, 128)
    # The last strikes of the shorter run wait for no strike behind them.
    count = shorter.shape[1] - 2
    assert count > 40
    assert np.array_equal(shorter[:, :count], longer[:, :count])
    again = longer[1, count : 2 * count]
    assert not np.array_equal(again, shorter[1, : len(again)])
