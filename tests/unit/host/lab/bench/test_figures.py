# SPDX-License-Identifier: Apache-2.0
"""Figures of tests: exact, the base subtracted, first and clamped samples apart."""

import math
from fractions import Fraction

import pytest

from plexor_lab.bench.figures import figures_of, meanwhile, typical
from plexor_lab.bench.samples import samples_of
from plexor_lab.bench.suites import KERNEL, OSBENCH

from .planted import BITS, ISR_ENTER, RUN, TICK_FS, Script, announced, report, words


def figures(script, suite=OSBENCH, **options):
    found = figures_of(samples_of(script.codes(), BITS), suite, TICK_FS, **options)
    return {each.test.number: each for each in found}


def test_a_base_of_12_ticks_is_subtracted_and_clamped_samples_are_counted():
    script = Script().lasts(0, 12).lasts(0, 12)
    for ticks in (11, 12, 20, 4):
        script.lasts(2, ticks)
    found = figures(script)[2].operations
    assert found.base_ticks == 12
    assert (found.min_ticks, found.mean_ticks, found.max_ticks) == (0, 2, 8)
    assert found.clamped == 2


def test_the_base_is_the_median_of_its_samples():
    script = Script()
    for ticks in (500, 40, 41, 40, 39):
        script.lasts(0, ticks)
    assert figures(script.lasts(1, 100))[1].operations.base_ticks == 40


def test_without_a_base_nothing_is_subtracted():
    assert figures(Script().lasts(1, 100))[1].operations.base_ticks == 0


def test_a_loop_has_the_base_of_an_empty_loop_and_is_divided_exactly():
    script = Script().say(announced(1, 1, looped=30)).lasts(0, 40).lasts(13, 1000).lasts(14, 1100)
    found = figures(script)[14]
    assert found.operations.mean_ticks == Fraction(10, 3)
    assert found.operations.iterations == 30
    assert found.first_ticks == Fraction(10, 3)


@pytest.mark.parametrize(("skips", "count", "most"), [(False, 3, 960), (True, 2, 60)])
def test_the_first_sample_is_apart_and_skipped_when_asked(skips, count, most):
    script = Script().lasts(0, 40).lasts(1, 1000).lasts(1, 90).lasts(1, 100)
    found = figures(script, skip_first=skips)[1]
    assert found.first_ticks == 960
    assert (found.operations.count, found.operations.max_ticks) == (count, most)
    assert len(found.samples) == 3


def test_an_only_sample_is_not_skipped():
    assert figures(Script().lasts(1, 77), skip_first=True)[1].operations.count == 1


def test_percentiles_are_samples_that_so_many_do_not_exceed():
    script = Script()
    for ticks in range(400, 0, -1):
        script.lasts(1, ticks)
    assert figures(script)[1].percentiles_ticks == {50: 200, 90: 360, 99: 396}


def test_a_percentile_that_so_few_samples_cannot_bound_is_none():
    """0.99^367 is more than 2.5 %, 0.99^368 is not; 0.9^36 and 0.5^6 likewise."""
    script = Script()
    for ticks in range(20, 0, -1):
        script.lasts(1, ticks)
    assert figures(script)[1].percentiles_ticks == {50: 10, 90: None, 99: None}


@pytest.mark.parametrize(("counter", "right"), [(3, True), (2, True), (4, True), (5, False)])
def test_counters_may_be_one_apart(counter, right):
    script = Script().say(announced(3, 3)).lasts(1, 5).lasts(1, 5).lasts(1, 5)
    script.say(report(1, counter - 1, 1))
    assert figures(script, KERNEL)[1].counted_right is right


def test_the_own_counter_is_compared_in_the_same_unit_less_its_own_base():
    # A cycle of 50 MHz is 40 ticks. The base has 4 cycles by itself, and 1 from outside.
    script = Script().say(announced(1, 1, own=1)).lasts(0, 40).say(words(4))
    script.lasts(1, 440).say(words(14)).lasts(1, 440).say(words(17))
    own = figures(script)[1].own
    assert own is not None
    assert own.base_cycles == 4
    assert own.mean_ticks == Fraction((10 + 13) * 40, 2)
    assert (own.least_error_ticks, own.most_error_ticks) == (0, 120)
    assert own.mean_error_ticks == 60


def test_firmware_that_sends_no_cycles_has_no_figures_of_its_own():
    assert figures(Script().say(announced(1, 1)).lasts(1, 440))[1].own is None


def test_the_worst_sample_says_what_ran_meanwhile():
    script = Script().lasts(1, 90)
    script.lasts(1, 100, [(ISR_ENTER, 15), (7, 15), (RUN, 2), (ISR_ENTER, 15)])
    worst = figures(script)[1].worst
    assert worst.ticks == 100
    assert meanwhile(worst) == ((ISR_ENTER, 15, 2), (RUN, 2, 1))


def test_a_typical_value_is_the_lower_median():
    assert [typical(values) for values in ([], [7], [9, 3], [9, 3, 5])] == [0, 7, 3, 5]


@pytest.mark.parametrize(("percent", "least"), [(50, 6), (90, 36), (99, 368)])
def test_a_percentile_needs_as_many_samples_as_its_bound_and_no_more(percent, least):
    for count in (least - 1, least):
        script = Script()
        for ticks in range(1, count + 1):
            script.lasts(1, ticks)
        found = figures(script)[1].percentiles_ticks[percent]
        # The least of them that so many per cent do not exceed.
        assert found == (None if count < least else math.ceil(count * percent / 100))


def test_percentiles_of_samples_below_their_base_are_0():
    script = Script().lasts(0, 40)
    for _ in range(10):
        script.lasts(1, 39)
    assert figures(script)[1].percentiles_ticks[50] == 0


def test_samples_without_cycles_of_their_own_are_left_out_wherever_they_are():
    script = Script().say(announced(1, 1, own=1)).lasts(0, 40).say(words(4)).lasts(1, 440)
    script.lasts(1, 440).say(words(14)).lasts(1, 440).lasts(1, 440).say(words(16))
    own = figures(script)[1].own
    assert (own.count, own.mean_ticks) == (2, Fraction((10 + 12) * 40, 2))
