# SPDX-License-Identifier: Apache-2.0
"""From events and codes to rows: ids of codes, times from the start, and what contradicts."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.model.code_array import CODE_DTYPE
from plexor.model.results import EVENT_DTYPE, Accounting
from plexor.protocol.geometry import Geometry
from plexor_lab.mixed.collect import contradictions, due_output, fired, id_of, joined, struck_in
from plexor_lab.mixed.model import Mode, Response, Served, Status

from ...runs import run
from .driven import CLOCK
from .lists import LIMITS, MS, STEP, listed

START = 10_000
RESULT, _ = run()
RESULT = replace(RESULT, start_ticks=START, end_ticks=START + 100 * STEP, invalid_reasons=())
# Each test plants the events; none are missing.
RESULT = replace(RESULT, accounting=Accounting(0, 0, 0, 0))
DUE_SOURCE = 8 + RESULT.identity.geometry.strikes - 1


def events(*rows):
    """Return events of (time from the start, source, polarity)."""
    made = [
        (START + time, index, source, level) for index, (time, source, level) in enumerate(rows)
    ]
    return np.array(made, EVENT_DTYPE)


def codes(*rows):
    """Return codes of (time from the start, value, torn)."""
    made = [
        (START + time, 2 * n, value, 0, torn, False) for n, (time, value, torn) in enumerate(rows)
    ]
    return np.array(made, CODE_DTYPE)


def test_ids_are_the_codes_from_16_on_with_or_without_the_toggled_bit():
    assert [id_of(code) for code in range(0x10, 0x20)] == [*range(16)]
    assert [id_of(code) for code in range(0x90, 0xA0)] == [*range(16)]
    others = [*range(0x10), *range(0x20, 0x90), *range(0xA0, 0x100)]
    assert {id_of(code) for code in others} == {None}


def test_a_torn_code_has_no_id_and_one_from_before_the_start_is_not_of_the_run():
    found = fired(codes((-5, 0x11, False), (7, 0x12, False), (9, 0x13, True)), START)
    assert found == [Response(7, 2), Response(9, None)]


def test_a_devices_codes_answer_the_entries():
    entries, due = listed(2)
    result = replace(
        RESULT,
        events=events(),
        codes=codes((due[0] + 3, 0x10, False), (due[1] - 2, 0x91, False)),
    )
    found = joined(result, Mode.MIXED, entries, due, LIMITS)
    assert [row.lateness_ticks for row in found.rows] == [3, -2]


def test_in_mode_normal_each_edge_of_the_load_output_answers_the_next_entry():
    entries, due = listed(2)
    result = replace(RESULT, events=events((due[0] + 3, 16, 1), (due[1] + MS + 1, 16, 0)))
    found = joined(result, Mode.NORMAL, entries, due, LIMITS)
    assert [row.status for row in found.rows] == [Status.DONE, Status.LATE]
    assert [row.lateness_ticks for row in found.rows] == [3, MS + 1]


def test_of_a_run_that_was_stopped_only_what_it_had_time_for_is_missed():
    entries, due = listed(4)
    lasted = due[1] + STEP
    result = replace(
        RESULT,
        events=events(),
        codes=codes((due[2] - 1, 0x12, False)),
        end_ticks=START + lasted,
        interrupted=True,
    )
    found = joined(result, Mode.MIXED, entries, due, LIMITS)
    assert [(row.number, row.status) for row in found.rows] == [
        (0, Status.MISSED),
        (1, Status.MISSED),
        (2, Status.EARLY),
    ]
    whole = joined(replace(result, interrupted=False), Mode.MIXED, entries, due, LIMITS)
    assert len(whole.rows) == 4


def test_what_a_device_fires_behind_the_last_entry_is_of_no_run_and_not_extra():
    entries, due = listed(4)
    went_on = [(time + 5, 0x10 + place, False) for place, time in enumerate(due[:3])]
    result = replace(RESULT, events=events(), codes=codes(*went_on, (due[2] + 9, 0x12, False)))
    found = joined(result, Mode.VERIFY, entries, due, LIMITS, 2)
    assert [row.lateness_ticks for row in found.rows] == [5, 5]
    # The second one of an id is extra as ever.
    assert found.extras == (Response(due[2] + 9, 2),)


def test_a_run_without_events_is_refused():
    with pytest.raises(ValueError, match="kept no events"):
        joined(replace(RESULT, events=None), Mode.MIXED, *listed(1), LIMITS)
    assert struck_in(replace(RESULT, events=None)) == 0


def told(steps, struck, served, **changes):
    rows = [(time, 8, 1) for time in steps] + [(time, DUE_SOURCE, 1) for time in struck]
    result = replace(RESULT, events=events(*sorted(rows)), **changes)
    return [*contradictions(result, CLOCK, [STEP, 3 * STEP, 4 * STEP], served)]


WELL = Served(3, 2, 1, 0, 0)


def test_the_due_output_is_the_last_one():
    assert due_output(Geometry(strikes=2)) == 1
    assert due_output(Geometry(strikes=4)) == 3


def test_steps_and_due_times_on_their_ticks_are_no_contradiction():
    assert told([STEP, 2 * STEP, 3 * STEP], [STEP, 4 * STEP], WELL) == []


@pytest.mark.parametrize(
    ("steps", "struck", "served", "says"),
    [
        ([STEP, 2 * STEP + 1], [STEP], WELL, f"step 2 came at {2 * STEP + 1}"),
        ([STEP], [STEP + 1], WELL, f"struck at {STEP + 1} ticks, when none was due"),
        ([STEP], [3 * STEP, 3 * STEP], WELL, f"struck at {3 * STEP} ticks"),
        ([STEP], [], Served(3, 1, 1, 0, 0), "3 entries were written"),
    ],
)
def test_a_step_or_a_due_time_off_its_tick_is_told(steps, struck, served, says):
    (text,) = told(steps, struck, served)
    assert says in text


def test_lost_events_are_told_and_nothing_else_is_concluded_from_them():
    books = replace(RESULT.accounting, received=RESULT.accounting.received - 1)
    (text,) = told([STEP + 1], [], WELL, accounting=books)
    assert "events were dropped or lost" in text


@pytest.mark.parametrize(("short_ticks", "missed"), [(0, 1), (1, 0)])
def test_an_entry_is_missed_if_its_time_out_ends_with_the_run_and_not_a_tick_behind_it(
    short_ticks, missed
):
    entries, due = listed(1)
    lasted = due[0] + LIMITS.timeout_ticks - short_ticks
    result = replace(
        RESULT, events=events(), codes=codes(), end_ticks=START + lasted, interrupted=True
    )
    found = joined(result, Mode.MIXED, entries, due, LIMITS)
    assert [row.status for row in found.rows] == [Status.MISSED] * missed
