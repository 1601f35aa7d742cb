# SPDX-License-Identifier: Apache-2.0
"""The CRC-32 at the end of frames: that of ISO 3309, as in `zlib.crc32`."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

POLYNOMIAL = 0xEDB88320
"""Generator polynomial, lowest bit first, like all bits here."""
RESIDUE = 0xDEBB20E3
"""Contents of the register after a frame with a correct CRC."""
MOST_BITS = 8


class FrameCrc(wiring.Component):
    """Computes the CRC-32 of the bits that came since `start`, lowest bit first.

    A sender shifts the CRC out behind its frame. A receiver lets the frame and its CRC pass, and
    then looks at `matched`.

    Latency: 1 clock from any input to all outputs.
    Throughput: `bits` bits each clock.
    Reset: as `start`.
    Wrap: none; a frame may be of any length.
    Full: never; it keeps only the CRC.

    Ports:
        start: Begins a frame; wins over `step`.
        step: Takes `data`, or with `shift` drops `bits` bits of the CRC.
        shift: A step drops the lowest bits of the CRC, and takes no data. After 8 bits the CRC's
            next byte is in `low`.
        data: The next `bits` bits, lowest first.
        low: The low byte of the CRC.
        crc: The whole CRC.
        matched: What came ends with its own CRC.
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
