# SPDX-License-Identifier: Apache-2.0
"""Windows of strikes that are masked by hand: their ends lie between strikes, to the tick."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.experiments.phase.chance import Chance, MaskedByChance
from plexor.experiments.phase.clusters import PhasedStrikes, PhaseScale, _single, clusters
from plexor.experiments.phase.fold import MISSED

SPAN, STEP, BASE = 1000, 10, 50
SCALE = PhaseScale(SPAN, SPAN // STEP, True, BASE, 4)


def struck(latency_of, each=1):
    """Return strikes at each step, `each` of them; None: missed, above BASE + 2: masked."""
    phase = np.repeat(np.arange(0, SPAN, STEP), each)
    found = [latency_of(int(p)) for p in phase]
    latency = np.array([MISSED if value is None else value for value in found], np.int64)
    masked = (latency == MISSED) | (latency > BASE + 2)
    return PhasedStrikes(phase, latency, masked, phase // STEP)


def windows(strikes, scale=SCALE):
    count = len(strikes.phase)
    laws = (MaskedByChance(count, int(flags.sum())) for flags in (strikes.masked, strikes.missed))
    return clusters(strikes, scale, Chance(*laws, 1))


def missed_from(low, high):
    return lambda phase: None if low <= phase <= high else BASE


def test_without_a_masked_strike_there_is_no_window():
    assert windows(struck(lambda phase: BASE)) == []


def test_where_every_strike_is_masked_phase_has_nothing_to_do_with_it():
    assert windows(struck(lambda phase: None)) == []


def test_a_window_of_missed_strikes_ends_in_the_middle_between_two_strikes():
    (window,) = windows(struck(missed_from(300, 390)))
    # Not masked at 290, masked from 300 on; masked at 390, not at 400.
    assert (window.start_ticks, window.start_error_ticks) == (295, 5)
    assert (window.end_ticks, window.end_error_ticks) == (395, 5)
    assert (window.strikes, window.masked, window.missed) == (10, 10, 10)
    assert (window.delay_ticks, window.waits_until_ticks, window.empty_phases) == (None, None, 0)


def test_a_window_of_delayed_strikes_ends_up_to_the_threshold_later():
    # Responses wait for phase 400: a strike at 396 would wait for less than the threshold.
    (window,) = windows(struck(lambda phase: BASE + (400 - phase if 300 <= phase < 400 else 0)))
    assert (window.start_ticks, window.start_error_ticks) == (295, 5)
    assert (window.end_ticks, window.end_error_ticks) == (397, 7)
    assert (window.delay_ticks, window.waits_until_ticks) == (100, 400)
    assert window.missed == 0


@pytest.mark.parametrize("first", [900, 950, 990])
def test_a_window_over_the_end_of_the_period_is_one(first):
    last = first + 90 - SPAN
    (window,) = windows(struck(lambda phase: None if phase >= first or phase <= last else BASE))
    assert (window.start_ticks, window.end_ticks) == (first - 5, first + 95)
    assert window.masked == 10


def test_without_a_period_a_window_ends_with_the_span():
    scale = replace(SCALE, cyclic=False)
    before, after = windows(struck(lambda p: None if p <= 90 or p >= 900 else BASE), scale)
    assert (before.start_ticks, before.end_ticks) == (0, 95)
    assert (after.start_ticks, after.end_ticks, after.end_error_ticks) == (895, 995, 5)


def test_without_a_period_no_delay_reaches_beyond_the_span():
    scale = replace(SCALE, cyclic=False)
    (window,) = windows(struck(lambda phase: BASE + (100 if phase >= 900 else 0)), scale)
    assert (window.end_ticks, window.end_error_ticks) == (995, 5)
    assert (window.delay_ticks, window.waits_until_ticks) == (100, None)


def test_windows_apart_are_told_apart_and_the_steps_between_are_not_theirs():
    gone = {*range(200, 300, 10), *range(600, 660, 10)}
    found = windows(struck(lambda phase: None if phase in gone else BASE))
    assert [(w.start_ticks, w.end_ticks, w.masked) for w in found] == [
        (195, 295, 10),
        (595, 655, 6),
    ]


def test_a_longer_window_is_less_of_chances_work():
    chances = [
        window.chance
        for high in (310, 340, 390)
        for window in windows(struck(missed_from(300, high)))
    ]
    assert len(chances) == 3
    assert chances[0] > chances[1] > chances[2]
    # Ten in a row of ten masked among a hundred: one place in all, times a hundred begins.
    assert chances[2] < 1e-8


def test_strikes_of_a_step_with_none_are_counted_as_an_empty_phase():
    strikes = struck(missed_from(300, 390))
    keep = strikes.phase != 350
    fewer = PhasedStrikes(
        *(getattr(strikes, n)[keep] for n in ("phase", "latency", "masked", "step"))
    )
    (window,) = windows(fewer)
    assert (window.empty_phases, window.strikes, window.masked) == (1, 9, 9)
    assert window.start_ticks == Fraction(295)


@pytest.mark.parametrize(
    ("masked", "chances"),
    [
        # Steps of two strikes. Step 1 begins a window, and step 3 ends it.
        ([0, 0, 0, 1, 1, 1, 1, 0, 0, 0], []),
        ([0, 0, 1, 0, 1, 1, 1, 0, 0, 0], [1]),
        ([0, 0, 0, 1, 1, 1, 0, 1, 0, 0], [3]),
        ([0, 0, 1, 0, 1, 1, 0, 1, 0, 0], [1, 3]),
        ([0, 0, 1, 1, 1, 1, 1, 1, 0, 0], []),
    ],
)
def test_a_single_masked_strike_apart_from_a_window_may_be_chances(masked, chances):
    flags = np.array(masked, bool)
    firsts, counts = np.arange(0, 10, 2), np.full(5, 2)
    held = flags.reshape(5, 2).sum(axis=1)
    found = _single(flags, firsts, counts, held > 0, held)
    assert np.flatnonzero(found).tolist() == chances
