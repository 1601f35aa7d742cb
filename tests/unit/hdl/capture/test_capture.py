# SPDX-License-Identifier: Apache-2.0
"""Capture: from pins to numbered events, with each channel's inversion, filter and enable."""

import random

import numpy as np
import pytest

from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STEP
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.capture.capture import Capture
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_sim.golden.edges import (
    collapsed,
    filtered,
    inverted,
    lasting,
    leading,
    mended,
    merged,
    windowed,
)

from ..simulation import made, simulate

START, CLOCKS = 12, 90
FIRST_CLOCK = (1 << LOW_BITS) - 50


def random_words(geometry, rng, density, clocks=CLOCKS):
    """Return a word of each source for each clock, from levels of random length.

    The levels of the load and of the steps change between clocks alone.
    """
    rows = []
    for source in geometry.sources:
        levels, level = [], rng.randrange(2)
        unit = geometry.samples if source in (SOURCE_LOAD, SOURCE_STEP) else 1
        while len(levels) < (clocks + START) * geometry.samples:
            levels += [level] * (unit * rng.choice((1, 2, 3, 5, density, 2 * density)))
            level = 1 - level
        rows.append(levels[: (clocks + START) * geometry.samples])
    return rows


def run(geometry, rows, settings, stop):
    """Return events (time, source, polarity, index), counts, the final beat's time, and how many
    clocks were mended.
    """
    dut, events, counts = made(Capture, geometry), [], []
    clocks = len(rows[0]) // geometry.samples - START
    amounts = [[0, 0] for _ in geometry.sources]
    acknowledged, final, mends = [], [], []
    samples = geometry.samples

    async def drive(ctx):
        for number, values in enumerate(settings):
            for name, value in values.items():
                if name == "long":
                    ctx.set(dut.long_filters[number].ticks, value)
                else:
                    ctx.set(dut.channels[number][name], value)
        ctx.set(dut.strike_enables, -1 % (1 << geometry.strikes))
        ctx.set(dut.o_ready, 1)
        asked = None
        for clock in range(clocks + 1000):
            now = FIRST_CLOCK + clock
            epoch, low = divmod(now, 1 << LOW_BITS)
            ctx.set(dut.low, low)
            ctx.set(dut.epoch, epoch)
            ctx.set(dut.last_epoch, epoch - 1)
            # The words are those of the clock before.
            at = min(max(clock - 1, 0), clocks + START - 1) * samples
            for number, levels in enumerate(rows):
                word = sum(levels[at + bit] << bit for bit in range(samples))
                ctx.set(dut.words[number], word)
            ctx.set(dut.capture, START <= clock - 1 < stop)
            if asked is None and clock > stop + 40 and ctx.get(dut.idle):
                asked = clock
            ctx.set(dut.final_valid, asked is not None and not acknowledged)
            if ctx.get(dut.o_valid):
                event = ctx.get(dut.o_beat.event)
                if ctx.get(dut.o_beat.final):
                    final.append(event.time_ticks)
                    break
            # The beat of a build has not all of the event.
            if ctx.get(dut.event_stb):
                event = ctx.get(dut.event)
                events.append((event.time_ticks, event.source, event.polarity, event.index))
            if ctx.get(dut.final_valid) and ctx.get(dut.final_ready):
                acknowledged.append(clock)
            for amount, told in zip(amounts, ctx.get(dut.amounts), strict=True):
                amount[0] += told.generated
                amount[1] += told.dropped
            await ctx.tick()
        await ctx.tick().repeat(6)
        counts.extend(map(tuple, amounts))
        removed = ctx.get(dut.removed) if dut.removes else 0
        assert ctx.get(dut.next_index) == sum(generated for generated, _ in counts) - removed
        mends.append(ctx.get(dut.mended))

    simulate(dut, drive)
    return events, counts, final[0], mends[0]


def expected(geometry, rows, settings, stop):
    """Return what the golden model says of the same levels: events, and edges of each source."""
    base, samples = FIRST_CLOCK * geometry.samples, geometry.samples
    sources = {}
    for source, levels in zip(geometry.sources, rows, strict=True):
        times = np.arange(len(levels), dtype=np.int64) + base
        edges = collapsed(times, np.array(levels, np.bool_), bool(levels[0]))
        if source < geometry.channels:
            values = settings[source]
            edges = mended(edges) if Feature.MEND in geometry.features else edges
            edges = inverted(edges) if values.get("invert") else edges
            if values.get("long"):
                edges = lasting(filtered(edges, samples, samples), values["long"])
            else:
                edges = filtered(edges, values.get("filter_ticks", 0), samples)
            if not values.get("enable"):
                edges = collapsed(times[:0], np.zeros(0, np.bool_), False)
        sources[source] = windowed(edges, base + START * samples, base + stop * samples)
        if source < geometry.channels and settings[source].get("either"):
            sources[source] = leading(sources[source])
    events = merged(sources)
    columns = (events.time_ticks, events.source, events.polarity, events.index)
    truth = list(zip(*(column.tolist() for column in columns), strict=True))
    return truth, [len(sources[source].time_ticks) for source in geometry.sources]


