# SPDX-License-Identifier: Apache-2.0
"""Values become edges: the last one of a time counts, and what is not known is a gap or a level."""

import numpy as np
import pytest

from plexor.files.imports.edges import LEVELS, UNKNOWN, edges_of
from plexor.files.imports.signals import Unknown


def edges(*values):
    times, levels = zip(*values, strict=True) if values else ((), ())
    found = edges_of(np.array(times, np.int64), np.array(levels, np.uint8))
    return list(zip(found.times.tolist(), found.levels.tolist(), strict=True)), found.brief


def test_the_first_value_is_no_edge_and_the_same_one_again_is_none():
    assert edges((0, 0), (5, 1), (6, 1), (9, 0)) == ([(5, 1), (9, 0)], 0)
    assert edges((3, 1), (9, 0)) == ([(9, 0)], 0)
    assert edges() == ([], 0)


def test_a_change_that_is_taken_back_at_once_is_counted():
    assert edges((0, 0), (5, 1), (5, 0), (7, 1)) == ([(7, 1)], 1)
    assert edges((0, 0), (5, 0), (5, 1)) == ([(5, 1)], 0)


def test_values_at_the_start_are_the_level_there():
    assert edges((0, 0), (0, 1), (4, 0)) == ([(4, 0)], 0)


def known(*values, unknown=Unknown.CUT, initial=None):
    times, levels = zip(*values, strict=True)
    found = edges_of(np.array(times, np.int64), np.array(levels, np.uint8), unknown, initial)
    return list(zip(found.times.tolist(), found.levels.tolist(), strict=True)), found.gaps


def test_a_value_that_is_told_again_at_its_time_is_no_change():
    assert edges((0, 0), (5, 1), (5, 1), (9, 0), (9, 0)) == ([(5, 1), (9, 0)], 0)


DARK = ((0, 0), (5, 1), (10, UNKNOWN), (12, UNKNOWN), (15, 0), (20, 1))


@pytest.mark.parametrize(
    ("unknown", "expected"),
    [
        (Unknown.CUT, ([(5, 1), (20, 1)], ((10, 15),))),
        (Unknown.HOLD, ([(5, 1), (15, 0), (20, 1)], ())),
        (Unknown.LOW, ([(5, 1), (10, 0), (20, 1)], ())),
        (Unknown.HIGH, ([(5, 1), (15, 0), (20, 1)], ())),
    ],
)
def test_what_is_not_known_is_a_gap_or_the_level_that_one_wants(unknown, expected):
    assert known(*DARK, unknown=unknown) == expected


@pytest.mark.parametrize(
    ("unknown", "expected"),
    [
        (Unknown.CUT, ([(9, 0)], ((0, 5),))),
        (Unknown.HOLD, ([(9, 0)], ())),
        (Unknown.LOW, ([(5, 1), (9, 0)], ())),
        (Unknown.HIGH, ([(9, 0)], ())),
    ],
)
def test_a_level_that_is_not_known_at_the_start_becomes_known_without_an_edge(unknown, expected):
    assert known((0, UNKNOWN), (5, 1), (9, 0), unknown=unknown) == expected


def test_what_is_not_known_at_the_end_is_a_gap_without_an_end():
    assert known((0, 0), (5, UNKNOWN)) == ([], ((5, None),))
    assert known((0, UNKNOWN)) == ([], ((0, None),))
    assert known((0, UNKNOWN), unknown=Unknown.HOLD) == ([], ())


def test_levels_are_those_of_ieee_1164():
    """IEEE Std 1164-1993, std_ulogic: U X 0 1 Z W L H -."""
    low, high = "0L", "1H"
    assert {c: LEVELS[c] for c in "UX01ZWLH-"} == {
        c: 0 if c in low else 1 if c in high else UNKNOWN for c in "UX01ZWLH-"
    }


@pytest.mark.parametrize(
    ("initial", "values", "first"),
    [
        (None, ((5, 1), (9, 0)), None),
        (1, ((5, 1), (9, 0)), None),
        (0, ((5, 1), (9, 0)), (5, 1)),
        (0, ((7, 0), (9, 1)), (7, 0)),
        (0, ((5, UNKNOWN), (9, 0)), None),
    ],
)
def test_the_first_value_is_told_where_nothing_says_what_the_level_was_before(
    initial, values, first
):
    times, levels = zip(*values, strict=True)
    found = edges_of(np.array(times), np.array(levels, np.uint8), initial=initial)
    assert found.first_value == first
    if first is None:
        return
    assert found.times.tolist() == [9]


def test_a_gap_ends_with_the_next_value_that_is_known():
    """It may be the last one of all."""
    assert known((0, 0), (5, UNKNOWN), (9, 1)) == ([], ((5, 9),))
    assert known((0, UNKNOWN), (5, 1), (7, UNKNOWN), (9, 0), (12, 1)) == (
        [(12, 1)],
        ((0, 5), (7, 9)),
    )
