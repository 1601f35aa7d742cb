"""Paced counters and statistics: exact, as those that take a sample a clock."""

import gc
import random
from dataclasses import dataclass

import numpy as np
import pytest

from plexor.protocol.geometry import Feature
from plexor.protocol.memory import STATISTICS
from plexor_hdl.interfaces import PACE_CLOCKS, READ_CLOCKS
from plexor_hdl.paced import PacedStatistics, PacedTally, Pass
from plexor_sim.golden.memory import Samples, pack_statistics, statistics

from .simulation import made, simulate

MOST = (1 << 31) - 1
LEAST = -(1 << 31)
RECORD_WORDS = STATISTICS.size_bytes // 4


@dataclass
class Beats:
    """Beats to one port, `PACE_CLOCKS` or up to `idle` more apart; junk in the clocks between."""

    port: object
    idle: int = 0
    seed: int = 1

    async def send(self, ctx, payloads):
        chance = random.Random(self.seed)
        payloads = list(payloads)
        for payload in payloads:
            ctx.set(self.port.valid, 1)
            ctx.set(self.port.payload, payload)
            await ctx.tick()
            ctx.set(self.port.valid, 0)
            for _ in range(PACE_CLOCKS - 1 + chance.randrange(self.idle + 1)):
                ctx.set(self.port.payload, chance.choice(payloads))
                await ctx.tick()


async def read_words(ctx, read, addresses):
    """Read words; each address stands until its data is taken."""
    found = []
    for address in addresses:
        ctx.set(read.address, address)
        await ctx.tick().repeat(READ_CLOCKS + 2)
        found.append(ctx.get(read.data))
    return found


async def clear(ctx, dut):
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    assert ctx.get(dut.clear_busy) == 1
    await ctx.tick().until(~dut.clear_busy)


def counts(addresses):
    return [{"address": address, "bank": 0} for address in addresses]


def samples_of(pairs):
    return [
        {"key": key, "value_ticks": value, "index": 0, "time_ticks": 0, "bank": 0}
        for key, value in pairs
    ]


def records(pairs, keys):
    """Return the words that the golden model has for these (key, value)."""
    dump = b""
    for key in range(keys):
        values = np.array([value for its_key, value in pairs if its_key == key], np.int64)
        nothing = np.zeros_like(values)
        dump += pack_statistics(statistics(Samples(values, nothing, nothing), Feature(0)))
    return np.frombuffer(dump, "<u4").tolist()


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("idle", [0, 3])
@pytest.mark.parametrize("addresses", ["same", "few", "any"])
def test_every_beat_is_counted_once(addresses, idle, far):
    dut = made(PacedTally, 8, 10, far)
    chance = random.Random(2)
    many = {"same": 1, "few": 3, "any": 8}[addresses]
    chosen = [chance.randrange(many) for _ in range(400)]

    async def testbench(ctx):
        await Beats(dut.i_address, idle).send(ctx, counts(chosen))
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut.read, range(8)) == [chosen.count(n) for n in range(8)]
        assert ctx.get(dut.saturated) == 0

    simulate(dut, testbench)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("bits", [2, 4, 5])
def test_a_counter_at_its_greatest_value_stays_there_and_says_so(bits, far):
    dut = made(PacedTally, 4, bits, far)
    most = (1 << bits) - 1

    async def testbench(ctx):
        beats = Beats(dut.i_address)
        await beats.send(ctx, counts([1] * most))
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut.read, range(4)) == [0, most, 0, 0]
        assert ctx.get(dut.saturated) == 0
        await beats.send(ctx, counts([1, 2] * 3))
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut.read, range(4)) == [0, most, 3, 0]
        assert ctx.get(dut.saturated) == 1

    simulate(dut, testbench)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_a_beat_is_read_latency_clocks_later(far):
    dut = made(PacedTally, 2, 4, far)

    async def testbench(ctx):
        await Beats(dut.i_address).send(ctx, counts([1] * 3))
        ctx.set(dut.i_address.valid, 1)
        ctx.set(dut.i_address.payload.address, 1)
        await ctx.tick()
        ctx.set(dut.i_address.valid, 0)
        await ctx.tick().repeat(dut.latency - 1)
        ctx.set(dut.read.address, 1)
        await ctx.tick().repeat(READ_CLOCKS)
        assert ctx.get(dut.read.data) == 4

    simulate(dut, testbench)


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_clear_zeroes_every_counter_and_the_flag_and_words_past_the_last_are_zero(far):
    dut = made(PacedTally, 8, 2, far)

    async def testbench(ctx):
        beats = Beats(dut.i_address)
        await beats.send(ctx, counts([n % 8 for n in range(32)]))
        assert ctx.get(dut.saturated) == 1
        assert await read_words(ctx, dut.read, range(20)) == [3] * 8 + [0] * 12
        await clear(ctx, dut)
        assert ctx.get(dut.saturated) == 0
        await beats.send(ctx, counts([7, 0, 7]))
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut.read, range(8)) == [1, 0, 0, 0, 0, 0, 0, 2]

    simulate(dut, testbench)


