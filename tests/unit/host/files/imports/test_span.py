# SPDX-License-Identifier: Apache-2.0
"""A part of a capture: what lies in it, by the times of its file."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.files.imports.edges import SignalEdges
from plexor.files.imports.span import within

from .test_timing import capture

NS = Fraction(1, 10**9)


def taken(start, end, **edges):
    """Return the part of a capture with edges at 10, 20 and 30 ns; it lasts from 5 to 40 ns."""
    own = SignalEdges(np.array([10, 20, 30], np.int64), np.array([1, 0, 1], np.uint8), **edges)
    whole = replace(capture(start=5, end=40), edges={"a": own})
    return within("a.x", whole, start and start * NS, end and end * NS)


@pytest.mark.parametrize(
    ("start", "end", "times", "span"),
    [
        (None, None, [10, 20, 30], (5, 40)),
        (15, None, [20, 30], (15, 40)),
        (None, 20, [10, 20], (5, 20)),
        (1, 99, [10, 20, 30], (5, 40)),
        (Fraction(191, 10), Fraction(219, 10), [20], (20, 21)),
    ],
)
def test_edges_within_it_are_kept(start, end, times, span):
    part = taken(start, end)
    assert part.edges["a"].times.tolist() == times
    assert (part.start, part.end) == span


def test_gaps_and_first_values_are_those_within_it():
    part = taken(15, 35, gaps=((6, 8), (12, 18), (32, None)), first_value=(10, 1))
    assert part.edges["a"].gaps == ((15, 18), (32, None))
    assert part.edges["a"].first_value is None
    assert taken(8, 35, first_value=(10, 1)).edges["a"].first_value == (10, 1)


@pytest.mark.parametrize(
    ("start", "end", "gaps"),
    [
        (15, 35, ((16, 19), (26, 34))),
        (17, 33, ((17, 19), (26, 33))),
        (19, 26, ()),
        (18, 27, ((18, 19), (26, 27))),
    ],
)
def test_a_gap_between_windows_that_is_cut_stays_one(start, end, gaps):
    """What is open where it begins is pending, and not missed."""
    whole = replace(capture(start=5, end=40), gaps=((16, 19), (26, 34)))
    assert within("a.x", whole, start * NS, end * NS).gaps == gaps


@pytest.mark.parametrize(("start", "end"), [(40, None), (None, 5), (50, 60)])
def test_a_part_that_holds_nothing_is_refused_with_what_there_is(start, end):
    with pytest.raises(UsageError, match=r"^a\.x: nothing .* it lasts from 5 ns to 40 ns$"):
        taken(start, end)
