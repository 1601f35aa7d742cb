# SPDX-License-Identifier: Apache-2.0
"""Flags of a run: what has happened at least once."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.registers import StatusFlag
from plexor_hdl.lib.crossing import Crossing


class Flags(wiring.Component):
    """The flags of a run, STATUS.flags.

    A flag rises when its port is high and stays until the next run begins.

    Latency: 1 clock; `clock_lost` takes CROSSING_CLOCKS more.
    Throughput: every port each clock.
    Reset: no flag.
    Wrap: none; flags only rise.
    Full: never.

    Ports:
        clear: A run begins: no flag.
        running: A run is under way; a clock that is lost without one is none of its faults.
        bin_saturated: A bin is full.
        counter_saturated: A count has wrapped.
        gap_saturated: A gap is longer than its count can say.
        queue_full: A channel's queue had no room for a strike.
        triggered: The trigger has fired.
        clock_lost: Of any clock: the core's clock was not as it should be.
        flags: The flags, by the bits of StatusFlag.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "clear": In(1),
                "running": In(1),
                **{flag.name.lower(): In(1) for flag in StatusFlag},
                "flags": Out(len(StatusFlag)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.clock_lost_to_core = crossing = Crossing()
        m.d.comb += crossing.bit.eq(self.clock_lost)
        ports = {flag: getattr(self, flag.name.lower()) for flag in sorted(StatusFlag)}
        ports[StatusFlag.CLOCK_LOST] = crossing.crossed & self.running
        with m.If(self.clear):
            m.d.sync += self.flags.eq(0)
        with m.Else():
            m.d.sync += self.flags.eq(self.flags | Cat(ports.values()))
        return m
