# SPDX-License-Identifier: Apache-2.0
"""Steps from records: differences of running totals, and what cannot be."""

from plexor.model.results import Statistics
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import STEP, ResponseClass
from plexor.wire.decode.steps import steps_of

GEOMETRY = Geometry(channels=2)
BLANK = dict.fromkeys((field.name for field in STEP.fields), 0)
FIRST = BLANK | {
    "strikes": 10,
    "answered": 6,
    "late": 1,
    "missed": 1,
    "pending": 2,
    "count": 7,
    "sum_ticks": -70,
    "sum_sq_low_ticks2": (1 << 64) - 1,
    "min_ticks": -20,
    "max_ticks": 30,
    "end_ticks": 500,
}
SECOND = FIRST | {
    "strikes": 14,
    "answered": 11,
    "pending": 1,
    "count": 12,
    "sum_ticks": -20,
    "sum_sq_low_ticks2": 3,
    "sum_sq_high_ticks2": 1,
    "min_ticks": 5,
    "max_ticks": 15,
    "end_ticks": 900,
}
RECORDS = [[FIRST, BLANK | {"end_ticks": 500}], [SECOND, BLANK | {"end_ticks": 900}]]


def steps(records=RECORDS, geometry=GEOMETRY):
    return steps_of(geometry, records, {0: "isr", 1: "ch1"}, 100)


def test_a_step_has_what_grew_in_it():
    first, second = steps()
    assert [(s.number, s.start_ticks, s.end_ticks) for s in (first, second)] == [
        (0, 100, 500),
        (1, 500, 900),
    ]
    before, after = first.channels[0], second.channels[0]
    assert (before.name, before.strikes, before.pending_before, before.pending) == ("isr", 10, 0, 2)
    assert before.rise == Statistics(7, -70, (1 << 64) - 1, -20, 30)
    assert (after.strikes, after.pending_before, after.pending) == (4, 2, 1)
    assert after.classes[ResponseClass.ANSWERED] == 5
    assert after.classes[ResponseClass.MISSED] == 0
    assert after.rise == Statistics(5, 50, 4, 5, 15)
    assert first.channels[1].rise == Statistics(0, 0, 0, None, None)


def test_a_build_without_squares_has_none():
    found = steps(geometry=Geometry(channels=2, features=ALL_FEATURES & ~Feature.SUM_SQUARES))
    assert found[0].channels[0].rise.sum_sq_ticks2 is None
