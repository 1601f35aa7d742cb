# SPDX-License-Identifier: Apache-2.0
"""What a phase scan asks of an instrument, and what it makes of a run."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.base.errors import UsageError
from plexor.base.jsonable import from_json, to_json
from plexor.base.units import seconds_of
from plexor.experiments.phase.model import LOST, PhaseResult
from plexor.experiments.phase.run import PhaseGoal, analyse, settings_of
from plexor.model.settings import Channel
from plexor.protocol.memory import ResponseClass

US = Fraction(1, 10**6)
TICK_FS = 10**6
WANTED = PhaseGoal(
    (Channel(0, "A"),), "strike1", Fraction(10_000), 3, step_s=US / 5, period_s=20 * US
)
PERIOD, STRIDE, MASK, BASE = 50_000, 100, (4000, 6000), 700


def test_strikes_step_through_the_phases_of_another_output():
    settings = settings_of(WANTED, 20 * US, TICK_FS)
    swept, other = settings.strikes
    # The first multiple of the period that with a step is not below 100 µs.
    assert swept.period_s == 5 * 20 * US + US / 5
    assert (swept.count, swept.output) == (3 * 100, 0)
    assert (other.output, other.period_s, other.count) == (1, 20 * US, 0)
    assert settings.timeout_s < swept.period_s
    assert settings.settle_s >= 20 * US


@pytest.mark.parametrize("repeats", [1, 3])
def test_strikes_lie_evenly_over_a_ticks_phases_whatever_its_drift(repeats):
    wanted = replace(WANTED, against="ch1", period_s=None, step_s=None, points=200, repeats=repeats)
    tick_s = Fraction(1, 1000)
    settings = settings_of(wanted, tick_s, TICK_FS)
    (swept,) = settings.strikes
    assert swept.period_s >= Fraction(1, 10_000)
    assert swept.count == 200 * repeats
    assert [entry.number for entry in settings.channels] == [0, 1]
    for drift in (0, Fraction(1, 10**7), -Fraction(1, 10**6)):
        phases = sorted(n * swept.period_s / (tick_s * (1 + drift)) % 1 for n in range(swept.count))
        gaps = np.diff([float(p) for p in phases])
        # Three gaps: the greatest of a golden sequence is below 3 / (count + 1).
        assert max(gaps) < 3 / swept.count


def test_without_a_period_strikes_are_random_and_still_longer_apart_than_the_time_out():
    wanted = replace(WANTED, against="ch1", period_s=None, span_s=60 * US, step_s=US)
    settings = settings_of(wanted, None, TICK_FS)
    (swept,) = settings.strikes
    assert swept.period_s / 4 < swept.dither_s <= swept.period_s / 2
    assert settings.timeout_s < swept.period_s - swept.dither_s / 2
    assert swept.count == 60 * 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"timeout_s": 101 * US}, "timeout: 0.000101 s; must be below 0.0001002 s"),
        ({"step_s": Fraction(3, 2 * 10**9)}, "step: 1.5 ticks; must be a whole .*: 1 ns or 2 ns"),
        ({"step_s": Fraction(3, 10**10)}, "step: 0.3 ticks; must be a whole .*: 1 ns or 2 ns"),
        ({"channels": (Channel(0, "A", reference="ch1.fall"),)}, "A: is timed after ch1.fall"),
    ],
)
def test_what_makes_no_scan_is_refused_in_one_line(change, message):
    with pytest.raises(UsageError, match=message):
        settings_of(replace(WANTED, **change), 20 * US, TICK_FS)


def test_a_period_that_is_no_whole_number_of_ticks_is_refused():
    with pytest.raises(UsageError, match=r"period: 1000.5 ticks"):
        settings_of(WANTED, Fraction(10005, 10**10), TICK_FS)


def test_times_are_whole_ticks_as_far_as_a_tick_is_known():
    # 1/960 µs and 1/1920 µs: what 8 and 16 samples a clock of 120 MHz make.
    for tick_fs, ticks in ((1_041_667, 960), (520_833, 1920)):
        wanted = replace(WANTED, step_s=None, points=20)
        swept, other = settings_of(wanted, 20 * US, tick_fs).strikes
        assert other.period_s == seconds_of(20 * ticks, tick_fs)
        assert swept.period_s == seconds_of((5 * 20 + 1) * ticks, tick_fs)


@pytest.fixture
def run(run_of):
    """Return a run: a tick on ch1 that comes STRIDE ticks earlier at each strike, a mask on ch0."""
    count = 95
    ticks = [10_000 - STRIDE * n for n in range(count)]
    phases = [(-tick) % (PERIOD - STRIDE) for tick in ticks]
    low = PERIOD - STRIDE - 10_000
    latencies = [
        BASE + (low + MASK[1] - phase if low + MASK[0] <= phase < low + MASK[1] else 0)
        for phase in phases
    ]
    return run_of([latencies, ticks], names=["A", "tick"], period=PERIOD)


RUN_WANTED = replace(
    WANTED, against="ch1", period_s=None, step_s=Fraction(STRIDE, 10**9), threshold_s=None
)


def test_a_run_has_its_window_and_all_of_it_survives_json(run):
    result = analyse(run, RUN_WANTED)
    (scan,) = result.scans
    assert (scan.channel, scan.reference.name) == ("A", "ch1")
    assert scan.reference.period_ticks == PERIOD - STRIDE
    (window,) = scan.windows
    assert abs(window.start_ticks - (PERIOD - STRIDE - 10_000 + MASK[0])) <= STRIDE
    assert abs(window.width_ticks - (MASK[1] - MASK[0])) <= STRIDE + scan.threshold_ticks
    assert window.delay_ticks == MASK[1] - MASK[0]
    assert result.complete
    assert result.invalid_reasons == ()
    assert from_json(PhaseResult, json.loads(json.dumps(to_json(result)))) == result


def test_a_run_with_events_lost_is_incomplete_and_leaves_their_strikes_out(run):
    kept = np.ones(len(run.events), np.bool_)
    kept[100:108] = False
    books = replace(run.accounting, received=len(run.events) - 8, lost_on_link=8)
    result = analyse(replace(run, events=run.events[kept], accounting=books), RUN_WANTED)
    assert not result.complete
    (scan,) = result.scans
    assert scan.left_out[LOST] >= 1
    whole = analyse(run, RUN_WANTED).scans[0]
    assert scan.strikes < whole.strikes
    assert all(
        (a.min_ticks, a.max_ticks) == (b.min_ticks, b.max_ticks)
        for a, b in zip(scan.bins, whole.bins, strict=True)
        if a.strikes
    )


def test_events_that_disagree_with_the_chip_make_it_invalid(run):
    first = run.channels[0]
    classes = dict(first.classes) | {ResponseClass.ANSWERED: 90, ResponseClass.MISSED: 5}
    other = replace(run, channels=(replace(first, classes=classes), *run.channels[1:]))
    (reason,) = analyse(other, RUN_WANTED).invalid_reasons
    assert reason == "A: events show (95, 0) strikes answered and missed, the chip (90, 5)"


@pytest.mark.parametrize(("timeout_us", "reference_us", "settle_us"), [(30, 20, 60), (5, 20, 40)])
def test_a_scan_waits_for_its_last_answer_and_for_the_references_next_edge(
    timeout_us, reference_us, settle_us
):
    wanted = replace(WANTED, timeout_s=timeout_us * US, period_s=reference_us * US)
    assert settings_of(wanted, reference_us * US, TICK_FS).settle_s == settle_us * US
