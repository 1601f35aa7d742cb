# SPDX-License-Identifier: Apache-2.0
"""Snapshots while a run is under way: each once, by the chip or by the host, and when."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.model.identity import Identity
from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import Frame, FrameType, LogCode, MemoryFlag
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import banks
from plexor.protocol.registers import Stream
from plexor.run.plan.registers import REPORT_SPACES, plan_of
from plexor.run.session import snapshots as module
from plexor.run.session.snapshots import MOST_PART, Snapshots, SnapshotSource
from plexor.wire.decode.batch import batch_of

from ...ended import dump, events_frame, image_of, started
from ...scenario import GEOMETRY, PERIOD_TICKS, START_TICKS, Scenario

LATENCIES = [50, 61, 300, None, 50]
EVERY_TICKS = 1000
SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
    channels=(Channel(0, "isr"), Channel(1)),
    report_s=Fraction(EVERY_TICKS, 10**9),
    stream=Stream.LIVE,
)
HOST = replace(GEOMETRY, features=GEOMETRY.features & ~Feature.SNAPSHOT)
"""A build whose chip takes no snapshots."""


def followed(geometry=GEOMETRY, settings=SETTINGS):
    identity = Identity(geometry, 1)
    image = image_of(*(tuple(write) for write in plan_of(settings, identity).registers))
    return SnapshotSource(identity, image, started(geometry), settings)


def send(run, number, spaces=REPORT_SPACES, *, without=()):
    """Have the chip's snapshot of that number dumped into a run."""
    for (space, bank), words in Scenario(LATENCIES).memories().items():
        frozen = banks(GEOMETRY, space) == 1 or bank == 1 - number % 2
        if space in spaces and space not in without and frozen:
            for frame in dump(space, bank, words):
                flags = frame.flags & ~MemoryFlag.FINAL
                run.collector.take(replace(frame, flags=flags, tag=number))
    run.collector.take(Frame(FrameType.LOG, 0, LogCode.DUMPED, 0, number, START_TICKS))


def test_a_snapshot_of_the_chip_is_returned_once():
    run = followed()
    snapshots = Snapshots(run)
    assert snapshots.dumped() is None
    for number in (1, 2):
        send(run, number)
        found = snapshots.dumped()
        assert (found.number, found.on_chip) == (number, True)
        assert snapshots.dumped() is None
    rise = found.channels[0].measurement(Kind.RISE).statistics
    assert (rise.count, rise.sum_ticks) == (4, 461)


def test_after_a_lost_frame_a_snapshot_is_returned_once_its_bank_came_whole():
    run = followed()
    snapshots = Snapshots(run)
    send(run, 1, without=(REPORT_SPACES[0],))
    assert snapshots.dumped() is None
    send(run, 2)
    assert snapshots.dumped() is None
    send(run, 3)
    assert snapshots.dumped().number == 3


def test_of_two_snapshots_at_once_the_newer_is_returned():
    run = followed()
    snapshots = Snapshots(run)
    send(run, 1), send(run, 2)
    assert snapshots.dumped().number == 2
    assert snapshots.dumped() is None


def event(run, index, time_ticks):
    """Have an event of the strike's pin come at a time after the start."""
    run.collector.take(batch_of([events_frame(index, START_TICKS + time_ticks, (0, 8, 1))]))


@pytest.fixture
def clock(monkeypatch):
    """Return the wall clock of snapshots as a list of one time that stands still."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.usefixtures("clock")
def test_the_host_computes_snapshots_as_often_as_they_are_due():
    run = followed(HOST)
    snapshots = Snapshots(run)
    event(run, 0, 10)
    due = [snapshots.computed(time_ticks) for time_ticks in (10, 500, 1009, 1010, 1500, 2010)]
    assert [entry and (entry.number, entry.on_chip) for entry in due] == [
        (1, False),
        None,
        None,
        (2, False),
        None,
        (3, False),
    ]


def test_the_host_spends_a_part_of_the_time_on_snapshots(clock, monkeypatch):
    def slow(*arguments):
        clock[0] += 1.0
        return "computed"

    monkeypatch.setattr(module, "snapshot_from_events", slow)
    snapshots = Snapshots(followed(HOST))
    taken = 0
    for step in range(1000):
        taken += snapshots.computed(step * EVERY_TICKS) is not None
        clock[0] += 0.1
    # Each takes a second; a fifth of the time is theirs.
    assert taken * 1.0 <= MOST_PART * (clock[0] - 100) + 1
    assert taken > 15


@pytest.mark.usefixtures("clock")
def test_the_host_computes_none_of_events_that_are_out_of_order():
    run = followed(HOST)
    snapshots = Snapshots(run)
    event(run, 1, 20)
    event(run, 0, 10)
    assert snapshots.computed(10) is None
    assert snapshots.computed(5000) is None


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("geometry", "settings"), [(GEOMETRY, SETTINGS), (HOST, replace(SETTINGS, report_s=None))]
)
def test_the_host_computes_none_where_the_chip_takes_them_or_nobody_asked(geometry, settings):
    run = followed(geometry, settings)
    event(run, 0, 10)
    assert Snapshots(run).computed(5000) is None


@pytest.mark.usefixtures("clock")
def test_the_host_computes_them_where_it_is_asked_to_although_the_chip_could():
    run = followed(GEOMETRY, replace(SETTINGS, report_on_chip=False))
    event(run, 0, 10)
    assert Snapshots(run).computed(5000) is not None
