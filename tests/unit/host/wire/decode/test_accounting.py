# SPDX-License-Identifier: Apache-2.0
"""Where every event of a run went, by counters and streams made by hand."""

from dataclasses import replace

import pytest

from plexor.protocol.frames import (
    SOURCE_CODE,
    SOURCE_CODE_VALUE,
    EventFlag,
    Frame,
    FrameType,
)
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import Space
from plexor.wire.decode.accounting import account, account_partly
from plexor.wire.decode.batch import batch_of

from ...ended import dump, events_frame, image_of, started
from ...scenario import START_TICKS

CHANNEL, STRIKE = 0, 8
GEOMETRY = Geometry(channels=1, strikes=1, features=Feature.EVENTS | Feature.MATCH)
"""Its sources: strike0, ch0 and the load."""
END_TICKS = START_TICKS + 1000


def registers(generated, *, dropped=None, stream=1, geometry=GEOMETRY, more=(), **status):
    """Return an image: edges generated and dropped by source, and the run's status."""
    dropped = dropped or {}
    events = sum(generated.values())
    status = {
        "events": events,
        "upload_dropped": 0,
        "start_ticks": START_TICKS,
        "end_ticks": END_TICKS,
    } | status
    return image_of(
        ("control", 0, "stream", stream),
        *more,
        *(("status", 0, name, value) for name, value in status.items()),
        *(
            ("source", source, name, of.get(source, 0))
            for source in geometry.sources
            for name, of in (("generated", generated), ("dropped", dropped))
        ),
    )


def streamed(*times, geometry=GEOMETRY, index=0):
    """Return a collector of strikes' edges at times after the start."""
    collector = started(geometry)
    rows = [(time, STRIKE, 1 - n % 2) for n, time in enumerate(times)]
    if rows:
        collector.take(batch_of([events_frame(index, START_TICKS, *rows)]))
    return collector


def counted(collector, space, **by_place):
    """Add a dump of 64-bit counts: e for the entry of EDGES, d of UPLOAD_DROPS."""
    words = [0] * 2 * (36 if space == Space.EDGES else 18)
    size = len(collector.memories.counts(space))
    for place, value in by_place.items():
        words[2 * int(place[1:])] = value
    for frame in dump(space, 0, words[: 2 * size]):
        collector.take(frame)
    return collector


def test_what_came_was_dropped_or_lost_adds_up_to_what_was_generated():
    collector = streamed(1, 2, 3, 4, 5)
    counted(collector, Space.UPLOAD_DROPS, d8=2)
    image = registers({STRIKE: 10, CHANNEL: 1}, dropped={CHANNEL: 1}, upload_dropped=2)
    found = account(image, collector, (3, 1), {"crc": 4})
    assert (found.generated, found.received, found.dropped_on_chip) == (11, 5, 3)
    assert found.lost_on_link == 3
    assert (found.frames_received, found.frames_lost) == (3, 1)
    assert found.decode_faults == {"crc": 4}
    assert found.holds, found.contradictions
    strike = next(entry for entry in found.sources if entry.source == STRIKE)
    assert (strike.received, strike.upload_dropped, strike.lost) == (5, 2, 3)


def test_without_a_stream_what_was_counted_on_the_chip_is_what_came():
    collector = counted(streamed(), Space.EDGES, e16=3, e17=4, e0=1, e1=2)
    found = account(registers({STRIKE: 7, CHANNEL: 3}, stream=0), collector, (9, 0), {})
    assert (found.generated, found.received, found.lost_on_link) == (10, 10, 0)
    assert found.holds


@pytest.mark.parametrize(("generated", "believed"), [(250, True), (251, False)])
def test_one_lost_frame_explains_250_events_and_no_more(generated, believed):
    found = account(registers({STRIKE: generated}), streamed(), (5, 1), {})
    assert found.lost_on_link == generated
    assert found.holds == believed
    if not believed:
        assert found.contradictions == (
            "251 events are missing, but the 1 frame lost had at most 250",
        )


@pytest.mark.parametrize(
    ("times", "says"),
    [
        ((0, 999), None),
        ((0, 1000), "events from 5000 to 6000 ticks in a run from 5000 to before 6000 ticks"),
    ],
)
def test_the_runs_last_tick_holds_events_and_its_end_holds_none(times, says):
    found = account(registers({STRIKE: 2}), streamed(*times), (1, 0), {})
    assert found.contradictions == ((says,) if says else ())


