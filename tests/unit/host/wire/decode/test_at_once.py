# SPDX-License-Identifier: Apache-2.0
"""Matching at once: what matching in turn gives, or nothing."""

import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plexor.model.results import EVENT_DTYPE, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode import matched
from plexor.wire.decode.at_once import match_at_once
from plexor.wire.decode.in_turn import match_in_turn
from plexor.wire.decode.matched import Rules

STRIKE, EDGE, OTHER = range(3)


def events(steps):
    """Events of strike0, channel 0 and channel 3 after these (ticks since the last, what)."""
    time, level, rows = 0, 0, []
    for step, what in steps:
        time += step
        level ^= what == EDGE
        source, polarity = {STRIKE: (8, 1), EDGE: (0, level), OTHER: (3, 1)}[what]
        rows.append((time, source, polarity))
    # Strikes come first in a tick.
    rows.sort(key=lambda row: (row[0], row[1] != 8))
    made = np.zeros(len(rows), EVENT_DTYPE)
    for index, (at, source, polarity) in enumerate(rows):
        made[index] = (at, index, source, polarity)
    return made


def rules(policy=Policy.OLDEST, timeout=100, window_min=0, early=0, deadline=50, depth=4):
    return Rules(0, 8, 1, policy, timeout, window_min, early, deadline, depth)


STEPS = st.lists(st.tuples(st.sampled_from((0, 1, 2, 5, 9)), st.integers(0, 2)), max_size=40)
RULES = st.builds(
    rules,
    st.sampled_from(list(Policy)),
    st.sampled_from((1, 3, 8, 20, 100)),
    st.sampled_from((0, 2, 6)),
    st.sampled_from((0, 3)),
    st.sampled_from((2, 5, 50)),
    st.sampled_from((1, 4, 16)),
)


def plain(found):
    """Everything that was found, as lists."""
    samples = {
        (kind, part): getattr(found.samples[kind], part).tolist()
        for kind in Kind
        for part in ("value_ticks", "time_ticks", "index", "start_ticks")
    }
    return found.classes, found.outstanding_ticks.tolist(), found.active_edges, samples


@given(STEPS, RULES, st.integers(0, 120))
@example([(0, EDGE), (1, EDGE), (1, STRIKE)], rules(early=3), 0)
def test_what_is_found_at_once_is_what_is_found_in_turn(steps, taken, rest):
    made = events(steps)
    end = (int(made["time_ticks"][-1]) if len(made) else 0) + rest
    found = match_at_once(made, taken, end)
    if found is not None:
        assert plain(found) == plain(match_in_turn(made, taken, end))


def drawn(rng):
    """Steps in stretches of strikes, of pulses on the channel, or of both in turn."""
    steps = []
    for _ in range(rng.randrange(6)):
        kinds = rng.choice(([STRIKE], [EDGE], [STRIKE, EDGE, EDGE], [STRIKE, EDGE, OTHER]))
        steps += [(rng.choice((0, 1, 2, 5)), what) for what in kinds * rng.randrange(1, 8)]
    return steps


@pytest.mark.parametrize(
    ("piece", "runs"),
    [
        pytest.param(matched.PIECE, 3000, marks=pytest.mark.full),
        (3, 1000),
        pytest.param(3, 3000, marks=pytest.mark.full),
    ],
)
def test_drawn_runs_are_matched_at_once_as_in_turn(piece, runs, monkeypatch):
    monkeypatch.setattr(matched, "PIECE", piece)
    rng, exact = random.Random(5), 0
    for _ in range(runs):
        made = events(drawn(rng))
        taken = rules(
            rng.choice(list(Policy)),
            timeout=rng.choice((1, 3, 8, 20, 100)),
            window_min=rng.choice((0, 2, 6)),
            deadline=rng.choice((2, 5, 50)),
            depth=rng.choice((4, 16, 64)),
        )
        end = (int(made["time_ticks"][-1]) if len(made) else 0) + rng.randrange(120)
        found = match_at_once(made, taken, end)
        if found is not None:
            exact += 1
            assert plain(found) == plain(match_in_turn(made, taken, end))
    assert exact > runs * 2 // 3


ANSWERED = [(9, STRIKE), (5, EDGE), (2, EDGE)] * 50
MISSED = [(9, STRIKE), *ANSWERED, (9, STRIKE), (9, EDGE), (5, EDGE)]


@pytest.mark.parametrize("steps", [ANSWERED, MISSED])
@pytest.mark.parametrize("policy", Policy)
def test_runs_with_answered_and_missed_strikes_are_matched_at_once(steps, policy):
    made = events(steps)
    assert match_at_once(made, rules(policy, timeout=12), 2000) is not None


def test_a_strike_that_finds_the_queue_full_is_left_to_the_other_way():
    made = events([(1, STRIKE)] * 3)
    assert match_at_once(made, rules(depth=2), 100) is None
    assert match_at_once(made, rules(depth=3), 100).classes[ResponseClass.STRIKES] == 3


def test_a_response_that_may_be_held_is_left_to_the_other_way():
    made = events([(1, EDGE)])
    assert match_at_once(made, rules(early=1), 100) is None
    assert match_at_once(made, rules(), 100).classes[ResponseClass.SPURIOUS] == 1
