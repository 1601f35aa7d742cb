# SPDX-License-Identifier: Apache-2.0
"""Results: equal by their content, conserved by their classes, accounted for by their sources."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.model.codes import Codes, Port, Wires
from plexor.model.results import (
    LINK_DROPPED_MOST,
    MENDED_MOST,
    Accounting,
    Bins,
    Kind,
    SampleResult,
    SourceAccounting,
    Statistics,
    StepChannel,
    Zoom,
)
from plexor.model.settings import RegisterWrite
from plexor.protocol.memory import VALUE_MOST, ResponseClass


def test_a_counter_of_the_chip_stops_where_the_protocol_says():
    """docs/PROTOCOL.md: 255 bytes or more of a UART's, 65535 clocks or more with swaps."""
    assert (LINK_DROPPED_MOST, MENDED_MOST) == (255, 65_535)


def test_bins_are_equal_by_their_counts_and_the_type_of_these():
    one = Bins(4, np.array([1, 2], np.uint64))
    assert one == Bins(4, np.array([1, 2], np.uint64))
    assert one != Bins(4, np.array([1, 3], np.uint64))
    assert one != Bins(5, np.array([1, 2], np.uint64))
    assert one != Bins(4, np.array([1, 2], np.uint32))
    assert one != Bins(4, np.array([1], np.uint64))
    assert one != Zoom(4, np.array([1, 2], np.uint64))


def test_each_edge_and_strike_that_is_counted_is_in_the_books_once(run_of):
    (channel,) = run_of([[1000]]).channels
    classes = dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.STRIKES: 7 + 5 + 3 + 13 + 17,
        ResponseClass.ANSWERED: 7,
        ResponseClass.LATE: 5,
        ResponseClass.MISSED: 3,
        ResponseClass.DUPLICATE: 2,
        ResponseClass.SPURIOUS: 11,
    }
    whole = replace(
        channel,
        classes=classes,
        pending=13,
        unknown_strikes=17,
        unknown_edges=19,
        active_edges=7 + 5 + 2 + 11 + 19,
    )
    assert whole.conserved
    for name in ("pending", "unknown_strikes", "unknown_edges", "active_edges"):
        for step in (1, -1):
            assert not replace(whole, **{name: getattr(whole, name) + step}).conserved


def test_a_run_without_events_is_not_equal_to_one_with_them(run_of):
    run = run_of([[1000]])
    assert run == replace(run)
    assert run != replace(run, events=None)


@pytest.mark.parametrize("change", list(ResponseClass))
def test_a_strike_or_edge_in_no_class_or_in_two_is_seen(run_of, change):
    (channel,) = run_of([[1000, None, 1200]]).channels
    assert channel.conserved
    for step in (1, -1):
        classes = dict(channel.classes)
        classes[change] += step
        found = replace(channel, classes=classes)
        # Early and queue-full strikes are counted in another class as well.
        besides = change in (ResponseClass.EARLY, ResponseClass.QUEUE_FULL)
        assert found.conserved == besides
    assert not replace(channel, pending=1).conserved
    assert not replace(channel, active_edges=channel.active_edges + 1).conserved


@pytest.mark.parametrize(
    ("books", "holds"),
    [
        (Accounting(10, 7, 2, 1), True),
        (Accounting(10, 10, 0, 0), True),
        (Accounting(0, 0, 0, 0), True),
        (Accounting(10, 7, 2, 2), False),
        (Accounting(10, 13, -3, 0), False),
        (Accounting(10, 7, 2, 1, contradictions=("one against two",)), False),
    ],
)
def test_books_hold_where_nothing_is_missing_below_0_or_contradicted(books, holds):
    assert books.holds == holds


def test_what_was_sent_and_never_came_is_lost_and_never_less_than_none():
    assert SourceAccounting(0, 10, 2, 3, 4).lost == 1
    assert SourceAccounting(0, 10, 2, 3, 9).lost == 0


def test_edges_dropped_before_the_merge_are_those_of_all_sources():
    sources = (SourceAccounting(0, 10, 2, 3, 4), SourceAccounting(8, 10, 1, 0, 9))
    assert Accounting(20, 13, 6, 1, sources).dropped_before_merge == 3


@pytest.mark.parametrize(("edges", "strikes"), [(0, 0), (1, 1), (2, 1), (3, 2), (10, 5)])
def test_every_other_edge_of_an_output_is_a_strike_the_first_included(run_of, edges, strikes):
    sources = tuple(SourceAccounting(source, edges, 0, 0, edges) for source in (0, 8, 15, 16, 17))
    books = Accounting(5 * edges, 5 * edges, 0, 0, sources)
    assert replace(run_of([[1000]]), accounting=books).strikes == 2 * strikes


