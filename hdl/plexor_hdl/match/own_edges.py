# SPDX-License-Identifier: Apache-2.0
"""The edges of each channel's own pin: finds its widths, periods and fall latencies."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.interfaces import Kind
from plexor_hdl.lib.history import Line

TAG_CLOCKS = 4


class _Tag(data.StructLayout):
    """A time that is being read. With `look`, only its age is of interest."""

    def __init__(self, channel_bits: int) -> None:
        super().__init__({"kind": Kind, "channel": channel_bits, "valid": 1, "over": 1, "look": 1})


class OwnEdges(wiring.Component):
    """Says which ages of a channel's own edges are widths, periods and fall latencies.

    A strobe comes for each time that is read, a clock after its `read` in Ages.

    Latency: TAG_CLOCKS clocks from a strobe to `kind`, `o_channel` and `valid`; one less to `far`
        and `over`.
    Throughput: one time each 2 clocks, as Ages reads them.
    Reset: no edge is known. `clear` does the same.
    Wrap: an age may be beyond 2**31 - 1 ticks; it is remembered as `over` before 32 bits wrap, if
        its channel is looked at in time.
    Full: never; it keeps one edge of each channel.

    Ports:
        clear: Forgets all edges.
        channel: The channel of the strobe; the same in the clock before, but for `back_stb`.
        active_stb: At an active edge, the age of the active edge before is read.
        back_stb: At an edge back, the age of its active edge is read.
        fall_stb: At an edge back, 2 clocks later, the age of the strike that its active edge
            answered is read.
        look_stb: At any look, the age of the last active edge is read.
        answer_stb: After `active_stb`: `answers` is valid.
        answers: The active edge answered a strike.
        is_over: The top bit of the age that is read: it is beyond 2**31 - 1; due as `over`.
        far: The age may be beyond 2**31 - 1.
        over: The age is beyond 2**31 - 1, whatever its bits say.
        kind: What the age is.
        o_channel: The channel of that age.
        valid: The age is a measured value.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        bits = max(geometry.key_bits, 1)
        super().__init__(
            {
                "clear": In(1),
                "channel": In(bits),
                "active_stb": In(1),
                "back_stb": In(1),
                "fall_stb": In(1),
                "look_stb": In(1),
                "answer_stb": In(1),
                "answers": In(1),
                "is_over": In(1),
                "far": Out(1),
                "over": Out(1),
                "kind": Out(Kind),
                "o_channel": Out(bits),
                "valid": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        channels = self._geometry.channels
        # Flags of each channel's last active edge: there is one, no edge came after it, it answered
        # a strike, and its age exceeds 32 bits.
        seen, opened, answered, ancient = (
            Signal(channels, name=name) for name in ("seen", "open", "answered", "ancient")
        )
        # The channel's flags are selected in a clock of their own.
        tag, here = Signal(_Tag(len(self.channel))), {}
        for name, bits in (("seen", seen), ("open", opened), ("answered", answered)):
            here[name] = Signal(name=f"{name}_here")
            m.d.sync += here[name].eq(bits.bit_select(self.channel, 1))
        back, fall, active = Signal(), Signal(), Signal()
        m.d.sync += [
            back.eq(self.back_stb),
            fall.eq(self.fall_stb),
            active.eq(self.active_stb),
            tag.channel.eq(self.channel),
            tag.over.eq(ancient.bit_select(self.channel, 1)),
            tag.look.eq(self.look_stb),
        ]
        with m.If(back):
            m.d.comb += [tag.kind.eq(Kind.WIDTH), tag.valid.eq(here["open"])]
        with m.If(fall):
            m.d.comb += [
                tag.kind.eq(Kind.FALL),
                tag.valid.eq(here["open"] & here["answered"]),
            ]
        with m.If(active):
            m.d.comb += [tag.kind.eq(Kind.PERIOD), tag.valid.eq(here["seen"])]
        tags = Line(m, tag, "tag")
        due, ready = tags[TAG_CLOCKS - 2], tags[TAG_CLOCKS - 1]
        m.d.comb += [
            self.far.eq(due.kind != Kind.RISE),
            self.over.eq(due.over & (due.kind != Kind.RISE)),
            self.kind.eq(ready.kind),
            self.o_channel.eq(ready.channel),
            self.valid.eq(ready.valid),
        ]
        for number in range(channels):
            is_here = Signal(name=f"is_here{number}")
            m.d.sync += is_here.eq(self.channel == number)
            with m.If(self.active_stb & is_here):
                m.d.sync += [
                    seen[number].eq(1),
                    opened[number].eq(1),
                    answered[number].eq(0),
                    ancient[number].eq(0),
                ]
            with m.Elif(due.look & self.is_over & (due.channel == number)):
                m.d.sync += ancient[number].eq(1)
            with m.If(self.fall_stb & is_here):
                m.d.sync += [opened[number].eq(0), answered[number].eq(0)]
            with m.If(self.answer_stb & is_here):
                m.d.sync += answered[number].eq(self.answers)
        with m.If(self.clear):
            m.d.sync += [seen.eq(0), opened.eq(0), answered.eq(0), ancient.eq(0)]
        return m
