# SPDX-License-Identifier: Apache-2.0
"""The framer: puts entries of events into EVENTS and TRACE frames."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS, MAX_WORDS, SOURCE_CODE, EventFlag, FrameType
from plexor_hdl.interfaces import INDEX_BITS
from plexor_hdl.lib.frame_bytes import BASE_TICKS, FLAGS, HEADER_BYTES, INDEX, TYPE
from plexor_hdl.lib.states import States
from plexor_hdl.uplink.frame_parts import FramePart
from plexor_hdl.uplink.upload import Entry, Start, is_mark, mark_bits

INDEX_PLACES = INDEX[: INDEX_BITS // 8]
BASE_PLACES = BASE_TICKS[DELTA_BITS // 8 :]
"""Places of the header's bytes of base_ticks that come from a Start."""
BELOW_BITS = DELTA_BITS % 8
"""Bits in the first of BASE_PLACES that belong to the delta."""
HURRY_CLOCKS = 16
"""Clocks without an entry after which a frame is closed if something else waits."""


class Framer(wiring.Component):
    """Makes frames of the entries in the upload FIFO and, with `trace`, of those in the ring.

    A frame's base is its events' time above the delta; an event's word is its entry. A frame ends
    before a mark, after MAX_WORDS events, and where no entry comes until `clock_bit` has changed
    twice, or for HURRY_CLOCKS while `hurry` or `flush`. With `codes`, none ends behind a code
    without its value. The entries of a stream start with marks,
    and stand until they are taken. The ring's are taken between frames, while the upload FIFO has
    none.

    Latency: 4 clocks from an event to the first byte of its frame.
    Throughput: a byte of a header each 2 clocks, a mark or an event each 3.
    Reset: no frame.
    Wrap: an index wraps at 2**48.
    Full: entries wait while `o_parts` does; nothing is dropped here.

    Ports:
        i_events: Stream of entries from the upload FIFO.
        i_trace: Stream of entries from the ring; ignored without `trace`.
        clock_bit: A bit of the count of clocks.
        flush: 1 while no run lasts: no event is expected.
        hurry: 1 if other frames wait.
        o_parts: Stream of the frames' parts, headers in bytes and events as words, with an end
            after each.
    """

    def __init__(self, *, trace: bool = True, codes: bool = False) -> None:
        self._trace, self._codes = trace, codes
        super().__init__(
            {
                "i_events": In(stream.Signature(Entry)),
                "i_trace": In(stream.Signature(Entry)),
                "clock_bit": In(1),
                "flush": In(1),
                "hurry": In(1),
                "o_parts": Out(stream.Signature(FramePart)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        coming, valid, consume = Signal(Entry), Signal(), Signal()
        tracing = Signal()
        if self._trace:
            m.d.comb += [
                coming.eq(Mux(tracing, self.i_trace.payload, self.i_events.payload)),
                valid.eq(Mux(tracing, self.i_trace.valid, self.i_events.valid)),
                self.i_events.ready.eq(~tracing & consume),
                self.i_trace.ready.eq(tracing & consume),
            ]
        else:
            m.d.comb += [
                coming.eq(self.i_events.payload),
                valid.eq(self.i_events.valid),
                self.i_events.ready.eq(consume),
            ]
        # The start rotates once during a header, byte by byte. After that, its index is that of
        # this frame's first event, and its gap is cleared.
        start = Signal(Start)
        words, full, carry = Signal(range(MAX_WORDS + 1)), Signal(), Signal()
        number = Signal(range(HEADER_BYTES))
        in_start, total, turned = Signal(), Signal(9), Signal(8)
        first_of_base = in_start & number[-1] & ~number[2]
        # Bytes leave in clocks with `step`, at least 2 clocks apart, so the sum may be a clock old.
        # `turn` moves the start, by a mark if one is taken, otherwise by a byte.
        step, turn, take_mark = Signal(), Signal(), Signal()
        m.d.comb += [
            in_start.eq(_one_of(number, (*INDEX_PLACES, *BASE_PLACES))),
            turned.eq(total[:8]),
        ]
        with m.If(first_of_base):
            m.d.comb += turned[:BELOW_BITS].eq(0)
        m.d.sync += [
            # Two operands make a single carry chain.
            total.eq((Cat(Const(1, 1), start.as_value()[:8]) + Cat(carry, words))[1:]),
            full.eq(words == MAX_WORDS),
        ]
        with m.If(turn):
            m.d.sync += [
                start.eq(
                    Mux(
                        take_mark,
                        Cat(start, mark_bits(coming))[-len(start.as_value()) :],
                        Cat(start.as_value()[8:], turned),
                    )
                ),
                words.eq(0),
            ]

        idle, late = Signal(range(HURRY_CLOCKS)), Signal()
        clock_bit, stale = Signal(), Signal()
        m.d.sync += [
            clock_bit.eq(self.clock_bit),
            idle.eq(idle + ~idle.all()),
            stale.eq(
                (late & (self.clock_bit != clock_bit)) | (idle.all() & (self.hurry | self.flush))
            ),
        ]

        # Entries come from a memory, so their kind is registered.
        seen, mark, come, ends = Signal(), Signal(), Signal(), Signal()
        last_of_header = Signal()
        code, nearly_full, parted = Signal(), Signal(), Signal()
        m.d.comb += [come.eq(seen & ~consume), ends.eq(mark | full | (code & nearly_full))]
        m.d.sync += [
            seen.eq(valid & ~consume),
            mark.eq(is_mark(coming)),
            code.eq(self._codes & (coming.source == SOURCE_CODE)),
            nearly_full.eq(words == MAX_WORDS - 1),
            last_of_header.eq(number == HEADER_BYTES - 1),
        ]

        # An event is at the output until it is taken, straight from its entry.
        out, byte, free = self.o_parts, Signal(8), Signal()
        entry = coming.as_value()
        m.d.comb += [
            free.eq((~out.valid | out.ready) & ~step),
            out.payload.word.eq(Cat(Mux(out.payload.whole, entry[:8], byte), entry[8:])),
        ]
        now = States("IDLE", "HEADER", "NEXT", "EVENT", "END")
        event_comes = now["NEXT"] & come & ~ends & ~out.valid
        event_goes = now["EVENT"] & out.ready
        mark_comes = now["IDLE"] & come & mark
        m.d.comb += consume.eq(event_goes | take_mark)
        m.d.sync += [
            step.eq(free & (now["HEADER"] | now["END"])),
            turn.eq((now["HEADER"] & free & in_start) | mark_comes),
            take_mark.eq(mark_comes),
        ]
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(step | event_comes):
            m.d.sync += [
                out.valid.eq(1),
                out.payload.end.eq(now["END"]),
                out.payload.whole.eq(now["NEXT"]),
            ]
        with m.If(now["IDLE"]):
            m.d.sync += number.eq(0)
            with m.If(consume):
                m.d.sync += idle.eq(0)
            if self._trace:
                # The breaks between marks of the upload FIFO are too short for this.
                with m.If(~seen & ~valid & ~consume & (tracing | idle.all())):
                    m.d.sync += tracing.eq(self.i_trace.valid & ~self.i_events.valid)
        with m.If(now["HEADER"] & step):
            m.d.sync += [
                byte.eq(Mux(in_start, turned, 0)),
                number.eq(Mux(last_of_header, 0, number + 1)),
                carry.eq(total[8] & in_start),
            ]
            with m.If(number == TYPE):
                kind = Mux(tracing, FrameType.TRACE, FrameType.EVENTS)
                m.d.sync += byte.eq(kind)
            with m.If(number == FLAGS):
                m.d.sync += byte.eq(Mux(start.gap, EventFlag.GAP, 0))
        with m.If(now["EVENT"]):
            m.d.sync += [idle.eq(0), late.eq(0), stale.eq(0)]
        with m.If(event_goes):
            m.d.sync += [words.eq(words + 1), parted.eq(code)]
        with m.If(now["NEXT"] & (self.clock_bit != clock_bit)):
            m.d.sync += late.eq(1)
        now.go("IDLE", "HEADER", come & ~mark)
        now.go("HEADER", "NEXT", step & last_of_header)
        now.go("NEXT", "EVENT", event_comes)
        now.go("EVENT", "NEXT", event_goes)
        now.go("NEXT", "END", Mux(come, ends, stale & ~parted))
        now.go("END", "IDLE", step)
        now.connect(m)
        return m


def _one_of(number, places):
    """Return whether `number` is one of the places."""
    return Cat(number == place for place in places).any()
