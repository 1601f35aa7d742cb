# SPDX-License-Identifier: Apache-2.0
"""A link loaded with events, and memories counted a second time, by runs that are planted."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from plexor.experiments.selftest import by_events
from plexor.experiments.selftest.by_events import MEMORY_ROUNDS, EventWitness
from plexor.experiments.selftest.model import Finding
from plexor.experiments.selftest.witness import MEMORY_STRIKES
from plexor.model.identity import Identity
from plexor.model.results import Accounting, SourceAccounting
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import InputSelect

GEOMETRY = Geometry(channels=2)
LATENCIES = [[1000, 1200, 1100, 1300], [2000, 2100, 2200, 2300]]


@pytest.fixture
def witness():
    return EventWitness(SimpleNamespace(identity=Identity(GEOMETRY, 1), name="sim:"))


@pytest.fixture
def brings(monkeypatch):
    """Return a function that plants the results of runs to come; the last one stays."""

    def plant(*results):
        left, asked = list(results), []

        def run(device, settings):
            asked.append(settings)
            return left.pop(0) if len(left) > 1 else left[0]

        for name in ("whole_run", "complete_run"):
            monkeypatch.setattr(by_events, name, run)
        return asked

    return plant


@pytest.mark.parametrize("dropped", [0, 5])
def test_the_link_carries_words_and_the_bytes_around_each_frame(witness, brings, run_of, dropped):
    sources = (SourceAccounting(0, 1000 + dropped, 0, dropped, 1000),)
    books = Accounting(1000 + dropped, 1000, dropped, 0, sources, frames_received=4)
    run = replace(run_of(LATENCIES), accounting=books, start_ticks=500, end_ticks=500 + 10**6)
    brings(run)
    load = witness.load(None)
    # A header of 24 bytes, a CRC of 4, two of COBS and its delimiter; in a millisecond.
    assert load.bytes_s == (1000 * 4 + 4 * (24 + 4 + 2)) * 1000
    assert load.more == (dropped > 0)


@pytest.mark.parametrize(
    ("nominal", "seconds"),
    [
        (None, Fraction(1, 10)),
        (Fraction(1 << 19), Fraction(1, 8)),
        (Fraction(10), Fraction(1)),
        (Fraction(10**9), Fraction(1, 500)),
    ],
)
def test_the_link_is_loaded_for_65536_bytes_within_bounds(
    witness, brings, run_of, nominal, seconds
):
    asked = brings(run_of(LATENCIES))
    witness.load(nominal)
    assert asked[0].time_s == seconds
    assert asked[0].input_select == InputSelect.ASYNCHRONOUS


def test_memories_that_agree_with_their_events_have_no_finding(witness, brings, run_of):
    asked = brings(run_of(LATENCIES))
    found = witness.recount([0, 1])
    assert (found.findings, found.lost) == ([], 0)
    assert found.compared > found.used > 0
    assert len(asked) == MEMORY_ROUNDS
    assert {settings.strikes[0].count for settings in asked} == {MEMORY_STRIKES}
    # Each round has other latencies and seeds: other bins are filled.
    assert len({settings.strikes[0].width_s for settings in asked}) == MEMORY_ROUNDS
    assert len({settings.strikes[0].seed for settings in asked}) == MEMORY_ROUNDS
    assert all(settings.strikes[0].dither_s > 0 for settings in asked)


def test_strikes_that_a_channel_did_not_count_are_told(witness, brings, run_of):
    run = run_of(LATENCIES)
    one, other = run.channels
    short = replace(other, classes=dict(other.classes) | {ResponseClass.STRIKES: 3})
    brings(replace(run, channels=(one, short)), run)
    assert Finding("TASK", "3 of 4 strikes counted") in witness.recount([0, 1]).findings


def test_a_count_in_another_bin_is_told(witness, brings, run_of):
    run = run_of(LATENCIES)
    counts = run.channels[0].measurements[0].bins.counts
    place = int(counts.nonzero()[0][0])
    counts[place + 1] += counts[place]
    counts[place] = 0
    brings(run, run_of(LATENCIES))
    assert {finding.subject for finding in witness.recount([0, 1]).findings} != set()


def test_a_run_that_lost_events_is_compared_with_nothing_and_its_loss_told(witness, brings, run_of):
    run = run_of(LATENCIES)
    books = replace(run.accounting, received=run.accounting.generated - 2, lost_on_link=2)
    brings(replace(run, accounting=books))
    found = witness.recount([0, 1])
    assert (found.compared, found.used, list(found.findings)) == (0, 0, [])
    assert found.lost == 2 * MEMORY_ROUNDS


def test_an_instrument_without_dither_is_asked_for_none(brings, run_of):
    without = replace(GEOMETRY, features=ALL_FEATURES & ~Feature.DITHER)
    asked = brings(run_of(LATENCIES))
    EventWitness(SimpleNamespace(identity=Identity(without, 1), name="sim:")).recount([0, 1])
    assert {settings.strikes[0].dither_s for settings in asked} == {0}
