# SPDX-License-Identifier: Apache-2.0
"""The ring: the last events stay, with their indices, until the next clear."""

import random

import pytest

from plexor.protocol.frames import DELTA_BITS, SOURCE_CODE, SOURCE_CODE_VALUE, VALUE_BITS
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.uplink.ring import ROW_BITS, Ring
from plexor_hdl.uplink.upload import MARK_BITS, MARKS, SPARE_BITS

from ..simulation import made

DEPTH = 16
ROW_BITS_OF_TWO_BLOCKS = 72
"""Of two block RAMs of the ECP5, each of 512 words of 36 bits (Lattice FPGA-DS-02012)."""
MARK = 24
DELTA_MASK = (1 << DELTA_BITS) - 1


def random_events(rng, count):
    index, time, events = 0, 1000, []
    for _ in range(count):
        gap = rng.random() < 0.15
        index += rng.randrange(1, 5) if gap else 0
        time += rng.getrandbits(rng.randrange(40))
        events.append(
            {
                "time_ticks": time,
                "source": rng.randrange(17),
                "polarity": rng.randrange(2),
                "index": index,
                "gap": gap,
            }
        )
        index += 1
    return events


def expected_entries(events, depth=DEPTH):
    """Return what stands in the stream: (lower bits of time or of a mark, source, polarity)."""
    entries, above = [], None
    for event in events[-depth:]:
        time, index, gap = event["time_ticks"], event["index"], int(event["gap"])
        if gap or time >> DELTA_BITS != above:
            above = time >> DELTA_BITS
            start = (index | gap << 48 | above << 50) << SPARE_BITS
            for number in range(MARKS):
                part = start >> MARK_BITS * number & (1 << MARK_BITS) - 1
                entries.append((part & DELTA_MASK, MARK | part >> DELTA_BITS & 7, part >> 29))
        entries.append((time & DELTA_MASK, event["source"], event["polarity"]))
    return entries


def split(entry):
    return entry & DELTA_MASK, entry >> 26 & 31, entry >> 31


async def write(ctx, dut, events, rng=None):
    for event in events:
        ctx.set(dut.i_events.payload, event)
        ctx.set(dut.i_events.valid, 1)
        await ctx.tick()
        ctx.set(dut.i_events.valid, 0)
        await ctx.tick()
        if rng and rng.random() < 0.3:
            await ctx.tick().repeat(rng.randrange(1, 4))
    ctx.set(dut.freeze, 1)
    await ctx.tick().repeat(2)


async def strobe(ctx, signal):
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)


async def idle(ctx, dut):
    await ctx.tick()
    while ctx.get(dut.busy):
        await ctx.tick()


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("count", [1, DEPTH - 1, DEPTH, DEPTH + 1, 3 * DEPTH + 5])
def test_the_last_events_are_sent_and_can_be_sent_again(bench, seed, count):
    rng = random.Random(seed)
    events = random_events(rng, count)
    dut, entries = made(Ring, Geometry(ring_depth=DEPTH)), []

    async def drive(ctx):
        await write(ctx, dut, events, rng if seed else None)
        # Events while frozen change nothing.
        await write(ctx, dut, random_events(rng, 5))
        for _ in range(2):
            await strobe(ctx, dut.send_stb)
            await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries, seed))
    assert [split(entry) for entry in entries] == expected_entries(events) * 2


def with_codes(rng, count):
    """Return random events of which some are codes."""
    events, before = [], 0
    for event in random_events(rng, count):
        code = rng.random() < 0.6
        of_code = {"source": SOURCE_CODE, "polarity": 1, "value": rng.getrandbits(VALUE_BITS)}
        events.append({**event, **(of_code if code else {}), "index": event["index"] + before})
        before += code
    return events


def paired_entries(events):
    """Return what stands in the stream: each code's value is behind it."""
    values, found = [e["value"] for e in events[-DEPTH:] if "value" in e], []
    for entry in expected_entries(events):
        found.append(entry)
        if entry[1] == SOURCE_CODE:
            found.append((values.pop(0), SOURCE_CODE_VALUE, 1))
    return found


CODED = Geometry(ring_depth=DEPTH, code_bits=8, features=ALL_FEATURES | Feature.CODES)


@pytest.mark.parametrize("count", [1, 2, 9, DEPTH, DEPTH + 7, 3 * DEPTH])
def test_a_code_is_sent_with_its_value_whatever_is_overwritten(bench, count):
    rng = random.Random(count)
    events = with_codes(rng, count)
    dut, entries = made(Ring, CODED), []

    async def drive(ctx):
        await write(ctx, dut, events)
        await write(ctx, dut, with_codes(rng, 5))
        for _ in range(2):
            await strobe(ctx, dut.send_stb)
            await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries, count))
    assert [split(entry) for entry in entries] == paired_entries(events) * 2


def test_indices_and_times_are_whole(bench):
    ones = {"source": 17, "polarity": 1, "gap": 1}
    events = [
        {"time_ticks": time, "index": index, **ones}
        for time, index in (
            *((0, 1 << bit) for bit in range(48)),
            *((1 << bit, 0) for bit in range(64)),
            ((1 << 64) - 1, (1 << 48) - 1),
        )
    ]
    dut, entries = made(Ring, Geometry(ring_depth=128)), []

    async def drive(ctx):
        await write(ctx, dut, events)
        await strobe(ctx, dut.send_stb)
        await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries))
    assert [split(entry) for entry in entries] == expected_entries(events, 128)


def test_256_events_are_in_two_block_rams():
    assert ROW_BITS <= ROW_BITS_OF_TWO_BLOCKS


def test_an_empty_ring_sends_nothing(bench):
    dut, entries = made(Ring, Geometry(ring_depth=DEPTH)), []

    async def drive(ctx):
        ctx.set(dut.freeze, 1)
        await ctx.tick()
        await strobe(ctx, dut.send_stb)
        await ctx.tick().repeat(20)
        assert not ctx.get(dut.busy)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries))
    assert entries == []


def test_a_clear_empties_it_and_ends_a_transfer(bench):
    rng = random.Random(4)
    dut, entries = made(Ring, Geometry(ring_depth=DEPTH)), []
    again = random_events(rng, 3)

    async def drive(ctx):
        await write(ctx, dut, random_events(rng, 40))
        await strobe(ctx, dut.send_stb)
        await ctx.tick().repeat(10)
        await strobe(ctx, dut.clear_stb)
        assert not ctx.get(dut.busy)
        # An entry may have been taken in the clock of the clear.
        await ctx.tick()
        entries.clear()
        ctx.set(dut.freeze, 0)
        await write(ctx, dut, again)
        await strobe(ctx, dut.send_stb)
        await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries))
    assert [split(entry) for entry in entries] == expected_entries(again)
