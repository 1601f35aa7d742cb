"""What a front-end takes from the iCE40 UltraPlus: an iCE40's, but for two cells.

Its PLL has the limits of other iCE40s (FPGA-TN-02052), and takes its reference from a pad of its
own, which nothing else can then read. An oscillator on the chip (FPGA-DS-02008, iCE40 UltraPlus
family data sheet: SB_HFOSC, 48 MHz, here divided by 4) counts what the reference does elsewhere,
and is in place of a ring: no clock of the board knows of it. The delay of the PLL's output A ends
at 2.4 ns, short of a quarter of a period below 104 MHz: two of four bins are so much narrower.
"""

from __future__ import annotations

from amaranth.hdl import Const, Instance, Module, Signal, Value

from plexor_hdl.front import ice40
from plexor_hdl.front.ice40 import PHASES, Pll, add_buffer, add_pad, xor

__all__ = [
    "PHASES",
    "Pll",
    "add_buffer",
    "add_pad",
    "add_pll",
    "add_source",
    "add_start_clock",
    "xor",
]

MULTIPLIERS = 8
RESET = "front.unlocked"
"""The net that is high until the PLL has locked."""
SOURCE_BITS = 6
"""12 MHz, divided by 2**SOURCE_BITS: slower than the link."""


def add_start_clock(m: Module, reference: Signal) -> Signal:
    """Return a clock that goes before the PLL's do: the oscillator's."""
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
    """Add the PLL; return its clocks, about a quarter of a period apart, and its lock."""
    clocks, locked = ice40.add_pll(m, reference, pll, ("SB_PLL40_2F_PAD", "PACKAGEPIN"))
    unlocked = Signal(attrs={"keep": 1})
    m.d.comb += unlocked.eq(~locked)
    return clocks, locked


def add_source(m: Module) -> Value:
    """Return an oscillation that no clock of the board knows of: the start clock's, divided."""
    count = Signal(SOURCE_BITS)
    m.d.reference += count.eq(count + 1)
    return count[-1]
