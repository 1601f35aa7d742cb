# SPDX-License-Identifier: Apache-2.0
"""The timecode: tells a device on pins how often strike output 0 has struck."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Timecode(wiring.Component):
    """Counts the strikes of an output on pins, in binary or in Gray code.

    Gray code: F. Gray, US patent 2,632,058, 1953. From one step to the next one pin changes, so a
    reader that samples all pins at once reads the count from before or after a step.

    Latency: 3 clocks from `strike_stb` to `pins`: 2 more than to the strike's own pin.
    Throughput: one step each clock; strikes in the same clock are one step.
    Reset: 0, by `start_stb` too.
    Wrap: to 0 after 2**bits steps.
    Full: never; it stores one count.

    Ports:
        start_stb: A run begins.
        strike_stb: The output strikes, a clock before its pin.
        gray: The pins are a Gray code.
        on: The pins show the count; otherwise they are low, as a pad that is not driven.
        pins: The count.
    """

    def __init__(self, bits: int) -> None:
        super().__init__(
            {
                "start_stb": In(1),
                "strike_stb": In(1),
                "gray": In(1),
                "on": In(1),
                "pins": Out(bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        count, strikes, starts = Signal.like(self.pins), Signal(), Signal()
        # The strike comes from far away, and a pin never shows the sum on its way.
        m.d.sync += [
            strikes.eq(self.strike_stb),
            starts.eq(self.start_stb),
            count.eq(Mux(starts, 0, count + strikes)),
            self.pins.eq(Mux(self.on, count ^ Mux(self.gray, count >> 1, 0), 0)),
        ]
        return m
