# SPDX-License-Identifier: Apache-2.0
"""A channel's rules are those of the registers; complete is what every counter agrees on."""

from dataclasses import replace

import pytest

from plexor.figures.analyse.rules import is_complete, rules_of
from plexor.model.results import SourceAccounting
from plexor.model.settings import NO_DEADLINE_TICKS, RegisterWrite
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules


def test_rules_are_as_written_to_the_instrument(run_of):
    run = run_of([[1000, 2000]])
    written = {"policy": 2, "timeout_ticks": 500, "window_min_ticks": 30, "early_ticks": 7}
    run = replace(
        run, registers=tuple(RegisterWrite("matcher", 0, *row) for row in written.items())
    )
    channel = replace(run.channels[0], reference="ch1.fall", deadline_ticks=90)
    depth = run.identity.geometry.queue_depth
    assert rules_of(run, channel) == Rules(0, 1, 0, Policy.WINDOW, 500, 30, 7, 90, depth)


def test_what_was_not_written_is_as_after_a_reset(run_of):
    run = replace(run_of([[1000]]), registers=())
    found = rules_of(run, run.channels[0])
    assert (found.timeout_ticks, found.deadline_ticks) == (1 << 24, NO_DEADLINE_TICKS)


@pytest.mark.parametrize("field", ["generated", "received", "dropped"])
def test_a_channel_is_complete_if_all_its_edges_and_its_strikes_came(run_of, field):
    run = run_of([[1000, 2000], [3000, None]])
    assert is_complete(run, run.channels[0])
    sources = run.accounting.sources
    for place, complete in enumerate((False, True, False)):  # ch0, ch1, strike0
        counts = {"generated": 1, "received": -1, "dropped": 1}
        entry = sources[place]
        other = replace(entry, **{field: getattr(entry, field) + counts[field]})
        if field == "dropped":
            other = replace(other, generated=other.generated + 1)
        books = replace(run.accounting, sources=(*sources[:place], other, *sources[place + 1 :]))
        assert is_complete(replace(run, accounting=books), run.channels[0]) == complete


def test_without_events_or_counters_nothing_is_complete(run_of):
    run = run_of([[1000]])
    assert not is_complete(replace(run, events=None), run.channels[0])
    only = (SourceAccounting(0, 2, 0, 0, 2),)
    books = replace(run.accounting, sources=only)
    assert not is_complete(replace(run, accounting=books), run.channels[0])
