# SPDX-License-Identifier: Apache-2.0
"""Which way a run's events are matched: at once, or in turn where that alone is exact."""

from dataclasses import replace

import numpy as np
import pytest

from plexor.model.results import EVENT_DTYPE, Kind
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy
from plexor.wire.decode import rematch as ways
from plexor.wire.decode.matched import Rules

STRIKE, RESPONSE = (8, 1), (0, 1)


def events(*kinds):
    made = np.zeros(len(kinds), EVENT_DTYPE)
    for index, kind in enumerate(kinds):
        made[index] = (10 * index, index, *kind)
    return made


def rules(early=0, depth=4):
    return Rules(0, 8, 1, Policy.OLDEST, 100, 0, early, 50, depth)


@pytest.mark.parametrize(
    ("kinds", "taken", "in_turn"),
    [
        ([STRIKE, RESPONSE, STRIKE], rules(), False),
        ([RESPONSE, STRIKE], rules(), False),
        ([RESPONSE, STRIKE], rules(early=10), True),
        ([STRIKE, STRIKE], rules(depth=1), True),
    ],
)
def test_events_are_matched_in_turn_only_where_that_alone_is_exact(
    kinds, taken, in_turn, monkeypatch
):
    asked = []
    step_in_turn = ways.step_in_turn
    monkeypatch.setattr(
        ways, "step_in_turn", lambda *given: asked.append(given) or step_in_turn(*given)
    )
    found = ways.rematch(events(*kinds), taken, 1000)
    assert found.classes[ResponseClass.STRIKES] == kinds.count(STRIKE)
    assert bool(asked) == in_turn


@pytest.mark.parametrize("early", [0, 10])
def test_each_side_of_a_gap_is_matched_by_itself(early):
    """As if the run had ended where the gap begins, and another had begun where it ends."""
    taken = rules(early)
    before = [STRIKE, RESPONSE, (0, 0), STRIKE, STRIKE]
    behind = [RESPONSE, (0, 0), STRIKE, RESPONSE, STRIKE]
    whole = events(*before, *behind)
    parts = [(whole[:5], 45), (whole[5:], 150)]
    alone = [ways.rematch(own, taken, end) for own, end in parts]
    joined = ways.rematch(whole, replace(taken, gaps_ticks=((45, 48),)), 150)
    assert joined.classes == {
        name: sum(part.classes[name] for part in alone) for name in ResponseClass
    }
    assert joined.classes[ResponseClass.SPURIOUS] == 1
    assert joined.outstanding_ticks.tolist() == [30, 40, 90]
    assert joined.active_edges == 3
    for kind, samples in joined.samples.items():
        for column in ("value_ticks", "time_ticks", "index", "start_ticks"):
            assert getattr(samples, column).tolist() == [
                value for part in alone for value in getattr(part.samples[kind], column)
            ]
    # Across the gap no response answers, and no period is counted.
    assert joined.samples[Kind.RISE].value_ticks.tolist() == [10, 10]
    assert joined.samples[Kind.PERIOD].value_ticks.tolist() == [30]
