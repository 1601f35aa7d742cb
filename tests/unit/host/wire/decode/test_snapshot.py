# SPDX-License-Identifier: Apache-2.0
"""Results so far: from the chip's snapshot, or from the events so far."""

from fractions import Fraction
from functools import partial

import pytest

from plexor.model.identity import Identity
from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.memory import ResponseClass, Space
from plexor.run.plan.registers import plan_of
from plexor.wire.decode.batch import batch_of
from plexor.wire.decode.channels import matching_of
from plexor.wire.decode.snapshot import snapshot_from_events, snapshot_of

from ...ended import collected, events_frame, image_of, started
from ...scenario import GEOMETRY, PERIOD_TICKS, START_TICKS, Scenario

LATENCIES = [50, 61, 300, None, 50]
IDENTITY = Identity(GEOMETRY, 1)
SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
    channels=(Channel(0, "isr"), Channel(1)),
    timeout_s=Fraction(PERIOD_TICKS, 10**9),
)
IMAGE = image_of(*(tuple(write) for write in plan_of(SETTINGS, IDENTITY).registers))


def rise_of(snapshot):
    statistics = snapshot.channels[0].measurement(Kind.RISE).statistics
    return statistics.count, statistics.sum_ticks, statistics.min_ticks, statistics.max_ticks


def test_a_snapshot_of_the_chip_has_what_its_memories_count():
    scenario = Scenario(LATENCIES)
    found = snapshot_of(IDENTITY, IMAGE, collected(scenario), SETTINGS, 7)
    assert (found.number, found.events, found.on_chip) == (7, len(scenario.events), True)
    assert [channel.name for channel in found.channels] == ["isr", "ch1"]
    assert rise_of(found) == (4, 461, 50, 300)
    assert found.channels[1].classes[ResponseClass.MISSED] == 5


def test_a_snapshot_of_the_chip_leaves_out_what_it_does_not_hold():
    without = (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM, Space.INTERVAL_STATISTICS)
    scenario = Scenario(LATENCIES)
    found = snapshot_of(IDENTITY, IMAGE, collected(scenario, without=without), SETTINGS, 1)
    kinds = {entry.kind for entry in found.channels[0].measurements}
    assert kinds == {Kind.RISE, Kind.FALL}


def test_while_a_run_goes_on_what_no_class_holds_is_outstanding():
    scenario = Scenario(LATENCIES)
    words = scenario.memories()
    # Channel 0 has an answer less than there were.
    words[Space.CLASSES, 1][2 * ResponseClass.ANSWERED] -= 1
    scenario.memories = lambda: words
    channels = snapshot_of(IDENTITY, IMAGE, collected(scenario), SETTINGS, 1).channels
    assert (channels[0].pending, channels[1].pending) == (1, 0)


def streamed(*events, first=0, lost_after=None):
    """Return a collector that has only events, as (ticks after the start, source, polarity)."""
    collector = started(GEOMETRY)
    for number, (time_ticks, source, polarity) in enumerate(events):
        index = first + number + (lost_after is not None and number > lost_after)
        frame = events_frame(index, START_TICKS + time_ticks, (0, source, polarity))
        collector.take(batch_of([frame]))
    return collector


EVENTS = [(100, 8, 1), (110, 8, 0), (170, 0, 1), (190, 0, 0), (1100, 8, 1), (1110, 8, 0)]


def test_a_snapshot_from_events_has_all_events_so_far():
    found = snapshot_from_events(IDENTITY, IMAGE, streamed(*EVENTS), SETTINGS, 3)
    assert (found.number, found.events, found.on_chip) == (3, 6, False)
    assert rise_of(found) == (1, 70, 70, 70)
    isr = found.channels[0]
    assert (isr.classes[ResponseClass.ANSWERED], isr.pending) == (1, 1)
    assert isr.classes[ResponseClass.STRIKES] == 2


def test_before_the_first_event_a_snapshot_is_empty():
    found = snapshot_from_events(IDENTITY, IMAGE, streamed(), SETTINGS, 1)
    assert (found.events, rise_of(found)) == (0, (0, 0, None, None))


@pytest.mark.parametrize(
    ("missing", "unknown", "pending"),
    [({"first": 1}, (1, 1), 1), ({"lost_after": 0}, (1, 1), 1), ({"lost_after": 4}, (1, 0), 0)],
)
def test_a_snapshot_counts_what_a_missing_event_leaves_unknown(missing, unknown, pending):
    collector = streamed(*EVENTS, **missing)
    isr = snapshot_from_events(IDENTITY, IMAGE, collector, SETTINGS, 1).channels[0]
    assert (isr.unknown_strikes, isr.unknown_edges) == unknown
    assert isr.pending == pending
    assert isr.conserved


def test_there_is_no_snapshot_from_events_out_of_order():
    collector = streamed(*EVENTS)
    collector.take(batch_of([events_frame(2, START_TICKS + 1200, (0, 8, 1))]))
    assert snapshot_from_events(IDENTITY, IMAGE, collector, SETTINGS, 1) is None


def test_a_snapshot_from_events_needs_none_of_them_kept():
    collector = started(GEOMETRY, keep_events=False)
    collector.matches = partial(matching_of, GEOMETRY, IMAGE)
    for index, (time_ticks, source, polarity) in enumerate(EVENTS):
        frame = events_frame(index, START_TICKS + time_ticks, (0, source, polarity))
        collector.take(batch_of([frame]))
    found = snapshot_from_events(IDENTITY, IMAGE, collector, SETTINGS, 3)
    assert (found.events, rise_of(found)) == (6, (1, 70, 70, 70))


def test_there_is_no_snapshot_of_events_that_were_neither_matched_nor_kept():
    collector = started(GEOMETRY, keep_events=False)
    collector.take(batch_of([events_frame(0, START_TICKS + 100, (0, 8, 1))]))
    assert snapshot_from_events(IDENTITY, IMAGE, collector, SETTINGS, 1) is None
