# SPDX-License-Identifier: Apache-2.0
"""Takes single bits from another clock domain, or from none, into a clock domain."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

CROSSING_CLOCKS = 2
"""Number of flip-flops in a row. The first one has a period of the domain to settle."""


class Crossing(wiring.Component):
    """Takes a bit of any clock, or of none, into a clock domain.

    An instance is named for what it carries and where to: `gate_to_core`. A level that stands for
    less than a clock may be missed. Bits that must be taken in the same clock need another way.

    Latency: CROSSING_CLOCKS clocks of the domain, and up to one more for the bit's own change.
    Throughput: one bit each clock.
    Reset: none; both flip-flops hold `init` after configuration.
    Wrap: none; it holds no count.
    Full: never; it takes what stands there.

    Ports:
        bit: The level, of any clock or none.
        crossed: The same level in the domain.
    """

    def __init__(self, domain: str = "sync", init: int = 0) -> None:
        self._domain, self._init = domain, init
        super().__init__({"bit": In(1, init=init), "crossed": Out(1, init=init)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.stages = FFSynchronizer(
            self.bit,
            self.crossed,
            o_domain=self._domain,
            init=self._init,
            stages=CROSSING_CLOCKS,
        )
        return m