def patterns():
    chance = random.Random(3)
    ends = [LEAST, MOST, 0, -1, 1, 0xFFFF, 0x10000, -0x10000, -0x10001]
    yield "down", [(1, 60 - n) for n in range(120)]
    yield "up", [(1, n - 60) for n in range(120)]
    yield "equal", [(2, 7)] * 20
    yield "signs", [(3, -1 if n % 2 else 1) for n in range(61)]
    yield "ends", [(n % 2, chance.choice(ends)) for n in range(200)]
    yield "least", [(0, LEAST)] * 40
    yield "greatest", [(3, MOST)] * 40 + [(2, LEAST)] * 3 + [(2, MOST)] * 30
    yield "halves", [(0, chance.choice([0xFFFF, 0x1FFFF, 0x10000, 1])) for _ in range(120)]
    yield "any", [(chance.randrange(4), chance.randrange(LEAST, MOST + 1)) for _ in range(300)]


PATTERNS = dict(patterns())


@pytest.mark.parametrize("idle", [0, 5])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_records_are_those_of_the_golden_model(pattern, idle):
    dut = made(PacedStatistics, 2)
    pairs = PATTERNS[pattern]

    async def testbench(ctx):
        await Beats(dut.i_sample, idle).send(ctx, samples_of(pairs))
        await ctx.tick().repeat(dut.latency)
        found = await read_words(ctx, dut.read, range(4 * RECORD_WORDS))
        assert found == records(pairs, 4)

    simulate(dut, testbench)


def test_a_count_carries_through_all_its_limbs():
    dut = made(PacedStatistics, 1)
    key = 1

    async def testbench(ctx):
        for memory in dut.sums:
            ctx.set(memory.data[Pass.COUNT_LOW << 1 | key], 0xFFFF)
        ctx.set(dut.sums[0].data[Pass.COUNT_HIGH << 1 | key], 0x7FFE)
        await Beats(dut.i_sample).send(ctx, samples_of([(key, 0)] * 2))
        await ctx.tick().repeat(dut.latency)
        found = await read_words(ctx, dut.read, range(RECORD_WORDS, RECORD_WORDS + 2))
        assert found == [1, 0x7FFF]

    simulate(dut, testbench)


def test_a_sample_is_read_latency_clocks_later():
    dut = made(PacedStatistics, 1)
    pairs = [(0, -(1 << 20)), (0, -5)]

    async def testbench(ctx):
        for address, word in enumerate(records(pairs, 1)):
            await clear(ctx, dut)
            await Beats(dut.i_sample).send(ctx, samples_of(pairs[:1]))
            ctx.set(dut.i_sample.valid, 1)
            ctx.set(dut.i_sample.payload, samples_of(pairs)[1])
            await ctx.tick()
            ctx.set(dut.i_sample.valid, 0)
            await ctx.tick().repeat(dut.latency - 1)
            ctx.set(dut.read.address, address)
            await ctx.tick().repeat(READ_CLOCKS + 2)
            assert ctx.get(dut.read.data) == word, address

    simulate(dut, testbench)


@pytest.mark.parametrize("key_bits", [1, 2, 3, 4])
def test_any_word_may_be_read_in_any_order_and_past_the_end_is_zero(key_bits):
    keys = 1 << key_bits
    dut = made(PacedStatistics, key_bits)
    pairs = [(key, 3 * key - 4) for key in range(keys) for _ in range(key)]
    words = records(pairs, keys) + [0] * RECORD_WORDS
    addresses = list(range(len(words)))
    random.Random(key_bits).shuffle(addresses)

    async def testbench(ctx):
        await Beats(dut.i_sample).send(ctx, samples_of(pairs))
        await ctx.tick().repeat(dut.latency)
        found = await read_words(ctx, dut.read, addresses)
        assert found == [words[n] for n in addresses]
        assert await read_words(ctx, dut.read, [0xFFFFF, 0x80000]) == [0, 0]

    simulate(dut, testbench)


def test_clear_forgets_every_sample():
    dut = made(PacedStatistics, 2)
    before = [(n % 3, (n - 9) << 20) for n in range(20)]
    after = [(0, 4), (3, -4)]

    async def testbench(ctx):
        beats = Beats(dut.i_sample)
        await beats.send(ctx, samples_of(before))
        await clear(ctx, dut)
        await beats.send(ctx, samples_of(after))
        await ctx.tick().repeat(dut.latency)
        found = await read_words(ctx, dut.read, range(4 * RECORD_WORDS))
        assert found == records(after, 4)

    simulate(dut, testbench)


@pytest.mark.filterwarnings("ignore:.*created but never used")
@pytest.mark.parametrize(
    ("component", "wrong"),
    [
        (PacedTally, {"entries": 6}),
        (PacedTally, {"bits": 33}),
        (PacedTally, {"bits": 1}),
        (PacedStatistics, {"key_bits": 5}),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(component, wrong):
    right = {"entries": 4, "bits": 8} if component is PacedTally else {}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        component(**{**right, **wrong})
    gc.collect()
