"""The framer: entries of events into EVENTS and TRACE frames."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS, MAX_WORDS, EventFlag, FrameType
from plexor_hdl.frame_words import HEADER_WORDS, FrameWord, header_words
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS
from plexor_hdl.skip import MOST, SKIP_BITS, SKIP_SHIFT, room_of
from plexor_hdl.upload import Entry

HALF_BITS = DELTA_BITS // 2
EPOCH_BITS = TIME_BITS - DELTA_BITS
INDEX_LIMB_BITS = 16
HURRY_CLOCKS = 16
"""Clocks without an entry after which a frame is closed if something else waits."""


class Framer(wiring.Component):
    """Makes frames of entries in order: those of the upload FIFO, else those of the ring.

    A frame ends before an index entry, before an event more than 2**26 - 1 ticks after its first,
    after MAX_WORDS events, and where no entry comes for `flush_clocks` clocks, or for HURRY_CLOCKS
    while `hurry` or `flush`. Entries of a stream start with an index entry; the ring's are taken
    between frames when the upload FIFO has none.

    Latency 5 clocks, throughput an event each 4 clocks. Reset: no frame. Indices wrap at 2**48.
    Full: entries wait.
    """

    def __init__(self, flush_clocks: int = 1 << 17) -> None:
        self._flush_clocks = flush_clocks
        super().__init__(
            {
                "i_events": In(stream.Signature(Entry)),
                "i_trace": In(stream.Signature(Entry)),
                "flush": In(1),
                "hurry": In(1),
                "o_words": Out(stream.Signature(FrameWord)),
                "skip": In(SKIP_BITS),
                "room": Out(SKIP_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        held, held_valid, consume = Signal(Entry), Signal(), Signal()
        tracing = Signal()
        chosen, chosen_valid = Signal(Entry), Signal()
        free = Signal()
        m.d.comb += [
            chosen.eq(Mux(tracing, self.i_trace.payload, self.i_events.payload)),
            chosen_valid.eq(Mux(tracing, self.i_trace.valid, self.i_events.valid)),
            self.i_events.ready.eq(~tracing & ~held_valid),
            self.i_trace.ready.eq(tracing & ~held_valid),
        ]
        with m.If(~held_valid):
            m.d.sync += [held.eq(chosen), held_valid.eq(chosen_valid)]
        with m.If(consume):
            m.d.sync += held_valid.eq(0)

        base_ticks = Signal(TIME_BITS)
        fits, delta = self._delta(m, held.time_ticks, base_ticks)

        index = Signal(INDEX_BITS)
        gap = Signal()
        words = Signal(range(MAX_WORDS + 1))
        full = Signal()
        number = Signal(range(HEADER_WORDS))
        idle = Signal(range(self._flush_clocks + 1))
        stale = Signal()
        m.d.sync += [
            full.eq(words == MAX_WORDS),
            stale.eq(
                (idle == self._flush_clocks - 1)
                | (idle >= HURRY_CLOCKS - 1) & (self.hurry | self.flush)
            ),
        ]
        header = header_words(
            m,
            number,
            kind=Mux(tracing, FrameType.TRACE, FrameType.EVENTS),
            flags=Mux(gap, EventFlag.GAP, 0),
            index=index,
            base_ticks=base_ticks,
        )
        out = self.o_words
        m.d.comb += free.eq(~out.valid | out.ready)
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)

        m.d.comb += self.room.eq(MOST)
        with m.FSM(name="framer"):
            with m.State("IDLE"):
                m.d.sync += [number.eq(0), words.eq(0)]
                with m.If(held_valid & held.is_index):
                    m.d.comb += consume.eq(1)
                    m.d.sync += [index.eq(held.time_ticks), gap.eq(held.polarity)]
                with m.Elif(held_valid):
                    m.d.sync += base_ticks.eq(held.time_ticks)
                    m.next = "HEADER"
                with m.Elif(~held_valid & ~chosen_valid):
                    m.d.sync += tracing.eq(self.i_trace.valid & ~self.i_events.valid)
            with m.State("HEADER"):
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(header),
                        out.payload.end.eq(0),
                        number.eq(number + 1),
                    ]
                    with m.If(number == HEADER_WORDS - 1):
                        m.next = "EVENT"
            with m.State("WAIT"):
                m.d.comb += self.room.eq(room_of((self._flush_clocks - idle) >> SKIP_SHIFT))
                m.d.sync += idle.eq(idle + 1 + (self.skip << SKIP_SHIFT))
                with m.If(held_valid):
                    m.d.sync += idle.eq(0)
                    m.next = "COMPARE"
                with m.Elif(stale):
                    m.next = "CLOSE"
            with m.State("COMPARE"):
                m.next = "EVENT"
                with m.If(held.is_index | full):
                    m.next = "CLOSE"
            with m.State("EVENT"):
                m.d.sync += idle.eq(0)
                with m.If(~fits):
                    m.next = "CLOSE"
                with m.Elif(free):
                    m.d.comb += consume.eq(1)
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(Cat(delta, held.source, held.polarity)),
                        out.payload.end.eq(0),
                        words.eq(words + 1),
                    ]
                    m.next = "WAIT"
            with m.State("CLOSE"):
                m.d.sync += idle.eq(0)
                with m.If(free):
                    m.d.sync += [out.valid.eq(1), out.payload.end.eq(1), gap.eq(0)]
                    m.next = "ADD0"
            limbs = range(0, INDEX_BITS, INDEX_LIMB_BITS)
            addend = words
            for step, start in enumerate(limbs):
                with m.State(f"ADD{step}"):
                    limb = index[start : start + INDEX_LIMB_BITS]
                    carry = Signal(name=f"carry{step}")
                    m.d.sync += Cat(limb, carry).eq(limb + addend)
                    addend = carry
                    m.next = "IDLE" if step == len(limbs) - 1 else f"ADD{step + 1}"
        return m

    def _delta(self, m: Module, time_ticks, base_ticks):
        """Return whether the difference fits, and the difference, two clocks after `time_ticks`.

        It fits where the bits above the delta are the base's, or one more with a borrow below.
        """
        following = Signal(EPOCH_BITS, name="following")
        half = EPOCH_BITS // 2
        carry = Signal(name="following_carry")
        m.d.sync += [
            Cat(following[:half], carry).eq(base_ticks[DELTA_BITS : DELTA_BITS + half] + 1),
            following[half:].eq(base_ticks[DELTA_BITS + half :] + carry),
        ]
        epoch = time_ticks[DELTA_BITS:]
        same, next_ = Signal(4, name="same"), Signal(4, name="next")
        low = Signal(HALF_BITS + 1, name="low")
        borrow, high = Signal(name="borrow"), Signal(HALF_BITS, name="high")
        low_r = Signal(HALF_BITS, name="low_r")
        all_same, all_next = Signal(name="all_same"), Signal(name="all_next")
        quarter = -(-EPOCH_BITS // 4)
        for part in range(4):
            cut = slice(part * quarter, min((part + 1) * quarter, EPOCH_BITS))
            m.d.sync += [
                same[part].eq(epoch[cut] == base_ticks[DELTA_BITS:][cut]),
                next_[part].eq(epoch[cut] == following[cut]),
            ]
        m.d.sync += [
            low.eq(time_ticks[:HALF_BITS] - base_ticks[:HALF_BITS]),
            low_r.eq(low),
            Cat(high, borrow).eq(
                time_ticks[HALF_BITS:DELTA_BITS] - base_ticks[HALF_BITS:DELTA_BITS] - low[-1]
            ),
            all_same.eq(same.all()),
            all_next.eq(next_.all()),
        ]
        return all_same | (all_next & borrow), Cat(low_r, high)
