# SPDX-License-Identifier: Apache-2.0
"""A run under way in a thread: watched, stopped, waited for, and how it fails."""

import asyncio
import threading

import numpy as np
import pytest

from plexor.base.errors import LinkError
from plexor.library import feed as feed_module
from plexor.library.measurement import Labels, Measurement, busy
from plexor.library.run import Run
from plexor.model.results import EVENT_DTYPE, SnapshotResult

LABELS = Labels(1_000_000, True)


class Script:
    """A run that does what a test tells it to."""

    def __init__(self, result):
        self.result = result
        self.listeners = self.stop = None
        self.begun, self.go = threading.Event(), threading.Event()
        self.error = None

    def __call__(self, listeners, stop):
        self.listeners, self.stop = listeners, stop
        self.begun.set()
        assert self.go.wait(30)
        if self.error is not None:
            raise self.error
        return Run(self.result)

    def snapshot(self, number):
        self.listeners.on_snapshot(SnapshotResult(number, number, self.result.channels))


@pytest.fixture
def script(run_of):
    found = Script(run_of([[1000, 2000, None]]))
    yield found
    found.go.set()


@pytest.fixture
def measurement(script):
    found = Measurement(script, LABELS).start()
    assert script.begun.wait(30)
    return found


def test_a_reader_gets_each_snapshot_and_the_end(script, measurement):
    seen = []
    script.snapshot(1)
    for snapshot in measurement:
        seen.append((snapshot.number, snapshot.final, snapshot["ISR"].strikes))
        if snapshot.number < 3:
            script.snapshot(snapshot.number + 1)
        else:
            script.go.set()
    assert seen == [(1, False, 3), (2, False, 3), (3, False, 3), (4, True, 3)]
    assert snapshot.run is measurement.run


def test_a_slow_reader_gets_the_newest_and_numbers_show_the_gap(script, measurement):
    reader = iter(measurement)
    script.snapshot(1)
    assert next(reader).number == 1
    for number in range(2, 50):
        script.snapshot(number)
    assert next(reader).number == 49


def test_two_readers_each_get_every_snapshot(script, measurement):
    script.snapshot(1)
    first, second = iter(measurement), iter(measurement)
    assert next(first).number == next(second).number == 1
    script.snapshot(2)
    assert next(first).number == next(second).number == 2


def test_a_run_without_snapshots_yields_its_end(script, measurement):
    script.go.set()
    assert [snapshot.final for snapshot in measurement] == [True]


def test_what_makes_a_run_fail_is_raised_where_it_is_read(script, measurement):
    script.error = LinkError("the cable is out")
    script.snapshot(1)
    reader = iter(measurement)
    assert next(reader).number == 1
    script.go.set()
    with pytest.raises(LinkError, match="the cable is out"):
        next(reader)
    with pytest.raises(LinkError, match="the cable is out"):
        _ = measurement.run
    assert list(measurement.events()) == []


def test_stop_reaches_the_run_from_another_thread(script, measurement):
    thread = threading.Thread(target=measurement.stop)
    thread.start()
    thread.join()
    assert script.stop.asked


def test_the_end_of_a_block_stops_and_waits(script):
    with Measurement(script, LABELS).start() as measurement:
        assert script.begun.wait(30)
        script.go.set()
    assert script.stop.asked
    assert measurement.ended


def test_asyncio_gets_snapshots_and_goes_on_meanwhile(script, measurement):
    ticks = 0

    async def tick():
        nonlocal ticks
        while not measurement.ended:
            ticks += 1
            await asyncio.sleep(0.001)

    async def watch():
        ticker = asyncio.create_task(tick())
        numbers = []
        await asyncio.sleep(0.02)
        script.snapshot(1)
        async for snapshot in measurement:
            numbers.append(snapshot.number)
            if snapshot.number == 2:
                script.go.set()
            elif not snapshot.final:
                script.snapshot(2)
        await ticker
        return numbers

    assert asyncio.run(watch()) == [1, 2, 3]
    assert ticks > 3


def test_asyncio_gets_what_makes_a_run_fail(script, measurement):
    script.error = LinkError("the cable is out")
    script.go.set()

    async def watch():
        async for _ in measurement:
            pass

    with pytest.raises(LinkError, match="the cable is out"):
        asyncio.run(watch())


def test_events_reach_a_reader_in_order(script, measurement):
    feed = measurement.events()
    for first in (0, 10):
        batch = np.zeros(10, EVENT_DTYPE)
        batch["index"] = np.arange(first, first + 10)
        script.listeners.on_events(batch)
    script.go.set()
    assert np.concatenate(list(feed))["index"].tolist() == list(range(20))


def test_the_end_of_a_block_waits_for_no_reader_that_has_left(script, monkeypatch):
    monkeypatch.setattr(feed_module, "MOST_EVENTS", 1)
    with Measurement(script, LABELS).start() as measurement:
        assert script.begun.wait(30)
        measurement.events()
        script.listeners.on_events(np.zeros(5, EVENT_DTYPE))
        sender = threading.Thread(
            target=script.listeners.on_events, args=(np.zeros(5, EVENT_DTYPE),), daemon=True
        )
        sender.start()
        script.go.set()
    sender.join(30)
    assert not sender.is_alive()


def test_another_run_is_refused_until_the_end(script, measurement):
    busy(None)
    with pytest.raises(Exception, match="under way"):
        busy(measurement)
    script.go.set()
    assert measurement.wait(30)
    busy(measurement)


def test_the_run_is_waited_for(script, measurement):
    found = []
    reader = threading.Thread(target=lambda: found.append(measurement.run))
    reader.start()
    reader.join(0.2)
    assert reader.is_alive()
    script.go.set()
    reader.join(30)
    assert [run.result for run in found] == [script.result]
