"""When a step's figures are looked at, and how it goes on from there."""

import pytest

from plexor.sweep.decide import STAGES
from plexor.sweep.figures import LEAST_STRIKES
from plexor.sweep.job import looks_of


@pytest.mark.parametrize("first", [256, 368, 1023, 1024, 3688])
def test_each_stage_ends_after_twice_the_strikes_of_the_one_before(first):
    looks = looks_of(first, 1)
    assert looks[-STAGES:] == [(stage, first << stage) for stage in range(STAGES)]
    early = [(0, LEAST_STRIKES)] if first >= 1024 else []
    assert looks[:-STAGES] == early
    assert len(looks_of(first, first)) == STAGES