def test_an_event_before_the_runs_first_tick_is_told():
    image = registers({STRIKE: 1}, start_ticks=START_TICKS + 8)
    found = account(image, streamed(7), (1, 0), {})
    assert found.contradictions == (
        "events from 5007 to 5007 ticks in a run from 5008 to before 6000 ticks",
    )


def test_each_counter_that_disagrees_with_another_is_named_with_both_values():
    collector = streamed(1, 2)
    counted(collector, Space.UPLOAD_DROPS, d8=1)
    counted(collector, Space.EDGES, e16=1, e17=1)
    image = registers({STRIKE: 4}, dropped={STRIKE: 1}, events=5, upload_dropped=2)
    assert account(image, collector, (1, 1), {}).contradictions == (
        "edges generated against events indexed: 4 against 5",
        "events dropped before the link, in all and by source: 2 against 1",
        "strike0: edges kept against edges merged: 3 against 2",
    )


def test_more_events_than_were_sent_are_told_and_nothing_is_lost():
    found = account(registers({STRIKE: 1}), streamed(1, 2, 3), (1, 0), {})
    assert found.contradictions == ("strike0: 2 more events arrived than were sent",)
    assert found.lost_on_link == 0


def test_events_of_a_source_that_the_build_has_not_are_told():
    collector = started(GEOMETRY)
    collector.take(batch_of([events_frame(0, START_TICKS, (1, STRIKE + 3, 1))]))
    found = account(registers({}, events=1), collector, (1, 0), {})
    assert "strike3: 1 event of a source that is not" in found.contradictions


def test_a_gap_of_more_events_than_were_dropped_is_told():
    collector = started(GEOMETRY)
    frame = events_frame(4, START_TICKS, (1, STRIKE, 1))
    gap = Frame(FrameType.EVENTS, EventFlag.GAP, 0, 0, 4, START_TICKS, frame.payload)
    collector.take(batch_of([gap]))
    image = registers({STRIKE: 5}, dropped={STRIKE: 3})
    found = account(image, collector, (1, 1), {})
    assert found.contradictions == ("the stream leaves out 4 events, but 3 were dropped",)


def test_a_build_without_indices_is_not_held_against_them():
    geometry = Geometry(channels=1, strikes=1, features=Feature.MATCH)
    image = registers({STRIKE: 6}, stream=0, geometry=geometry, events=0)
    collector = counted(started(geometry), Space.EDGES, e16=3, e17=3)
    found = account(image, collector, (1, 0), {})
    assert found.holds, found.contradictions
    assert found.received == 6


def test_a_run_whose_end_was_not_seen_is_accounted_for_up_to_its_last_event():
    found = account_partly(streamed(1, 2, 3, index=5), (2, 1), {})
    assert (found.generated, found.received, found.dropped_on_chip) == (8, 3, 5)
    assert found.contradictions == ("the end of the run was never seen",)
    assert not found.holds


def test_codes_that_are_not_to_be_sent_are_neither_generated_nor_lost():
    geometry = replace(GEOMETRY, code_bits=8, features=GEOMETRY.features | Feature.CODES)
    # Of ten codes three are masked, one dropped and two not received, each with its value.
    image = registers(
        {STRIKE: 1, SOURCE_CODE: 10, SOURCE_CODE_VALUE: 10},
        dropped={SOURCE_CODE: 1, SOURCE_CODE_VALUE: 1},
        geometry=geometry,
        events=15,
        masked=3,
    )
    collector = streamed(1, geometry=geometry)
    code = [(9, SOURCE_CODE, 1), (0, SOURCE_CODE_VALUE, 1)]
    collector.take(batch_of([events_frame(1, START_TICKS, *code * 4)]))
    found = account(image, collector, (2, 1), {})
    assert found.contradictions == ()
    assert (found.generated, found.received, found.dropped_on_chip) == (15, 9, 2)
    assert (found.lost_on_link, found.masked, found.holds) == (4, 3, True)
    codes = {entry.source: entry for entry in found.sources}[SOURCE_CODE]
    assert (codes.generated, codes.received, codes.dropped, codes.lost) == (7, 4, 1, 2)