@pytest.mark.parametrize(
    ("kind", "most", "limit"),
    [
        (Kind.FALL, VALUE_MOST, VALUE_MOST),
        (Kind.WIDTH, VALUE_MOST, VALUE_MOST),
        (Kind.PERIOD, VALUE_MOST - 1, None),
        (Kind.PERIOD, None, None),
        (Kind.RISE, VALUE_MOST, None),
    ],
)
def test_a_sample_at_the_limit_may_be_greater_but_for_a_latency_of_a_rise(kind, most, limit):
    statistics = Statistics(0 if most is None else 1, most or 0, 0, most, most)
    found = SampleResult(kind, statistics, Bins(6, np.zeros(1, np.uint64)))
    assert found.limit_ticks == limit


@pytest.mark.parametrize(
    ("answered", "late", "missed", "before", "pending", "rises", "conserved"),
    [
        (5, 2, 3, 1, 1, 7, True),
        (5, 2, 3, 0, 0, 7, True),
        (5, 2, 3, 2, 1, 7, False),
        (5, 2, 4, 0, 0, 7, False),
        (5, 2, 3, 0, 0, 8, False),
    ],
)
def test_a_steps_strikes_are_each_in_one_class_and_its_latencies_are_of_responses(
    answered, late, missed, before, pending, rises, conserved
):
    classes = dict.fromkeys(ResponseClass, 0) | {
        ResponseClass.STRIKES: 10,
        ResponseClass.ANSWERED: answered,
        ResponseClass.LATE: late,
        ResponseClass.MISSED: missed,
    }
    rise = Statistics(rises, 0, 0, None, None)
    assert StepChannel(0, "ISR", classes, before, pending, rise).conserved == conserved


def test_events_are_whole_if_as_many_are_kept_as_came(run_of):
    run = run_of([[1000, 2000]])
    assert len(run.events) == run.accounting.received == 8
    assert run.whole_events is run.events
    assert replace(run, events=run.events[:-1]).whole_events is None
    assert replace(run, events=None).whole_events is None


@pytest.mark.parametrize(
    ("dropped", "reasons", "overrun"),
    [
        ((), (), False),
        ((0,), ("the clock was lost",), False),
        ((1,), ("ch0: 1 edge was dropped",), True),
        ((0, 2), ("ch1: 2 edges were dropped",), True),
        ((1, 2), ("ch0: 1 edge was dropped", "ch1: 2 edges were dropped"), True),
        ((1, 2), ("ch0: 1 edge was dropped",), False),
        ((1,), ("ch0: 1 edge was dropped", "the clock was lost"), False),
    ],
)
def test_a_run_is_overrun_if_dropped_edges_are_all_that_is_wrong(run_of, dropped, reasons, overrun):
    sources = tuple(SourceAccounting(n, 9, each, 0, 9 - each) for n, each in enumerate(dropped))
    books = replace(run_of([[1000]]).accounting, sources=sources)
    run = replace(run_of([[1000]]), accounting=books, invalid_reasons=reasons)
    assert (run.overrun, run.valid) == (overrun, not reasons)


def test_channels_with_codes_answer_no_strikes(run_of):
    run = run_of([[1000], [2000], [3000]])
    assert run.answering == run.channels
    for codes, answering in (
        (Codes(wires=Wires(clock=0, data=2)), [1]),
        (Codes(port=Port(strobe=1)), [0, 2]),
        (Codes(port=Port()), [0, 1, 2]),
    ):
        with_codes = replace(run, settings=replace(run.settings, codes=codes))
        assert [channel.number for channel in with_codes.answering] == answering


def test_sources_without_trailing_edges_are_those_of_the_mask_that_was_written_last(run_of):
    """A bit for each source: outputs are sources 8 to 15, so bit 8 is strike0."""
    run = run_of([[1000]])
    masks = [RegisterWrite("control", 0, "active_only", mask) for mask in (0b11, 0x101)]
    other = RegisterWrite("matcher", 0, "active_only", 0xFF)
    assert run.active_only == frozenset()
    assert replace(run, registers=(other, masks[0])).active_only == {0, 1}
    assert replace(run, registers=(*masks, other)).active_only == {0, 8}


def test_each_kind_of_sample_is_found_by_its_name(run_of):
    (channel,) = run_of([[1000, 1000]], widths=70).channels
    found = {kind: channel.measurement(kind) for kind in Kind}
    known = {kind: one.statistics.max_ticks for kind, one in found.items() if one is not None}
    assert known == {Kind.RISE: 1000, Kind.FALL: 1070, Kind.WIDTH: 70, Kind.PERIOD: 50_000}
    assert all(found[kind].kind == kind for kind in known)
    assert replace(channel, measurements=()).measurement(Kind.RISE) is None


@pytest.mark.parametrize(("on_link", "of_any"), [(0, 0), (2, 0), (3, 0), (4, 1), (9, 6)])
def test_lost_events_that_no_source_accounts_for_may_be_of_any(on_link, of_any):
    """Of the two sources 1 and 2 are lost."""
    sources = (SourceAccounting(0, 10, 2, 3, 4), SourceAccounting(8, 10, 1, 0, 7))
    assert [source.lost for source in sources] == [1, 2]
    assert Accounting(20, 11, 6, on_link, sources).lost_of_any == of_any
