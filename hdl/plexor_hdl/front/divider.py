# SPDX-License-Identifier: Apache-2.0
"""Makes the core clock from a phase's flip-flop, and the beat that marks it for the fast clocks."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.front.phases import CORE_PHASES, carried, domain
from plexor_hdl.lib.crossing import Crossing


class Divider(wiring.Component):
    """Makes the core clock of a fast one, by 2, and the beat that tells the fast clocks of it.

    `core_clk` rises at the core's phase of each other period, and drives a global buffer, whose lag
    comes on top. Without `start` the core has no clock at all, and keeps its initial values: it
    needs no reset.

    Latency: `core_clk` first rises at that phase for the third time after `start`.
    Throughput: one core clock each 2 periods of the fast one.
    Reset: none; all outputs are low until `start`, and the domains have no reset.
    Wrap: none; it counts to 2.
    Full: never; it stores nothing.

    Ports:
        start: Of any clock; the core clock goes from then on.
        core_clk: The core clock, before its global buffer.
        load: High at phase 0 before each rise of `core_clk`: words that are taken over then stay
            for a core clock.
        running: `start` for phase 0, once the core clock goes.
    """

    def __init__(self, phases: int) -> None:
        self._phases = phases
        super().__init__(
            {"start": In(1), "core_clk": Out(1), "load": Out(1), "running": Out(1)},
        )

    def elaborate(self, platform):
        m = Module()
        phases = self._phases
        own = CORE_PHASES[phases]
        fast = domain(own)
        m.submodules.start_to_phase = crossing = Crossing(fast)
        going = Signal()
        m.d.comb += [crossing.bit.eq(self.start), going.eq(crossing.crossed)]
        m.d[fast] += self.core_clk.eq(going & ~self.core_clk)
        m.d.comb += [
            self.load.eq(carried(m, self.core_clk, own, phases, phases)),
            self.running.eq(carried(m, going, own, phases, phases)),
        ]
        return m
