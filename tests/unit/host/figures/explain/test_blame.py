# SPDX-License-Identifier: Apache-2.0
"""What the device was doing when it was struck: as it was planted, and never guessed."""

import numpy as np
import pytest

from plexor.figures.explain.blame import NOT_KNOWN, Blame
from plexor.model.results import EVENT_DTYPE
from plexor.wire.decode.matched import Samples

from ...coded import array, value

RUN, SET, ISR = 1, 10, 6


def events_at(times) -> np.ndarray:
    found = np.zeros(len(times), EVENT_DTYPE)
    found["time_ticks"], found["index"] = times, np.arange(len(times))
    return found


def planted(seed: int):
    """Codes and strikes at random times, and latencies."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.choice(np.arange(1, 100_000), 900, replace=False))
    is_strike = rng.random(900) < 0.4
    codes = [(int(t), SET, int(rng.integers(5))) for t in times[~is_strike]]
    strikes = times[is_strike].astype(np.int64)
    latency = rng.integers(1, 400, len(strikes))
    return codes, strikes, latency, events_at(times)


@pytest.mark.parametrize("seed", range(6))
def test_the_code_in_force_at_a_strike_is_the_last_one_before_it(seed):
    codes, strikes, _, events = planted(seed)
    found = Blame(array(codes), events).in_force(strikes)
    for strike, code in zip(strikes.tolist(), found.tolist(), strict=True):
        before = [value(kind, number) for time, kind, number in codes if time < strike]
        assert code == (before[-1] if before else NOT_KNOWN)


@pytest.mark.parametrize("seed", range(6))
def test_where_events_are_missing_a_code_is_the_right_one_or_not_known(seed):
    codes, strikes, _, events = planted(seed)
    truth = Blame(array(codes), events).in_force(strikes)
    rng = np.random.default_rng(seed + 100)
    kept = rng.random(len(events)) < 0.9
    kept |= np.isin(events["time_ticks"], strikes)
    seen = [code for code in codes if kept[np.searchsorted(events["time_ticks"], code[0])]]
    found = Blame(array(seen), events[kept]).in_force(strikes)
    known = found != NOT_KNOWN
    assert (found[known] == truth[known]).all()
    assert 0.5 < known.mean() < 1


def test_after_a_torn_code_nothing_is_known_until_the_next_one():
    codes = array([(10, SET, 1), (20, SET, 2), (30, SET, 3)])
    codes["torn"][1] = True
    found = Blame(codes, events_at([10, 15, 20, 25, 30, 35])).in_force(np.array([15, 25, 35]))
    assert found.tolist() == [value(SET, 1), NOT_KNOWN, value(SET, 3)]


def test_a_strike_in_the_tick_of_a_code_comes_before_it():
    codes = array([(10, SET, 1), (20, SET, 2)])
    blame = Blame(codes, events_at([10, 20, 20, 25]))
    assert blame.in_force(np.array([20, 21])).tolist() == [value(SET, 1), value(SET, 2)]
    chain = blame.chain(20, 5)
    assert chain.code == value(SET, 1)
    assert [(link.code, link.ticks) for link in chain.links] == [(None, 0), (value(SET, 2), 5)]


def test_the_answers_by_code_are_all_answers():
    codes, strikes, latency, events = planted(1)
    samples = Samples(latency, strikes + latency, strikes, strikes)
    late = np.flatnonzero(latency > 300)
    blame = Blame(array(codes), events)
    found = blame.by_code(samples, late)
    assert sum(entry.answers for entry in found) == len(strikes)
    assert sum(entry.sum_ticks for entry in found) == latency.sum()
    assert sum(entry.late for entry in found) == len(late)
    in_force = blame.in_force(strikes)
    for entry in found:
        own = latency[in_force == entry.code]
        assert (entry.min_ticks, entry.max_ticks) == (own.min(), own.max())
    assert [e.max_ticks for e in found] == sorted((e.max_ticks for e in found), reverse=True)


@pytest.mark.parametrize("seed", range(4))
def test_the_links_of_a_late_answer_are_its_codes_and_add_up_to_it(seed):
    codes, strikes, latency, events = planted(seed)
    blame = Blame(array(codes), events)
    for strike, ticks in zip(strikes.tolist(), latency.tolist(), strict=True):
        chain = blame.chain(strike, ticks)
        assert sum(link.ticks for link in chain.links) == ticks
        inside = [value(k, n) for t, k, n in codes if strike < t <= strike + ticks]
        assert [link.code for link in chain.links] == [None, *inside]


def test_a_part_in_which_events_are_missing_is_not_known():
    codes = array([(10, SET, 1), (20, SET, 2), (30, SET, 3)])
    events = events_at([5, 10, 20, 24, 30, 40])
    events["index"][3:] += 1  # something was lost between 20 and 24
    chain = Blame(codes, events).chain(5, 35)
    found = [(link.code, link.ticks) for link in chain.links]
    assert found == [(None, 5), (value(SET, 1), 10), (NOT_KNOWN, 10), (value(SET, 3), 10)]


def test_without_codes_nothing_is_known():
    found = Blame(array([]), events_at([5, 9])).in_force(np.array([5, 9]))
    assert found.tolist() == [NOT_KNOWN, NOT_KNOWN]
