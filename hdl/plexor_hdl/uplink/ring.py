# SPDX-License-Identifier: Apache-2.0
"""The ring: keeps the last events before and after a trigger."""

from amaranth.hdl import Cat, Const, Module, Mux, ResetInserter, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS, SOURCE_CODE, SOURCE_CODE_VALUE, VALUE_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS, Event
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.states import States
from plexor_hdl.uplink.upload import MARK_BITS, MARKS, SPARE_BITS, Entry, write_event, write_mark

ENTRY_BITS = Entry.as_shape().size
LOW_INDEX_BITS = 28
"""Bits of the index in an event's first row. Both rows then have the same width."""
ROW_BITS = ENTRY_BITS + LOW_INDEX_BITS
VALUE_ROW_BITS = (VALUE_BITS + 1) // 2
"""Bits of a code's value in each row, above the others."""
ABOVE_BITS = TIME_BITS - DELTA_BITS
PART_BITS = 10
"""Bits of the upper part of the time that are compared at once."""


class Ring(wiring.Component):
    """Keeps the last ring_depth events, and sends them when it is asked to.

    They are sent as entries, oldest first, with marks before the first, before each after a gap and
    before each with other upper bits of the time. They stay and can be sent again.

    An event takes two rows of the memory, written and read one after the other: the entry with the
    lower bits of the index, then the rest of its Start. A code has its value there too, which is
    sent as an event behind it.

    Latency: 7 clocks from `send_stb` to the first mark.
    Throughput: an event each 2 clocks in; an event with its marks each 13 clocks out, a code each
        15.
    Reset: empty, and nothing is sent.
    Wrap: indices wrap at 2**48; the place that is written goes round.
    Full: the oldest event is overwritten.

    Ports:
        i_events: Stream of events, at least 2 clocks apart; always taken.
        freeze: 1 keeps nothing new; it must stay 1 while `busy`.
        clear_stb: Empties the ring and sends nothing more, but for what stands at `o_entries`.
        send_stb: Sends what is kept; ignored without `freeze`, while `busy`, and while there is
            nothing.
        busy: 1 until the last entry has been taken.
        o_entries: Stream of entries to the framer.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._depth = geometry.ring_depth
        self._codes = bool(geometry.code_bits)
        self._event = Event(value_bits=VALUE_BITS if self._codes else 0)
        self._row_bits = ROW_BITS + VALUE_ROW_BITS * self._codes
        super().__init__(
            {
                "i_events": In(stream.Signature(self._event, always_ready=True)),
                "freeze": In(1),
                "clear_stb": In(1),
                "send_stb": In(1),
                "busy": Out(1),
                "o_entries": Out(stream.Signature(Entry)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        out, item = self.o_entries, stream.Signature(Entry).create()
        sending = Signal()
        m.submodules.rows = rows = plain_memory(self._row_bits, 2 * self._depth)
        place, wrapped, writing = Signal(range(self._depth)), Signal(), Signal()
        clear = ResetInserter(self.clear_stb)
        m.submodules.writer = clear(self._writer(rows.write_port(), place, wrapped, writing))
        sends = self.send_stb & self.freeze & (wrapped | place.any()) & ~writing
        m.submodules.reader = clear(
            self._reader(rows.read_port(), place, wrapped, sends, item, sending)
        )
        m.d.comb += [
            # `ready` comes from far away, so only the output itself depends on it.
            item.ready.eq(~out.valid),
            self.busy.eq(sending | out.valid),
        ]
        m.d.sync += out.valid.eq(Mux(out.valid, ~out.ready, item.valid & ~self.clear_stb))
        with m.If(item.ready):
            m.d.sync += out.payload.eq(item.payload)
        return m

    def _writer(self, write, place, wrapped, writing) -> Module:
        """Return the module that writes an event to the two rows of `place`."""
        m = Module()
        event, entry = self.i_events.payload, Signal(Entry)
        second, row = Signal(), Signal(self._row_bits, reset_less=True)
        write_data = Signal(self._row_bits, reset_less=True)
        m.d.comb += [
            *write_event(entry, event),
            write.data.eq(write_data),
            write.addr.eq(Cat(second, place)),
            writing.eq(write.en),
        ]
        m.d.sync += [
            write.en.eq((self.i_events.valid & ~self.freeze) | (write.en & ~second)),
            second.eq(write.en & ~second),
            row.eq(
                Cat(
                    event.index[LOW_INDEX_BITS:],
                    event.gap,
                    Const(0, 1),
                    event.time_ticks[DELTA_BITS:],
                    event.value[VALUE_ROW_BITS:],
                )
            ),
            write_data.eq(Cat(entry, event.index[:LOW_INDEX_BITS], event.value[:VALUE_ROW_BITS])),
        ]
        with m.If(write.en & ~second):
            m.d.sync += write_data.eq(row)
        with m.If(write.en & second):
            m.d.sync += [place.eq(place + 1), wrapped.eq(wrapped | place.all())]
        return m

    def _reader(self, read, place, wrapped, sends, out, sending) -> Module:
        """Return the module that sends the events from the oldest up to `place` to `out`."""
        m = Module()
        now = States(
            "IDLE", "FIRST", "SECOND", "KEEP", "LOOK", "START", "MARKS", "EVENT", "VALUE", "NEXT"
        )
        at, begin = Signal.like(place), Signal()
        # The memory's output goes straight into a register.
        row, first = (
            Signal(self._row_bits, reset_less=True, name=name) for name in ("row", "first")
        )
        gap, above = row[INDEX_BITS - LOW_INDEX_BITS], row[ROW_BITS - ABOVE_BITS : ROW_BITS]
        # Marks rotate once. The upper bits of the time, its highest, are then back in place.
        start = Signal(MARKS * MARK_BITS, reset_less=True)
        marks, parts = Signal(range(MARKS)), range(0, ABOVE_BITS, PART_BITS)
        others = Signal(len(parts), reset_less=True)
        m.d.comb += [
            read.addr.eq(Cat(~now["FIRST"], at)),
            read.en.eq(1),
            sending.eq(~now["IDLE"]),
            out.valid.eq(now["MARKS"] | now["EVENT"] | now["VALUE"]),
        ]
        before = start[-ABOVE_BITS:]
        m.d.sync += [
            row.eq(read.data),
            others.eq(
                Cat(above[low : low + PART_BITS] != before[low : low + PART_BITS] for low in parts)
            ),
        ]
        with m.If(now["IDLE"]):
            m.d.sync += [begin.eq(1), at.eq(0)]
            with m.If(wrapped):
                m.d.sync += at.eq(place)
        with m.If(now["KEEP"]):
            m.d.sync += first.eq(row)
        marked = begin | gap | others.any()
        with m.If(now["START"]):
            m.d.sync += begin.eq(0)
            with m.If(marked):
                parts = Const(0, SPARE_BITS), first[ENTRY_BITS:ROW_BITS], row[:ROW_BITS]
                m.d.sync += start.eq(Cat(parts))
        with m.If(now["MARKS"]):
            m.d.comb += write_mark(out.payload, start[:MARK_BITS])
        with m.Else():
            m.d.comb += out.payload.as_value().eq(first)
        is_code = Const(0)
        if self._codes:
            is_code = data.View(Entry, first[:ENTRY_BITS]).source == SOURCE_CODE
            with m.If(now["VALUE"]):
                m.d.comb += [
                    out.payload.source.eq(SOURCE_CODE_VALUE),
                    out.payload.low.eq(Cat(first[ROW_BITS:], row[ROW_BITS:])),
                ]
        next_mark, next_event = now["MARKS"] & out.ready, now["EVENT"] & out.ready
        next_value = now["VALUE"] & out.ready
        with m.If(next_mark):
            m.d.sync += [
                start.eq(start.rotate_right(MARK_BITS)),
                marks.eq(marks + 1),
            ]
        with m.If(now["EVENT"]):
            m.d.sync += marks.eq(0)
        with m.If((next_event & ~is_code) | next_value):
            m.d.sync += at.eq(at + 1)
        now.go("IDLE", "FIRST", sends)
        now.go("FIRST", "SECOND")
        now.go("SECOND", "KEEP")
        now.go("KEEP", "LOOK")
        now.go("LOOK", "START")
        now.go("START", "MARKS", marked)
        now.go("START", "EVENT", ~marked)
        now.go("MARKS", "EVENT", next_mark & (marks == MARKS - 1))
        now.go("EVENT", "NEXT", next_event & ~is_code)
        now.go("EVENT", "VALUE", next_event & is_code)
        now.go("VALUE", "NEXT", next_value)
        now.go("NEXT", "IDLE", at == place)
        now.go("NEXT", "FIRST", at != place)
        now.connect(m)
        return m
