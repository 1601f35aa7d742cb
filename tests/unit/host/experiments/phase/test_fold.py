# SPDX-License-Identifier: Apache-2.0
"""Phases and latencies of single strikes, from events made by hand."""

import itertools
import random

import numpy as np
import pytest

from plexor.experiments.phase.against import edges_of
from plexor.experiments.phase.fold import MISSED, FoldedSources, fold
from plexor.experiments.phase.model import BEYOND, IRREGULAR, LOST, OVERTAKEN, UNBOUNDED, UNSETTLED
from plexor.model.results import EVENT_DTYPE

STRIKE, RESPONSE, TICK = 8, 0, 1
PINS = FoldedSources(STRIKE, RESPONSE)
TIMEOUT = 400
END = 10**6


def events_of(strikes, responses, ticks, width=3):
    """Return events of pulses that rise at these times, in the instrument's order."""
    rows = [
        (time + after, source, polarity)
        for source, times in ((STRIKE, strikes), (RESPONSE, responses), (TICK, ticks))
        for time in times
        for after, polarity in ((0, 1), (width, 0))
    ]
    rows.sort(key=lambda row: (row[0], row[1] < STRIKE, row[1]))
    events = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(rows):
        events[index] = (time, index, source, polarity)
    return events


def folded(events, pins=PINS, generated=None, end=END, polarity=1):
    generated = len(events) if generated is None else generated
    return fold(events, edges_of(events, TICK, polarity), pins, TIMEOUT, end, generated)


def test_phase_is_exact_between_edges_a_period_apart():
    ticks = range(1000, 60_000, 1000)
    strikes = [1000 + 1500 * n + 7 * n for n in range(30)]
    found = folded(events_of(strikes, [], ticks))
    assert found.span_ticks == 1000
    assert found.phase_ticks.tolist() == [(t - 1000) % 1000 for t in strikes]
    assert found.left_out == {}


def test_a_strike_at_the_edge_has_phase_0_and_one_before_it_the_greatest():
    found = folded(events_of([2000, 3999], [], range(0, 6000, 1000)))
    assert found.phase_ticks.tolist() == [0, 999]


def test_the_falling_edge_can_be_the_reference():
    events = events_of([2000], [], range(0, 6000, 1000), width=300)
    assert folded(events, polarity=0).phase_ticks.tolist() == [700]


def test_phase_lies_on_the_line_between_the_edges_of_a_jittered_tick():
    rng = random.Random(5)
    ticks = list(itertools.accumulate(rng.randint(9000, 11_000) for _ in range(400)))
    strikes = [rng.randint(a, a + 3000) for a in range(ticks[0], ticks[-1] - 12_000, 7000)]
    found = folded(events_of(strikes, [], ticks), end=10**8)
    period = found.reference.period_ticks
    assert period * 399 == ticks[-1] - ticks[0]
    assert found.span_ticks == round(period)
    for strike, phase in zip(strikes, found.phase_ticks.tolist(), strict=True):
        before = max(t for t in ticks if t <= strike)
        after = min(t for t in ticks if t > strike)
        exact = (strike - before) / (after - before) * found.span_ticks
        assert exact - 1 < phase <= exact


def test_latency_is_that_of_the_first_response_within_the_time_out():
    strikes = [1000, 2000, 3000, 4000, 5000]
    responses = [1000, 2400, 3401, 4100, 4200]
    found = folded(events_of(strikes, responses, range(0, 8000, 1000)))
    assert found.latency_ticks.tolist() == [0, 400, MISSED, 100, MISSED]
    assert (found.answered, found.missed) == (3, 2)


def test_strikes_outside_the_reference_are_left_out():
    found = folded(events_of([500, 1500, 2500, 3500], [], [1000, 2000, 3000]))
    assert found.phase_ticks.tolist() == [500, 500]
    assert found.left_out == {UNBOUNDED: 2}


def test_strikes_that_the_end_left_open_are_left_out():
    found = folded(events_of([1000, 2000], [], range(0, 6000, 1000)), end=2399)
    assert found.left_out == {UNSETTLED: 1}
    assert found.missed == 1


