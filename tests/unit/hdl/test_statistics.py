"""Statistics: exact integers for each key and bank, whatever the order of samples."""

import random
from itertools import islice

import pytest

from plexor.protocol.geometry import Feature
from plexor.protocol.memory import STATISTICS
from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.statistics import Statistics

from .simulation import made, simulate

ALL = Feature.SUM_SQUARES | Feature.EXTREMES
MOST = (1 << 31) - 1
LEAST = -(1 << 31)
EMPTY = dict.fromkeys((field.name for field in STATISTICS.fields), 0)


def numbered(samples):
    """Give (key, value) or (key, value, bank), or None for a clock without, an index and a time."""
    for number, sample in enumerate(samples):
        if sample is None:
            yield None
        else:
            key, value, *bank = sample
            yield {
                "key": key,
                "value_ticks": value,
                "bank": bank[0] if bank else 0,
                "index": (1 << 47) - 3 + number,
                "time_ticks": (1 << 63) - 7 + 5 * number,
            }


def exact(samples, key, features, bank=None):
    """Return the record of the samples of one key, in Python's integers."""
    ours = [s for s in samples if s is not None and s["key"] == key and bank in (None, s["bank"])]
    record = dict(EMPTY)
    if not ours:
        return record
    least = min(ours, key=lambda s: (s["value_ticks"], s["index"]))
    most = max(ours, key=lambda s: (s["value_ticks"], -s["index"]))
    record["count"] = len(ours)
    record["sum_ticks"] = sum(s["value_ticks"] for s in ours)
    record["min_ticks"] = least["value_ticks"]
    record["max_ticks"] = most["value_ticks"]
    if Feature.SUM_SQUARES in features:
        squares = sum(s["value_ticks"] ** 2 for s in ours)
        record["sum_sq_low_ticks2"] = squares & (1 << 64) - 1
        record["sum_sq_high_ticks2"] = squares >> 64
    if Feature.EXTREMES in features:
        record |= {"min_index": least["index"], "min_time_ticks": least["time_ticks"]}
        record |= {"max_index": most["index"], "max_time_ticks": most["time_ticks"]}
    return record


async def send(ctx, dut, samples):
    for sample in samples:
        ctx.set(dut.i_sample.valid, sample is not None)
        if sample is not None:
            ctx.set(dut.i_sample.payload, sample)
        await ctx.tick()
    ctx.set(dut.i_sample.valid, 0)


async def read_words(ctx, dut, addresses, bank=0):
    found = []
    ctx.set(dut.read.bank, bank)
    for clock in range(len(addresses) + READ_CLOCKS):
        if clock >= READ_CLOCKS:
            found.append(ctx.get(dut.read.data))
        ctx.set(dut.read.address, addresses[min(clock, len(addresses) - 1)])
        await ctx.tick()
    return found


async def read_records(ctx, dut, keys, bank=0):
    size = STATISTICS.size_bytes
    words = await read_words(ctx, dut, range(keys * size // 4), bank)
    dump = b"".join(word.to_bytes(4, "little") for word in words)
    return [STATISTICS.unpack(dump[at : at + size]) for at in range(0, len(dump), size)]


def patterns():
    seeded = random.Random(3)
    extremes = [LEAST, MOST, 0, -1, 1, 0xFFFF, 0x10000, -0x10000, -0x10001]
    yield "burst_down", [(1, 100 - n) for n in range(120)]
    yield "burst_up", [(1, n - 60) for n in range(120)]
    yield "equal", [(2, 7)] * 60
    yield "saw", [(1, n % 6) for n in range(100)] + [(1, -n % 5) for n in range(100)]
    for period in range(2, 8):
        yield f"every_{period}", [(1, -n) if n % period == 0 else None for n in range(90)]
        yield f"keys_{period}", [(n % period % 4, n * 37 % 11 - 5) for n in range(90)]
    yield "ends", [(n % 2, seeded.choice(extremes)) for n in range(200)]
    yield "greatest", [(3, MOST)] * 40 + [(2, LEAST)] * 40
    yield "halves", [(0, seeded.choice([0xFFFF, 0x1FFFF, 0x10000, 1])) for _ in range(120)]
    yield "any", [(seeded.randrange(4), seeded.randrange(LEAST, MOST + 1)) for _ in range(300)]
    yield (
        "gaps",
        [seeded.choice([None, (seeded.randrange(2), seeded.randrange(-4, 4))]) for _ in range(300)],
    )


PATTERNS = dict(patterns())


@pytest.mark.parametrize("limb_bits", [16, 32])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_records_are_exact(pattern, limb_bits):
    dut = made(Statistics, 2, ALL, 1, limb_bits)
    samples = list(numbered(PATTERNS[pattern]))

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.latency)
        found = await read_records(ctx, dut, 4)
        assert found == [exact(samples, key, ALL) for key in range(4)]

    simulate(dut, testbench)


@pytest.mark.parametrize(
    "features", [Feature(0), Feature.SUM_SQUARES, Feature.EXTREMES], ids=lambda f: f.name or "none"
)
def test_absent_fields_read_zero(features):
    dut = made(Statistics, 1, features, 1, 16)
    samples = list(numbered([(1, -5), (1, 1000), (1, -70000)]))

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.latency)
        assert await read_records(ctx, dut, 2) == [EMPTY, exact(samples, 1, features)]

    simulate(dut, testbench)


