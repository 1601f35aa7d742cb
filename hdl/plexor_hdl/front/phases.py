"""Phases of a fast clock, and the way of a bit from one to another.

A front-end of P phases has P/2 clocks of period T, each T/P later than the one before. Phase i
below P/2 is the rising edge of clock i, phase i + P/2 its falling edge: an edge each T/P. The core
clock has period 2T; its edges come `CORE_PHASE` phases and the lag of its buffer after those of
phase 0.
"""

from __future__ import annotations

from amaranth.hdl import ClockDomain, ClockSignal, Module, Signal

RATIO = 2
"""Periods of the fast clocks in one of the core."""
CORE_PHASE = 1
"""The phase whose flip-flop is the core clock: its lag then has room on both sides."""
LOOP_CLOCKS = 4
"""Core clocks from a strike word's to those of the samples taken while it stands at the pins."""


def domain(phase: int) -> str:
    """Return the name of a phase's clock domain."""
    return f"phase{phase}"


def hops(start: int, end: int, phases: int) -> list[int]:
    """Return the phases, modulo `phases`, at which a bit is taken over on its way.

    `start` and `end` count phases from one time; the bit is new at `start` of each period. No hop
    is longer than a period, when it would be overwritten, and all are as long as they can be alike.
    """
    steps = -(-(end - start) // phases)
    return [(start + (end - start) * step // steps) % phases for step in range(1, steps + 1)]


def carried(m: Module, bit: Signal, start: int, end: int, phases: int) -> Signal:
    """Return the bit after its way from phase `start` to `end`, a flip-flop a hop."""
    for number, phase in enumerate(hops(start, end, phases)):
        after = Signal(name=f"{bit.name}_{number}")
        m.d[domain(phase)] += after.eq(bit)
        bit = after
    return bit


def repeated(m: Module, bit: Signal, name: str) -> Signal:
    """Return a bit of phase 0 that is the same each RATIO periods, from a flip-flop of its own.

    It is taken over so much later: for its first RATIO periods it is low.
    """
    for number in range(RATIO):
        after = Signal(name=f"{name}_{number}")
        m.d[domain(0)] += after.eq(bit)
        bit = after
    return bit


def add_domains(m: Module, clocks: list) -> None:
    """Add the domains of all phases, made of the P/2 clocks."""
    for number, clock in enumerate(clocks):
        for phase, edge in ((number, "pos"), (number + len(clocks), "neg")):
            m.domains += ClockDomain(domain(phase), clk_edge=edge, reset_less=True)
            m.d.comb += ClockSignal(domain(phase)).eq(clock)
