"""When a step's figures are looked at, and how it goes on from there."""

from fractions import Fraction

import pytest

from plexor.protocol.memory import ResponseClass
from plexor.sweep.criterion import Criterion, What
from plexor.sweep.decide import STAGES
from plexor.sweep.figures import LEAST_STRIKES
from plexor.sweep.job import likely, looks_of
from plexor.sweep.model import Figures


@pytest.mark.parametrize("first", [256, 368, 1023, 1024, 3688])
def test_each_stage_ends_after_twice_the_strikes_of_the_one_before(first):
    looks = looks_of(first, 1)
    assert looks[-STAGES:] == [(stage, first << stage) for stage in range(STAGES)]
    early = [(0, LEAST_STRIKES)] if first >= 1024 else []
    assert looks[:-STAGES] == early
    assert len(looks_of(first, first)) == STAGES


@pytest.mark.parametrize(
    ("missed", "due"),
    [
        ((0,), 512),
        # With the bounds of 2 % from 256 strikes on 3 of 512, 10 of 1024 and 25 of 2048 pass.
        ((1,), 512),
        ((2,), 1024),
        ((3,), 2048),
        # 80 of 4096 are neither few nor many enough.
        ((5,), 4096),
        # 107 of 4096 fail, 32 of 1024 and 19 of 512.
        ((7,), 4096),
        ((8,), 1024),
        ((10,), 512),
        ((3, 8), 2048),
    ],
)
def test_a_simulated_step_goes_on_to_where_all_verdicts_are_likely(missed, due):
    figures = [
        Figures(str(place), 256, dict.fromkeys(ResponseClass, 0) | {ResponseClass.MISSED: count})
        for place, count in enumerate(missed)
    ]
    criteria = (Criterion(What.MISSED, Fraction(2, 100)),)
    later = looks_of(256, 1)[1:]
    assert likely(later, figures, criteria, 256, 1) == [(s, n) for s, n in later if n >= due]
    assert likely([], figures, criteria, 256, 1) == []
