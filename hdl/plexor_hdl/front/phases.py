# SPDX-License-Identifier: Apache-2.0
"""Phases of a fast clock, and the path of a bit from one phase to another.

A front-end with P phases has P/2 clocks of period T, each T/P later than the one before. Phase i
below P/2 is the rising edge of clock i. Phase i + P/2 is its falling edge. So there is an edge each
T/P. The core clock has period 2T. Its edges come `CORE_PHASES[P]` phases plus the lag of its
buffer after those of phase 0.
"""

from __future__ import annotations

from amaranth.hdl import ClockDomain, ClockSignal, Module, Signal

RATIO = 2
"""Periods of the fast clocks in one period of the core clock."""
CORE_PHASES = {4: 1, 8: 0}
"""Phase whose flip-flop is the core clock, by the number of phases: room on both sides of its lag.

The lag alone gives words of 8 phases their time. Phase 0 itself has none of the errors that a PLL's
sheet allows between its outputs.
"""
LOOP_CLOCKS = 4
"""Core clocks from a strike's word to the samples taken while it is at the pins."""


def domain(phase: int) -> str:
    """Return the name of a phase's clock domain."""
    return f"phase{phase}"


def hops(start: int, end: int, phases: int) -> list[int]:
    """Return the phases, modulo `phases`, at which flip-flops take a bit over on its path.

    `start` and `end` count phases from the same time. The bit is new at `start` of each period. No
    hop is longer than a period, because the bit would be overwritten. Hops are as equal as they can
    be.
    """
    steps = -(-(end - start) // phases)
    return [(start + (end - start) * step // steps) % phases for step in range(1, steps + 1)]


def carried(m: Module, bit: Signal, start: int, end: int, phases: int) -> Signal:
    """Return the bit after its path from phase `start` to `end`, with a flip-flop at each hop."""
    for number, phase in enumerate(hops(start, end, phases)):
        after = Signal(name=f"{bit.name}_{number}")
        m.d[domain(phase)] += after.eq(bit)
        bit = after
    return bit


def repeated(m: Module, bit: Signal, name: str) -> Signal:
    """Return a copy of a bit of phase 0, from its own flip-flop, RATIO periods later.

    The bit must be the same in each core clock. The copy is low for its first RATIO periods.
    """
    for number in range(RATIO):
        after = Signal(name=f"{name}_{number}")
        m.d[domain(0)] += after.eq(bit)
        bit = after
    return bit


def add_domains(m: Module, clocks: list) -> None:
    """Add the clock domains of all phases, from the P/2 clocks."""
    for number, clock in enumerate(clocks):
        for phase, edge in ((number, "pos"), (number + len(clocks), "neg")):
            m.domains += ClockDomain(domain(phase), clk_edge=edge, reset_less=True)
            m.d.comb += ClockSignal(domain(phase)).eq(clock)
