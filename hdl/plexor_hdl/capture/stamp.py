# SPDX-License-Identifier: Apache-2.0
"""The stamp: gives merged events their full time and index."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS, SOURCE_CODE
from plexor.protocol.geometry import Geometry
from plexor_hdl.capture.merge import MergedEvent
from plexor_hdl.capture.timebase import LOW_BITS, epoch_bits
from plexor_hdl.capture.word_queues import Tag
from plexor_hdl.interfaces import INDEX_BITS, Event
from plexor_hdl.lib.split_sum import CHUNK_BITS


class Stamp(wiring.Component):
    """Extends an event's clock to 64 bits of ticks, and numbers events, dropped ones included.

    The first event of a slot takes `tag`; those after it have the same clock. A blank slot becomes
    a beat without event, and with `final` the final one; its gap goes into the next index too. The
    index is 0 in a build whose geometry is not `indexed`. An event must be stamped within half the
    range of its clock. A code counts as two events, itself and its value; with `skip` it is not
    numbered, and there is no beat of it. Of a slot that is `gone` there is a beat only with `news`.

    Latency: 3 clocks from an event that is taken to `o_event`; 1 more each time that one of the
        index's chunks of CHUNK_BITS carries.
    Throughput: one beat each 2 clocks; `i_ready` is a register.
    Reset: empty; the next index is 0, and a `clear` makes it 0 again.
    Wrap: the time's upper bits are those of now, or those before they last changed. The index wraps
        after 2**48 events.
    Full: `i_ready` is low while `o_ready` is low and a beat stands.

    Ports:
        clear: Sets the index to 0.
        low: Of Timebase, in clocks.
        epoch: Of Timebase.
        last_epoch: Of Timebase.
        i_valid: `i_event` is an event or a blank slot.
        i_ready: The event is taken.
        i_event: One event, with its place in the word.
        final: A blank slot that is taken in this clock is the end of the run.
        code_stb: With Feature.CODES: a code leaves; it will stand at `o_event` in the next clock.
        skip: With Feature.CODES: the code that leaves next will not.
        news: With `removes`: the time was not told for long.
        hold: With Feature.CODES: nothing is taken; two more events may be before it is so.
        tag: The clock and the gap of the next slot; valid where its first event is offered.
        take_tag: `tag` is taken.
        o_valid: `o_event` stands.
        o_ready: The beat is taken.
        o_event: An event, its time in ticks; of a beat without event only the time counts.
        o_is_event: The beat has an event.
        o_code: With Feature.CODES: the event is a code.
        event_stb: Strobes once for each event, a clock after `o_event` has its index.
        o_final: The beat is the end of the run.
        next_index: The index of the event on its way out, or of the next one if there is none.
    """

    def __init__(self, geometry: Geometry, *, removes: bool = False) -> None:
        """`removes`: as that of Rows."""
        self._geometry, self._removes = geometry, removes
        self._codes = SOURCE_CODE in geometry.merged
        codes = {"code_stb": Out(1), "o_code": Out(1), "skip": In(1), "hold": In(1)}
        super().__init__(
            {
                **(codes if self._codes else {}),
                **({"news": In(1)} if removes else {}),
                "clear": In(1),
                "low": In(LOW_BITS),
                "epoch": In(epoch_bits(geometry)),
                "last_epoch": In(epoch_bits(geometry)),
                "i_valid": In(1),
                "i_ready": Out(1),
                "i_event": In(MergedEvent(len(geometry.merged), geometry.samples, removes=removes)),
                "final": In(1),
                "tag": In(Tag(geometry)),
                "take_tag": Out(1),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_event": Out(Event()),
                "o_is_event": Out(1),
                "event_stb": Out(1),
                "o_final": Out(1),
                "next_index": Out(INDEX_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        event = Signal(
            data.StructLayout(
                {
                    "valid": 1,
                    "is_event": 1,
                    "final": 1,
                    "fine": (self._geometry.samples - 1).bit_length(),
                    "source": SOURCE_BITS,
                    "polarity": 1,
                    **({"code": 1} if self._codes else {}),
                }
            )
        )
        # The value of a code is counted with what was dropped before the next event.
        bits = {"clock": len(self.tag.clock), "gap": len(self.tag.gap) + self._codes}
        tag = Signal(data.StructLayout(bits))
        sources = Array(Const(source, SOURCE_BITS) for source in self._geometry.merged)
        m.d.comb += self.take_tag.eq(self.i_ready & self.i_valid & self.i_event.first)
        told, stands, gaps = Signal(), Signal(), Signal()
        code = event.code if self._codes else Const(0)
        dropped = Mux(self.i_valid & self.i_event.first, self.tag.gap, 0)
        m.d.comb += [told.eq(event.is_event), stands.eq(event.valid)]
        if self._codes:
            m.d.comb += [
                self.code_stb.eq(self.i_ready & code),
            ]
            with m.If(code & self.skip):
                m.d.comb += [told.eq(0), stands.eq(0)]
        comes = self.i_valid
        if self._removes:
            comes &= ~self.i_event.gone | self.news
        with m.If(self.i_ready):
            m.d.sync += [
                event.valid.eq(comes),
                event.is_event.eq(self.i_valid & ~self.i_event.blank),
                event.final.eq(self.i_event.blank & self.final),
                event.fine.eq(self.i_event.fine),
                event.source.eq(sources[self.i_event.source]),
                event.polarity.eq(self.i_event.polarity),
                tag.gap.eq(dropped + (code & told)),
                gaps.eq(dropped.any()),
            ]
            if self._codes:
                number = self._geometry.merged.index(SOURCE_CODE)
                is_code = ~self.i_event.blank & (self.i_event.source == number)
                m.d.sync += [event.code.eq(self.i_valid & is_code), self.o_code.eq(code & told)]
            with m.If(self.i_event.first):
                m.d.sync += tag.clock.eq(self.tag.clock)

        # The upper bits of the time are the current ones, or those before the clock's bits wrapped.
        wrapped = Signal()
        bits = len(tag.clock)
        m.d.comb += wrapped.eq(tag.clock[-1] & ~self.low[bits - 1])
        between = self.low[bits:]
        epoch = Mux(wrapped & ~between.any(), self.last_epoch, self.epoch)
        valid, carry = Signal(), Signal()
        fresh, late, numbered = Signal(), Signal(), Signal()
        owed, gap = Signal(), Signal()
        m.d.comb += gap.eq(owed | gaps)
        chunks = [
            Signal(CHUNK_BITS, name=f"chunk{start}")
            for start in range(0, INDEX_BITS if self._geometry.indexed else 0, CHUNK_BITS)
        ]
        carries = Signal(len(chunks[1:]))
        m.d.comb += [
            carry.eq(carries.any()),
            numbered.eq((fresh | late) & ~carry),
            self.o_valid.eq(valid & ~carry),
            self.next_index.eq(Cat(chunks)),
            self.o_event.index.eq(self.next_index),
        ]
        m.d.sync += [fresh.eq(self.i_ready & told), late.eq((fresh | late) & carry)]
        hold = self.hold if self._codes else 0
        # A beat is taken before the next one comes, so that the clocks between are free.
        m.d.sync += [
            self.i_ready.eq(~self.i_ready & ~carry & (self.o_ready | ~valid) & ~hold),
            self.event_stb.eq(numbered),
        ]
        with m.If(self.o_ready & ~carry):
            m.d.sync += valid.eq(0)
        for number, chunk in enumerate(chunks[1:]):
            with m.If(carries[number]):
                m.d.sync += [
                    carries[number].eq(0),
                    Cat(chunk, carries[number + 1 :][:1]).eq(chunk + 1),
                ]
        with m.If(self.i_ready):
            m.d.sync += [
                valid.eq(stands),
                self.o_is_event.eq(told),
                self.o_final.eq(event.final),
                self.o_event.time_ticks.eq(
                    Cat(event.fine, tag.clock, (between - wrapped)[: len(between)], epoch)
                ),
                self.o_event.source.eq(event.source),
                self.o_event.polarity.eq(event.polarity),
                self.o_event.gap.eq(gap),
                # A gap before what is no event is told with the next one.
                owed.eq(gap & ~told),
            ]
            if chunks:
                # An event is added to the index only when the next beat comes.
                counted = (Cat(Const(1, 1), chunks[0]) + Cat(self.o_is_event, tag.gap))[1:]
                m.d.sync += Cat(chunks[0], carries[0]).eq(counted)
        with m.If(self.clear):
            m.d.sync += [*(chunk.eq(0) for chunk in chunks), owed.eq(0)]
        return m
