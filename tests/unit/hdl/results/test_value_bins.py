# SPDX-License-Identifier: Apache-2.0
"""LogBins and ZoomBin: each value is in the bin of the contract."""

import random

import pytest

from plexor.protocol.memory import bin_of
from plexor_hdl.results.value_bins import LogBins, ZoomBin

from ..simulation import made, simulate

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


async def piped(ctx, dut, port, values, **constant):
    """Return the bin of each value, one value a clock."""
    found = []
    for name, value in constant.items():
        ctx.set(getattr(dut, name), value)
    for clock in range(len(values) + dut.LATENCY):
        if clock >= dut.LATENCY:
            found.append(ctx.get(port))
        ctx.set(dut.value_ticks, values[min(clock, len(values) - 1)])
        await ctx.tick()
    return found


@pytest.mark.parametrize("mantissa_bits", range(2, 9))
def test_every_boundary_of_every_octave_is_in_the_bin_of_the_contract(mantissa_bits):
    dut = made(LogBins, mantissa_bits)
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
        found = await piped(ctx, dut, dut.bin0, values)
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
        found = await piped(ctx, dut, dut.bin, values, first_ticks=first)
        for value, number in zip(values, found, strict=True):
            if value < first:
                assert number == 0, value
            elif value >= first + (1 << zoom_bits) - 2:
                assert number == last, value
            else:
                assert number == 1 + value - first, value

    simulate(dut, testbench)


@pytest.mark.parametrize("other", [3, 6])
@pytest.mark.parametrize(
    "mantissa_bits",
    [pytest.param(n, marks=() if n in (2, 6) else pytest.mark.full) for n in range(2, 9)],
)
def test_bins_of_two_widths_are_both_those_of_the_contract(mantissa_bits, other):
    dut = made(LogBins, mantissa_bits, other)
    values = [*range(-2, 600), *boundary_values()]

    async def testbench(ctx):
        for port, bits in ((dut.bin0, mantissa_bits), (dut.bin1, other)):
            found = await piped(ctx, dut, port, values)
            assert found == [bin_of(value, bits) for value in values]

    simulate(dut, testbench)
