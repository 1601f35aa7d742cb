# SPDX-License-Identifier: Apache-2.0
"""Matching behind gaps: what is said is true, what cannot be known is counted, nothing is both."""

import random
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plexor.model.results import EVENT_DTYPE
from plexor.protocol.memory import ResponseClass as R
from plexor.protocol.registers import Policy
from plexor.wire.decode.outcomes import outcomes
from plexor.wire.decode.rematch import rematch, step
from plexor.wire.decode.state import State, behind_gap, ending

from .golden_truth import truth
from .test_at_once import EDGE, RULES, STEPS, STRIKE, drawn, events, pieces_of, rules


def lossy(made, taken, end, cuts, gaps):
    """Match the events without those in `gaps`; return what is known of them.

    That is the classes, the pending ones, the unknown strikes and responses, and rise latencies.
    """
    state, classes, unknown, rise = State(), Counter(), [0, 0], []
    bounds = sorted({0, len(made), *cuts, *(bound for gap in gaps for bound in gap)})
    for start, stop in pairwise(bounds):
        if any(first <= start < last for first, last in gaps):
            until = int(made["time_ticks"][stop]) if stop < len(made) else end
            state, strikes, responses = behind_gap(state, taken, stop - start, until)
            unknown = [unknown[0] + strikes, unknown[1] + responses]
            continue
        ((piece, active),) = pieces_of(made[start:stop], taken)
        state, found = step(state, taken, piece)
        classes.update(found.classes)
        unknown = [unknown[0] + found.unknown_strikes, unknown[1] + found.unknown_responses]
        answered = found.strike_of >= 0
        latencies = (piece.active_ticks - found.struck_ticks)[answered]
        rise += zip((start + active[answered]).tolist(), latencies.tolist(), strict=True)
        struck = np.flatnonzero(made["source"] == taken.reference_source)
        for at, came in zip(found.early.struck_ticks, found.early.response_ticks, strict=True):
            (index,) = struck[made["time_ticks"][struck] == at]
            rise.append((int(index), int(came - at)))
    over = ending(state, taken, end)
    classes.update(over.classes)
    unknown = [unknown[0] + over.unknown_strikes, unknown[1] + over.unknown_responses]
    return classes, len(over.outstanding_ticks), unknown, rise


def check(made, taken, end, cuts, gaps):
    """Compare what is known with the golden model, which sees all events; return the unknown."""
    whole = truth(made, taken, end)
    classes, pending, unknown, rise = lossy(made, taken, end, cuts, gaps)
    lost = np.zeros(len(made), np.bool_)
    for first, last in gaps:
        lost[first:last] = True
    lost_strikes = int((lost & (made["source"] == 8)).sum())
    lost_responses = int((lost & (made["source"] == 0) & (made["polarity"] == 1)).sum())
    rest = {name: whole.classes[name] - classes[name] for name in R}
    matched = rest[R.ANSWERED] + rest[R.LATE]
    # No class has more than there are.
    assert min(rest.values()) >= 0
    assert whole.pending >= pending
    # Each strike and each response is in one class, or unknown, or lost.
    assert rest[R.STRIKES] == lost_strikes
    assert matched + rest[R.MISSED] + whole.pending - pending == unknown[0] + lost_strikes
    assert matched + rest[R.DUPLICATE] + rest[R.SPURIOUS] == unknown[1] + lost_responses
    # A strike that is known as missed is known as full or not; so with early ones.
    assert rest[R.QUEUE_FULL] <= rest[R.MISSED]
    assert rest[R.EARLY] <= matched
    true = zip(whole.rise.index.tolist(), whole.rise.value_ticks.tolist(), strict=True)
    assert set(rise) <= set(true)
    assert len(rise) == len(set(rise)) == classes[R.ANSWERED] + classes[R.LATE]
    return sum(unknown)


def merged(gaps):
    """Gaps that touch as one."""
    found = []
    for first, last in sorted(gaps):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


GAPS = st.lists(st.tuples(st.integers(0, 39), st.integers(1, 9)), max_size=3)


@given(STEPS, RULES, st.integers(0, 60), GAPS, st.lists(st.integers(0, 39), max_size=3))
@settings(max_examples=300)
def test_what_is_known_behind_gaps_is_true_and_the_rest_is_counted(steps, taken, rest, gaps, cuts):
    made = distinct(events(steps))
    end = (int(made["time_ticks"][-1]) if len(made) else 0) + rest
    inside = [(first, min(first + size, len(made))) for first, size in gaps if first < len(made)]
    check(made, taken, end, [cut for cut in cuts if cut < len(made)], merged(inside))


def distinct(made):
    """The events, at most one of a source in a tick."""
    keys = made["time_ticks"].astype(np.int64) * 256 + made["source"]
    kept = made[np.sort(np.unique(keys, return_index=True)[1])].copy()
    kept["index"] = np.arange(len(kept))
    own = np.flatnonzero(kept["source"] == 0)
    kept["polarity"][own] = 1 - np.arange(len(own)) % 2
    return kept


