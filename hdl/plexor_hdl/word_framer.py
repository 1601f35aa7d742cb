"""The framer of a network: entries of events into EVENTS and TRACE frames, a word at a time."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS, MAX_WORDS, EventFlag, FrameType
from plexor_hdl.frame_bytes import FLAGS, HEADER_BYTES, TYPE
from plexor_hdl.frame_words import FrameWord
from plexor_hdl.framer import HURRY_CLOCKS
from plexor_hdl.upload import Entry, Start, is_mark, mark_bits

HEADER_WORDS = HEADER_BYTES // 4


class WordFramer(wiring.Component):
    """Makes frames of entries, as Framer does and by the same rules, but of words.

    Latency 4 clocks; throughput a word each 4 clocks in a frame, some 10 clocks more a frame.
    Reset: no frame. Indices wrap at 2**48. Full: entries wait.
    """

    def __init__(self, *, trace: bool = True) -> None:
        self._trace = trace
        super().__init__(
            {
                "i_events": In(stream.Signature(Entry)),
                "i_trace": In(stream.Signature(Entry)),
                "clock_bit": In(1),
                "flush": In(1),
                "hurry": In(1),
                "o_words": Out(stream.Signature(FrameWord)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        out = self.o_words
        coming, valid, consume = Signal(Entry), Signal(), Signal()
        tracing = Signal()
        m.d.comb += [
            coming.eq(self.i_events.payload),
            valid.eq(self.i_events.valid),
            self.i_events.ready.eq(consume & ~tracing),
        ]
        if self._trace:
            m.d.comb += self.i_trace.ready.eq(consume & tracing)
            with m.If(tracing):
                m.d.comb += [coming.eq(self.i_trace.payload), valid.eq(self.i_trace.valid)]

        # Entries come from a memory: what they are is known a clock late.
        seen, mark, come = Signal(), Signal(), Signal()
        m.d.comb += come.eq(seen & ~consume)
        m.d.sync += [seen.eq(valid & ~consume), mark.eq(is_mark(coming)), consume.eq(0)]

        start, words, full = Signal(Start), Signal(range(MAX_WORDS + 1)), Signal()
        m.d.sync += full.eq(words == MAX_WORDS)
        kind = Mux(tracing, FrameType.TRACE, FrameType.EVENTS)
        flags = Mux(start.gap, EventFlag.GAP, 0)
        base = Cat(Const(0, DELTA_BITS), start.above)
        head = Cat(
            Const(0, 8 * TYPE), (kind | Const(0, 8))[:8], (flags | Const(0, 8))[:8], Const(0, 16)
        )
        assert (TYPE, FLAGS) == (0, 1)
        header = Array(
            (head, Const(0, 32), start.index[:32], start.index[32:], base[:32], base[32:])
        )

        idle, late = Signal(range(HURRY_CLOCKS)), Signal()
        clock_bit, stale = Signal(), Signal()
        m.d.sync += [
            clock_bit.eq(self.clock_bit),
            idle.eq(idle + ~idle.all()),
            stale.eq(
                (late & (self.clock_bit != clock_bit)) | (idle.all() & (self.hurry | self.flush))
            ),
        ]
        free, number = Signal(), Signal(range(HEADER_WORDS))
        m.d.comb += free.eq(~out.valid | out.ready)
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.FSM(name="word_framer"):
            with m.State("IDLE"):
                m.d.sync += [number.eq(0), words.eq(0)]
                with m.If(consume):
                    m.d.sync += idle.eq(0)
                with m.If(come & mark):
                    m.d.sync += [
                        consume.eq(1),
                        start.eq(Cat(start, mark_bits(coming))[-len(start.as_value()) :]),
                    ]
                with m.Elif(come):
                    m.next = "HEADER"
                if self._trace:
                    # Not between the marks of the upload FIFO, which come with short breaks.
                    with m.If(~seen & ~valid & ~consume & (tracing | idle.all())):
                        m.d.sync += tracing.eq(self.i_trace.valid & ~self.i_events.valid)
            with m.State("HEADER"):
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(header[number]),
                        out.payload.end.eq(0),
                        number.eq(number + 1),
                    ]
                    with m.If(number == HEADER_WORDS - 1):
                        m.d.sync += [start.gap.eq(0), late.eq(0), stale.eq(0), idle.eq(0)]
                        m.next = "EVENT"
            with m.State("EVENT"):
                with m.If(self.clock_bit != clock_bit):
                    m.d.sync += late.eq(1)
                with m.If(come & (mark | full)):
                    m.next = "END"
                with m.Elif(come & free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(coming),
                        consume.eq(1),
                        words.eq(words + 1),
                        idle.eq(0),
                        late.eq(0),
                        stale.eq(0),
                    ]
                with m.Elif(~come & ~consume & stale):
                    m.next = "END"
            with m.State("END"):
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.end.eq(1),
                        start.index.eq(start.index + words),
                    ]
                    m.next = "IDLE"
        return m
