# SPDX-License-Identifier: Apache-2.0
"""What a timeline says: cursors as a seed printed them, and tables that add up."""

from dataclasses import replace

import pytest

from plexor.base.units import format_ticks
from plexor.figures.codes.lanes import LaneState
from plexor.library.run import Run
from plexor.show.timeline import (
    cursor_lines,
    delta_text,
    instance_rows,
    interaction_rows,
    state_rows,
    summary,
)

from ..coded import coded_run
from ..library.explain.test_coded import NAMES

PLANTED = [(1000, 1, 0), (3000, 1, 3), (5000, 3, 3), (7000, 1, 0), (9000, 5, 0), (11_000, 1, 3),
           (15_000, 3, 3)]  # fmt: skip


@pytest.fixture(scope="module")
def view():
    return Run(coded_run(PLANTED, 20_000, NAMES)).timeline(cursors=("3us", "5us")).view


@pytest.mark.parametrize(
    ("ticks", "tick_fs", "text"),
    [
        (1_120_000, 10**6, ".001120 seconds (1120 µs)"),
        (2_240_000, 500_000, ".001120 seconds (1120 µs)"),
        (-1_120_000, 10**6, "-.001120 seconds (-1120 µs)"),
        (1_120_001, 10**6, ".001120001 seconds (1120.001 µs)"),
        (3, 500_000, ".000000001500 seconds (0.0015 µs)"),
        (1_500_000_000, 10**6, "1.500000 seconds (1500000 µs)"),
        (0, 10**6, ".000000 seconds (0 µs)"),
    ],
)
def test_the_time_between_cursors_is_exact_in_seconds_and_microseconds(ticks, tick_fs, text):
    assert delta_text(ticks, tick_fs) == text


def test_cursors_are_said_with_their_delta(view):
    assert cursor_lines(view) == ["cursors at 3 µs and 5 µs: delta .000002 seconds (2 µs)"]


def test_each_lane_has_a_row_of_states_and_one_of_instances(view):
    heads, rows = state_rows(view)
    assert heads == ["lane", "kind", "unknown", "running", "ready", "blocked"]
    assert [row[0][0] for row in rows] == ["task 0", "motor"]
    _, own = instance_rows(view)
    assert [(row[0][0], row[1][0], row[2][0]) for row in own] == [("motor", "1", "4 µs")]


def test_who_ran_after_whom_is_counted(view):
    _, rows = interaction_rows(view)
    assert [(row[0][0], row[1][0]) for row in rows] == [
        ("task 0 → motor", "2"),
        ("motor → task 0", "1"),
        ("task 0 inherits a priority", "1"),
    ]


def test_the_summary_says_that_it_is_simulated(view):
    assert "measured on" in summary(view) or "simulated" in summary(view)


def test_the_summary_begins_with_how_long_the_run_was(view):
    later = replace(view, lanes=replace(view.lanes, start_ticks=view.lanes.end_ticks - 4000))
    assert summary(later).split(" · ")[0] == format_ticks(4000, view.tick_fs)


def test_the_shares_of_a_lane_are_of_the_time_from_the_timelines_start_to_its_end(view):
    """Task 0 runs from 1 to 3, 7 to 9 and 9 to 11 µs, which is 6 of the 20 µs."""
    lanes = view.lanes
    assert (lanes.start_ticks, lanes.end_ticks) == (0, 20_000)
    for start, share in ((0, 20_000), (4000, 16_000)):
        later = replace(view, lanes=replace(lanes, start_ticks=start))
        for lane, row in zip(lanes.lanes, state_rows(later)[1], strict=True):
            for state, (_, told) in zip(state_rows(later)[0][2:], row[2:], strict=True):
                ticks = lane.time_in(LaneState(state))
                assert told == (f"{100 * ticks / share:.1f}%" if ticks else "")
