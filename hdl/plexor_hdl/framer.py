"""The framer: entries of events into EVENTS and TRACE frames."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS, MAX_WORDS, WORD_BYTES, EventFlag, FrameType
from plexor_hdl.frame_bytes import BASE_TICKS, FLAGS, HEADER_BYTES, INDEX, TYPE, FrameByte
from plexor_hdl.interfaces import INDEX_BITS
from plexor_hdl.skip import MOST, SKIP_BITS, SKIP_SHIFT, room_of
from plexor_hdl.upload import MARK_TOP, SHORT_BITS, TOP_BITS, Entry, is_mark, short_time

HALF_BITS = DELTA_BITS // 2
INDEX_BYTES = INDEX_BITS // 8
TOP_BYTE_BITS = DELTA_BITS % 8
"""Bits of the delta in the last byte of an event word."""
HURRY_CLOCKS = 16
"""Clocks without an entry after which a frame is closed if something else waits."""


class Framer(wiring.Component):
    """Makes frames of entries in order: those of the upload FIFO, else (`trace`) those of the ring.

    A frame ends before a mark, before an event more than 2**26 - 1 ticks after its first, after
    MAX_WORDS events, and where no entry comes for `flush_clocks` clocks, or for HURRY_CLOCKS while
    `hurry` or `flush`. Entries of a stream start with marks; the ring's are taken between frames
    when the upload FIFO has none. An entry must stand until it is taken.

    Latency 6 clocks, throughput an event each 4 clocks, a header in 48. Reset: no frame. Indices
    wrap at 2**48. Full: entries wait.
    """

    def __init__(self, flush_clocks: int = 1 << 17, *, trace: bool = True) -> None:
        self._flush_clocks = flush_clocks
        self._trace = trace
        super().__init__(
            {
                "i_events": In(stream.Signature(Entry)),
                "i_trace": In(stream.Signature(Entry)),
                "flush": In(1),
                "hurry": In(1),
                "o_bytes": Out(stream.Signature(FrameByte)),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # While the bytes of one event are sent, the next entry is compared with the base.
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
        entry, load = Signal(Entry), Signal()
        with m.If(load):
            m.d.sync += entry.eq(coming)
        # What is subtracted is kept inverted, as an adder takes it.
        base_n, top = Signal(SHORT_BITS), Signal(TOP_BITS)
        index, gap = Signal(INDEX_BITS), Signal()
        words, full = Signal(range(MAX_WORDS + 1)), Signal()
        m.d.sync += full.eq(words == MAX_WORDS)
        number = Signal(range(HEADER_BYTES))
        idle, stale = Signal(range(self._flush_clocks + 1)), Signal()
        m.d.sync += stale.eq(
            (idle == self._flush_clocks - 1)
            | (idle >= HURRY_CLOCKS - 1) & (self.hurry | self.flush)
        )
        judged, belongs = self._judge(m, coming, valid, consume, base_n, full)

        # A byte on its way out is picked in one clock, and what is to be added to it; sent in the
        # next.
        put, end, in_header, in_index, free = Signal(), Signal(), Signal(), Signal(), Signal()
        picked, operand = Signal(8), Signal(8)
        index_places = Const(sum(1 << place for place in INDEX[:INDEX_BYTES]), HEADER_BYTES)
        picked_valid, picked_end, chain, carry_in = Signal(), Signal(), Signal(), Signal()
        last_of_word, of_index = Signal(), Signal()
        pick, add = self._pick(
            m, number, in_header, in_index, entry, tracing, gap, index, words, top, base_n
        )
        moves = Signal()
        carry, total = Signal(), Signal(10)
        out = self.o_bytes
        m.d.comb += [
            in_index.eq(in_header & index_places.bit_select(number, 1)),
            free.eq(~picked_valid | moves),
            moves.eq(picked_valid & (~out.valid | out.ready)),
            total.eq(
                # A carry out of the delta does not go on into what lies above it.
                Cat(picked[:TOP_BYTE_BITS], Const(1, 1), picked[TOP_BYTE_BITS:])
                + Cat(operand[:TOP_BYTE_BITS], last_of_word, operand[TOP_BYTE_BITS:])
                + Mux(chain, carry, carry_in)
            ),
        ]
        result = Cat(total[:TOP_BYTE_BITS], total[TOP_BYTE_BITS + 1 : 9])
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(moves):
            m.d.sync += [
                out.valid.eq(1),
                out.payload.end.eq(picked_end),
                out.payload.byte.eq(result),
                carry.eq(total[9]),
            ]
        # The index goes round once in a header, and then is that of the frame's first event.
        turn, take_index, take_top = Signal(), Signal(), Signal()
        turned = Cat(index[8:], result)
        m.d.comb += turn.eq(moves & of_index)
        with m.If(turn | take_index):
            m.d.sync += index[:SHORT_BITS].eq(Mux(turn, turned, short_time(coming)))
        with m.If(turn | take_top):
            m.d.sync += index[SHORT_BITS:].eq(Mux(turn, turned[SHORT_BITS:], coming.low))
        with m.If(take_top):
            m.d.sync += top.eq(short_time(coming)[INDEX_BITS - SHORT_BITS :])
        with m.If(moves):
            m.d.sync += picked_valid.eq(0)
        with m.If(put & free):
            m.d.sync += [
                picked_valid.eq(1),
                picked_end.eq(end),
                picked.eq(pick),
                operand.eq(add),
                carry_in.eq(~in_header),
                chain.eq(Mux(in_header, in_index & (number != INDEX.start), number != 0)),
                of_index.eq(in_index),
                last_of_word.eq(~in_header & (number == WORD_BYTES - 1)),
            ]

        m.d.comb += self.room.eq(MOST)
        with m.FSM(name="framer"):
            with m.State("IDLE"):
                m.d.sync += number.eq(0)
                with m.If(valid & is_mark(coming)):
                    m.d.comb += [
                        consume.eq(1),
                        take_top.eq(coming.source[0] == MARK_TOP & 1),
                        take_index.eq(~take_top),
                    ]
                    m.d.sync += [gap.eq(coming.polarity), words.eq(0)]
                with m.Elif(valid):
                    m.d.comb += [load.eq(1), consume.eq(1)]
                    m.d.sync += base_n.eq(~short_time(coming))
                    m.next = "HEADER"
                with m.Elif(self._trace):
                    m.d.sync += tracing.eq(self.i_trace.valid & ~self.i_events.valid)
            with m.State("HEADER"):
                m.d.comb += [in_header.eq(1), put.eq(~picked_valid)]
                with m.If(number == BASE_TICKS.start):
                    m.d.sync += words.eq(1)
                with m.If(put & free):
                    m.d.sync += number.eq(number + 1)
                    with m.If(number == HEADER_BYTES - 1):
                        m.d.sync += number.eq(0)
                        m.next = "EVENT"
            with m.State("EVENT"):
                m.d.sync += idle.eq(0)
                m.d.comb += put.eq(1)
                with m.If(free):
                    m.d.sync += number.eq(number + 1)
                    with m.If(number[:2] == WORD_BYTES - 1):
                        m.d.sync += number.eq(0)
                        m.d.comb += [load.eq(1), consume.eq(belongs)]
                        with m.If(belongs):
                            m.d.sync += words.eq(words + 1)
                        with m.Else():
                            m.next = "WAIT"
            with m.State("WAIT"):
                m.d.comb += self.room.eq(room_of((self._flush_clocks - idle) >> SKIP_SHIFT))
                m.d.sync += idle.eq(idle + 1 + (self.skip << SKIP_SHIFT))
                m.d.comb += load.eq(1)
                with m.If(belongs):
                    m.d.comb += consume.eq(1)
                    m.d.sync += words.eq(words + 1)
                    m.next = "EVENT"
                with m.Elif(judged | (stale & ~valid)):
                    m.next = "CLOSE"
            with m.State("CLOSE"):
                m.d.sync += idle.eq(0)
                m.d.comb += [put.eq(1), end.eq(1)]
                with m.If(free):
                    m.d.sync += gap.eq(0)
                    m.next = "IDLE"
        return m

    def _judge(self, m: Module, coming, valid, consume, base_n, full):
        """Return whether the coming entry has been looked at, and whether it goes into the frame.

        Three clocks after the entry has come. Its difference from the base must be less than
        2**DELTA_BITS.
        """
        time, middle = short_time(coming), slice(HALF_BITS, DELTA_BITS)
        low, high = Signal(HALF_BITS + 1, name="low"), Signal(HALF_BITS + 1, name="high")
        above = Signal(SHORT_BITS - DELTA_BITS, name="above")
        above_r, rest, mark = Signal(name="above_r"), Signal(name="rest"), Signal(name="mark")
        standing = Signal(2, name="standing")
        judged, belongs = Signal(name="judged"), Signal(name="belongs")
        stays = valid & ~consume
        m.d.sync += [
            low.eq(time[:HALF_BITS] + base_n[:HALF_BITS] + 1),
            high.eq(time[middle] + base_n[middle] + low[-1]),
            above.eq(time[DELTA_BITS:] + base_n[DELTA_BITS:] + 1),
            above_r.eq(above[0]),
            rest.eq(above[1:].any()),
            mark.eq(is_mark(coming) | full),
            standing.eq(Mux(stays, Cat(1, standing[0]), 0)),
            judged.eq(stays & standing[1]),
            # The last carry says that there was no borrow.
            belongs.eq(stays & standing[1] & ~rest & ~mark & (above_r != high[-1])),
        ]
        return judged, belongs

    def _pick(self, m, number, in_header, in_index, entry, tracing, gap, index, words, top, base_n):
        """Return the byte to send as `number` says, and what to add to it."""
        pick, add = Signal(8), Signal(8)
        time = Cat(short_time(entry), top)
        last = Cat(entry.low, entry.source, entry.polarity)[8 * (WORD_BYTES - 1) :]
        of_time = Signal()
        m.d.comb += of_time.eq(~in_header | (number >= BASE_TICKS.start))
        with m.If(of_time):
            with m.Switch(number[:3]):
                for place in range(len(BASE_TICKS)):
                    with m.Case(place):
                        byte = time.word_select(place, 8)
                        if place == WORD_BYTES - 1:
                            byte = Mux(in_header, byte, last)
                        m.d.comb += pick.eq(byte)
        with m.Elif(in_index):
            m.d.comb += pick.eq(index[:8])
        with m.Elif(number == TYPE):
            m.d.comb += pick.eq(Mux(tracing, FrameType.TRACE, FrameType.EVENTS))
        with m.Elif(number == FLAGS):
            m.d.comb += pick.eq(Mux(gap, EventFlag.GAP, 0))
        with m.If(in_header):
            with m.If(number == INDEX.start):
                m.d.comb += add.eq(words)
        with m.Else():
            m.d.comb += add.eq(Cat(base_n[:DELTA_BITS], Const(-1, 8)).word_select(number[:2], 8))
        return pick, add
