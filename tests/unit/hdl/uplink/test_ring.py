"""The ring: the last events stay, with their indices, until the next clear."""

import random

import pytest

from plexor.protocol.frames import DELTA_BITS, SOURCE_CODE, SOURCE_CODE_VALUE
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
    """Return random events of which some are codes, each with its value behind it."""
    events, index = [], 0
    for event in random_events(rng, count):
        events.append({**event, "index": event["index"] + index})
        if rng.random() < 0.6:
            index += 1
            events[-1] |= {"source": SOURCE_CODE}
            value = {"source": SOURCE_CODE_VALUE, "index": rng.getrandbits(21), "gap": False}
            events.append({**events[-1], **value})
    return events


def paired_entries(events):
    """Return what stands in the stream: values in place of times, none without its code."""
    kept = events[-DEPTH:]
    if kept[0]["source"] == SOURCE_CODE_VALUE:
        kept = kept[1:]
    return [
        (value["index"], *entry[1:]) if value else entry
        for entry, value in zip(
            expected_entries(kept),
            [
                value
                for event, marked in zip(kept, marks_before(kept), strict=True)
                for value in [None] * marked
                + [event if event["source"] == SOURCE_CODE_VALUE else None]
            ],
            strict=True,
        )
    ]


def marks_before(events):
    """Return how many marks stand before each event."""
    aboves = [None, *(event["time_ticks"] >> DELTA_BITS for event in events)]
    return [
        MARKS * (event["gap"] or above != event["time_ticks"] >> DELTA_BITS)
        for event, above in zip(events, aboves, strict=False)
    ]


CODED = Geometry(ring_depth=DEPTH, code_bits=8, features=ALL_FEATURES | Feature.CODES)


@pytest.mark.parametrize("count", range(1, 30, 3))
def test_a_code_and_its_value_are_never_parted(bench, count):
    rng = random.Random(count)
    events = with_codes(rng, count)
    dut, entries = made(Ring, CODED), []
    # Where the last is a code's value, it comes while frozen.
    late = events[-1]["source"] == SOURCE_CODE_VALUE

    async def drive(ctx):
        await write(ctx, dut, events[:-1] if late else events)
        if late:
            await write(ctx, dut, events[-1:])
        await write(ctx, dut, with_codes(rng, 5))
        await strobe(ctx, dut.send_stb)
        await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries, count))
    assert [split(entry) for entry in entries] == paired_entries(events)


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
