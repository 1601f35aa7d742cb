"""The timecode: tells a device on pins how often strike output 0 has struck."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Timecode(wiring.Component):
    """Counts the strikes of an output on pins, in binary or in Gray code.

    Gray code: F. Gray, US patent 2,632,058, 1953. From one step to the next one pin changes, so a
    reader that samples all pins at once reads the count from before or after a step.

    Latency: 1 clock from `strike_stb` to `pins`, as to the strike's own pin.
    Throughput: one step each clock; strikes in the same clock are one step.
    Reset: 0, by `start_stb` too.
    Wrap: to 0 after 2**bits steps.
    Full: never; it stores one count.

    Ports:
        start_stb: A run begins.
        strike_stb: The output strikes, a clock before its pin.
        gray: The pins are a Gray code.
        pins: The count.
    """

    def __init__(self, bits: int) -> None:
        super().__init__(
            {"start_stb": In(1), "strike_stb": In(1), "gray": In(1), "pins": Out(bits)}
        )

    def elaborate(self, platform):
        m = Module()
        count, following = Signal.like(self.pins), Signal.like(self.pins)
        m.d.comb += following.eq(Mux(self.start_stb, 0, count + self.strike_stb))
        m.d.sync += [
            count.eq(following),
            # From a register: a pin never shows the sum on its way.
            self.pins.eq(following ^ Mux(self.gray, following >> 1, 0)),
        ]
        return m
