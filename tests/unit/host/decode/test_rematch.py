# SPDX-License-Identifier: Apache-2.0
"""Which way a run's events are matched: at once, or in turn where that alone is exact."""

import numpy as np
import pytest

from plexor.decode import rematch as ways
from plexor.decode.matched import Rules
from plexor.model.results import EVENT_DTYPE
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Policy

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
    match_in_turn = ways.match_in_turn
    monkeypatch.setattr(
        ways, "match_in_turn", lambda *given: asked.append(given) or match_in_turn(*given)
    )
    found = ways.rematch(events(*kinds), taken, 1000)
    assert found.classes[ResponseClass.STRIKES] == kinds.count(STRIKE)
    assert bool(asked) == in_turn
