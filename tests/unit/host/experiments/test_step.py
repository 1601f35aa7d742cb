# SPDX-License-Identifier: Apache-2.0
"""What a step says of itself, and what cannot be in one from a file, each bound from both sides."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.base.documents import Document
from plexor.experiments.step import RateFigures, RateStep, of_step
from plexor.protocol.memory import ResponseClass

from .. import documented
from ..sweeps import figures, step

STEP = Document("step", 1, RateStep, of_step)
GOOD = step("none", 40_000, figures("IST"), figures("APP"))


def wrong_step(**changes):
    """Return what is wrong with a changed step; empty where nothing is."""
    return documented.wrong(STEP, replace(GOOD, **changes))


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


def test_the_missed_share_is_of_the_settled_strikes_and_0_of_none():
    assert figures("ISR", missed=250).missed_share == 0.25
    none = RateFigures("ISR", 0, dict.fromkeys(ResponseClass, 0))
    assert none.missed_share == 0.0
    assert none.grown(0).strikes == 0


def test_without_a_latency_there_is_no_span():
    assert figures("ISR", latency=2000, jitter=300).peak_to_peak_ticks == 300
    assert figures("ISR", missed=1000).peak_to_peak_ticks is None


def test_figures_grow_in_proportion_and_round_to_whole_strikes():
    grown = figures("ISR", missed=3).grown(2500)
    assert grown.strikes == 2500
    # 2500 / 1000 times 3 and 997: 7.5 and 2492.5, half to even.
    assert grown.classes[ResponseClass.MISSED] == 8
    assert grown.classes[ResponseClass.ANSWERED] == 2492


def test_a_channel_that_is_not_there_is_told_by_its_name():
    found = step("none", 1000, figures("ISR"), figures("APP"))
    assert isinstance(found, RateStep)
    assert found.of("APP").name == "APP"
    with pytest.raises(KeyError, match="TASK"):
        found.of("TASK")
