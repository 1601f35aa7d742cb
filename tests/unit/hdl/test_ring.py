"""The ring: the last events stay, with their indices, until the next clear."""

import random

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.ring import Ring

DEPTH = 16


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


def expected_entries(events):
    """Return what stands in the stream: (is_index, time or index, source, polarity)."""
    entries = []
    for number, event in enumerate(events[-DEPTH:]):
        if number == 0 or event["gap"]:
            entries.append((1, event["index"], None, int(event["gap"])))
        entries.append((0, event["time_ticks"], event["source"], event["polarity"]))
    return entries


def split(entry):
    is_index = entry >> 70
    source = None if is_index else entry >> 64 & 31
    return is_index, entry & (1 << 64) - 1, source, entry >> 69 & 1


async def write(ctx, dut, events, rng=None):
    for event in events:
        ctx.set(dut.i_events.payload, event)
        ctx.set(dut.i_events.valid, 1)
        await ctx.tick()
        ctx.set(dut.i_events.valid, 0)
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
    dut, entries = Ring(Geometry(ring_depth=DEPTH)), []

    async def drive(ctx):
        await write(ctx, dut, events, rng if seed else None)
        # Events while frozen change nothing.
        await write(ctx, dut, random_events(rng, 5))
        for _ in range(2):
            await strobe(ctx, dut.send_stb)
            await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries, seed))
    assert [split(entry) for entry in entries] == expected_entries(events) * 2


def test_an_empty_ring_sends_nothing(bench):
    dut, entries = Ring(Geometry(ring_depth=DEPTH)), []

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
    dut, entries = Ring(Geometry(ring_depth=DEPTH)), []
    again = random_events(rng, 3)

    async def drive(ctx):
        await write(ctx, dut, random_events(rng, 40))
        await strobe(ctx, dut.send_stb)
        await ctx.tick().repeat(10)
        await strobe(ctx, dut.clear_stb)
        assert not ctx.get(dut.busy)
        entries.clear()
        ctx.set(dut.freeze, 0)
        await write(ctx, dut, again)
        await strobe(ctx, dut.send_stb)
        await idle(ctx, dut)

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries))
    assert [split(entry) for entry in entries] == expected_entries(again)