PLAIN = [{"enable": 1}, {"enable": 1}]
MIXED = [{"enable": 1, "invert": 1, "filter_ticks": 3}, {"enable": 1, "filter_ticks": 2}]
HALF = [{"enable": 0}, {"enable": 1, "invert": 1}]
EITHER = [{"enable": 1}, {"enable": 1, "either": 1}]
LONG = [{"enable": 1, "long": 100}, {"enable": 1}, {"enable": 1, "invert": 1, "long": 33}]
LONG_EITHER = [{"enable": 1, "long": 100, "either": 1}, {"enable": 1, "long": 9}, {"enable": 0}]
LONG_ALL = [{"enable": 1, "long": ticks} for ticks in (90, 130, 12)]


@pytest.mark.parametrize("filters", [True, pytest.param(False, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "settings", [PLAIN, MIXED, HALF, EITHER], ids=["plain", "mixed", "half", "either"]
)
def test_events_are_those_of_the_golden_model_when_none_is_dropped(settings, filters):
    features = ALL_FEATURES & ~(Feature(0) if filters else Feature.FILTER | Feature.LONG_FILTER)
    geometry = Geometry(channels=2, strikes=1, samples=8, features=features)
    if not filters:
        settings = [{**values, "filter_ticks": 0} for values in settings]
    rows = random_words(geometry, random.Random(len(settings[0])), 25)
    stop = CLOCKS
    events, counts, final, _ = run(geometry, rows, settings, stop)
    truth, generated = expected(geometry, rows, settings, stop)
    assert len(truth) > 80
    assert events == truth
    assert counts == [(count, 0) for count in generated]
    assert final == (FIRST_CLOCK + stop) * 8


@pytest.mark.parametrize("settings", [LONG, LONG_EITHER, LONG_ALL], ids=["some", "either", "all"])
@pytest.mark.parametrize("stop", [400, 407])
def test_a_long_filter_takes_events_away_and_leaves_the_others_their_times(settings, stop):
    geometry = Geometry(channels=3, strikes=1, samples=8, features=ALL_FEATURES & ~Feature.MEND)
    rows = random_words(geometry, random.Random(len(settings) + stop), 60, 440)
    # A filter begins low, and what it has before the run is not for so long.
    rows = [[level ^ row[0] for level in row] for row in rows]
    # Some edges stand in the last clocks of the run, and what decides on them comes behind.
    events, counts, final, _ = run(geometry, rows, settings, stop)
    truth, generated = expected(geometry, rows, settings, stop)
    assert events == truth
    short = [
        {**values, "long": 0, "filter_ticks": 8 if values.get("long") else 0} for values in settings
    ]
    before = expected(geometry, rows, short, stop)[1]
    assert counts == [(count, 0) for count in before]
    assert sum(before) > sum(generated) > 100
    assert final == (FIRST_CLOCK + stop) * 8


def test_clocks_with_exchanged_samples_are_counted_in_the_run_on_enabled_channels():
    geometry = Geometry(channels=2, strikes=1, samples=8)
    exchanged = (0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0)
    rows = [[0] * (CLOCKS + START) * 8 for _ in geometry.sources]
    for channel, later in enumerate((0, 6)):
        row = rows[geometry.sources.index(channel)]
        for clock in (4, START + 4, START + 20, START + 50, CLOCKS + 4):
            row[(clock + later) * 8 : (clock + later) * 8 + 16] = exchanged
    *_, mended_clocks = run(geometry, rows, [{"enable": 1}, {"enable": 0}], CLOCKS)
    assert mended_clocks == 3


@pytest.mark.parametrize("features", [ALL_FEATURES, Feature.EVENTS], ids=["all", "events"])
def test_every_edge_is_sent_with_its_index_or_counted_as_dropped_of_its_source(features):
    geometry = Geometry(channels=2, strikes=1, samples=8, word_fifo_depth=4, features=features)
    rows = random_words(geometry, random.Random(5), 2)
    events, counts, _, _ = run(geometry, rows, PLAIN, CLOCKS)
    truth, generated = expected(geometry, rows, PLAIN, CLOCKS)
    sent = [sum(event[1] == source for event in events) for source in geometry.sources]
    assert [count for count, _ in counts] == generated
    assert [count - dropped for count, dropped in counts] == sent
    assert min(dropped for _, dropped in counts) > 0
    indices = [event[3] for event in events]
    assert indices == sorted(set(indices))
    assert max(indices) < len(truth)
    assert {event[:3] for event in events} <= {event[:3] for event in truth}
