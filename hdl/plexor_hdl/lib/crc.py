"""The CRC-32 at the end of frames: that of ISO 3309, as in `zlib.crc32`."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

POLYNOMIAL = 0xEDB88320
"""Lowest bit first, as all bits here."""
RESIDUE = 0xDEBB20E3
"""What the register holds once a frame has passed whose CRC is right."""
MOST_BITS = 8


class FrameCrc(wiring.Component):
    """The CRC-32 of the bits that came since `start`, `bits` of them with each `step`, low first.

    `matched`: what came ends with its own CRC. `low` is the CRC's low byte; a step with `shift`
    takes no bits, but drops `bits` of the CRC: the next byte is in `low` after 8 of them. `crc` is
    all of it. `start`
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
                "crc": Out(32),
                "matched": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        crc = Signal(32, init=0xFFFFFFFF)
        following = crc
        for bit in self.data:
            fed = Mux(self.shift, 0, following[0] ^ bit)
            following = (following >> 1) ^ Mux(fed, POLYNOMIAL, 0)
        m.d.comb += [
            self.crc.eq(~crc),
            self.low.eq(~crc[:8]),
            self.matched.eq(crc == RESIDUE),
        ]
        with m.If(self.step):
            m.d.sync += crc.eq(following)
        with m.If(self.start):
            m.d.sync += crc.eq(crc.init)
        return m
