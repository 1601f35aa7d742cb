# SPDX-License-Identifier: Apache-2.0
"""Matching at once: what the golden model gives, or nothing."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plexor.model.results import EVENT_DTYPE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode.at_once import step_at_once
from plexor.wire.decode.matched import Rules
from plexor.wire.decode.state import Doubt, Piece, State, ending

from .golden_truth import truth

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


def pieces_of(made, taken, cuts=()):
    """The pieces of a run between `cuts`, and the positions of its strikes and responses."""
    own = made["source"] == taken.channel_source
    struck = (made["source"] == taken.reference_source) & (
        made["polarity"] == taken.reference_polarity
    )
    times = made["time_ticks"].astype(np.int64)
    bounds = sorted({0, len(made), *cuts})
    for start, stop in pairwise(bounds):
        strikes = start + np.flatnonzero(struck[start:stop])
        active = start + np.flatnonzero(own[start:stop] & (made["polarity"][start:stop] == 1))
        come = np.searchsorted(strikes, active)
        yield Piece(times[strikes], times[active], come, int(times[stop - 1])), active


def stepped(made, taken, end, cuts=()):
    """What the pieces come to: classes, pending, rise latencies by index; None if one is left."""
    state, classes, rise = State(), Counter(), {}
    for piece, active in pieces_of(made, taken, cuts):
        found = step_at_once(state, taken, piece)
        if found is None:
            return None
        state, answers = found
        classes.update(answers.classes)
        answered = answers.strike_of >= 0
        latencies = (piece.active_ticks - answers.struck_ticks)[answered]
        rise |= dict(zip(active[answered].tolist(), latencies.tolist(), strict=True))
    over = ending(state, taken, end)
    classes.update(over.classes)
    return [classes[name] for name in ResponseClass], len(over.outstanding_ticks), rise


def golden(made, taken, end):
    """What the golden model says of the same."""
    found = truth(made, taken, end)
    rise = dict(zip(found.rise.index.tolist(), found.rise.value_ticks.tolist(), strict=True))
    return list(found.classes), found.pending, rise


CUTS = st.lists(st.integers(0, 40), max_size=4)


@given(STEPS, RULES, st.integers(0, 120), CUTS)
@example([(0, EDGE), (1, EDGE), (1, STRIKE)], rules(early=3), 0, [])
def test_what_is_matched_at_once_is_what_the_golden_model_says(steps, taken, rest, cuts):
    made = events(steps)
    end = (int(made["time_ticks"][-1]) if len(made) else 0) + rest
    found = stepped(made, taken, end, [cut for cut in cuts if cut < len(made)])
    if found is not None:
        assert found == golden(made, taken, end)


def drawn(rng):
    """Steps in stretches of strikes, of pulses on the channel, or of both in turn."""
    steps = []
    for _ in range(rng.randrange(6)):
        kinds = rng.choice(([STRIKE], [EDGE], [STRIKE, EDGE, EDGE], [STRIKE, EDGE, OTHER]))
        steps += [(rng.choice((0, 1, 2, 5)), what) for what in kinds * rng.randrange(1, 8)]
    return steps


@pytest.mark.parametrize("runs", [1000, pytest.param(10_000, marks=pytest.mark.full)])
def test_drawn_runs_are_matched_at_once_in_pieces(runs):
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
        cuts = [rng.randrange(len(made)) for _ in range(rng.randrange(4)) if len(made)]
        found = stepped(made, taken, end, cuts)
        if found is not None:
            exact += 1
            assert found == golden(made, taken, end)
    assert exact > runs * 2 // 3


ANSWERED = [(9, STRIKE), (5, EDGE), (2, EDGE)] * 50
MISSED = [(9, STRIKE), *ANSWERED, (9, STRIKE), (9, EDGE), (5, EDGE)]


@pytest.mark.parametrize("steps", [ANSWERED, MISSED])
@pytest.mark.parametrize("policy", Policy)
def test_runs_with_answered_and_missed_strikes_are_matched_at_once(steps, policy):
    made = events(steps)
    assert stepped(made, rules(policy, timeout=12), 2000) is not None


def test_a_strike_that_finds_the_queue_full_is_left_to_the_other_way():
    made = events([(1, STRIKE)] * 3)
    assert stepped(made, rules(depth=2), 100) is None
    assert stepped(made, rules(depth=2), 100, [2]) is None
    assert stepped(made, rules(depth=3), 100, [2]) is not None


def test_a_response_that_may_be_held_is_left_to_the_other_way():
    made = events([(1, EDGE)])
    assert stepped(made, rules(early=1), 100) is None
    assert stepped(made, rules(), 100) is not None


@pytest.mark.parametrize("state", [State(held_ticks=3), State(doubt=Doubt(1, 3))])
def test_what_is_held_or_in_doubt_is_left_to_the_other_way(state):
    ((piece, _),) = pieces_of(events([(5, STRIKE), (1, EDGE)]), rules(early=9))
    assert step_at_once(state, rules(early=9), piece) is None
