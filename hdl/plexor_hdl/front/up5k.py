# SPDX-License-Identifier: Apache-2.0
"""A front-end's parts of the iCE40 UltraPlus: those of an iCE40, except for two cells.

Its PLL has the limits of other iCE40s (FPGA-TN-02052). It takes its reference from a dedicated pad,
which nothing else can read then. The chip's oscillator (FPGA-DS-02008, iCE40 UltraPlus family data
sheet: SB_HFOSC, 48 MHz, here divided by 4) replaces the reference as start clock. It also replaces
the ring, because it is asynchronous to all clocks of the board. The delay of the PLL's output A is
at most 2.4 ns. Below 104 MHz that is less than a quarter of a period, so two of four bins are that
much narrower. A deep memory is in its single-port RAM blocks of 16,384 words of 16 bits
(FPGA-TN-02022, iCE40 SPRAM usage guide).
"""

from __future__ import annotations

from amaranth.hdl import ClockSignal, Const, Instance, Module, Signal, Value

from plexor_hdl.front import ice40
from plexor_hdl.front.ice40 import PHASES, Pll, add_buffer, add_pad, xor

__all__ = [
    "PHASES",
    "Pll",
    "add_blocks",
    "add_buffer",
    "add_pad",
    "add_pll",
    "add_source",
    "add_start_clock",
    "xor",
]

MULTIPLIERS = 8
RESET = "front.unlocked"
"""Name of the net that is high until the PLL has locked."""
BLOCK_BITS = 16
SOURCE_BITS = 6
"""The oscillator's 12 MHz, divided by 2**SOURCE_BITS, are slower than the link."""


def add_start_clock(m: Module, reference: Signal) -> Signal:
    """Return a clock that runs before the PLL locks: the oscillator's."""
    clock = Signal(name="oscillation")
    m.submodules.oscillator = Instance(
        "SB_HFOSC",
        p_CLKHF_DIV="0b10",
        i_CLKHFPU=Const(1),
        i_CLKHFEN=Const(1),
        o_CLKHF=clock,
    )
    return clock


def add_pll(m: Module, reference: Signal, pll: Pll) -> tuple[list[Signal], Signal]:
    """Add the PLL; return its clocks, each about a quarter of a period later, and its lock."""
    clocks, locked = ice40.add_pll(m, reference, pll, ("SB_PLL40_2F_PAD", "PACKAGEPIN"))
    unlocked = Signal(attrs={"keep": 1})
    m.d.comb += unlocked.eq(~locked)
    return clocks, locked


def add_source(m: Module) -> Value:
    """Return an oscillation that is asynchronous to the board's clocks: the divided start clock."""
    count = Signal(SOURCE_BITS)
    m.d.reference += count.eq(count + 1)
    return count[-1]


def add_blocks(m: Module, address: Value, data: Value, write: Value) -> Value:
    """Add the chip's single-port RAM blocks; see plexor_hdl.lib.blocks.Blocks."""
    word = Signal(len(data))
    for number, start in enumerate(range(0, len(data), BLOCK_BITS)):
        part = slice(start, start + BLOCK_BITS)
        m.submodules[f"block{number}"] = Instance(
            "SB_SPRAM256KA",
            i_ADDRESS=address,
            i_DATAIN=data[part],
            i_MASKWREN=Const(-1, 4),
            i_WREN=write,
            i_CHIPSELECT=Const(1),
            i_CLOCK=ClockSignal(),
            i_STANDBY=Const(0),
            i_SLEEP=Const(0),
            i_POWEROFF=Const(1),
            o_DATAOUT=word[part],
        )
    return word
