"""Engine: a sample is in its bin, its window and its record, LATENCY clocks later."""

import gc
import random
from collections import Counter

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import KINDS, STATISTICS, Space, bin_of, entries, key
from plexor_hdl.engine import Engine
from plexor_hdl.interfaces import READ_CLOCKS

from .simulation import made, simulate

SMALL = {"latency_mantissa_bits": 2, "interval_mantissa_bits": 3, "zoom_bits": 4}
WORDS = STATISTICS.size_bytes // 4


def random_samples(geometry, count, seed, bank=0):
    seeded = random.Random(seed)
    for number in range(count):
        yield {
            "key": key(geometry, seeded.randrange(KINDS), seeded.randrange(geometry.channels)),
            "value_ticks": seeded.randrange(-20, 60) << seeded.randrange(3),
            "index": number,
            "time_ticks": 16 * number,
            "bank": bank,
        }


async def send(ctx, dut, samples, apart=1):
    for sample in samples:
        ctx.set(dut.i_sample.valid, 1)
        ctx.set(dut.i_sample.payload, sample)
        await ctx.tick()
        for _ in range(apart - 1):
            ctx.set(dut.i_sample.valid, 0)
            await ctx.tick()
    ctx.set(dut.i_sample.valid, 0)


async def read_words(ctx, port, words, bank=0, stand=False):
    found = []
    if stand:
        for address in range(words):
            ctx.set(port.address, address)
            await ctx.tick().repeat(READ_CLOCKS + 2)
            found.append(ctx.get(port.data))
        return found
    ctx.set(port.bank, bank)
    for clock in range(words + READ_CLOCKS):
        if clock >= READ_CLOCKS:
            found.append(ctx.get(port.data))
        ctx.set(port.address, clock)
        await ctx.tick()
    return found


async def check_spaces(
    ctx, dut, geometry, samples, spaces, mantissa_bits, bank=0, firsts=None, stand=False
):
    """Assert that every word of the three spaces is that of the samples."""
    statistics, bins, zoom = spaces
    bin_counts, zoom_counts, counts = Counter(), Counter(), Counter()
    last = (1 << geometry.zoom_bits) - 1
    for sample in samples:
        number, value = sample["key"], sample["value_ticks"]
        counts[number] += 1
        bin_counts[(number << mantissa_bits + 5) + bin_of(value, mantissa_bits)] += 1
        offset = value - (firsts[number] if firsts else 0)
        zoom_counts[(number << geometry.zoom_bits) + min(max(offset + 1, 0), last)] += 1
    found = await read_words(ctx, dut.bins, entries(geometry, bins), bank, stand)
    assert found == [bin_counts[n] for n in range(len(found))]
    found = await read_words(ctx, dut.zoom, entries(geometry, zoom), bank, stand)
    assert found == [zoom_counts[n] for n in range(len(found))]
    words = entries(geometry, statistics) * WORDS
    found = await read_words(ctx, dut.statistics, words, bank, stand)
    assert found[::WORDS] == [counts[n] for n in range(len(found) // WORDS)]


LATENCY_SPACES = (Space.LATENCY_STATISTICS, Space.LATENCY_BINS, Space.LATENCY_ZOOM)
INTERVAL_SPACES = (Space.INTERVAL_STATISTICS, Space.INTERVAL_BINS, Space.INTERVAL_ZOOM)


@pytest.mark.parametrize("limb_bits", [16, 32])
@pytest.mark.parametrize("which", ["latency", "interval"])
def test_every_sample_is_in_all_three_spaces(which, limb_bits):
    geometry = Geometry(channels=3, **SMALL)
    dut = made(Engine, geometry, which, limb_bits)
    samples = list(random_samples(geometry, 200, 1))
    firsts = [5 * n - 10 for n in range(8)]
    spaces = LATENCY_SPACES if which == "latency" else INTERVAL_SPACES

    async def testbench(ctx):
        for port, first in zip(dut.zoom_first, firsts, strict=True):
            ctx.set(port, first)
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.LATENCY)
        mantissa_bits = 2 if which == "latency" else 3
        await check_spaces(ctx, dut, geometry, samples, spaces, mantissa_bits, firsts=firsts)

    simulate(dut, testbench)


@pytest.mark.parametrize("port", ["statistics", "bins", "zoom"])
def test_the_last_sample_is_read_latency_clocks_later(port):
    geometry = Geometry(channels=2, **SMALL)
    dut = made(Engine, geometry)
    sample = {"key": 0, "value_ticks": -1, "index": 1, "time_ticks": 2, "bank": 0}
    # The words that the one sample makes 1: count, under bin (the last of its key), window's first.
    address = {"statistics": 0, "bins": 127, "zoom": 0}[port]

    async def testbench(ctx):
        ctx.set(getattr(dut, port).address, address)
        await send(ctx, dut, [sample])
        await ctx.tick().repeat(dut.LATENCY - 1 + READ_CLOCKS)
        assert ctx.get(getattr(dut, port).data) == 1

    simulate(dut, testbench)


@pytest.mark.parametrize("limb_bits", [16, 32])
@pytest.mark.parametrize(
    "features", [ALL_FEATURES, pytest.param(Feature(0), marks=pytest.mark.full)]
)
def test_no_memory_is_slower_than_latency(features, limb_bits):
    dut = made(Engine, Geometry(features=features, **SMALL), "latency", limb_bits)
    assert max(dut.histogram.latency, dut.records.latency) <= dut.LATENCY
    simulate(dut, _idle)


async def _idle(ctx):
    await ctx.tick()


@pytest.mark.parametrize("channels", [1, 2])
def test_without_fall_its_samples_are_not_counted_and_read_zero(channels):
    geometry = Geometry(channels=channels, features=ALL_FEATURES & ~Feature.FALL, **SMALL)
    dut = made(Engine, geometry)
    samples = list(random_samples(geometry, 150, 2))
    rises = [sample for sample in samples if sample["key"] < channels]

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.LATENCY)
        await check_spaces(ctx, dut, geometry, rises, LATENCY_SPACES, 2)

    simulate(dut, testbench)


