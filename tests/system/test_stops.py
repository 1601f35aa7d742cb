# SPDX-License-Identifier: Apache-2.0
"""Ends of runs: by count, time, command and threshold, with the events around the trigger."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import SMALL, TRUTH, Outcome, assert_equals_truth, run, simulator

from plexor.cli.interrupts import stop_on_signals
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Action, StopReason, Stream
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_sim.golden.ending import latency_trigger, planned_end_ticks

NS = Fraction(1, 1_000_000_000)
US = 1000 * NS
DEVICE = "synthetic:latency=300ns,width=100ns,ch1.after=none"
HALF = SMALL.ring_depth // 2
EVENTS_A_STRIKE = 4
NEXT_TICKS = 500
"""From the timeout of a strike to the next one, which makes the matcher look."""


def settings(**changes: object) -> Settings:
    plain = Settings(
        strikes=(Stimulus(period_s=2 * US, width_s=200 * NS),),
        channels=(Channel(0),),
        timeout_s=1500 * NS,
    )
    return replace(plain, **changes)


def slow_once(folder: Path, before: int) -> str:
    """Return a device that answers so many strikes in 300 ns, the next in a tick over 900 ns."""
    latencies = ["300000"] * before + ["900001"] + ["300000"] * 100_000
    (folder / "latencies").write_text("\n".join(latencies))
    return f"{DEVICE},latency=list:{folder}/latencies"


def assert_trace_equals_truth(outcome: Outcome, first: int, last: int) -> None:
    """Assert that the ring has the events `first` to `last`, as the golden model has them."""
    trace, events = outcome.result.trace, outcome.golden().events
    assert trace["index"].tolist() == list(range(first, last + 1))
    for name in ("time_ticks", "source", "polarity"):
        assert np.array_equal(trace[name], getattr(events, name)[first : last + 1]), name


def test_an_endless_output_does_not_hold_up_the_end(tmp_path):
    counted = Stimulus(period_s=2 * US, width_s=200 * NS, count=50)
    endless = Stimulus(1, period_s=700 * NS, width_s=100 * NS)
    wanted = settings(strikes=(counted, endless), time_s=1000 * US)
    outcome = run(DEVICE, wanted, tmp_path, geometry=SMALL)
    result = assert_equals_truth(outcome) and outcome.result
    assert result.stop_reason == StopReason.STRIKES
    planned = planned_end_ticks(SMALL, outcome.registers, result.start_ticks)
    assert result.end_ticks == planned
    assert len(outcome.edges_ps(SOURCE_STRIKE + 1)) > 140


@pytest.mark.parametrize("stream", [Stream.LIVE, pytest.param(Stream.OFF, marks=pytest.mark.full)])
@pytest.mark.parametrize("before", [3, pytest.param(200, marks=pytest.mark.full)])
def test_the_first_latency_over_a_threshold_ends_the_run(before, stream, tmp_path):
    wanted = settings(latency_over_s=900 * NS, stream=stream)
    outcome = run(slow_once(tmp_path, before), wanted, tmp_path, geometry=SMALL)
    result = outcome.result
    truth = assert_equals_truth(outcome)
    assert result.stop_reason == StopReason.LATENCY
    assert (result.trigger_index, result.trigger_ticks) == latency_trigger(outcome.registers, truth)
    # The response is the third of its strike's four events.
    assert result.trigger_index == EVENTS_A_STRIKE * before + 2
    assert result.trigger_ticks == -(-outcome.edges_ps(0)[before] // 1000)
    last = result.trigger_index + HALF
    assert_trace_equals_truth(outcome, max(last + 1 - SMALL.ring_depth, 0), last)


def test_a_latency_at_the_threshold_does_not_end_the_run(tmp_path):
    wanted = settings(latency_over_s=901 * NS, count=50)
    outcome = run(slow_once(tmp_path, 20), wanted, tmp_path, geometry=SMALL)
    assert_equals_truth(outcome)
    assert outcome.result.stop_reason == StopReason.STRIKES
    assert outcome.result.trace is None


def test_a_channel_that_may_not_trigger_does_not(tmp_path):
    wanted = settings(
        channels=(Channel(0), Channel(1)),
        latency_over_s=900 * NS,
        trigger_channels=(1,),
        count=50,
    )
    outcome = run(slow_once(tmp_path, 20), wanted, tmp_path, geometry=SMALL)
    assert_equals_truth(outcome)
    assert outcome.result.stop_reason == StopReason.STRIKES


def test_few_events_after_the_trigger_are_waited_for_65536_clocks(tmp_path):
    slow = settings(strikes=(Stimulus(period_s=100 * US, width_s=US),), latency_over_s=900 * NS)
    outcome = run(slow_once(tmp_path, 2), slow, tmp_path, geometry=SMALL)
    assert_equals_truth(outcome)
    waited = outcome.result.end_ticks - outcome.result.trigger_ticks
    assert 0 <= waited - SMALL.samples * 2**16 < SMALL.samples * 64
    assert_trace_equals_truth(outcome, 0, len(outcome.golden().events) - 1)


@pytest.mark.parametrize("skip", [True, pytest.param(False, marks=pytest.mark.full)])
def test_the_first_missed_strike_ends_the_run(skip, tmp_path):
    outcome = run(
        f"{DEVICE},drop=0.02,seed=4",
        settings(stop_on_missed=True),
        tmp_path,
        geometry=SMALL,
        arguments=() if skip else ("--no-skip",),
    )
    result = outcome.result
    assert_equals_truth(outcome)
    assert result.stop_reason == StopReason.MISSED
    strikes = outcome.edges_ps(SOURCE_STRIKE) // 1000
    responses = outcome.edges_ps(0) // 1000
    answered = np.isin(strikes + 300, responses)
    first = int(strikes[~answered][0])
    assert 0 < result.trigger_ticks - first - 1500 <= NEXT_TICKS
    assert result.channels[0].classes[ResponseClass.MISSED] >= 1
    events = outcome.golden().events
    after = int(np.searchsorted(events.time_ticks, result.trigger_ticks))
    assert result.trigger_index in (after, after - 1)
    trace = result.trace["index"]
    assert_trace_equals_truth(outcome, int(trace[0]), int(trace[-1]))
    assert int(trace[-1]) - after in (HALF - 1, HALF)
    assert len(trace) == min(SMALL.ring_depth, int(trace[-1]) + 1)


@pytest.mark.parametrize("ticks", [pytest.param(100_000, marks=pytest.mark.full), 100_001])
def test_a_time_limit_ends_the_run_on_its_clock(ticks, tmp_path):
    outcome = run(DEVICE, settings(time_s=ticks * NS), tmp_path, geometry=SMALL)
    assert_equals_truth(outcome)
    result = outcome.result
    assert result.stop_reason == StopReason.TIME
    assert result.end_ticks - result.start_ticks == -(-ticks // SMALL.samples) * SMALL.samples


def test_a_count_ends_the_run_once_it_has_settled(tmp_path):
    outcome = run(DEVICE, settings(count=77), tmp_path, geometry=SMALL)
    assert_equals_truth(outcome)
    result = outcome.result
    assert result.stop_reason == StopReason.STRIKES
    planned = planned_end_ticks(SMALL, outcome.registers, result.start_ticks)
    # Where the settling time is of whole clocks, the run is a clock longer than it need be.
    assert result.end_ticks - planned in (0, SMALL.samples)
    assert len(outcome.edges_ps(SOURCE_STRIKE)) == result.strikes == 77


def test_a_command_ends_the_run_and_keeps_it(tmp_path):
    log = tmp_path / "truth.bin"
    with simulator(DEVICE, SMALL, ("--truth", str(log))) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            found = []

            def stop(progress):
                if progress.strikes >= 100 and not found:
                    found.append(progress.strikes)
                    device.write("control", "action", Action.STOP)

            result = measure(device, settings(), on_progress=stop)
        server.close()
    outcome = Outcome(result, np.fromfile(log, TRUTH))
    assert_equals_truth(outcome)
    assert result.stop_reason == StopReason.COMMAND
    assert result.strikes >= found[0] >= 100
    assert outcome.edges_ps(SOURCE_STRIKE)[-1] < result.end_ticks * 1000


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)]
)
def test_an_interrupt_ends_the_run_and_keeps_it(number, tmp_path):
    log = tmp_path / "truth.bin"
    with simulator(DEVICE, SMALL, ("--truth", str(log))) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            threading.Timer(1.5, signal.raise_signal, (number,)).start()
            with stop_on_signals() as stop:
                result = measure(device, settings(), stop=stop)
        server.close()
    assert result.interrupted
    assert_equals_truth(Outcome(result, np.fromfile(log, TRUTH)))
    assert result.strikes > 100
