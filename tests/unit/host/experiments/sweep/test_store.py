# SPDX-License-Identifier: Apache-2.0
"""What cannot be in a sweep from a file, each bound from both sides."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.experiments.sweep.model import Bracket
from plexor.experiments.sweep.store import SWEEP

from ... import documented
from ...sweeps import figures, knee, result, step, swept

STEP = step("none", 40_000, figures("IST"), figures("APP"))
TAKEN = result([STEP], [knee("none", "IST", 20_000, 40_000)])


def wrong(found):
    return documented.wrong(SWEEP, found)


def test_nothing_is_wrong_with_a_sweep_that_was_taken():
    assert wrong(swept({"none": 100_000, "cpu": 40_000}, directions=("", "up", "down"))) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"low_hz": Fraction(0)}, "low_hz: 0; must be above 0"),
        ({"high_hz": Fraction(20_000)}, "from 20000 to 20000 Hz"),
        ({"width": Fraction(0)}, "width: 0; must be above 0"),
        ({"tick_fs": 999}, "steps with other ticks than 999 fs"),
        ({"criteria": ("missed<1",)}, "missed<1"),
        ({"low_hz": Fraction(40_001)}, "a step outside of 40001 to 200000 Hz"),
        ({"low_hz": Fraction(40_000)}, "a rate outside of 40000 to 200000 Hz"),
        ({"knees": ()}, "no knees"),
        ({"knees": TAKEN.knees * 2}, "two knees of one channel under one load"),
        ({"knees": (replace(TAKEN.knees[0], strikes=-1),)}, "knees[0].strikes: -1; must be 0"),
        ({"knees": (knee("none", "TASK", 20_000, 40_000),)}, "no such channel at 40000 Hz"),
        ({"knees": (knee("cpu", "TASK", 20_000, 40_000),)}, ""),
    ],
)
def test_a_sweep_that_cannot_be_is_told(changes, says):
    found = wrong(replace(TAKEN, **changes))
    assert says in found
    assert bool(found) == bool(says)


@pytest.mark.parametrize(
    ("bracket", "says"),
    [
        ((20_000, 200_000), ""),
        ((19_999, 40_000), "a rate outside of 20000 to 200000 Hz"),
        ((30_000, 30_000), "passes 30000 Hz and fails 30000 Hz; must fail above"),
        ((40_000, 30_000), "passes 40000 Hz and fails 30000 Hz"),
        ((None, None), ""),
    ],
)
def test_brackets_of_the_search_and_of_both_scans_are_looked_at(bracket, says):
    planted = Bracket(*(None if end is None else Fraction(end) for end in bracket))
    for place in ("bracket", "up", "down"):
        found = wrong(replace(TAKEN, knees=(replace(TAKEN.knees[0], **{place: planted}),)))
        assert says in found
        assert bool(found) == bool(says)


def test_rates_between_and_above_are_inside_of_the_sweep_too():
    for place in ("undecided_hz", "passing_above_hz"):
        planted = replace(TAKEN.knees[0].bracket, **{place: (Fraction(200_001),)})
        found = wrong(replace(TAKEN, knees=(replace(TAKEN.knees[0], bracket=planted),)))
        assert "a rate outside of" in found


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ((30_000, None, 30_000), ""),
        ((30_000, None, 40_000), ""),
        ((None, None, 40_000), ""),
        ((30_000, None, 29_000), "the instrument ends at 29000 Hz"),
        ((30_000, 40_000, 50_000), "the instrument ends at 50000 Hz"),
        ((30_000, None, 300_000), "a rate outside"),
    ],
)
def test_an_end_of_the_instrument_is_above_what_passes_and_below_it_nothing_fails(ends, says):
    passing, failing, instrument = ends
    own = knee("none", "IST", passing, failing, instrument_hz=Fraction(instrument))
    text = wrong(result([step("none", 30_000, figures("IST"))], [own]))
    assert (says in text) if says else text == ""
