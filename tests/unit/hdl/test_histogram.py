"""Histogram: every sample is in its bin of the contract, in its key, in its bank."""

import random
from collections import Counter

import pytest

from plexor.protocol.memory import bin_bits, bin_of
from plexor_hdl.histogram import Histogram, LogBin, ZoomBin
from plexor_hdl.interfaces import READ_CLOCKS

from .simulation import made, simulate

MOST = (1 << 31) - 1
LEAST = -(1 << 31)


def boundary_values():
    """Values at and next to each power of two, each bin boundary near one, and both ends."""
    values = {LEAST, LEAST + 1, -2, -1, 0, MOST, MOST - 1}
    for bits in range(31):
        for part in (0, 1, 2, 3):
            edge = (1 << bits) + (part << bits >> 2)
            values |= {edge - 1, edge, edge + 1}
        values.add(-(1 << bits))
    return sorted(value for value in values if LEAST <= value <= MOST)


async def send(ctx, dut, samples):
    """Send (key, value, bank), one a clock; None is a clock without."""
    for sample in samples:
        ctx.set(dut.i_sample.valid, sample is not None)
        if sample is not None:
            key, value, bank = sample
            payload = {"key": key, "value_ticks": value, "bank": bank, "index": 0, "time_ticks": 0}
            ctx.set(dut.i_sample.payload, payload)
        await ctx.tick()
    ctx.set(dut.i_sample.valid, 0)
    await ctx.tick().repeat(dut.latency)


async def read_words(ctx, port, words, bank=0):
    found = []
    ctx.set(port.bank, bank)
    for clock in range(words + READ_CLOCKS):
        if clock >= READ_CLOCKS:
            found.append(ctx.get(port.data))
        ctx.set(port.address, clock)
        await ctx.tick()
    return found


async def piped(ctx, dut, values, **constant):
    """Return the bin of each value, one value a clock."""
    found = []
    for name, value in constant.items():
        ctx.set(getattr(dut, name), value)
    for clock in range(len(values) + dut.LATENCY):
        if clock >= dut.LATENCY:
            found.append(ctx.get(dut.bin))
        ctx.set(dut.value_ticks, values[min(clock, len(values) - 1)])
        await ctx.tick()
    return found


@pytest.mark.parametrize("mantissa_bits", range(2, 9))
def test_every_boundary_of_every_octave_is_in_the_bin_of_the_contract(mantissa_bits):
    dut = made(LogBin, mantissa_bits)
    edges = {
        (1 << bits) + (n << bits - mantissa_bits)
        for bits in range(mantissa_bits, 31)
        for n in (0, 1, (1 << mantissa_bits) - 1)
    }
    seeded = random.Random(mantissa_bits)
    values = [
        *boundary_values(),
        *sorted(edges),
        *(edge - 1 for edge in sorted(edges)),
        *range(-3, 2 << mantissa_bits),
        *(seeded.randrange(LEAST, MOST) for _ in range(500)),
    ]

    async def testbench(ctx):
        found = await piped(ctx, dut, values)
        for value, number in zip(values, found, strict=True):
            assert number == bin_of(value, mantissa_bits), value

    simulate(dut, testbench)


@pytest.mark.parametrize("zoom_bits", [4, 8, 12])
@pytest.mark.parametrize("first", [0, 1000, -5, -70_000, LEAST, MOST - 3, 0x1FFFF])
def test_a_window_has_a_bin_for_each_tick_and_its_ends_hold_the_rest(zoom_bits, first):
    dut = made(ZoomBin, zoom_bits)
    last = (1 << zoom_bits) - 1
    near = {
        first + d
        for d in (
            -65536,
            -2,
            -1,
            0,
            1,
            2,
            last - 3,
            last - 2,
            last - 1,
            last,
            last + 1,
            4096,
            65535,
            65536,
            65537,
        )
    }
    seeded = random.Random(zoom_bits)
    inside = [first + seeded.randrange(-2, last + 2) for _ in range(100)]
    values = [v for v in [*boundary_values(), *sorted(near), *inside] if LEAST <= v <= MOST]

    async def testbench(ctx):
        found = await piped(ctx, dut, values, first_ticks=first)
        for value, number in zip(values, found, strict=True):
            if value < first:
                assert number == 0, value
            elif value >= first + (1 << zoom_bits) - 2:
                assert number == last, value
            else:
                assert number == 1 + value - first, value

    simulate(dut, testbench)


@pytest.mark.parametrize("banks", [1, 2])
def test_each_key_and_bank_has_its_own_bins_and_window(banks):
    mantissa_bits, zoom_bits = 2, 4
    dut = made(Histogram, 2, mantissa_bits, zoom_bits, banks, 16)
    seeded = random.Random(banks)
    firsts = [0, 5, -3, 100]
    bank_of = [0] * 150 + [1] * 150 if banks == 2 else [0] * 300
    samples = [
        (seeded.randrange(4), seeded.choice([seeded.randrange(-9, 120), 1 << 20]), bank)
        for bank in bank_of
    ]

    async def testbench(ctx):
        for port, first in zip(dut.zoom_first, firsts, strict=True):
            ctx.set(port, first)
        await send(ctx, dut, samples)
        for bank in range(banks):
            bins, zoom = Counter(), Counter()
            for key, value, sample_bank in samples:
                if sample_bank == bank:
                    bins[key * 128 + bin_of(value, mantissa_bits)] += 1
                    zoom[key * 16 + min(max(value - firsts[key] + 1, 0), 15)] += 1
            found = await read_words(ctx, dut.bins, 4 << bin_bits(mantissa_bits), bank)
            assert found == [bins[n] for n in range(len(found))]
            found = await read_words(ctx, dut.zoom, 4 << zoom_bits, bank)
            assert found == [zoom[n] for n in range(len(found))]
        assert ctx.get(dut.saturated) == 0

    simulate(dut, testbench)


def test_without_a_window_its_space_reads_zero():
    dut = made(Histogram, 1, 2, None, 1, 16)

    async def testbench(ctx):
        await send(ctx, dut, [(0, 5, 0)] * 3)
        assert await read_words(ctx, dut.zoom, 8) == [0] * 8
        assert (await read_words(ctx, dut.bins, 8))[bin_of(5, 2)] == 3

    simulate(dut, testbench)


def test_clear_is_busy_until_both_spaces_are_zero():
    dut = made(Histogram, 0, 2, 4, 1, 16)

    async def testbench(ctx):
        await send(ctx, dut, [(0, value, 0) for value in range(40)])
        ctx.set(dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(dut.clear_stb, 0)
        await ctx.tick().until(~dut.clear_busy)
        assert not any(await read_words(ctx, dut.bins, 128))
        assert not any(await read_words(ctx, dut.zoom, 16))

    simulate(dut, testbench)
