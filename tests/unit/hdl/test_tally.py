"""Tally: every beat is counted, in the bank it names, up to the greatest value and no further."""

import gc
import random

import pytest

from plexor_hdl.interfaces import READ_CLOCKS
from plexor_hdl.tally import Tally

from .simulation import made, simulate


async def count(ctx, dut, beats):
    """Send one beat a clock: (address, bank), or None for a clock without."""
    for beat in beats:
        ctx.set(dut.i_address.valid, beat is not None)
        if beat is not None:
            ctx.set(dut.i_address.payload, {"address": beat[0], "bank": beat[1]})
        await ctx.tick()
    ctx.set(dut.i_address.valid, 0)


async def read_words(ctx, dut, words, bank=0):
    """Read words 0 to `words` - 1, one address a clock."""
    found = []
    ctx.set(dut.read.bank, bank)
    for clock in range(words + READ_CLOCKS):
        if clock >= READ_CLOCKS:
            found.append(ctx.get(dut.read.data))
        ctx.set(dut.read.address, clock)
        await ctx.tick()
    return found


def expected_counts(beats, entries, bank, most):
    counts = [0] * entries
    for beat in beats:
        if beat is not None and beat[1] == bank:
            counts[beat[0]] = min(counts[beat[0]] + 1, most)
    return counts


def patterns(entries, length):
    """Adversarial address sequences: bursts, and repeats at every distance of the pipeline."""
    yield "same", [(3, 0)] * length
    yield "alternating", [(1 + n % 2, 0) for n in range(length)]
    for period in range(2, 9):
        yield f"every_{period}", [(2, 0) if n % period == 0 else None for n in range(length)]
        yield f"ring_{period}", [(n % period % entries, 0) for n in range(length)]
    seeded = random.Random(1)
    yield "few", [(seeded.randrange(3), 0) for _ in range(length)]
    yield "gaps", [seeded.choice([None, (seeded.randrange(4), 0)]) for _ in range(length)]
    yield "any", [(seeded.randrange(entries), 0) for _ in range(length)]


PATTERNS = dict(patterns(16, 400))


@pytest.mark.parametrize("limbs", [(9, 9), (9, 5), (9, 3)], ids=["one", "two", "three"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_beat_is_counted_once(pattern, limbs):
    bits, limb_bits = limbs
    dut = made(Tally, 16, bits, 1, limb_bits)

    async def testbench(ctx):
        beats = PATTERNS[pattern]
        await count(ctx, dut, beats)
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, 16) == expected_counts(beats, 16, 0, 511)
        assert ctx.get(dut.saturated) == 0

    simulate(dut, testbench)


@pytest.mark.parametrize(("bits", "limb_bits"), [(3, 3), (5, 5), (5, 3), (6, 3), (7, 3)])
def test_a_counter_at_its_greatest_value_stays_there(bits, limb_bits):
    dut = made(Tally, 4, bits, 1, limb_bits)
    most = (1 << bits) - 1

    async def testbench(ctx):
        await count(ctx, dut, [(1, 0)] * most)
        await ctx.tick().repeat(dut.latency + 2)
        assert await read_words(ctx, dut, 4) == [0, most, 0, 0]
        assert ctx.get(dut.saturated) == 0
        for more in (1, 2, 3, most + 5):
            await count(ctx, dut, [(1, 0)] * more + [(2, 0)])
            await ctx.tick().repeat(dut.latency + 2)
            assert (await read_words(ctx, dut, 4))[1] == most
            assert ctx.get(dut.saturated) == 1

    simulate(dut, testbench)


def test_saturation_in_a_long_burst_loses_no_other_count():
    dut = made(Tally, 4, 6, 1, 3)
    beats = [(3, 0) if n % 3 else (1, 0) for n in range(150)]

    async def testbench(ctx):
        await count(ctx, dut, beats)
        await ctx.tick().repeat(dut.latency + 2)
        assert await read_words(ctx, dut, 4) == [0, 50, 0, 63]

    simulate(dut, testbench)


def test_the_frozen_bank_is_read_while_the_other_counts():
    dut = made(Tally, 8, 8, 2, 4)
    seeded = random.Random(7)
    before = [(seeded.randrange(8), 0) for _ in range(100)]
    meanwhile = [(seeded.randrange(3), 1) for _ in range(60)]

    async def testbench(ctx):
        await count(ctx, dut, [*before, *meanwhile[:20]])
        found = []
        for clock, beat in enumerate(meanwhile[20:]):
            if READ_CLOCKS <= clock < READ_CLOCKS + 8:
                found.append(ctx.get(dut.read.data))
            ctx.set(dut.read.address, clock % 8)
            ctx.set(dut.read.bank, 0)
            await count(ctx, dut, [beat])
        assert found == expected_counts(before, 8, 0, 255)
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, 8, bank=1) == expected_counts(meanwhile, 8, 1, 255)

    simulate(dut, testbench)


