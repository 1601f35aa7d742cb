# SPDX-License-Identifier: Apache-2.0
"""Events of a capture: in order of time, strikes first; what is left out is said."""

from dataclasses import replace

import numpy as np

from plexor.files.imports.edges import UNKNOWN, edges_of
from plexor.files.imports.events import edges_to, events_of, gaps_of, unordered
from plexor.files.imports.signals import ChannelSignal, ImportRules, StrikeSignal
from plexor.files.imports.timing import timing_of

from .test_timing import capture

NAMES = {name: name for name in "abs"}


def events(signals, wanted):
    """Return events of signals, given as (time, level) with the first at the start."""
    found = capture(1)
    for name, values in signals.items():
        times, levels = zip(*values, strict=True)
        found.edges[name] = edges_of(np.array(times, np.int64), np.array(levels, np.uint8))
    rows, left_out = events_of(found, timing_of("a", found), wanted, NAMES)
    return [tuple(row) for row in rows.tolist()], left_out


TWO = ImportRules(
    strikes=(StrikeSignal("s"),),
    channels=(ChannelSignal("A", "a"), ChannelSignal("B", "b", invert=True)),
)


def test_events_of_one_time_are_in_the_order_of_an_instrument():
    rows, left_out = events(
        {"b": [(0, 1), (5, 0), (9, 1)], "a": [(0, 0), (5, 1)], "s": [(0, 0), (5, 1), (7, 0)]}, TWO
    )
    assert rows == [(5, 0, 8, 1), (5, 1, 0, 1), (5, 2, 1, 1), (7, 3, 8, 0), (9, 4, 1, 0)]
    assert left_out == ()


def test_the_end_of_a_strike_from_before_is_left_out_and_said():
    rows, left_out = events(
        {"s": [(0, 1), (4, 0), (7, 1)], "a": [(0, 1), (5, 0)], "b": [(0, 1)]}, TWO
    )
    assert rows == [(5, 0, 0, 0), (7, 1, 8, 1)]
    assert left_out == ("s: left out the end of a strike from before the start",)


def test_a_first_value_that_may_be_an_edge_is_said_and_left_out():
    found = capture(1)
    values = {"s": [(3, 1), (6, 0), (9, 1)], "a": [(4, 0), (5, 1)], "b": [(4, 0), (8, 1)]}
    for name, listed in values.items():
        times, levels = zip(*listed, strict=True)
        edges = edges_of(np.array(times, np.int64), np.array(levels, np.uint8))
        found.edges[name] = replace(edges, first_value=listed[0])
    rows, left_out = events_of(found, timing_of("a", found), TWO, NAMES)
    # A first value that is not active, such as a's, is no edge that counts.
    assert rows.tolist() == [(5, 0, 0, 1), (8, 1, 1, 0), (9, 2, 8, 1)]
    assert left_out == (
        "s: its level before 3 ns is not known; left out an edge there",
        "b: its level before 4 ns is not known; left out an edge there",
    )


def test_changes_of_no_length_are_left_out_and_counted():
    values = [(0, 0), (5, 1), (5, 0), (7, 1)]
    rows, left_out = events({"s": [(0, 0)], "a": values, "b": [(0, 1)]}, TWO)
    assert rows == [(7, 0, 0, 1)]
    assert left_out == ("a: left out a change that lasted no time",)


def test_responses_at_the_time_of_their_strike_are_counted():
    signals = {
        "s": [(0, 0), (5, 1), (6, 0), (20, 1)],
        "a": [(0, 0), (5, 1), (6, 0), (9, 1), (20, 0)],
        "b": [(0, 1), (6, 0), (9, 1), (20, 0)],
    }
    found = capture(1)
    for name, values in signals.items():
        times, levels = zip(*values, strict=True)
        found.edges[name] = edges_of(np.array(times, np.int64), np.array(levels, np.uint8))
    rows, _ = events_of(found, timing_of("a", found), TWO, NAMES)
    assert unordered(rows, "strike0", 0) == 1
    assert unordered(rows, "strike0", 1) == 1
    assert unordered(rows, "ch0.fall", 1) == 2
    assert unordered(rows, "strike3", 0) == 0
    assert edges_to(rows, "ch0").tolist() == [5, 9]


def test_each_edge_of_a_signal_that_toggles_is_an_answer():
    toggling = replace(TWO, channels=(ChannelSignal("A", "a", either=True),))
    strikes = [(0, 0), (3, 1), (4, 0), (7, 1), (8, 0)]
    rows, left_out = events({"s": strikes, "a": [(0, 1), (5, 0), (9, 1)]}, toggling)
    assert [row[0] for row in rows if row[2] == 0] == [5, 9]
    assert all(polarity == 1 for _, _, source, polarity in rows if source == 0)
    assert left_out == ()


def test_a_gap_within_another_signals_is_no_more_than_that():
    def dark(*spans):
        found = capture(1)
        for name, (first, last) in zip("ab", spans, strict=False):
            values = ((0, 0), (first, UNKNOWN), (last, 0))
            times, levels = zip(*values, strict=True)
            found.edges[name] = edges_of(np.array(times, np.int64), np.array(levels, np.uint8))
        return gaps_of(found, timing_of("a", found))

    assert len(dark((5, 20))) == 1
    assert dark((5, 20), (7, 10)) == dark((7, 10), (5, 20)) == dark((5, 20))
    assert dark((5, 9), (8, 20)) == dark((5, 20))
    assert dark((3, 5), (8, 20)) == (*dark((3, 5)), *dark((8, 20)))


def test_a_gap_takes_edges_from_its_first_tick_up_to_the_one_before_its_end():
    signals = {
        "s": [(0, 0), (4, 1), (5, 0), (19, 1), (20, 0)],
        "a": [(0, 0), (5, UNKNOWN), (20, 0), (21, 1)],
        "b": [(0, 1)],
    }
    rows, _ = events(signals, TWO)
    assert [row[0] for row in rows] == [4, 20, 21]
