# SPDX-License-Identifier: Apache-2.0
"""The matcher's turns: how many clocks beats take, and what is looked at on the way."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from plexor.protocol.frames import SOURCE_STRIKE
from plexor_hdl.interfaces import PACE_CLOCKS, Kind
from plexor_hdl.match.turns import BACK_CLOCKS, LOOK_CLOCKS
from plexor_sim.golden.matcher import match

from ..matcher_bench import FULL, NONE, check, drive, rules_for, stream_of

OTHER_CLOCKS = 2


def test_events_take_as_long_as_documented(build):
    kinds = [(8, 1), (8, 0), (0, 1), (0, 0), (1, 1), (1, 0)]
    events = [(1000 + n, *kinds[n % len(kinds)], n) for n in range(20 * len(kinds))]
    rules = rules_for(second=(SOURCE_STRIKE, 1))
    bench = drive(events, rules, 2000, 1, geometry=build, stalls=NONE)
    assert bench.rises(0) == [2] * 20
    assert bench.rises(1) == [4] * 20
    answer = [LOOK_CLOCKS, BACK_CLOCKS] if build is FULL else [LOOK_CLOCKS + 1, OTHER_CLOCKS]
    clocks = [2 * OTHER_CLOCKS, OTHER_CLOCKS] + 2 * answer
    # The first event of a run finds the horizon.
    found = np.diff(bench.taken_clocks)[len(kinds) :]
    assert found[: 4 * len(kinds)].tolist() == 4 * clocks


@pytest.mark.parametrize(
    "between", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (1, 2, 3, 4)), 5]
)
def test_answers_come_pace_clocks_apart_at_least(between, build):
    # All strikes, then the responses of both channels in turn; other edges between them.
    kinds = [(8, 1 - n % 2) for n in range(8)]
    for number in range(8):
        kinds += [(0, 1 - number % 2), (1, 1 - number % 2), *[(9, 0)] * between]
    events = [(1000 + n, *kind, 0) for n, kind in enumerate(kinds)]
    rules = rules_for(second=(SOURCE_STRIKE, 1), timeout=500)
    bench = drive(events, rules, 2000, 1, geometry=build, stalls=NONE)
    for number, rule in enumerate(rules):
        truth = match(stream_of(events), rule, 2000)
        assert len(truth.rise.value_ticks) == 4
        assert bench.rises(number) == truth.rise.value_ticks.tolist()
    if build is not FULL:
        clocks = bench.value_clocks
        assert min(after - before for before, after in pairwise(clocks)) >= PACE_CLOCKS


def test_decisions_follow_a_beat_within_its_bound():
    geometry = replace(FULL, channels=8)
    rules = [replace(rules_for(early=50)[0], source=n) for n in range(8)]
    responses = [(1000 + n // 8, n % 8, 1) for n in range(16)]
    events = [*responses, (1060, 8, 1), (1061, 8, 0)]
    events += [(1100 + 2 * n, 8, 1 - n % 2) for n in range(20)]
    events = [(*event, index) for index, event in enumerate(events)]
    bench = check(events, rules, 2, geometry=geometry, stalls=NONE)
    assert 8 <= bench.most_decisions <= 2 * 8 + 4


@pytest.mark.parametrize(
    "latency", [44, *(pytest.param(n, marks=pytest.mark.full) for n in (3, 20))]
)
def test_answers_faster_than_half_the_time_out_cost_no_look(latency):
    # A strike each 20 ticks, so that up to 3 of a channel wait and its queue is never empty.
    strikes = [(1000 + 10 * n, SOURCE_STRIKE, 1 - n % 2) for n in range(80)]
    answers = [(time + latency + n, n, edge) for time, _, edge in strikes for n in range(2)]
    events = sorted([*strikes, *answers], key=lambda e: (e[0], e[1] != SOURCE_STRIKE, e[1]))
    events = [(*event, n) for n, event in enumerate(events)]
    rules = rules_for(second=(SOURCE_STRIKE, 1), timeout=120)
    bench = check(events, rules, 1, stalls=NONE)
    most = {SOURCE_STRIKE: (2, 4), 0: (BACK_CLOCKS, LOOK_CLOCKS), 1: (BACK_CLOCKS, LOOK_CLOCKS)}
    clocks = [most[source][edge] for _, source, edge, _ in events]
    found = [after - before for before, after in pairwise(bench.taken_clocks)]
    # Results are always ready here; the first event finds the horizon.
    assert found[1:] == clocks[1:-1]


def _answered(channels: int, rounds: int, period: int):
    """Return strikes of all channels, each answered by each of them, both edges of each."""
    events = []
    for number in range(rounds):
        start = 1000 + number * period
        edges = [(8, 1), (8, 0), *((n, 1) for n in range(channels))]
        edges += [(n, 0) for n in range(channels)]
        events += [(start + place, *edge) for place, edge in enumerate(edges)]
    return [(*event, index) for index, event in enumerate(events)]


@pytest.mark.parametrize(
    ("channels", "most"),
    [
        *((1, 16), (2, 30)),
        *(pytest.param(*case, marks=pytest.mark.full) for case in ((4, 58), (8, 114))),
    ],
)
def test_all_values_of_an_answered_strike_come_as_fast_as_documented(channels, most):
    geometry = replace(FULL, channels=channels)
    rules = [replace(rules_for(timeout=1000)[0], source=n) for n in range(channels)]
    events = _answered(channels, 12, 40)
    bench = check(events, rules, 1, geometry=geometry, stalls=NONE)
    starts = bench.taken_clocks[:: 2 + 2 * channels]
    assert {after - before for before, after in pairwise(starts[1:])} == {most}
    assert all(len(bench.values[n][kind]) >= 11 for n in range(channels) for kind in Kind)


@pytest.mark.parametrize(("channels", "clocks"), [(1, 24), (8, 160)])
def test_values_that_are_taken_each_5_clocks_do_not_hold_up_answered_strikes(channels, clocks):
    # 4 values a channel.
    geometry = replace(FULL, channels=channels)
    rules = [replace(rules_for(timeout=1000)[0], source=n) for n in range(channels)]
    events = _answered(channels, 6, 40)
    bench = check(events, rules, 1, geometry=geometry, stalls=replace(NONE, value_clocks=5))
    starts = bench.taken_clocks[:: 2 + 2 * channels]
    assert max(after - before for before, after in pairwise(starts[1:])) <= clocks
