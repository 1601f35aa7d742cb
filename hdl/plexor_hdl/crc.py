"""The CRC-32 at the end of frames: that of ISO 3309, as in `zlib.crc32`."""

from functools import reduce
from operator import xor

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

POLYNOMIAL = 0xEDB88320
"""Lowest bit first, as all bits here."""
RESIDUE = 0xDEBB20E3
"""What the register holds once a frame has passed whose CRC is right."""
MOST_BITS = 4


class FrameCrc(wiring.Component):
    """The CRC-32 of the bits that came since `start`, `bits` of them with each `step`, low first.

    `matched`: what came ends with its own CRC. `low` is the CRC's low byte; a step with `shift`
    takes no bits, but drops `bits` of the CRC: the next byte is in `low` after 8 of them. `start`
    goes before `step`. All is seen one clock later. Reset as `start`.
    """

    def __init__(self, bits: int) -> None:
        if not 1 <= bits <= MOST_BITS:
            raise ValueError(f"bits: {bits}; must be 1 to {MOST_BITS}")
        self._bits = bits
        super().__init__(
            {
                "start": In(1),
                "step": In(1),
                "shift": In(1),
                "data": In(bits),
                "low": Out(8),
                "matched": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        crc = Signal(32, init=0xFFFFFFFF)
        fed = Signal(self._bits)
        m.d.comb += [
            fed.eq(Mux(self.shift, 0, crc[: self._bits] ^ self.data)),
            self.low.eq(~crc[:8]),
            self.matched.eq(crc == RESIDUE),
        ]
        # None of the polynomial's low bits is set, so no bit fed depends on one before it.
        parts = [Mux(fed[n], POLYNOMIAL >> self._bits - 1 - n, 0) for n in range(self._bits)]
        with m.If(self.step):
            m.d.sync += crc.eq(reduce(xor, parts, crc >> self._bits))
        with m.If(self.start):
            m.d.sync += crc.eq(crc.init)
        return m