def test_without_a_stream_the_codes_that_came_are_those_neither_dropped_nor_masked():
    geometry = replace(GEOMETRY, code_bits=8, features=GEOMETRY.features | Feature.CODES)
    generated = {SOURCE_CODE: 10, SOURCE_CODE_VALUE: 10}
    image = registers(generated, geometry=geometry, stream=0, events=14, masked=3)
    found = account(image, started(geometry), (0, 0), {})
    assert (found.generated, found.received, found.holds) == (14, 14, True)


def test_a_gap_in_the_stream_that_no_frame_marks_is_told():
    collector = started(GEOMETRY)
    frame = events_frame(4, START_TICKS, (1, STRIKE, 1))
    collector.take(batch_of([frame]))
    image = registers({STRIKE: 5}, dropped={STRIKE: 4})
    found = account(image, collector, (1, 1), {})
    assert found.contradictions == ("1 gaps in the stream are not marked",)


LONG = replace(
    GEOMETRY, channels=3, features=GEOMETRY.features | Feature.FILTER | Feature.LONG_FILTER
)
"""Channels 0 and 2 have long filters."""


def filtered(generated, removed, events, edges=None, long=(200, 0, 300), **more):
    """Return the accounting of a run in dump mode with long filters, of the ticks of `long`."""
    places = [("long_filter", number, "ticks", ticks) for number, ticks in enumerate(long)]
    places.append(("long_filter_status", 0, "removed", removed))
    image = registers(generated, stream=0, geometry=LONG, more=places, events=events, **more)
    collector = started(LONG)
    if edges is not None:
        counted(collector, Space.EDGES, **edges)
    return account(image, collector, (1, 0), {})


def test_edges_that_long_filters_removed_are_not_generated_and_told_apart():
    generated, edges = (
        {0: 10, 1: 4, 2: 7, STRIKE: 2},
        {"e0": 3, "e1": 2, "e3": 4, "e4": 7, "e16": 2},
    )
    found = filtered(generated, 4, 19, edges, dropped={0: 1})
    assert found.contradictions == ()
    assert (found.generated, found.received, found.dropped_on_chip) == (19, 18, 1)
    assert (found.filtered, found.holds) == (4, True)
    assert [source.generated for source in found.sources[:3]] == [6, 4, 7]


@pytest.mark.parametrize(
    ("removed", "events", "edges", "says"),
    [
        (5, 19, {}, "edges that filters removed, in all and by source: 5 against 4"),
        (4, 20, {}, "edges generated against events indexed: 19 against 20"),
        # A channel without a long filter loses none.
        (4, 19, {"e3": 3}, "ch1: edges kept against edges merged: 4 against 3"),
    ],
)
def test_filtered_edges_that_do_not_add_up_are_told(removed, events, edges, says):
    generated = {0: 10, 1: 4, 2: 7, STRIKE: 2}
    known = {"e0": 3, "e1": 2, "e3": 4, "e4": 7, "e16": 2} | edges
    assert says in filtered(generated, removed, events, known, dropped={0: 1}).contradictions


@pytest.mark.parametrize("long", [(200, 0, 300), (200, 0, 0)])
def test_without_counts_of_edges_what_was_removed_is_known_in_all(long):
    generated = {0: 10, 1: 4, 2: 7, STRIKE: 2}
    assert filtered(generated, 4, 19, long=long).generated == 19


def test_without_counts_on_the_chip_a_drop_has_a_source_and_a_loss_has_none():
    """The chip numbers all events, and says of each source what it dropped in any FIFO."""
    geometry = replace(GEOMETRY, features=Feature.EVENTS)
    collector = streamed(1, 2, 3, 4, 5, geometry=geometry)
    image = registers({}, dropped={CHANNEL: 2, STRIKE: 1}, geometry=geometry, events=9)
    found = account(image, collector, (3, 1), {})
    assert (found.generated, found.received, found.dropped_on_chip) == (9, 5, 3)
    assert (found.lost_on_link, found.holds) == (1, True)
    by_source = {entry.source: (entry.generated, entry.received) for entry in found.sources}
    assert (by_source[STRIKE], by_source[CHANNEL]) == ((6, 5), (2, 0))