@pytest.mark.parametrize("runs", [3000, pytest.param(30_000, marks=pytest.mark.full)])
def test_in_drawn_runs_too(runs):
    rng, known, unknown = random.Random(7), 0, 0
    for _ in range(runs):
        made = distinct(events(drawn(rng)))
        if not len(made):
            continue
        taken = rules(
            rng.choice(list(Policy)),
            timeout=rng.choice((1, 3, 8, 20, 100)),
            window_min=rng.choice((0, 2, 6)),
            early=rng.choice((0, 0, 3, 10)),
            deadline=rng.choice((-2, 2, 5, 50)),
            depth=rng.choice((1, 2, 4, 16)),
        )
        end = int(made["time_ticks"][-1]) + rng.randrange(40)
        cuts = [rng.randrange(len(made)) for _ in range(rng.randrange(3))]
        firsts = [rng.randrange(len(made)) for _ in range(rng.choice((1, 1, 2)))]
        gaps = [(at, min(at + rng.choice((1, 2, 8)), len(made))) for at in firsts]
        unknown += check(made, taken, end, cuts, merged(gaps))
        known += len(made)
    assert 0 < unknown < known


PAIRS = [(10, STRIKE), (3, EDGE), (1, EDGE)] * 20


@pytest.mark.parametrize(
    ("taken", "unknown"),
    [
        # A strike at the end of the gap is over before the second one behind it comes.
        (rules(timeout=9), [1, 1]),
        # The next strike takes the place of any other.
        (rules(Policy.LATEST, timeout=30), [0, 0]),
        # A response may answer a strike of the gap, and each one behind it the one before.
        (rules(timeout=30), [10, 10]),
    ],
)
def test_a_gap_is_left_behind_as_soon_as_the_rules_allow(taken, unknown):
    """Of twenty strikes, the tenth is lost, with its response."""
    made = events(PAIRS)
    classes, pending, found, _ = lossy(made, taken, 300, [], [(27, 30)])
    assert found == unknown
    assert (classes[R.ANSWERED], pending) == (19 - unknown[0], 0)


def test_strikes_that_nothing_followed_are_known_as_missed_behind_a_gap():
    made = events([(10, STRIKE)] * 30)
    classes, pending, unknown, _ = lossy(made, rules(timeout=45, depth=8), 330, [], [(0, 2)])
    # Those that came while a queue of strikes from the gap may have been full may be so.
    assert (classes[R.MISSED], pending) == (28 - unknown[0] - 2, 2)
    assert unknown == [0, 0]


def test_a_gap_at_the_end_leaves_what_is_open_unknown():
    made = events([(10, STRIKE), (3, EDGE), (1, EDGE), (10, STRIKE), (3, EDGE)])
    classes, pending, unknown, _ = lossy(made, rules(), 40, [], [(4, 5)])
    assert (classes[R.ANSWERED], pending, unknown) == (1, 0, [1, 0])


def fates(rows, taken, end):
    """What became of each strike and response of (time, source) rows that are all there."""
    made = np.zeros(len(rows), EVENT_DTYPE)
    for index, (time, source) in enumerate(sorted(rows, key=place_of)):
        made[index] = (time, index, source, 1)
    found = outcomes(made, taken, rematch(made, taken, end))
    times, classes = made["time_ticks"], {}
    for at, kind, other in zip(found.strikes, found.strike_class, found.answer_of, strict=True):
        answer = int(times[found.responses[other]]) if other >= 0 else None
        classes[int(times[at]), 8] = (int(kind), answer)
    for at, kind, latency in zip(
        found.responses, found.response_class, found.latency_ticks, strict=True
    ):
        classes[int(times[at]), 0] = (int(kind), int(latency))
    return made, classes


def place_of(row):
    """The order of events: by time, strikes first."""
    return row[0], row[1] != 8


@pytest.mark.parametrize("runs", [30, pytest.param(300, marks=pytest.mark.full)])
def test_nearly_all_that_can_be_known_behind_a_gap_is(runs):
    """Each way to fill the gap is tried. What is the same in all of them can be known."""
    rng, unknown, unknowable, edges = random.Random(3), 0, 0, 0
    for _ in range(runs):
        time, rows = 0, set()
        while len(rows) < 14:
            time += rng.choice((0, 1, 2, 3, 6))
            rows.add((time, rng.choice((8, 0))))
        rows = sorted(rows, key=place_of)
        count = rng.choice((1, 2))
        first = rng.randrange(1, len(rows) - count)
        taken = rules(
            rng.choice(list(Policy)),
            timeout=rng.choice((2, 5, 9)),
            window_min=rng.choice((0, 2)),
            early=rng.choice((0, 0, 3)),
            deadline=4,
            depth=rng.choice((2, 8)),
        )
        end = time + rng.randrange(5)
        before, behind = place_of(rows[first - 1]), place_of(rows[first + count])
        ticks = range(before[0], behind[0] + 1)
        slots = [(tick, source) for tick in ticks for source in (8, 0)]
        slots = [slot for slot in slots if before < place_of(slot) < behind]
        kept = rows[:first] + rows[first + count :]
        fills = combinations(slots, count)
        all_fates = [fates([*kept, *fill], taken, end)[1] for fill in fills]
        unknowable += sum(len({known[row] for known in all_fates}) > 1 for row in kept)
        made, _ = fates(rows, taken, end)
        unknown += check(made, taken, end, [], [(first, first + count)])
        edges += len(kept)
    assert unknowable <= unknown
    # Of what can be known, all but some 4 %.
    assert edges - unknown >= 0.93 * (edges - unknowable)