def test_strikes_in_an_interval_of_two_periods_are_left_out():
    ticks = [t for t in range(0, 40_000, 1000) if t != 20_000]
    found = folded(events_of([18_300, 19_300, 20_300, 21_300], [], ticks))
    assert found.phase_ticks.tolist() == [300, 300]
    assert found.left_out == {IRREGULAR: 2}
    assert found.span_ticks == 1000


def test_a_reference_without_a_period_is_refused_by_its_name_and_intervals():
    rng = random.Random(1)
    ticks = list(itertools.accumulate(rng.randint(100, 3000) for _ in range(100)))
    with pytest.raises(ValueError, match=r"ch1: its edges are 1.. to 2... ticks apart.*--span"):
        folded(events_of([5000], [], ticks))


@pytest.mark.parametrize("ticks", [[], [1000]])
def test_a_reference_that_does_not_tick_is_refused(ticks):
    with pytest.raises(ValueError, match=f"ch1: {len(ticks)} edges? in the run"):
        folded(events_of([5000], [], ticks))


def test_without_a_period_phase_is_the_time_since_the_last_edge_up_to_the_span():
    events = events_of([500, 1000, 1999, 2000, 7000], [], [1000, 6500])
    found = folded(events, FoldedSources(STRIKE, RESPONSE, span_ticks=1000))
    assert found.phase_ticks.tolist() == [0, 999, 500]
    assert found.span_ticks == 1000
    assert found.left_out == {UNBOUNDED: 1, BEYOND: 1}


def test_without_a_period_an_answer_behind_the_next_edge_is_of_neither():
    events = events_of([1100, 2950, 3990, 5950], [1150, 3050, 3999], [1000, 3000, 4000, 6000])
    found = folded(events, FoldedSources(STRIKE, RESPONSE, span_ticks=2000))
    assert found.phase_ticks.tolist() == [100, 990, 1950]
    assert found.latency_ticks.tolist() == [50, 9, MISSED]
    assert found.left_out == {OVERTAKEN: 1}


def test_no_strike_whose_events_are_missing_is_guessed():
    rng = random.Random(2)
    strikes = list(range(1200, 200_000, 1317))
    responses = [t + rng.randint(50, 300) for t in strikes]
    events = events_of(strikes, responses, range(0, 202_000, 1000))
    whole = folded(events)
    pairs = zip(whole.phase_ticks, whole.latency_ticks, strict=True)
    truth = dict(zip(strikes, pairs, strict=True))
    lost = 0
    for seed in range(40):
        random_ = random.Random(seed)
        kept = np.ones(len(events), np.bool_)
        for _ in range(random_.randint(1, 6)):
            start = random_.randrange(len(events))
            kept[start : start + random_.randint(1, 30)] = False
        found = folded(events[kept], generated=len(events))
        struck = kept & (events["source"] == STRIKE) & (events["polarity"] == 1)
        times = events["time_ticks"][struck].tolist()
        expected = [truth[t] for t in times if _complete(t, events, kept)]
        assert expected == list(zip(found.phase_ticks, found.latency_ticks, strict=True))
        sure = [_seen_whole(events["time_ticks"], kept, t, t + TIMEOUT) for t in times]
        assert found.answered + found.missed == sum(sure)
        left = len(times) - len(expected)
        assert sum(found.left_out.values()) == left
        lost += found.left_out.get(LOST, 0)
    assert lost > 100


def _complete(strike, events, kept):
    """Whether no event is missing near a strike, from the tick before it to what it needs after."""
    times = events["time_ticks"].astype(np.int64)
    ticks = times[(events["source"] == TICK) & (events["polarity"] == 1) & kept]
    if not (ticks <= strike).any() or not (ticks > strike).any():
        return False
    first = ticks[ticks <= strike].max()
    last = max(ticks[ticks > strike].min(), strike + TIMEOUT)
    return _seen_whole(times, kept, first, last)


def _seen_whole(times, kept, first, last):
    """Whether no event is missing from `first` to `last`, nor may be.

    An event that is missing just outside may have been inside for all the host knows.
    """
    times = times.astype(np.int64)
    near = np.flatnonzero(kept & (times >= first) & (times <= last))
    below = np.flatnonzero(kept & (times < first))
    above = np.flatnonzero(kept & (times > last))
    low = below[-1] if len(below) else -1
    high = above[0] if len(above) else len(times)
    return len(near) == high - low - 1
