# SPDX-License-Identifier: Apache-2.0
"""cocotb side: the tick of strikes far into a run is the exact sum, rounded down."""

import os
from fractions import Fraction
from math import floor

import cocotb
from cocotb.triggers import Timer, ValueChange

from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout

TIMEOUT_NS = 60 * int(os.environ["STRIKES"]) + 50_000_000
SETTLE_NS = 400
CLOCK_NS = 8


def pack(**settings: int) -> int:
    """Return the register block's bits."""
    layout = block_layout(STIMULUS)
    bits = 0
    for name, value in settings.items():
        bits |= value << layout[name].offset
    return bits


async def start(dut, **settings: int) -> None:
    """Load the registers, and start once they have stood still."""
    dut.settings.value = pack(enable=1, **settings)
    await Timer(SETTLE_NS + 1, "ns")
    dut.start.value = 1
    await Timer(CLOCK_NS, "ns")
    dut.start.value = 0


def marks(last: int) -> list[int]:
    """Return strike numbers spread up to `last`, more than a word's strikes apart."""
    return [
        10**power + extra for power in range(1, 9) for extra in (0, 8) if 10**power + 8 < last
    ] + [last]


async def ticks_of(dut, number: int) -> int:
    """Return the tick of rise `number`, still to come."""
    dut.target.value = number
    await ValueChange(dut.seen)
    return int(dut.seen_ticks.value)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def a_fraction_never_drifts(dut):
    last = int(os.environ["STRIKES"])
    interval, fraction, phase, width = 17, (1 << 32) // 3, 5, 3
    dut.target.value = marks(last)[0]
    await start(
        dut,
        interval_ticks=interval,
        interval_fraction=fraction,
        phase_ticks=phase,
        width_ticks=width,
        burst_count=1,
    )
    exact = interval + Fraction(fraction, 1 << 32)
    for number in marks(last):
        assert await ticks_of(dut, number) == phase + floor(number * exact), number
    assert int(dut.rises.value) >= last
    assert {int(dut.widest.value), int(dut.narrowest.value)} == {width}


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def a_fraction_never_drifts_behind_fast_bursts(dut):
    last = int(os.environ["STRIKES"])
    interval, fraction, burst, spacing = 32, 0xFFFF_FFFF, 5, 2
    dut.target.value = marks(last)[0]
    await start(
        dut,
        interval_ticks=interval,
        interval_fraction=fraction,
        width_ticks=1,
        burst_count=burst,
        spacing_ticks=spacing,
    )
    exact = interval + Fraction(fraction, 1 << 32)
    for number in marks(last):
        bursts, inside = divmod(number, burst)
        begun = bursts * (burst - 1) * spacing + floor(bursts * exact)
        assert await ticks_of(dut, number) == begun + inside * spacing, number


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def a_long_count_ends_exactly(dut):
    last = int(os.environ["STRIKES"])
    dut.target.value = last - 1
    await start(
        dut, width_ticks=1, burst_count=0, spacing_ticks=2, strike_count=last, phase_ticks=1
    )
    assert await ticks_of(dut, last - 1) == 1 + 2 * (last - 1)
    await Timer(4000, "ns")
    assert int(dut.rises.value) == last


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def an_interval_of_a_million_ticks_is_exact(dut):
    interval = (1 << 20) + 3
    dut.target.value = 1
    await start(dut, interval_ticks=interval, width_ticks=interval - 1, burst_count=1)
    for number in (1, 2, 3):
        assert await ticks_of(dut, number) == number * interval
