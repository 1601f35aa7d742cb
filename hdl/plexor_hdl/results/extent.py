# SPDX-License-Identifier: Apache-2.0
"""Minimum and maximum of each channel's values since the last look."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import high_part, low_part

LOOK_CLOCKS = 3
"""Clocks from the choice of a channel to its minimum and maximum."""
VALUE_CLOCKS = 5
"""Clocks from a value until a look or a further value of the channel takes account of it."""


class Extent(wiring.Component):
    """Keeps the minimum and the maximum of each channel's values since the last clear.

    Values of one channel come at least VALUE_CLOCKS apart.

    Latency: VALUE_CLOCKS (5) clocks from a value to a look that sees it; LOOK_CLOCKS (3) from
        `look` to `least` and `greatest`.
    Throughput: a value and a look each clock.
    Reset: no values.
    Wrap: none; it counts nothing.
    Full: never; a value replaces another.

    Ports:
        valid: 1 if `value_ticks` is a value of `channel`.
        channel: Channel of the value.
        value_ticks: The value, in ticks.
        clear_stb: Forgets all values.
        look: Channel that is looked at.
        least: Its minimum in ticks; 0 without values.
        greatest: Its maximum in ticks; 0 without values.
    """

    def __init__(self, channels: int, channel_bits: int) -> None:
        self._channels = channels
        super().__init__(
            {
                "valid": In(1),
                "channel": In(channel_bits),
                "value_ticks": In(signed(VALUE_BITS)),
                "clear_stb": In(1),
                "look": In(channel_bits),
                "least": Out(signed(VALUE_BITS)),
                "greatest": Out(signed(VALUE_BITS)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        some = Signal(self._channels)
        valid, channel = Line(m, self.valid, "valid"), Line(m, self.channel, "channel")
        # With the sign inverted, signed values compare like unsigned ones.
        value = Line(m, Cat(self.value_ticks[:-1], ~self.value_ticks[-1]), "value")
        look = Line(m, self.look, "look")
        known, looked = Signal(), Signal()
        m.d.sync += [
            known.eq(some.bit_select(channel[2], 1)),
            looked.eq(some.bit_select(look[1], 1)),
        ]
        written = channel[4]
        with m.If(valid[4]):
            m.d.sync += some.bit_select(written, 1).eq(1)
        with m.If(self.clear_stb):
            m.d.sync += some.eq(0)
        for name, port in (("least", self.least), ("greatest", self.greatest)):
            m.submodules[name] = memory = plain_memory(VALUE_BITS, self._channels)
            write, read, seen = memory.write_port(), memory.read_port(), memory.read_port()
            kept = Signal(VALUE_BITS, name=f"kept_{name}")
            low, high, same = Signal(), Signal(), Signal()
            goes = Signal(name=f"goes_{name}")
            one, other = (value[2], kept) if name == "least" else (kept, value[2])
            m.d.comb += [
                read.addr.eq(channel[0]),
                write.addr.eq(written),
                write.data.eq(value[4]),
                write.en.eq(valid[4] & goes),
                seen.addr.eq(look[0]),
            ]
            m.d.sync += [
                kept.eq(read.data),
                low.eq(low_part(one) < low_part(other)),
                high.eq(high_part(one) < high_part(other)),
                same.eq(high_part(one) == high_part(other)),
                goes.eq(high | (same & low) | ~known),
            ]
            there = Signal(VALUE_BITS, name=f"there_{name}")
            m.d.sync += [
                there.eq(seen.data),
                port.eq(Mux(looked, Cat(there[:-1], ~there[-1]), 0)),
            ]
        return m