@pytest.mark.parametrize("channels", [1, pytest.param(8, marks=pytest.mark.full)])
def test_the_least_and_the_greatest_number_of_channels_work(channels):
    geometry = Geometry(channels=channels, **SMALL)
    dut = made(Engine, geometry)
    samples = list(random_samples(geometry, 100, channels))

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.LATENCY)
        await check_spaces(ctx, dut, geometry, samples, LATENCY_SPACES, 2)

    simulate(dut, testbench)


def test_a_flip_of_banks_at_one_sample_parts_all_three_spaces_there():
    geometry = Geometry(channels=2, **SMALL)
    dut = made(Engine, geometry)
    before = list(random_samples(geometry, 90, 3, bank=0))
    after = list(random_samples(geometry, 70, 4, bank=1))

    async def testbench(ctx):
        await send(ctx, dut, [*before, *after])
        await ctx.tick().repeat(dut.LATENCY)
        await check_spaces(ctx, dut, geometry, before, LATENCY_SPACES, 2, bank=0)
        await check_spaces(ctx, dut, geometry, after, LATENCY_SPACES, 2, bank=1)

    simulate(dut, testbench)


def test_clear_zeroes_all_three_spaces():
    geometry = Geometry(channels=1, **SMALL)
    dut = made(Engine, geometry)

    async def testbench(ctx):
        await send(ctx, dut, random_samples(geometry, 60, 5))
        await ctx.tick().repeat(dut.LATENCY)
        ctx.set(dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(dut.clear_stb, 0)
        await ctx.tick().until(~dut.clear_busy)
        samples = list(random_samples(geometry, 20, 6))
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.LATENCY)
        await check_spaces(ctx, dut, geometry, samples, LATENCY_SPACES, 2)

    simulate(dut, testbench)


@pytest.mark.filterwarnings("ignore:.*created but never used")
def test_an_interval_engine_without_its_feature_is_refused():
    with pytest.raises(ValueError, match="INTERVALS"):
        Engine(Geometry(features=Feature(0)), "interval")
    gc.collect()
