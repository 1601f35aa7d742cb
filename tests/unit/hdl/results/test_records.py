# SPDX-License-Identifier: Apache-2.0
"""Records: exact integers of each kind, channel and bank, whatever the order of values."""

import random

import numpy as np
import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import STATISTICS
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, kinds_of
from plexor_hdl.results.records import Records
from plexor_sim.golden.matcher import Samples
from plexor_sim.golden.memory import pack_statistics, statistics

from ..simulation import made, simulate

EDGES = (0, 1, -1, (1 << 31) - 1, -(1 << 31), 5, 5, 0xFFFF, -0x10000)
OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
WORDS = STATISTICS.size_bytes // 4


def values_of(geometry, count, seed):
    """Return random values: (kind, channel, value, index, time)."""
    rng = random.Random(seed)
    for number in range(count):
        value = rng.randrange(-(1 << 31), 1 << 31) >> rng.randrange(32)
        yield (
            rng.choice(kinds_of(geometry)),
            rng.choice((0, rng.randrange(geometry.channels))),
            rng.choice(EDGES) if rng.random() < 0.3 else value,
            (1 << 47) - 3 + number,
            (1 << 62) + 5 * number,
        )


async def clear(ctx, dut):
    ctx.set(dut.latencies.address, OUTSIDE)
    ctx.set(dut.intervals.address, OUTSIDE)
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    await ctx.tick().until(~dut.clear_busy)


async def send(ctx, dut, geometry, values, gap=0.0):
    """Send values as fast as they are taken, with random pauses; return the clocks that it took."""
    rng, clocks = random.Random(len(values)), 0
    for kind, channel, value, index, time in values:
        payload = {"kind": kind, "channel": channel, "value_ticks": value}
        if Feature.EXTREMES in geometry.features:
            payload |= {"index": index, "time_ticks": time}
        while rng.random() < gap:
            await ctx.tick()
        ctx.set(dut.i_measured.payload, payload)
        ctx.set(dut.i_measured.valid, 1)
        while not ctx.get(dut.i_measured.ready):
            await ctx.tick()
            clocks += 1
        await ctx.tick()
        clocks += 1
        ctx.set(dut.i_measured.valid, 0)
    return clocks


async def record(ctx, dut, kind, channel, geometry, bank=0):
    """Return the bytes of a record."""
    port = dut.intervals if kind > 1 else dut.latencies
    entry = (kind & 1) << geometry.key_bits | channel
    found = b""
    ctx.set(port.bank, bank)
    for word in range(WORDS):
        ctx.set(port.address, entry * WORDS + word)
        await ctx.tick().repeat(dut.READ_DELAY)
        found += ctx.get(port.data).to_bytes(4, "little")
    ctx.set(port.address, OUTSIDE)
    return found


def expected(geometry, values, kind, channel):
    """Return what the golden model says of a record."""
    ours = [value[2:] for value in values if value[:2] == (kind, channel)]
    columns = np.array(ours, np.int64).reshape(-1, 3).T
    return pack_statistics(statistics(Samples(*columns), geometry.features))


@pytest.mark.parametrize(
    ("features", "channels", "gap"),
    [
        pytest.param(
            *build, gap, marks=() if gap == quick else pytest.mark.full, id=f"{name}-{gap}"
        )
        for name, build, quick in (
            ("all", (ALL_FEATURES, 8), 0.0),
            ("one", (ALL_FEATURES, 1), None),
            ("three", (ALL_FEATURES, 3), None),
            ("events", (Feature.EVENTS | Feature.MATCH, 4), None),
            ("none", (Feature.MATCH, 2), 0.6),
        )
        for gap in (0.0, 0.6)
    ],
)
def test_records_are_those_of_the_golden_model(features, channels, gap):
    geometry = Geometry(channels=channels, features=features)
    dut, values = made(Records, geometry), list(values_of(geometry, 600, channels))

    async def testbench(ctx):
        await clear(ctx, dut)
        await send(ctx, dut, geometry, values, gap)
        await ctx.tick().until(dut.idle)
        for kind in kinds_of(geometry):
            for channel in range(1 << geometry.key_bits):
                found = await record(ctx, dut, kind, channel, geometry)
                assert found == expected(geometry, values, kind, channel), (kind, channel)

    simulate(dut, testbench)


