# SPDX-License-Identifier: Apache-2.0
"""What a run's registers, counts and events tell of its channels' pairing."""

from dataclasses import replace
from fractions import Fraction

import pytest

from plexor.figures.analyse.analyse import analyse, samples_of
from plexor.figures.analyse.evidence import (
    is_struck_at_random,
    least_spacing_ticks,
    pairing_of,
    pairing_of_step,
)
from plexor.figures.analyse.pairing import PairedBy, Standing
from plexor.model.identity import Identity
from plexor.model.results import StepChannel, StepResult
from plexor.model.settings import Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.run.plan.registers import plan_of

US = Fraction(1, 10**6)
ABLE = Identity(Geometry(features=Feature.BURST | Feature.DITHER | Feature.POISSON), 1)


def struck(run, reference="strike0", **stimulus):
    """Return a run and its channel as if its output had struck so."""
    run = replace(run, identity=ABLE)
    asked = Stimulus(**({"period_s": 50 * US, "width_s": US} | stimulus))
    planned = plan_of(replace(run.settings, strikes=(asked,)), ABLE)
    run = replace(run, registers=planned.registers)
    return run, replace(run.channels[0], reference=reference)


@pytest.mark.parametrize(
    ("stimulus", "reference", "least_ticks", "random"),
    [
        ({}, "strike0", 50_000, False),
        ({"dither_s": 8192 * US / 1000}, "strike0", 50_000 - 4096, True),
        ({"dither_s": 8192 * US / 1000}, "ch1", 0, True),
        ({"burst": 3, "spacing_s": 2 * US}, "strike0", 2000, False),
        ({"burst": 2, "spacing_s": 40 * US}, "strike0", 10_000, False),
        ({"poisson": True}, "strike0", 1000 + ABLE.geometry.samples, True),
        ({}, "ch1.fall", 0, False),
        ({}, "load", 0, False),
    ],
)
def test_how_far_apart_strikes_are_is_of_their_own_output(
    run_of, stimulus, reference, least_ticks, random
):
    run, channel = struck(run_of([[1000]]), reference, **stimulus)
    assert least_spacing_ticks(run, channel) == least_ticks
    assert is_struck_at_random(run, channel) == random


def test_without_events_one_answer_for_each_strike_is_proven_and_a_missed_one_leaves_none(run_of):
    for latencies, standing in (
        ([1000, 2000, 3000], Standing.PROVEN),
        ([1000, None, 3000], Standing.AMBIGUOUS),
    ):
        run = run_of([latencies], keep_events=False)
        found = pairing_of(run, run.channels[0])
        assert found is not None
        assert found.standing == standing
    run = run_of([[None]], keep_events=False)
    assert pairing_of(run, run.channels[0]) is None


def test_edges_that_were_dropped_leave_nothing_proven_by_counts(run_of):
    run = run_of([[1000, 2000]], keep_events=False)
    sources = tuple(
        replace(entry, dropped=1) if entry.source == 0 else entry
        for entry in run.accounting.sources
    )
    run = replace(run, accounting=replace(run.accounting, sources=sources))
    found = pairing_of(run, run.channels[0])
    assert found is not None
    assert found.standing == Standing.AMBIGUOUS


def test_with_events_answers_before_the_first_missed_strike_are_proven(run_of):
    run = run_of([[*range(1000, 1040), None, *range(1040, 1045)]])
    (channel,) = analyse(run).channels
    assert channel.pairing is not None
    assert (channel.pairing.standing, channel.pairing.proven) == (Standing.SUPPORTED, 40)
    assert channel.rise is not None


def test_a_step_of_a_sweep_has_a_pairing_of_its_own(run_of):
    # 30 strikes that are answered, and 30 of which each second one is not.
    run = run_of([[1000] * 30 + [40_000, None, None] * 10])
    (channel,) = run.channels
    rise = samples_of(run, channel).rise
    half = 1000 + 30 * 50_000

    def pairing(start, end, strikes, missed, samples=rise):
        counted = StepChannel(
            0, "ISR", dict(channel.classes), 0, 0, channel.measurements[0].statistics
        )
        classes = {**channel.classes}
        for name, count in (
            ("STRIKES", strikes),
            ("MISSED", missed),
            ("ANSWERED", strikes - missed),
        ):
            classes[next(entry for entry in classes if entry.name == name)] = count
        step = StepResult(0, start, end, ())
        return pairing_of_step(run, channel, replace(counted, classes=classes), step, samples)

    assert pairing(1000, half, 30, 0).by == PairedBy.INTERVALS
    assert pairing(1000, half, 30, 0).proven == 30
    assert pairing(1000, half, 30, 0, None).by == PairedBy.COUNTS
    assert pairing(half, run.end_ticks, 30, 20, None).standing == Standing.AMBIGUOUS
    assert pairing(half, run.end_ticks, 30, 20).proven == 1


@pytest.mark.parametrize(
    ("stimulus", "width_ticks", "toggles"),
    [
        ({}, 50_000, True),
        ({}, 44_000, False),
        ({}, 56_000, False),
        ({"dither_s": 8192 * US / 1000}, 50_000, True),
        # Two strikes every 100 µs.
        ({"period_s": 100 * US, "burst": 2, "spacing_s": 40 * US}, 50_000, True),
        ({"period_s": 100 * US}, 50_000, False),
        ({"poisson": True}, 50_000, False),
    ],
)
def test_without_events_a_pin_that_changes_once_a_strike_is_on_for_the_mean_time_between_strikes(
    run_of, stimulus, width_ticks, toggles
):
    """A rise at each other strike, and a fall at those between."""
    run = run_of([[1000, None] * 50], widths=width_ticks, keep_events=False)
    found = pairing_of(*struck(run, **stimulus))
    assert found is not None
    assert found.toggles == toggles
