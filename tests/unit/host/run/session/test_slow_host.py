# SPDX-License-Identifier: Apache-2.0
"""A host that is slower than the link: answers wait behind what it has not handled, and are waited
for; every event of the run comes."""

import struct
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

import plexor.wire.link.base
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import FrameType, LogCode, event_word
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import RunState, Stream
from plexor.run.session.session import measure
from plexor.wire.device.device import RETRY_TIMEOUTS_S, Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...scenario import (
    PERIOD_TICKS,
    RESPONSE_WIDTH_TICKS,
    START_TICKS,
    STRIKE_WIDTH_TICKS,
    Scenario,
)

LATENCY_TICKS = 50
ROWS = (
    (0, 8, 1),
    (STRIKE_WIDTH_TICKS, 8, 0),
    (LATENCY_TICKS, 0, 1),
    (LATENCY_TICKS + RESPONSE_WIDTH_TICKS, 0, 0),
)
"""The events of each strike."""
STRIKES_A_FRAME = 60
PAYLOAD = struct.pack(
    f"<{STRIKES_A_FRAME * len(ROWS)}I",
    *(
        event_word(number * PERIOD_TICKS + time_ticks, source, polarity)
        for number in range(STRIKES_A_FRAME)
        for time_ticks, source, polarity in ROWS
    ),
)
FIRST_TICKS = START_TICKS + 100


class Lazy:
    """Rows that are made each time they are asked for."""

    def __init__(self, count, row):
        self.count, self.row = count, row

    def __len__(self):
        return self.count

    def __iter__(self):
        return map(self.row, range(self.count))


class Steady(Scenario):
    """So many strikes, each answered after LATENCY_TICKS; its events are not held in memory."""

    def __init__(self, count):
        super().__init__([])
        self.latencies = Lazy(count, lambda number: LATENCY_TICKS)
        self.end_ticks = FIRST_TICKS + (count + 2) * PERIOD_TICKS
        self.events = Lazy(count * len(ROWS), lambda index: (0, *ROWS[index % len(ROWS)][1:]))

    def samples(self):
        def of(value, place, first=0):
            def row(number):
                at_ticks = FIRST_TICKS + (number + first) * PERIOD_TICKS + ROWS[place][0]
                return value, (number + first) * len(ROWS) + place, at_ticks

            return Lazy(len(self.latencies) - first, row)

        return {
            "rise": of(LATENCY_TICKS, 2),
            "fall": of(LATENCY_TICKS + RESPONSE_WIDTH_TICKS, 3),
            "width": of(RESPONSE_WIDTH_TICKS, 3),
            "period": of(PERIOD_TICKS, 2, first=1),
        }


class Flowing(FakeDevice):
    """A device whose events flow while it answers commands: between two frames."""

    def __init__(self, scenario):
        self._alone, self._asked = threading.RLock(), False
        edges = 2 * len(scenario.latencies)
        super().__init__(
            scenario,
            overrides={
                ("status", "events", 0): len(scenario.events),
                ("source", "generated", 0): edges,
                ("source", "generated", 8): edges,
            },
        )
        # Nobody counts them while a command waits for its answer.
        scenario.events = []

    def _command(self, frame):
        self._asked = True
        with self._alone:
            self._asked = False
            super()._command(frame)

    def _run(self):
        self.starts += 1
        self.set("status", "state", RunState.RUNNING)
        self.set("status", "start_ticks", START_TICKS)
        self.send(FrameType.LOG, 0, LogCode.STARTED, 0, START_TICKS)
        threading.Thread(target=self._flow, daemon=True).start()

    def _flow(self):
        for number in range(0, len(self.scenario.latencies), STRIKES_A_FRAME):
            while self._asked:
                time.sleep(0.001)
            with self._alone:
                index, base_ticks = number * len(ROWS), FIRST_TICKS + number * PERIOD_TICKS
                self.set("status", "time_ticks", base_ticks)
                self.send(FrameType.EVENTS, 0, 0, index, base_ticks, PAYLOAD)
        with self._alone:
            self._finish(1)


def slow_run(strikes, timeouts_s, pause_s):
    """Return a run of a host that pauses at each piece of events, and how long it paused in all."""
    pauses = []

    def slow(events):
        pauses.append(pause_s)
        time.sleep(pause_s)

    settings = Settings(
        strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
        channels=(Channel(0, "isr"),),
        count=strikes,
        stream=Stream.LIVE,
        keep_events=True,
    )
    with Flowing(Steady(strikes)) as fake, Device(open_link(fake.uri), timeouts_s=timeouts_s) as it:
        return measure(it, settings, on_events=slow), sum(pauses)


def is_whole(run, strikes):
    """Return whether a run is valid and has every event at its time."""
    assert run.valid, run.invalid_reasons
    assert run.channels[0].classes[ResponseClass.ANSWERED] == strikes
    at_ticks = FIRST_TICKS + PERIOD_TICKS * np.arange(strikes)[:, None] + [row[0] for row in ROWS]
    return np.array_equal(run.events["time_ticks"], at_ticks.ravel())


@pytest.mark.parametrize("chunks", [256, 4])
def test_a_slow_host_gets_every_event_and_every_answer_of_a_live_link(monkeypatch, chunks):
    """With a short queue the link waits for the host, too."""
    monkeypatch.setattr(plexor.wire.link.base, "_QUEUE_CHUNKS", chunks)
    monkeypatch.setattr(plexor.wire.link.base, "CHUNK_BYTES", 1 << 12)
    monkeypatch.setattr(plexor.wire.link.base, "_TAKE_BYTES", 1 << 13)
    timeouts_s = (0.1, 0.1)
    run, paused_s = slow_run(12_000, timeouts_s, 0.1)
    assert is_whole(run, 12_000)
    assert paused_s > 5 * sum(timeouts_s)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_a_slow_host_gets_8_million_events_of_a_live_link():
    run, paused_s = slow_run(2_000_040, RETRY_TIMEOUTS_S, 1.0)
    assert is_whole(run, 2_000_040)
    assert len(run.events) > 8_000_000
    assert paused_s > 3 * sum(RETRY_TIMEOUTS_S)
