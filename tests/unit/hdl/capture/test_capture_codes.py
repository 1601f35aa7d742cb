# SPDX-License-Identifier: Apache-2.0
"""Codes through Capture: each a pair with its time and value, in order, numbered or masked."""

import itertools
import random
from dataclasses import replace

import pytest

from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import CodeMode
from plexor_hdl.capture.capture import Capture
from plexor_hdl.stages import MEASURED

from ..simulation import made, simulate

BITS, START = 10, 12
CODED = Geometry(
    channels=1,
    strikes=1,
    code_bits=BITS,
    word_fifo_depth=4,
    features=Feature.EVENTS | Feature.CODES,
)
FULL = Geometry(
    channels=1,
    strikes=1,
    code_bits=BITS,
    word_fifo_depth=4,
    features=CODED.features | Feature.MATCH | MEASURED,
)
CHANGE = {"mode": CodeMode.CHANGE, "mask": (1 << BITS) - 1}


def codes(seed, count, gap):
    """Return (clock, code) of codes `gap()` clocks apart, each another than the one before."""
    rng, clock, level, found = random.Random(seed), START + 5, 0, []
    for _ in range(count):
        level ^= rng.randrange(1, 1 << BITS)
        found.append((clock, level))
        clock += gap(rng)
    return found


def run(planted, settings, toggles=(), geometry=CODED, closed_until=0):
    """Return (events, beats, dropped of each source, masked) of planted codes.

    An event is (clock, source, index, gap, value); a channel's level changes at each of `toggles`.
    """
    dut, events, beats = made(Capture, geometry), [], []
    dropped, masked, levels = [0] * len(geometry.merged), [], dict(planted)
    last = max(planted[-1][0], *toggles, 0) + 80

    async def drive(ctx):
        for name, value in settings.items():
            ctx.set(dut.code[name], value)
        ctx.set(dut.channels[0].enable, 1)
        level, code = 0, 0
        for clock in range(last):
            ctx.set(dut.low, clock)
            ctx.set(dut.o_ready, clock >= closed_until)
            code = levels.get(clock, code)
            ctx.set(dut.codes, code)
            # The words are those of the clock before.
            word = -(clock - 1 in toggles) ^ -level
            level ^= clock - 1 in toggles
            ctx.set(dut.words[1], word & (1 << geometry.samples) - 1)
            ctx.set(dut.capture, clock - 1 >= START)
            if ctx.get(dut.event_stb):
                event, value = ctx.get(dut.event), ctx.get(dut.value)
                told = (event.time_ticks // geometry.samples, event.source, event.index, event.gap)
                if event.source == SOURCE_CODE_VALUE:
                    told = (events[-1][0], event.source, events[-1][2] + 1, event.gap)
                    events.append((*told, (value.code, value.torn)))
                else:
                    events.append((*told, None))
            if ctx.get(dut.o_valid) and ctx.get(dut.o_beat.is_event):
                event = ctx.get(dut.o_beat.event)
                beats.append((event.source, event.index, event.value))
            for number, told in enumerate(ctx.get(dut.amounts)):
                dropped[number] += told.dropped
            await ctx.tick()
        masked.append(ctx.get(dut.masked))

    simulate(dut, drive)
    return events, beats, dropped, masked[0]


def pairs(events):
    """Return (clock, (code, torn)) of each code; fail where an event of a code is alone."""
    found = [
        (first[0], second[4])
        for first, second in itertools.pairwise(events)
        if first[1] == SOURCE_CODE and second[:3] == (first[0], SOURCE_CODE_VALUE, first[2] + 1)
    ]
    assert 2 * len(found) == sum(event[1] >= SOURCE_CODE for event in events)
    return found


def test_a_value_is_there_before_its_event_whatever_the_settle_time():
    for settle in (1, 3, 8):
        planted = codes(settle, 8, lambda rng: rng.randint(30, 40))
        events, _, dropped, _ = run(planted, {**CHANGE, "settle_clocks": settle})
        assert pairs(events) == [(clock, (code, 0)) for clock, code in planted]
        assert [event[2] for event in events] == list(range(2 * len(planted)))
        assert not any(dropped)


def test_a_code_each_two_clocks_is_merged_without_a_drop_and_more_events_are_dropped():
    # The merge gives an event each 2 clocks, and a code with its value is one.
    planted = codes(1, 120, lambda _: 2)
    events, _, dropped, _ = run(planted, {**CHANGE, "settle_clocks": 1})
    assert pairs(events) == [(clock, (code, 0)) for clock, code in planted]
    assert not any(dropped)
    planted = codes(1, 120, lambda _: 4)
    toggles = range(START, planted[-1][0], 2)
    events, _, dropped, _ = run(planted, {**CHANGE, "settle_clocks": 3}, toggles)
    assert set(pairs(events)) <= {(clock, (code, 0)) for clock, code in planted}
    assert len(planted) == len(pairs(events)) + dropped[-1]
    assert sum(dropped) > 0


def test_codes_that_are_dropped_before_the_merge_are_numbered_as_two_events():
    planted = codes(1, 80, lambda _: 4)
    settings = {**CHANGE, "settle_clocks": 3}
    events, _, dropped, _ = run(planted, settings, closed_until=START + 200)
    indices = {clock: 2 * number for number, (clock, _) in enumerate(planted)}
    assert all(
        index == indices[clock] for clock, source, index, _, _ in events if source == SOURCE_CODE
    )
    assert len(planted) == len(pairs(events)) + dropped[-1]
    assert 0 < dropped[-1] < 60


@pytest.mark.parametrize("gap", [(3, 5), (15, 30)])
def test_codes_of_masked_classes_are_neither_events_nor_numbered_but_counted(gap):
    planted = codes(7, 100, lambda rng: rng.randint(*gap))
    toggles = range(START + 6, planted[-1][0], 9)
    settings = {**CHANGE, "settle_clocks": 2, "zone_mask": 0x0C5A}
    events, beats, dropped, masked = run(planted, settings, toggles)
    wanted = {(clock, code) for clock, code in planted if not 0x0C5A >> (code >> 6) & 1}
    found = {(clock, code) for clock, (code, torn) in pairs(events) if not torn}
    assert found <= wanted
    assert len(planted) == len(pairs(events)) + masked + dropped[-1]
    assert masked > 20
    assert [beat[0] for beat in beats] == [event[1] for event in events if event[4] is None]
    index = 0
    for _, _, number, is_gap, _ in events:
        assert number == index if not is_gap else number > index
        index = number + 1
    assert (sum(dropped) > 0) == any(event[3] for event in events)
    if not sum(dropped):
        assert found == wanted


def test_the_beat_of_a_code_has_its_index_and_its_value():
    planted = codes(3, 8, lambda rng: rng.randint(20, 30))
    _, beats, _, _ = run(planted, {**CHANGE, "settle_clocks": 3}, geometry=FULL)
    values = [(SOURCE_CODE, 2 * number, code) for number, (_, code) in enumerate(planted)]
    assert beats == values


@pytest.mark.parametrize("features", [Feature.EVENTS, Feature.EVENTS | Feature.FILTER])
def test_a_strobed_code_has_the_time_of_its_strobe_and_the_value_at_it(features):
    geometry = replace(CODED, features=features | Feature.CODES)
    planted = codes(5, 30, lambda rng: rng.randint(8, 20))
    # The strobe rises with the data, or up to 3 clocks later, and falls behind it.
    rises = [clock + number % 4 for number, (clock, _) in enumerate(planted)]
    toggles = {*rises, *(clock + 3 for clock in rises)}
    events, _, _, _ = run(planted, {**CHANGE, "mode": CodeMode.STROBED}, toggles, geometry)
    assert pairs(events) == [
        (clock, (code, 0)) for clock, (_, code) in zip(rises, planted, strict=True)
    ]
    channel = [event[0] for event in events if event[1] == 0]
    assert channel == sorted(toggles)
