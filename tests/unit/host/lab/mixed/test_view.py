# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a run: what comes next, and what came."""

from types import SimpleNamespace

from plexor_lab.mixed.drive import Looked, Plan
from plexor_lab.mixed.model import Mode
from plexor_lab.mixed.view import SHOWN, view_of

from .driven import CLOCK
from .lists import LIMITS, listed
from .test_collect import START, codes, events


def looked(mode, step, codes_of=(), events_of=(), started=START, ids=8):
    entries, due = listed(20)
    collector = SimpleNamespace(
        started_ticks=started,
        code_array=lambda: codes(*codes_of),
        event_array=lambda: events(*events_of),
    )
    plan = Plan(mode, entries, due, CLOCK, ids, 1)
    return Looked(plan, SimpleNamespace(collector=collector), CLOCK.at(step), step, 5)


def test_the_entries_to_come_and_the_last_results_are_shown_and_one_lamp_is_lit():
    fired = [(CLOCK.at(step) + step, 0x10 + (step - 1) % 8, False) for step in range(1, 12)]
    found = view_of(looked(Mode.MIXED, 11, fired), LIMITS)
    assert [entry.due_step for entry in found.next_entries] == [*range(12, 12 + SHOWN)]
    assert (found.waiting, found.issued, found.step) == (9, 5, 11)
    assert [row.due_step for row in found.results] == [*range(12 - SHOWN, 12)]
    assert [row.lateness_ticks for row in found.results] == [*range(12 - SHOWN, 12)]
    assert [*found.lamps] == [number == 2 for number in range(8)]


def test_what_belongs_to_no_entry_is_counted():
    found = view_of(looked(Mode.MIXED, 1, [(5, 0x1F, False)]), LIMITS)
    assert (found.extras, found.results) == (1, ())


def test_in_mode_normal_the_load_outputs_edges_are_shown():
    found = view_of(looked(Mode.NORMAL, 2, events_of=[(CLOCK.at(1) + 4, 16, 1)]), LIMITS)
    assert [row.lateness_ticks for row in found.results] == [4]


def test_before_the_start_nothing_came_and_no_lamp_is_lit():
    found = view_of(looked(Mode.MIXED, 0, [(5, 0x10, False)], started=None), LIMITS)
    assert (found.results, any(found.lamps)) == ((), False)


def test_there_is_a_lamp_for_each_id_and_eight_at_least():
    assert len(view_of(looked(Mode.MIXED, 0, ids=12), LIMITS).lamps) == 12
    assert len(view_of(looked(Mode.MIXED, 0, ids=2), LIMITS).lamps) == 8
