# SPDX-License-Identifier: Apache-2.0
"""The lamps: tries each lamp at power-up, then shows which event came last."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.registers import register
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.lib.crossing import Crossing

STEP_BITS = 22
"""A lamp is tried for 2**STEP_BITS core clocks: 34 ms at 125 MHz."""
WALK_BITS = STEP_BITS + 3
SHOWN_WRAPS = 5
"""A lamp is on until `low` has wrapped that often: 4 x 2**LOW_BITS clocks and up to one more."""
TRIED = register("status", "lamp_faults").bits - 1


class Lamps(wiring.Component):
    """Drives the lamps' pads, and looks at what the pads really are.

    From power-up on each lamp in turn is lit alone, lamp 0 first. At the end of its turn all pads
    are read back: one that is not as driven is faulty. From then on the lamp of the last event's
    number is lit, alone, and goes out some time after it.

    Latency: 1 clock from `show_stb` to `pads`.
    Throughput: an event each clock; the last one is shown.
    Reset: lamp 0 is tried.
    Wrap: the timebase's upper bits must be 0 at reset; what comes after the walk looks at `low`.
    Full: never; a new event takes the lamp from the one before.

    Ports:
        low: Of Timebase.
        epoch: Of Timebase, lowest bits.
        show_stb: An event came.
        number: Its number, modulo 8; one beyond the lamps is not shown.
        pads: The lamps, on if 1.
        backs: The levels of the pads, of any clock.
        faults: A bit for each lamp; and above 8 bits whether all have been tried.
    """

    def __init__(self, count: int) -> None:
        super().__init__(
            {
                "low": In(LOW_BITS),
                "epoch": In(WALK_BITS - LOW_BITS + 1),
                "show_stb": In(1),
                "number": In(3),
                "pads": Out(count),
                "backs": In(count),
                "faults": Out(TRIED + 1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        place = self.epoch[STEP_BITS - LOW_BITS : -1]
        tried, shown, left = self.faults[TRIED], Signal(3), Signal(range(SHOWN_WRAPS + 1))
        m.d.comb += self.pads.eq(Mux(tried, left.any(), 1) << Mux(tried, shown, place))
        back = []
        for number, bit in enumerate(self.backs):
            m.submodules[f"back{number}_to_core"] = crossing = Crossing()
            m.d.comb += crossing.bit.eq(bit)
            back.append(crossing.crossed)
        last, wraps = Signal(), Signal()
        m.d.sync += [
            wraps.eq(self.low == (1 << LOW_BITS) - 2),
            last.eq((self.low == (1 << LOW_BITS) - 2) & self.epoch[: STEP_BITS - LOW_BITS].all()),
        ]
        with m.If(last & ~tried):
            wrong = Cat(back) ^ self.pads
            faults = self.faults[: len(wrong)]
            m.d.sync += faults.eq(faults | wrong)
            with m.If(place.all()):
                m.d.sync += tried.eq(1)
        with m.If(self.show_stb):
            m.d.sync += [shown.eq(self.number), left.eq(SHOWN_WRAPS)]
        with m.Elif(wraps):
            m.d.sync += left.eq(left - left.any())
        return m
