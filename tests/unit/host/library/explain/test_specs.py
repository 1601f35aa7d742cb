# SPDX-License-Identifier: Apache-2.0
"""What explains a run is asked in times that are exact, or refused by its keyword."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.explain.specs import ProfileSpec, TimelineSpec, WhySpec


def test_times_are_texts_or_seconds_and_nothing_needs_to_be_said():
    assert WhySpec().over is None
    assert WhySpec(over="50us").over == Fraction(50, 10**6)
    asked = TimelineSpec(start=0, end="1.5ms", cursors=["1us", 0.5])
    assert (asked.start, asked.end) == (0, Fraction(3, 2000))
    assert asked.cursors == (Fraction(1, 10**6), Fraction(1, 2))
    assert TimelineSpec(**asked.keywords()) == asked
    assert (ProfileSpec().view, ProfileSpec().by, ProfileSpec().base) == ("top", "time", 0)


@pytest.mark.parametrize(
    ("spec", "given", "said"),
    [
        (WhySpec, {"over": "5"}, "over: '5'; must be a number with a unit"),
        (TimelineSpec, {"cursors": "soon"}, "cursors: 'soon'"),
        (ProfileSpec, {"view": "flame"}, "view: 'flame'; must be one of top, modules"),
        (ProfileSpec, {"by": "name"}, "by: 'name'; must be one of time, count"),
        (ProfileSpec, {"most": 0}, "most: '0'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_keyword(spec, given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        spec.of(given)
