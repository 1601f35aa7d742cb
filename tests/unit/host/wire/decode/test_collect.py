# SPDX-License-Identifier: Apache-2.0
"""What belongs to a run, of all that comes while it is taken."""

import struct

import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.protocol.frames import SOURCE_SHIFT, Frame, FrameType, LogCode
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.wire.decode import collect
from plexor.wire.decode.batch import batch_of
from plexor.wire.decode.collect import Collector

START_TICKS = (5 << 20) + 700
STRIKE = 8 << SOURCE_SHIFT


def started():
    return Frame(FrameType.LOG, 0, LogCode.STARTED, 0, 0, START_TICKS)


def events(index, base_ticks, *deltas):
    """An EVENTS frame; its deltas have the bits of a strike's fall."""
    words = struct.pack(f"<{len(deltas)}I", *(STRIKE | delta for delta in deltas))
    return Frame(FrameType.EVENTS, 0, 0, 0, index, base_ticks, words)


@pytest.mark.parametrize("index", [0, 70_002])
@pytest.mark.parametrize("together", [True, False])
def test_a_frame_of_the_run_before_that_follows_the_start_is_left_out(together, index):
    collector = Collector(Geometry())
    collector.take(started())
    base = 5 << 20
    before = events(index, base, 690, 699)
    own = [events(0, base, 700, 900), events(2, base + (1 << 20), 0)]
    collector.take(batch_of([before, *own] if together else [before]))
    if not together:
        collector.take(batch_of(own))
    assert collector.received_total == 3
    assert collector.event_array()["index"].tolist() == [0, 1, 2]
    assert (collector.gap_dropped, collector.disorder, collector.backwards) == (0, 0, 0)
    assert collector.first_ticks == START_TICKS


def test_a_frame_without_events_at_the_start_is_no_reason_to_fail():
    collector = Collector(Geometry())
    collector.take(started())
    collector.take(batch_of([events(0, 5 << 20), events(0, 5 << 20, 701)]))
    assert collector.received_total == 1


@pytest.mark.parametrize("index", [0, 70_002])
def test_early_events_that_no_start_follows_are_not_hidden(index):
    collector = Collector(Geometry())
    collector.take(started())
    collector.take(batch_of([events(index, 5 << 20, 690)]))
    collector.take(batch_of([events(index + 1, 5 << 20, 700)]))
    assert (collector.received_total, collector.first_ticks) == (2, (5 << 20) + 690)


def test_an_index_0_that_follows_events_of_the_run_hides_none_of_them():
    collector = Collector(Geometry())
    collector.take(started())
    collector.take(batch_of([events(0, 5 << 20, 700), events(0, 5 << 20, 710)]))
    assert (collector.received_total, collector.disorder) == (2, 1)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("lies", "backwards", "misplaced"),
    [
        ([(70_001, MOST_TICKS, 0)], 0, 1),
        ([(70_001, 5 << 20, 690, 680)], 1, 0),
        ([(70_001, 5 << 20, 710), (70_002, 5 << 20, 690)], 1, 0),
    ],
    ids=["far", "back in a frame", "back"],
)
def test_no_lie_about_times_is_forgotten_when_index_0_comes(lies, backwards, misplaced, together):
    collector = Collector(Geometry())
    collector.take(started())
    frames = [*(events(*lie) for lie in lies), events(0, 5 << 20, 700)]
    for batch in [batch_of(frames)] if together else [batch_of([frame]) for frame in frames]:
        collector.take(batch)
    assert (collector.backwards, collector.misplaced) == (backwards, misplaced)


def test_an_early_event_later_in_the_run_is_not_hidden():
    collector = Collector(Geometry())
    collector.take(started())
    collector.take(batch_of([events(0, 5 << 20, 700), events(1, 5 << 20, 3)]))
    assert (collector.received_total, collector.backwards) == (2, 1)


@pytest.mark.parametrize(("room_frames", "kept"), [(3, 12), (2.9, 8), (1, 4), (0.5, 0)])
def test_frames_are_kept_while_they_fit_and_the_later_ones_counted(monkeypatch, room_frames, kept):
    frames = [events(4 * n, 6 << 20, *range(10 * n, 10 * n + 4)) for n in range(5)]
    a_frame = batch_of(frames).size_bytes / len(frames)
    monkeypatch.setattr(collect, "MOST_KEPT_BYTES", int(room_frames * a_frame))
    collector = Collector(Geometry())
    collector.take(batch_of(frames))
    collector.take(batch_of([events(20, 6 << 20, 99)]))
    assert len(collector.event_array()) == kept
    assert collector.too_many
    assert collector.received_total == 21


def test_a_new_run_begins_with_nothing_lost_dropped_or_out_of_order():
    collector = Collector(Geometry())
    collector.take(started())
    collector.take(batch_of([events(7, 6 << 20, 1), events(3, 6 << 20, 2)]))
    assert collector.gap_dropped == 7
    assert collector.disorder == 1
    collector.reset()
    names = ("gap_dropped", "gap_lost", "disorder", "unmarked", "backwards", "misplaced")
    assert [getattr(collector, name) for name in names] == [0] * 6
    assert (collector.received_total, collector.next_index, collector.too_many) == (0, 0, False)


def trace(index, count, source=8):
    """A TRACE frame of so many events of a source."""
    words = struct.pack(f"<{count}I", *[source << SOURCE_SHIFT] * count)
    return Frame(FrameType.TRACE, 0, 0, 0, index, START_TICKS, words)


RING = Geometry(ring_depth=16)


@pytest.mark.parametrize(
    ("events_of_run", "traced", "whole"),
    [(5, 5, True), (5, 4, False), (16, 15, False), (16, 16, True), (40, 15, False), (40, 16, True)],
)
def test_the_ring_is_whole_with_all_events_of_a_short_run_or_as_many_as_it_holds(
    events_of_run, traced, whole
):
    collector = Collector(RING)
    collector.take(started())
    collector.take(batch_of([events(0, 6 << 20, *range(events_of_run))]))
    collector.take(trace(events_of_run - traced, traced))
    assert collector.has_ring_of(events_of_run) == whole
    assert not collector.has_ring_of(events_of_run + 1)


def test_a_ring_keeps_the_last_events_up_to_its_depth_and_a_frame_that_comes_again_once():
    collector = Collector(RING)
    collector.take(started())
    for index in (0, 8, 8, 16, 16):
        collector.take(trace(index, 8))
    assert (sorted(collector._trace), collector.trace_events) == ([8, 16], 16)
    collector.take(trace(24, 4))
    assert (sorted(collector._trace), collector.trace_events) == ([16, 24], 12)


def test_with_codes_a_ring_holds_a_code_and_its_value_in_a_slot():
    collector = Collector(
        Geometry(ring_depth=16, code_bits=8, features=ALL_FEATURES | Feature.CODES)
    )
    collector.take(started())
    for index in (0, 16, 32):
        collector.take(trace(index, 16))
    assert (sorted(collector._trace), collector.trace_events) == ([16, 32], 32)
