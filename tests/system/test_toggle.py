# SPDX-License-Identifier: Apache-2.0
"""Edges faster than the merge: a strike that toggles every tick, looped back to a channel."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bench import Outcome, assert_channel_equals, assert_equals_truth, class_counts, run

from plexor.model.results import Kind
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.registers import Stream
from plexor_hdl.build import boards

LOOP = str(Path(__file__).with_name("loop") / "loop.toml")
GEOMETRY = boards.simulated()
ROOMY = replace(GEOMETRY, upload_depth=2048)
"""With room for all events of a burst that fits the FIFOs before the merge."""
TICK = Fraction(GEOMETRY.tick_fs, 10**15)
WORD_EDGES = GEOMETRY.samples
SUSTAINED_CLOCKS = 19
"""From docs/instrument.md: between strikes that one channel answers."""


def burst(strikes: int, phase_ticks: int = 0) -> Settings:
    """Return one burst that toggles on every tick."""
    return Settings(
        strikes=(
            Stimulus(width_s=TICK, spacing_s=2 * TICK, burst=strikes, phase_s=phase_ticks * TICK),
        ),
        channels=(Channel(0),),
        timeout_s=2000 * TICK,
        count=strikes,
    )


def kept(outcome: Outcome) -> np.ndarray:
    """Return which of the golden events came, by time and source; the others were dropped."""
    every, events = outcome.golden().events, outcome.result.events
    wanted = every.time_ticks * 32 + every.source
    came = events["time_ticks"].astype(np.int64) * 32 + events["source"]
    places = np.searchsorted(np.sort(wanted), came)
    order = np.argsort(wanted)
    assert np.array_equal(wanted[order][places], came)
    assert len(set(came.tolist())) == len(came)
    assert np.array_equal(events["polarity"], every.polarity[order][places])
    mask = np.zeros(len(every), np.bool_)
    mask[order[places]] = True
    return mask


def assert_reported_or_counted(outcome: Outcome, edges: int) -> int:
    """Assert that each of the edges of both pins is received or dropped; return the dropped."""
    books = outcome.result.accounting
    for source in (SOURCE_STRIKE, 0):
        assert np.count_nonzero(outcome.truth["source"] == source) == edges
        entry = next(entry for entry in books.sources if entry.source == source)
        assert entry.generated == edges == entry.received + entry.dropped
    assert not books.contradictions
    mask = kept(outcome)
    truth = outcome.golden(dropped=~mask)
    found = outcome.result.channels[0]
    assert [found.classes[n] for n in sorted(found.classes)] == truth.classes[0].tolist()
    assert found.conserved
    if mask.all():
        assert_channel_equals(found, truth)
    gaps = np.diff(np.append(-1, outcome.result.events["index"].astype(np.int64))) - 1
    last = 2 * edges - 1 - int(outcome.result.events["index"][-1])
    assert gaps.sum() + last == books.dropped_before_merge == np.count_nonzero(~mask)
    return books.dropped_before_merge


@pytest.mark.full
def test_each_edge_of_a_thousand_ticks_is_reported_or_counted(tmp_path):
    outcome = run(LOOP, burst(500), tmp_path, geometry=ROOMY)
    dropped = assert_reported_or_counted(outcome, 1000)
    # What comes less what leaves meanwhile and stays: nothing more may be lost.
    room = 2 * WORD_EDGES * GEOMETRY.word_fifo_depth + 1000 // WORD_EDGES // 5
    assert 0 < dropped <= 2000 - room + 2 * WORD_EDGES
    assert any("dropped before" in reason for reason in outcome.result.invalid_reasons)


def test_a_burst_that_fits_the_fifo_is_matched_whole(tmp_path):
    strikes = GEOMETRY.word_fifo_depth * WORD_EDGES // 2
    settings = replace(burst(strikes), stream=Stream.OFF)
    outcome = run(LOOP, settings, tmp_path, geometry=GEOMETRY)
    assert_equals_truth(outcome)
    assert outcome.result.accounting.generated == 4 * strikes
    assert outcome.result.accounting.dropped_on_chip == 0
    assert class_counts(outcome.result.channels[0]) == {"ANSWERED": strikes, "STRIKES": strikes}


@pytest.mark.full
@pytest.mark.parametrize("phase_ticks", [0, 1, 4, 7])
def test_each_event_of_a_burst_that_fits_the_fifo_comes(phase_ticks, tmp_path):
    strikes = GEOMETRY.word_fifo_depth * WORD_EDGES // 2
    outcome = run(LOOP, burst(strikes, phase_ticks), tmp_path, geometry=ROOMY)
    assert assert_reported_or_counted(outcome, 2 * strikes) == 0
    truth = assert_equals_truth(outcome)
    assert np.array_equal(np.diff(truth.events.time_ticks[::2]), np.ones(2 * strikes - 1))


@pytest.mark.parametrize("strikes", [5_000, pytest.param(20_000, marks=pytest.mark.full)])
def test_an_event_each_three_clocks_is_counted_without_end(strikes, tmp_path):
    settings = Settings(
        strikes=(Stimulus(period_s=6 * WORD_EDGES * TICK, width_s=3 * WORD_EDGES * TICK),),
        count=strikes,
        timeout_s=2000 * TICK,
        stream=Stream.OFF,
    )
    outcome = run(LOOP, settings, tmp_path, geometry=GEOMETRY)
    assert assert_equals_truth(outcome).generated[SOURCE_STRIKE] == 2 * strikes
    assert outcome.result.accounting.received == 2 * strikes
    assert outcome.result.accounting.dropped_on_chip == 0


@pytest.mark.parametrize(
    ("delay_ps", "latency_ticks", "strikes"),
    [
        (0, 0, 8_000),
        (12_000, 24, 8_000),
        *(
            pytest.param(delay_ps, latency_ticks, 40_000, marks=pytest.mark.full)
            for delay_ps, latency_ticks in ((0, 0), (1, 1), (3500, 7), (12_000, 24))
        ),
    ],
)
def test_an_answered_strike_every_so_many_clocks_is_matched_without_end(
    delay_ps, latency_ticks, strikes, tmp_path
):
    settings = Settings(
        strikes=(Stimulus(period_s=SUSTAINED_CLOCKS * WORD_EDGES * TICK, width_s=16 * TICK),),
        channels=(Channel(0),),
        timeout_s=2000 * TICK,
        count=strikes,
        stream=Stream.OFF,
    )
    outcome = run(f"{LOOP}:delay={delay_ps}ps", settings, tmp_path, geometry=GEOMETRY)
    assert_equals_truth(outcome)
    assert outcome.result.accounting.generated == 4 * strikes
    assert outcome.result.accounting.dropped_on_chip == 0
    channel = outcome.result.channels[0]
    assert class_counts(channel) == {"ANSWERED": strikes, "STRIKES": strikes}
    rise = channel.measurement(Kind.RISE).statistics
    assert (rise.min_ticks, rise.max_ticks) == (latency_ticks, latency_ticks)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("spacing_ticks", [2, 3, 5, 7, 11, 13])
def test_every_spacing_is_reported_or_counted(spacing_ticks, tmp_path):
    settings = replace(
        burst(2000), strikes=(Stimulus(width_s=TICK, spacing_s=spacing_ticks * TICK, burst=2000),)
    )
    outcome = run(LOOP, settings, tmp_path, geometry=ROOMY)
    books = outcome.result.accounting
    if not sum(entry.upload_dropped for entry in books.sources):
        assert_reported_or_counted(outcome, 4000)
    assert books.holds
