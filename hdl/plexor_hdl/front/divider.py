"""The core clock, made of a phase's flip-flop, and the beat that tells the fast clocks of it."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.front.phases import CORE_PHASE, carried, domain
from plexor_hdl.lib.crossing import Crossing


class Divider(wiring.Component):
    """Divides the fast clock by 2 from when `start` is high.

    `core_clk` rises at CORE_PHASE of each other period, and drives a global buffer, whose lag comes
    on top. `load` is high at phase 0 before each of its rises: words that are then taken over stay
    for a core clock. `running` is `start` for phase 0. Without `start` the core has no clock at
    all, and keeps its initial values: it needs no reset.
    """

    def __init__(self, phases: int) -> None:
        self._phases = phases
        super().__init__(
            {"start": In(1), "core_clk": Out(1), "load": Out(1), "running": Out(1)},
        )

    def elaborate(self, platform):
        m = Module()
        phases, fast = self._phases, domain(CORE_PHASE)
        m.submodules.start_to_phase = crossing = Crossing(fast)
        going = Signal()
        m.d.comb += [crossing.bit.eq(self.start), going.eq(crossing.crossed)]
        m.d[fast] += self.core_clk.eq(going & ~self.core_clk)
        m.d.comb += [
            self.load.eq(carried(m, self.core_clk, CORE_PHASE, phases, phases)),
            self.running.eq(carried(m, going, CORE_PHASE, phases, phases)),
        ]
        return m
