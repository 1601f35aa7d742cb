# SPDX-License-Identifier: Apache-2.0
"""Signals by name; values become edges, the last one of a time counts."""

import numpy as np
import pytest

from plexor.errors import UsageError
from plexor.imports.capture import edges_of, signal_in

NAMES = ["top.a", "top.sub.a", "top.sub.b", "c"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("c", "c"), ("b", "top.sub.b"), ("sub.a", "top.sub.a"), ("top.a", "top.a")],
)
def test_a_signal_is_found_by_its_whole_name_or_by_its_end(wanted, found, tmp_path):
    assert signal_in(tmp_path, NAMES, wanted) == found


def test_a_signal_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(UsageError, match=r"no signal 'x'; it has top\.a, top\.sub\.a, .*, c$"):
        signal_in(tmp_path / "a.vcd", NAMES, "x")
    with pytest.raises(UsageError, match=r"n19 and 30 more$"):
        signal_in(tmp_path, [f"n{number}" for number in range(50)], "x")
    with pytest.raises(UsageError, match="it has none"):
        signal_in(tmp_path, [], "x")


def test_a_name_of_two_signals_is_refused_with_both(tmp_path):
    with pytest.raises(UsageError, match=r"'a' is top\.a, top\.sub\.a; name one of them"):
        signal_in(tmp_path, NAMES, "a")


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
    assert edges((0, 0), (5, 0), (5, 1)) == ([(5, 1)], 1)


def test_values_at_the_start_are_the_level_there():
    assert edges((0, 0), (0, 1), (4, 0)) == ([(4, 0)], 0)
