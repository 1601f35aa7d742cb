# SPDX-License-Identifier: Apache-2.0
"""What is told of a run that is under way."""

import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.model.identity import Identity
from plexor.model.results import EVENT_DTYPE, Kind
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import RunState
from plexor.run.plan.registers import plan_of
from plexor.run.session import follow
from plexor.run.session.follow import Listeners
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import LATENCIES, SETTINGS, TIMEOUTS_S, run
from ...scenario import Scenario

REPORTING = replace(SETTINGS, report_s=Fraction(1, 1000))
LEAST_LOOKS = 3


def told(settings, *, looks=LEAST_LOOKS, **device):
    """Return what the listeners of a run are told until so many looks at its status."""
    progress, snapshots, events = [], [], []

    def on_progress(entry):
        progress.append(entry)
        if len(progress) == looks:
            raise KeyboardInterrupt

    with FakeDevice(Scenario(LATENCIES), endless=True, **device) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as opened:
            measure(
                opened,
                settings,
                on_progress,
                on_snapshot=snapshots.append,
                on_events=events.append,
            )
    return progress, snapshots, events


def test_results_so_far_are_told_once_a_snapshot():
    looks, snapshots, _ = told(REPORTING, snapshots=2)
    assert len(looks) >= LEAST_LOOKS
    answered = [latency for latency in LATENCIES if latency is not None]
    assert snapshots[-1].number == 2
    # The second snapshot brings the second bank: both hold all samples.
    rise = snapshots[-1].channels[0].measurement(Kind.RISE).statistics
    assert (rise.count, rise.sum_ticks) == (len(answered), sum(answered))
    numbers = [snapshot.number for snapshot in snapshots]
    assert numbers == sorted(set(numbers))


def test_a_run_without_snapshots_tells_none():
    _, snapshots, _ = told(SETTINGS, snapshots=2)
    assert snapshots == []


def test_events_are_told_as_they_come_each_once():
    _, _, batches = told(SETTINGS)
    events = np.concatenate(batches)
    assert events.dtype == EVENT_DTYPE
    planted = Scenario(LATENCIES).events
    columns = (events[name].tolist() for name in ("time_ticks", "source", "polarity"))
    assert list(zip(*columns, strict=True)) == planted
    assert events["index"].tolist() == list(range(len(planted)))


def test_nobody_need_listen():
    assert Listeners() == Listeners(None, None, None)
    assert run()[0].valid


def test_a_run_that_goes_on_tells_its_progress():
    seen, _, _ = told(SETTINGS)
    assert seen[0].expected_strikes == len(LATENCIES)
    assert seen[1].events_received == len(Scenario(LATENCIES).events)
    assert seen[0].elapsed_s == pytest.approx(50e-9)


def test_the_faults_of_a_run_are_those_since_it_began():
    geometry = Geometry()
    decoder = SimpleNamespace(frames_lost=9, fault_counts=Counter({"crc": 7, "length": 1}))
    device = SimpleNamespace(decoder=decoder, identity=Identity(geometry, 1))
    settings = Settings(strikes=(Stimulus(0, Fraction(1, 1000), count=10),))
    live = SimpleNamespace(
        device=device,
        settings=settings,
        plan=plan_of(settings, device.identity),
        collector=SimpleNamespace(received_total=40),
    )
    begin = SimpleNamespace(
        began=time.monotonic(), frames_lost=4, faults=Counter({"crc": 2, "length": 1})
    )
    look = follow._Look(RunState.RUNNING, 5000, 1000, 3, 6)
    found = follow._progress(live, begin, look)
    assert (found.frames_lost, found.decode_faults, found.dropped) == (5, 5, 3)
    assert (found.strikes, found.expected_strikes, found.events_received) == (6, 10, 40)
    assert (found.start_ticks, found.elapsed_s) == (1000, pytest.approx(4e-6))


def test_the_time_that_is_left_is_what_is_left_of_the_run_at_its_pace_so_far():
    """A quarter of a run took 6 s, so the other three take 18 s."""
    settings = Settings(strikes=(Stimulus(0, Fraction(1, 1000), count=100),))
    identity = Identity(Geometry(), 1)
    live = SimpleNamespace(
        device=SimpleNamespace(
            decoder=SimpleNamespace(frames_lost=0, fault_counts=Counter()), identity=identity
        ),
        settings=settings,
        plan=plan_of(settings, identity),
        collector=SimpleNamespace(received_total=0),
    )
    begin = SimpleNamespace(began=time.monotonic() - 6, frames_lost=0, faults=Counter())
    found = follow._progress(live, begin, follow._Look(RunState.RUNNING, 0, 0, 0, 25))
    assert found.remaining_wall_s == pytest.approx(18, rel=0.02)
    none = follow._progress(live, begin, follow._Look(RunState.RUNNING, 0, 0, 0, 0))
    assert none.remaining_wall_s is None
    # Until a run has begun, the start time is that of the one before.
    idle = follow._progress(live, begin, follow._Look(RunState.IDLE, 9000, 1000, 0, 0))
    assert (idle.elapsed_s, idle.start_ticks) == (0, None)


@pytest.mark.parametrize(("edges", "strikes"), [((0, 0), 0), ((1, 0), 1), ((3, 4), 4), ((5, 9), 8)])
def test_strikes_so_far_are_every_other_edge_of_each_output(edges, strikes):
    read = [RunState.RUNNING, 700, 200, 3, *edges]
    settings = Settings(strikes=(Stimulus(0, Fraction(1, 1000)), Stimulus(1, Fraction(1, 1000))))
    device = SimpleNamespace(identity=Identity(Geometry(), 1), read_all=lambda asked: read)
    look = follow._look(SimpleNamespace(settings=settings, device=device))
    assert (look.ticks, look.start_ticks, look.dropped, look.strikes) == (700, 200, 3, strikes)
