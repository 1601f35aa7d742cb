"""What cannot be in a sweep from a file, each bound from both sides."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.decode.consistent import MOST_TICKS
from plexor.protocol.memory import ResponseClass
from plexor.sweep.consistent import contradictions_of, of_step
from plexor.sweep.model import Bracket

from ..sweeps import figures, knee, result, step, swept

GOOD = step("none", 40_000, figures("IST"), figures("APP"))


def wrong_step(**changes):
    """Return what is wrong with a changed step; empty where nothing is."""
    return next(of_step(replace(GOOD, **changes)), "")


def wrong(found):
    try:
        return next(contradictions_of(found), "")
    except ValueError as error:
        return str(error)


def test_nothing_is_wrong_with_a_sweep_that_was_taken():
    assert wrong(swept({"none": 100_000, "cpu": 40_000}, directions=("", "up", "down"))) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tick_fs": (1 << 32) - 1}, ""),
        ({"tick_fs": 1 << 32}, "tick: 4294967296 fs"),
        ({"tick_fs": 0}, "tick: 0 fs"),
        ({"rate_hz": Fraction(0)}, "rate: must be above 0"),
        ({"direction": "rest"}, ""),
        ({"direction": "sideways"}, "direction: 'sideways'"),
        ({"strikes": 0}, ""),
        ({"strikes": -1}, "-1 strikes"),
        ({"strikes": MOST_TICKS}, f"{MOST_TICKS} strikes"),
        ({"recovery_s": 0.0}, ""),
        ({"recovery_s": -0.1}, "recovery: -0.1 s"),
        ({"ends_hz": Fraction(39_999)}, ""),
        ({"ends_hz": Fraction(40_000)}, "the instrument ends at 40000 Hz"),
        ({"ends_hz": Fraction(0)}, "the instrument ends at 0 Hz"),
        ({"for_channel": "APP"}, ""),
        ({"for_channel": "TASK"}, "for 'TASK'; must be different and include it"),
        ({"channels": (figures("IST"), figures("IST"))}, "channels ['IST', 'IST']"),
    ],
)
def test_a_step_that_cannot_be_is_told_with_its_load_and_rate(changes, says):
    found = wrong_step(**changes)
    assert says in found
    assert bool(found) == bool(says)
    if found and "rate_hz" not in changes:
        assert found.startswith("'none' at 40000 Hz: ")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"strikes": 999}, "999 strikes, 1000 answered, late or missed; both must be equal"),
        ({"min_ticks": -(MOST_TICKS - 1), "max_ticks": None}, ""),
        ({"min_ticks": -MOST_TICKS, "max_ticks": None}, "must be below"),
        ({"min_ticks": 3000, "max_ticks": 2999}, "peak-to-peak: -1 ticks"),
        ({"rms_ticks": -0.5}, "rms: -0.5 ticks"),
        ({"jitter128_ticks": -1}, "jitter128: -1 ticks"),
        ({"behind": 0}, ""),
        ({"behind": -1}, "behind by -1 strikes"),
    ],
)
def test_figures_that_cannot_be_are_told_with_their_channel(changes, says):
    found = wrong_step(channels=(replace(figures("IST"), **changes),))
    assert says in found
    assert bool(found) == bool(says)
    if found:
        assert found.startswith("'none' at 40000 Hz: 'IST': ")


def test_a_class_below_0_is_told_though_the_sum_is_right():
    classes = figures("IST").classes | {ResponseClass.ANSWERED: 1001, ResponseClass.LATE: -1}
    found = wrong_step(channels=(replace(figures("IST"), classes=classes),))
    assert "must be 0 or more" in found


SWEEP = result([GOOD], [knee("none", "IST", 20_000, 40_000)])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"low_hz": Fraction(0)}, "from 0 to 200000 Hz; must rise and be above 0"),
        ({"high_hz": Fraction(20_000)}, "from 20000 to 20000 Hz"),
        ({"width": Fraction(0)}, "width: 0; must be above 0"),
        ({"tick_fs": 999}, "steps with other ticks than 999 fs"),
        ({"criteria": ("missed<1",)}, "missed<1"),
        ({"low_hz": Fraction(40_001)}, "a step outside of 40001 to 200000 Hz"),
        ({"low_hz": Fraction(40_000)}, "a rate outside of 40000 to 200000 Hz"),
        ({"knees": ()}, "no knees"),
        ({"knees": SWEEP.knees * 2}, "two knees of one channel under one load"),
        ({"knees": (replace(SWEEP.knees[0], strikes=-1),)}, "-1 strikes"),
        ({"knees": (knee("none", "TASK", 20_000, 40_000),)}, "no such channel at 40000 Hz"),
        ({"knees": (knee("cpu", "TASK", 20_000, 40_000),)}, ""),
    ],
)
def test_a_sweep_that_cannot_be_is_told(changes, says):
    found = wrong(replace(SWEEP, **changes))
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
        found = wrong(replace(SWEEP, knees=(replace(SWEEP.knees[0], **{place: planted}),)))
        assert says in found
        assert bool(found) == bool(says)


def test_rates_between_and_above_are_inside_of_the_sweep_too():
    for place in ("undecided_hz", "passing_above_hz"):
        planted = replace(SWEEP.knees[0].bracket, **{place: (Fraction(200_001),)})
        found = wrong(replace(SWEEP, knees=(replace(SWEEP.knees[0], bracket=planted),)))
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
