# SPDX-License-Identifier: Apache-2.0
"""Results that were kept: back as they were, or what contradicts itself is told."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.base.errors import StoreError
from plexor_lab.mixed import store
from plexor_lab.mixed.model import Heard, Mode, Response, Status
from plexor_lab.mixed.store import MIXED

from ...documented import wrong
from .lists import MS, result_of, run_of

RUN = replace(run_of([0, None, -5, MS + 1], extras=[Response(9, None)]), heard=Heard(7, 1, 2, 3))
RESULT = result_of(run_of([1, 2], Mode.VERIFY, None), RUN, interrupted=True)


def test_a_result_comes_back_as_it_was(tmp_path):
    document = store.MIXED.of(RESULT)
    (tmp_path / store.FILE).write_text(json.dumps(document))
    assert store.MIXED.read(tmp_path / store.FILE) == RESULT


def test_another_schema_is_refused(tmp_path):
    (tmp_path / store.FILE).write_text(
        json.dumps(store.MIXED.of(RESULT) | {"schema": "plexor.mixed/9"})
    )
    with pytest.raises(StoreError, match=r"version 9 of plexor\.mixed; this host reads 1; "):
        store.MIXED.read(tmp_path / store.FILE)


def test_nothing_is_told_of_a_result_that_was_taken():
    assert wrong(MIXED, RESULT) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tick_fs": 0}, "tick_fs: 0"),
        ({"spike_sds": Fraction(-1)}, "spike_sds: -1"),
        ({"runs": ()}, "no runs"),
        ({"runs": (RUN, RUN)}, "mixed-1: 2 runs; must be one"),
    ],
)
def test_what_no_result_has_is_told(changes, says):
    assert says in wrong(MIXED, replace(RESULT, **changes))


def told(run):
    return wrong(MIXED, replace(RESULT, runs=(run,)))


def of_row(**changes):
    first, *rest = RUN.rows
    return told(replace(RUN, rows=(replace(first, **changes), *rest)))


def test_a_status_must_follow_from_lateness_and_limits():
    assert "row 0: late; must be done" in of_row(status=Status.LATE)
    assert "row 0: done; must be missed" in of_row(measured_ticks=None)


def test_what_no_row_has_is_told():
    assert "event_id: -1; must be 0 or more" in of_row(event_id=-1)
    assert "due_step: 0; must be 1 or more" in of_row(due_step=0)
    assert "numbers of rows" in told(replace(RUN, rows=RUN.rows[::-1]))
    assert "must be at most 4" in told(
        replace(RUN, rows=(*RUN.rows, replace(RUN.rows[0], number=9)))
    )
    assert "served.past: -1; must be 0 or more" in told(
        replace(RUN, served=replace(RUN.served, past=-1))
    )
    far = (Response(MOST_TICKS, None),)
    assert "extras[0].time_ticks: " in told(replace(RUN, extras=far))
    row = replace(RUN.rows[0], due_ticks=-1, measured_ticks=-1)
    assert "rows[0].due_ticks: -1; must be 0 or more" in told(
        replace(RUN, rows=(row, *RUN.rows[1:]))
    )