def test_a_sample_is_read_latency_clocks_later():
    dut = made(Statistics, 1, ALL, 1, 16)
    samples = list(numbered([(1, -1)] * 3 + [(1, -2)]))

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.latency - 1)
        assert (await read_records(ctx, dut, 2))[1] == exact(samples, 1, ALL)

    simulate(dut, testbench)


def test_the_frozen_bank_is_read_while_the_other_counts():
    dut = made(Statistics, 2, ALL, 2, 32)
    seeded = random.Random(5)
    banks = [0] * 80 + [1] * 150
    samples = list(
        numbered((seeded.randrange(4), seeded.randrange(-99, 99), bank) for bank in banks)
    )
    words = STATISTICS.size_bytes // 4

    async def testbench(ctx):
        await send(ctx, dut, samples[:100])
        found = []
        rest = iter(samples[100:])
        for clock, sample in enumerate(islice(rest, 4 * words + READ_CLOCKS)):
            if clock >= READ_CLOCKS:
                found.append(ctx.get(dut.read.data))
            ctx.set(dut.read.address, clock)
            await send(ctx, dut, [sample])
        await send(ctx, dut, rest)
        dump = b"".join(word.to_bytes(4, "little") for word in found)
        size = STATISTICS.size_bytes
        records = [STATISTICS.unpack(dump[at : at + size]) for at in range(0, len(dump), size)]
        assert records == [exact(samples, key, ALL, bank=0) for key in range(4)]
        await ctx.tick().repeat(dut.latency)
        expected = [exact(samples, key, ALL, bank=1) for key in range(4)]
        assert await read_records(ctx, dut, 4, bank=1) == expected

    simulate(dut, testbench)


def test_banks_that_alternate_every_sample_stay_apart():
    dut = made(Statistics, 1, ALL, 2, 16)
    samples = list(numbered((0, -n if n % 2 else n, n % 2) for n in range(60)))

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.latency)
        for bank in (0, 1):
            expected = [exact(samples, key, ALL, bank) for key in range(2)]
            assert await read_records(ctx, dut, 2, bank) == expected

    simulate(dut, testbench)


@pytest.mark.parametrize("key_bits", [1, 2, 3, 4])
def test_any_word_may_be_read_in_any_order_and_past_the_end_is_zero(key_bits):
    keys = 1 << key_bits
    dut = made(Statistics, key_bits, ALL, 1, 32)
    samples = list(numbered((key, 3 * key - 4) for key in range(keys) for _ in range(key + 1)))
    words = []
    for key in range(keys):
        record = STATISTICS.pack(exact(samples, key, ALL))
        words += [int.from_bytes(record[at : at + 4], "little") for at in range(0, len(record), 4)]
    words += [0] * (2000 - len(words))
    addresses = list(range(len(words)))
    random.Random(key_bits).shuffle(addresses)
    addresses = [*addresses[:600], 0xFFFFF, 0x80000]

    async def testbench(ctx):
        await send(ctx, dut, samples)
        await ctx.tick().repeat(dut.latency)
        found = await read_words(ctx, dut, addresses)
        assert found == [words[n] if n < len(words) else 0 for n in addresses]

    simulate(dut, testbench)


def test_clear_forgets_every_sample():
    dut = made(Statistics, 1, ALL, 2, 16)
    before = list(numbered((n % 2, n - 9, n // 2 % 2) for n in range(20)))
    after = list(numbered([(0, 4)]))

    async def testbench(ctx):
        await send(ctx, dut, before)
        await ctx.tick().repeat(dut.latency)
        ctx.set(dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(dut.clear_stb, 0)
        await ctx.tick().until(~dut.clear_busy)
        await send(ctx, dut, after)
        await ctx.tick().repeat(dut.latency)
        assert await read_records(ctx, dut, 2) == [exact(after, 0, ALL), EMPTY]
        assert await read_records(ctx, dut, 2, bank=1) == [EMPTY, EMPTY]

    simulate(dut, testbench)
