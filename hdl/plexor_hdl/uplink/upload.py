# SPDX-License-Identifier: Apache-2.0
"""The upload FIFO: keeps events that wait for the link."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS, SOURCE_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.capture.code_port import CodeValue
from plexor_hdl.interfaces import COUNT_BITS, INDEX_BITS, TIME_BITS, Event
from plexor_hdl.lib.blocks import Blocks, plain_blocks
from plexor_hdl.lib.counter import count
from plexor_hdl.lib.memory_reader import MemoryReader, QuickMemoryReader, plain_memory

MARGIN = 6
"""Entries that may still be written after the level, which is two clocks old, shuts the FIFO."""
ONE_BLOCK = 256
"""Depth of a memory that needs no multiplexers behind it in any device."""
MARKS = 3
"""Entries before an event whose index or upper time bits do not follow from the event before."""
BLOCKS_FROM = 4096
"""Depth from which the memory is in blocks with one port."""
TAG_BITS = 2
"""Upper bits of the source field. Only marks have them set."""


class Entry(data.Struct):
    """An entry that waits for the framer: an event's word, or one of the MARKS marks before it.

    The delta is the lower bits of the time. Marks carry a Start, its lower bits first, in all bits
    except those that tell marks from events.
    """

    low: DELTA_BITS
    source: SOURCE_BITS
    polarity: 1


class Start(data.Struct):
    """What marks tell about the next event: its index, and whether events were dropped before it.

    `above` is the event's time above the delta, and that of the events that follow. The bits are in
    the order of a frame's header. `gap` and `none` take the places of the last lower bits of time.
    """

    index: INDEX_BITS
    gap: 1
    none: 1
    above: TIME_BITS - DELTA_BITS


MARK_BITS = Entry.as_shape().size - TAG_BITS
SPARE_BITS = MARKS * MARK_BITS - Start.as_shape().size
"""Number of unused bits, the lowest of the first mark."""


def is_mark(entry: data.View | Value) -> Value:
    """Return whether an entry is a mark."""
    return entry.source[-TAG_BITS:].all()


def mark_bits(entry: data.View | Value) -> Value:
    """Return the bits that a mark carries."""
    return Cat(entry.low, entry.source[:-TAG_BITS], entry.polarity)


def write_mark(entry: data.View | Value, bits: ValueLike) -> list[Any]:
    """Return the assignments that make an entry a mark."""
    return [mark_bits(entry).eq(bits), entry.source[-TAG_BITS:].eq(-1)]


def write_event(entry: data.View | Value, event: data.View) -> list[Any]:
    """Return the assignments that make an entry an event."""
    return [
        entry.low.eq(event.time_ticks[:DELTA_BITS]),
        entry.source.eq(event.source),
        entry.polarity.eq(event.polarity),
    ]


def write_start(start: Value, event: data.View, gap: ValueLike) -> list[Any]:
    """Return the assignments that make `start` that of an event, above the marks' spare bits."""
    fields = Cat(Const(0, SPARE_BITS), event.index, gap, Const(0, 1), event.time_ticks[DELTA_BITS:])
    return [start.eq(fields)]


class Drop(data.Struct):
    """An event that was dropped in this clock."""

    valid: 1
    source: SOURCE_BITS