def test_banks_that_alternate_every_beat_count_apart():
    dut = made(Tally, 4, 8, 2, 4)
    beats = [(n // 2 % 2, n % 2) for n in range(200)] + [(0, 0), (0, 1)] * 20

    async def testbench(ctx):
        await count(ctx, dut, beats)
        await ctx.tick().repeat(dut.latency)
        for bank in (0, 1):
            found = await read_words(ctx, dut, 4, bank)
            assert found == expected_counts(beats, 4, bank, 255)

    simulate(dut, testbench)


def test_with_one_bank_the_bank_of_beat_and_reader_is_ignored():
    dut = made(Tally, 4, 8, 1, 8)

    async def testbench(ctx):
        await count(ctx, dut, [(1, n % 2) for n in range(10)])
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, 4, bank=1) == [0, 10, 0, 0]

    simulate(dut, testbench)


def test_a_beat_is_read_latency_clocks_later():
    dut = made(Tally, 4, 12, 1, 4)

    async def testbench(ctx):
        await count(ctx, dut, [(1, 0)] * 255)
        await ctx.tick().repeat(dut.latency)
        await count(ctx, dut, [(1, 0)])
        ctx.set(dut.read.address, 1)
        await ctx.tick().repeat(dut.latency - 1)
        await ctx.tick().repeat(READ_CLOCKS)
        assert ctx.get(dut.read.data) == 256

    simulate(dut, testbench)


def test_a_wide_entry_reads_as_two_words_low_first():
    dut = made(Tally, 4, 48, 1, 5)

    async def testbench(ctx):
        await count(ctx, dut, [(2, 0)] * 1100)
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, 8) == [0, 0, 0, 0, 1100, 0, 0, 0]

    simulate(dut, testbench)


def test_words_past_the_last_entry_read_zero():
    dut = made(Tally, 5, 8, 1, 8)

    async def testbench(ctx):
        await count(ctx, dut, [(n % 5, 0) for n in range(50)])
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, 16) == [10] * 5 + [0] * 11

    simulate(dut, testbench)


@pytest.mark.parametrize("banks", [1, 2])
def test_clear_zeroes_every_counter_and_the_saturated_flag(banks):
    dut = made(Tally, 5, 4, banks, 4)

    async def testbench(ctx):
        await count(ctx, dut, [(n % 5, n % 2) for n in range(400)])
        await ctx.tick().repeat(dut.latency)
        assert ctx.get(dut.saturated) == 1
        ctx.set(dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(dut.clear_stb, 0)
        clocks = 0
        while ctx.get(dut.clear_busy):
            clocks += 1
            await ctx.tick()
        assert clocks == 5
        assert ctx.get(dut.saturated) == 0
        await count(ctx, dut, [(4, 0), (4, 0), (0, 0)])
        await ctx.tick().repeat(dut.latency)
        assert await read_words(ctx, dut, 5) == [1, 0, 0, 0, 2]
        if banks == 2:
            assert await read_words(ctx, dut, 5, bank=1) == [0] * 5

    simulate(dut, testbench)


@pytest.mark.filterwarnings("ignore:.*created but never used")
@pytest.mark.parametrize(
    "wrong", [{"entries": 1}, {"bits": 65}, {"banks": 3}, {"bits": 20, "limb_bits": 2}]
)
def test_a_wrong_parameter_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="limb_bits" if len(wrong) > 1 else next(iter(wrong))):
        Tally(**{"entries": 4, "bits": 8, **wrong})
    gc.collect()
