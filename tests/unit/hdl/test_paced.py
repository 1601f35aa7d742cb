"""Paced counters and statistics: exact, as those that take a sample a clock."""

import gc
import random
from dataclasses import dataclass

import pytest

from plexor.protocol.memory import STATISTICS
from plexor_hdl.interfaces import PACE_CLOCKS, READ_CLOCKS
from plexor_hdl.paced import PacedTally

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


@pytest.mark.filterwarnings("ignore:.*created but never used")
@pytest.mark.parametrize(
    "wrong",
    [{"entries": 6}, {"bits": 33}, {"bits": 1}],
)
def test_a_wrong_parameter_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PacedTally(**{"entries": 4, "bits": 8, **wrong})
    gc.collect()
