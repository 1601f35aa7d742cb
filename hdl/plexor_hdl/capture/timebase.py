# SPDX-License-Identifier: Apache-2.0
"""The timebase: the count of core clocks that times everything."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.interfaces import TIME_BITS
from plexor_hdl.lib.split_sum import CHUNK_BITS

LOW_BITS = 20
"""Clock bits that travel with sample words. Events are merged well within 2**LOW_BITS clocks."""
BEAT_BITS, BEAT_RUN_BITS = 26, 23
"""The LED blinks 1.9 times a second at 125 MHz, and eight times as fast while a run goes."""
IDLE_CLOCKS = 16384
"""Core clocks between two beats that carry the time while there is no event."""


def epoch_bits(geometry: Geometry) -> int:
    """Return the number of clock bits above the low LOW_BITS."""
    return TIME_BITS - (geometry.samples - 1).bit_length() - LOW_BITS


class Timebase(wiring.Component):
    """Counts core clocks; every time in the instrument comes from this count.

    `epoch` and `low` are one number of 64 - log2 W bits, coherent in every clock. A tick is that
    number x W. The carry into `epoch` is prepared in chunks of CHUNK_BITS during the 2**LOW_BITS
    clocks before it is needed, so no carry chain is longer than LOW_BITS.

    Latency: none; all outputs are registers.
    Throughput: one count each clock.
    Reset: all outputs are 0.
    Wrap: to 0 after 2**64 ticks.
    Full: never; it stores nothing.

    Ports:
        low: The lower LOW_BITS bits of the count, in clocks.
        epoch: The bits above `low`.
        running: A run is under way.
        beat: Half a period of 2**BEAT_BITS clocks low, half high; with `running` of
            2**BEAT_RUN_BITS.
        last_epoch: What `epoch` was before its last change; 0 until the first change.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._epoch_bits = epoch_bits(geometry)
        super().__init__(
            {
                "low": Out(LOW_BITS),
                "epoch": Out(self._epoch_bits),
                "last_epoch": Out(self._epoch_bits),
                "running": In(1),
                "beat": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        wrap = Signal()
        following = Signal(self._epoch_bits, init=1)
        m.d.sync += [
            self.low.eq(self.low + 1),
            wrap.eq(self.low == (1 << LOW_BITS) - 2),
        ]
        with m.If(wrap):
            m.d.sync += [self.last_epoch.eq(self.epoch), self.epoch.eq(following)]

        slow, fast = (self.epoch[bits - 1 - LOW_BITS] for bits in (BEAT_BITS, BEAT_RUN_BITS))
        m.d.sync += self.beat.eq(Mux(self.running, fast, slow))

        carry = wrap
        for start in range(0, self._epoch_bits, CHUNK_BITS):
            chunk = following[start : start + CHUNK_BITS]
            total = Signal(len(chunk) + 1, name=f"total{start}")
            m.d.comb += total.eq(chunk + carry)
            m.d.sync += chunk.eq(total)
            carry_r = Signal(name=f"carry{start}")
            m.d.sync += carry_r.eq(total[-1])
            carry = carry_r
        return m