class Upload(wiring.Component):
    """Keeps events until the framer takes them, and counts those for which there is no room.

    Full is upload_depth - MARGIN entries. An event that finds it full is refused, and so is each
    one until it is half empty. MARKS entries more go before the first event after a clear or a
    refused event, one with `gap`, and one with other upper bits of the time than the one before.
    They are written in the next MARKS clocks that have no event, or have one that is refused for
    want of room or behind a refused one. Until then nothing behind them is sent, and another event
    of this kind is refused. A code and its value are kept or refused as one, with no mark between
    them. No event may be 2**DELTA_BITS ticks late.

    Latency: 5 clocks from an event to its entry, 4 with at most ONE_BLOCK entries and 3 in a build
        with deep memory, if nothing waits; a refused event is told 1 clock, and counted 4 clocks
        later.
    Throughput: an event each clock in; an entry each 3 clocks out, each 2 with at most ONE_BLOCK
        entries, each clock in a build with deep memory; from BLOCKS_FROM entries on each 4, in
        clocks in which none is written.
    Reset: empty, nothing dropped; the next event's index is sent.
    Wrap: `dropped_cnt` wraps at 2**48.
    Full: events are refused, told and counted; the next one that is kept has a mark with `gap`.

    Ports:
        i_events: Stream of events; always taken.
        value: The value of a code; with Feature.CODES.
        value_stb: The event is one of SOURCE_CODE_VALUE, and `value` is its value. It comes in the
            clock after its code; with Feature.CODES.
        enable: 1 if events go to the link; else they are neither kept nor counted. An event in its
            first clock is refused.
        now_bit: Bit DELTA_BITS of the time now, in ticks.
        clear_stb: Empties the FIFO as reset does, but for what stands at `o_entries`; a build with
            deep memory forgets that too.
        o_entries: Stream of entries, oldest first.
        drop: The refused event of the clock before, if it is valid.
        dropped_cnt: Number of refused events since the clear.
    """

    def __init__(self, geometry: Geometry, blocks: Blocks = plain_blocks) -> None:
        self._depth, self._blocks = geometry.upload_depth, blocks
        self._quick = bool(geometry.deep_depth)
        self._codes = bool(geometry.code_bits)
        super().__init__(
            {
                "i_events": In(stream.Signature(Event(), always_ready=True)),
                **({"value": In(CodeValue()), "value_stb": In(1)} if self._codes else {}),
                "enable": In(1),
                "now_bit": In(1),
                "clear_stb": In(1),
                "o_entries": Out(stream.Signature(Entry)),
                "drop": Out(Drop),
                "dropped_cnt": Out(COUNT_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = (self._depth - 1).bit_length()
        entry, entry_place, writes = Signal(Entry), Signal(bits), Signal()
        limit, address = Signal(bits), Signal(bits)
        if self._depth >= BLOCKS_FROM:
            self._in_blocks(m, entry, entry_place, writes, limit, address)
        else:
            m.submodules.entries = entries = plain_memory(Entry, self._depth)
            port = entries.write_port()
            m.d.sync += [port.data.eq(entry), port.addr.eq(entry_place), port.en.eq(writes)]
            self._read(m, entries, limit, address)

        event, come = self.i_events.payload, self.i_events.valid
        shut, refusing, gap = Signal(init=1), Signal(), Signal()
        due, slot, keep, refuse = Signal(), Signal(), Signal(), Signal()
        # The start whose marks are still to be written; the last event's time bit above the delta.
        start, above = Signal(MARKS * MARK_BITS), Signal()
        pending, hole = Signal(MARKS), Signal(bits)
        place, behind_marks = Signal(bits), Signal(bits, init=MARKS)
        level, marks = Signal(bits), pending[0]
        second, follows, refused = Signal(), Signal(), Signal()
        fresh = self._fresh(m, above, keep & ~second, refuse)
        if self._codes:
            m.d.comb += [
                second.eq(self.value_stb),
                follows.eq(second & ~refused),
            ]
            with m.If(come & ~second):
                m.d.sync += refused.eq(~keep)
        m.d.comb += [
            due.eq(~second & (event.gap | fresh | (event.time_ticks[DELTA_BITS] != above))),
            # The choice between event and mark depends on little, so that it is early.
            slot.eq(come & Mux(second, follows, ~shut & ~(fresh & marks))),
            keep.eq(slot & ~(due & marks)),
            refuse.eq(come & self.enable & Mux(second, refused, shut | (due & marks))),
            writes.eq(Mux(slot, ~(due & marks), marks)),
            entry_place.eq(Mux(slot, Mux(due, behind_marks, place), hole)),
        ]
        with m.If(slot):
            m.d.comb += write_event(entry, event)
            if self._codes:
                with m.If(second):
                    m.d.comb += entry.low.eq(self.value)
        with m.Else():
            m.d.comb += write_mark(entry, start[:MARK_BITS])
            with m.If(marks):
                m.d.sync += [
                    pending.eq(pending[1:]),
                    hole.eq(hole + 1),
                    start.eq(start[MARK_BITS:]),
                ]
        # Every event is stored here, because it is known late which one has marks.
        with m.If(~marks):
            m.d.sync += [hole.eq(place), write_start(start, event, event.gap | gap)]
        with m.If(keep):
            step = Mux(due, 1 + MARKS, 1)
            m.d.sync += [
                place.eq(place + step),
                behind_marks.eq(behind_marks + step),
                gap.eq(0),
            ]
            with m.If(due):
                m.d.sync += [above.eq(event.time_ticks[DELTA_BITS]), pending.eq(-1)]
        with m.If(refuse):
            m.d.sync += gap.eq(1)
        refusing_next = Signal()
        m.d.comb += refusing_next.eq(
            Mux(refusing, level > self._depth // 2, level >= self._depth - MARGIN - self._codes)
            & ~self.clear_stb
        )
        m.d.sync += [
            limit.eq(Mux(marks, hole, place)),
            level.eq(place - address),
            refusing.eq(refusing_next),
            shut.eq(refusing_next | ~self.enable),
            self.drop.valid.eq(refuse & ~self.clear_stb),
            self.drop.source.eq(event.source),
        ]
        count(m, self.dropped_cnt, self.drop.valid, self.clear_stb)
        with m.If(self.clear_stb):
            m.d.sync += [Cat(pending, gap).eq(0), Cat(place, level, limit).eq(0)]
            m.d.sync += behind_marks.eq(MARKS)
        return m

    def _fresh(self, m: Module, above, keep, refuse):
        """Return whether the next event has marks, whatever its time."""
        fresh, now_bit, behind = Signal(init=1), Signal(), Signal()
        m.d.sync += [
            now_bit.eq(self.now_bit),
            # If the upper bits changed already since the last event, its bit can no longer tell.
            behind.eq((self.now_bit != now_bit) & (above != now_bit)),
            fresh.eq((fresh & ~keep) | refuse | behind | self.clear_stb),
        ]
        return fresh

    def _in_blocks(self, m: Module, entry, place, writes, limit, address) -> None:
        """Write entries to blocks, and send those up to `limit` - 1 in clocks without a write."""
        out, write, data = self.o_entries, Signal(), Signal(Entry)
        written, some, reads, came = Signal.like(place), Signal(), Signal(), Signal()
        word = self._blocks(m, Mux(write, written, address), data.as_value(), write)
        m.d.comb += reads.eq(some & ~write & ~came & ~out.valid & ~self.clear_stb)
        m.d.sync += [
            Cat(write, written, data).eq(Cat(writes, place, entry)),
            some.eq((address != limit) & ~reads & ~self.clear_stb),
            address.eq(Mux(self.clear_stb, 0, address + reads)),
            came.eq(reads),
            out.valid.eq(came | (out.valid & ~out.ready)),
        ]
        with m.If(came):
            m.d.sync += out.payload.eq(word)

    def _read(self, m: Module, entries, limit, address) -> None:
        """Send the entries from `address` up to `limit` - 1."""
        read, out = entries.read_port(), self.o_entries
        m.d.comb += read.addr.eq(address)
        if self._depth > ONE_BLOCK or self._quick:
            kind = QuickMemoryReader if self._quick else MemoryReader
            m.submodules.fetch = fetch = kind(Entry.as_shape().size, len(address))
            m.d.comb += [
                address.eq(fetch.address),
                fetch.limit.eq(limit),
                fetch.clear.eq(self.clear_stb),
                read.en.eq(fetch.enable if self._quick else 1),
                fetch.data.eq(read.data),
                out.payload.eq(fetch.o_words.payload),
                out.valid.eq(fetch.o_words.valid),
                fetch.o_words.ready.eq(out.ready),
            ]
            return
        some, more = Signal(), Signal()
        m.d.sync += some.eq((address != limit) & ~self.clear_stb)
        m.d.comb += [
            more.eq(some & ~out.valid & ~self.clear_stb),
            read.en.eq(~out.valid),
            out.payload.eq(read.data),
        ]
        m.d.sync += out.valid.eq(more | (out.valid & ~out.ready))
        with m.If(more):
            m.d.sync += address.eq(address + 1)
        with m.If(self.clear_stb):
            m.d.sync += address.eq(0)