def test_a_bank_is_read_while_values_go_to_the_other():
    geometry = Geometry(channels=2, features=ALL_FEATURES)
    dut, rng = made(Records, geometry), random.Random(3)
    banks = list(values_of(geometry, 120, 1)), list(values_of(geometry, 200, 2))
    done = []

    async def testbench(ctx):
        await clear(ctx, dut)
        await send(ctx, dut, geometry, banks[0])
        await ctx.tick().until(dut.idle)
        ctx.set(dut.bank, 1)
        await ctx.tick()
        done.append(False)
        while done[-1] is False:
            await send(ctx, dut, geometry, banks[1][:1])
            banks[1].append(banks[1].pop(0))

    async def reader(ctx):
        while not done:
            await ctx.tick()
        for kind in rng.sample(range(4), 4):
            for channel in range(2):
                found = await record(ctx, dut, kind, channel, geometry)
                assert found == expected(geometry, banks[0], kind, channel), (kind, channel)
        done.append(True)

    simulate(dut, testbench, reader)


def test_a_value_of_a_known_record_takes_five_clocks_at_most():
    geometry = Geometry(channels=8, features=ALL_FEATURES)
    dut, values = made(Records, geometry), list(values_of(geometry, 400, 5))

    async def testbench(ctx):
        await clear(ctx, dut)
        await send(ctx, dut, geometry, values)
        await ctx.tick().until(dut.idle)
        assert await send(ctx, dut, geometry, values) <= 5 * len(values)

    simulate(dut, testbench)


def test_clear_forgets_every_value():
    geometry = Geometry(channels=4, features=ALL_FEATURES)
    dut, values = made(Records, geometry), list(values_of(geometry, 100, 7))

    async def testbench(ctx):
        await clear(ctx, dut)
        await send(ctx, dut, geometry, values)
        await ctx.tick().until(dut.idle)
        await clear(ctx, dut)
        assert not any(await record(ctx, dut, 0, 0, geometry))
        await send(ctx, dut, geometry, values[:3])
        await ctx.tick().until(dut.idle)
        kind, channel = values[2][:2]
        found = await record(ctx, dut, kind, channel, geometry)
        assert found == expected(geometry, values[:3], kind, channel)

    simulate(dut, testbench)


def test_while_idle_a_word_is_there_a_fixed_time_after_its_address_which_stood_for_few_clocks():
    geometry = Geometry(channels=2, features=ALL_FEATURES)
    dut, rng = made(Records, geometry), random.Random(9)
    banks = list(values_of(geometry, 60, 11)), list(values_of(geometry, 80, 12))
    words = {
        (kind > 1, bank, ((kind & 1) << geometry.key_bits | channel) * WORDS + number): word
        for bank in (0, 1)
        for kind in kinds_of(geometry)
        for channel in range(2)
        for number, word in enumerate(
            np.frombuffer(expected(geometry, banks[bank], kind, channel), "<u4").tolist()
        )
    }
    # Each word of either bank after the other, as the step records read; then any after any.
    asked = sorted(words, key=lambda place: place[::2] + place[1:2])
    asked += rng.choices(list(words), k=200)

    async def testbench(ctx):
        await clear(ctx, dut)
        for bank in (0, 1):
            ctx.set(dut.bank, bank)
            await send(ctx, dut, geometry, banks[bank])
            await ctx.tick().until(dut.idle)
        seen = []
        for place in [*asked, *asked[:2]]:
            is_interval, bank, address = place
            for port, here in ((dut.latencies, not is_interval), (dut.intervals, is_interval)):
                ctx.set(port.address, address if here else OUTSIDE)
                ctx.set(port.bank, bank)
            for _ in range(dut.STAND_CLOCKS):
                seen.append((ctx.get(dut.latencies.data), ctx.get(dut.intervals.data)))
                await ctx.tick()
        found = [
            seen[number * dut.STAND_CLOCKS + dut.IDLE_DELAY][place[0]]
            for number, place in enumerate(asked)
        ]
        assert found == [words[place] for place in asked]

    simulate(dut, testbench)
