# SPDX-License-Identifier: Apache-2.0
"""What cannot be in a sweep from a file, each bound from both sides."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.constraints import MOST_TICKS
from plexor.documents import Document
from plexor.experiments.step import RateStep, of_step
from plexor.protocol.memory import ResponseClass
from plexor.sweep.model import Bracket
from plexor.sweep.store import SWEEP

from .. import documented
from ..sweeps import figures, knee, result, step, swept

STEP = Document("step", 1, RateStep, of_step)
GOOD = step("none", 40_000, figures("IST"), figures("APP"))


def wrong_step(**changes):
    """Return what is wrong with a changed step; empty where nothing is."""
    return documented.wrong(STEP, replace(GOOD, **changes))


def wrong(found):
    return documented.wrong(SWEEP, found)


def test_nothing_is_wrong_with_a_sweep_that_was_taken():
    assert wrong(swept({"none": 100_000, "cpu": 40_000}, directions=("", "up", "down"))) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tick_fs": (1 << 32) - 1}, ""),
        ({"tick_fs": 1 << 32}, "tick_fs: 4294967296; must be 1 to 4294967295"),
        ({"tick_fs": 0}, "tick_fs: 0; must be 1 to"),
        ({"rate_hz": Fraction(0)}, "rate_hz: 0; must be above 0"),
        ({"direction": "rest"}, ""),
        ({"direction": "sideways"}, "direction: 'sideways'"),
        ({"strikes": 0}, ""),
        ({"strikes": -1}, "strikes: -1; must be 0 or more"),
        ({"strikes": MOST_TICKS}, f"strikes: {MOST_TICKS}; must be 0 or more, below"),
        ({"recovery_s": 0.0}, ""),
        ({"recovery_s": -0.1}, "recovery_s: -0.1; must be 0 or more"),
        ({"ends_hz": Fraction(39_999)}, ""),
        ({"ends_hz": Fraction(40_000)}, "the instrument ends at 40000 Hz"),
        ({"ends_hz": Fraction(0)}, "ends_hz: 0; must be above 0"),
        ({"for_channel": "APP"}, ""),
        ({"for_channel": "TASK"}, "for 'TASK'; must be different and include it"),
        ({"channels": (figures("IST"), figures("IST"))}, "channels ['IST', 'IST']"),
    ],
)
def test_a_step_that_cannot_be_is_told_with_its_load_and_rate(changes, says):
    found = wrong_step(**changes)
    assert says in found
    assert bool(found) == bool(says)
    assert not found or found.startswith((*changes, "'none' at 40000 Hz: "))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"strikes": 999}, "999 strikes, 1000 answered, late or missed; both must be equal"),
        ({"min_ticks": -(MOST_TICKS - 1), "max_ticks": None}, ""),
        ({"min_ticks": -MOST_TICKS, "max_ticks": None}, "min_ticks: "),
        ({"min_ticks": 3000, "max_ticks": 2999}, "from 3000 to 2999 ticks; must rise"),
        ({"rms_ticks": -0.5}, "rms_ticks: -0.5; must be 0 or more"),
        ({"jitter128_ticks": -1}, "jitter128_ticks: -1; must be 0 or more"),
        ({"behind": 0}, ""),
        ({"behind": -1}, "behind: -1; must be 0 or more"),
    ],
)
def test_figures_that_cannot_be_are_told_with_their_channel(changes, says):
    found = wrong_step(channels=(replace(figures("IST"), **changes),))
    assert says in found
    assert bool(found) == bool(says)
    if found:
        assert found.startswith(("channels[0].", "'none' at 40000 Hz: 'IST': "))


def test_a_class_below_0_is_told_though_the_sum_is_right():
    classes = figures("IST").classes | {ResponseClass.ANSWERED: 1001, ResponseClass.LATE: -1}
    found = wrong_step(channels=(replace(figures("IST"), classes=classes),))
    assert "must be 0 or more" in found


TAKEN = result([GOOD], [knee("none", "IST", 20_000, 40_000)])


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
