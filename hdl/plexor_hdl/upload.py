"""The upload FIFO: events that wait for the link."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.fetch import Fetch, plain_memory
from plexor_hdl.interfaces import TIME_BITS, Event

MARGIN = 6
"""Entries that may still be written once the level, two clocks old, says that no event may come."""
COUNT_BITS = 48
LIMB_BITS = 16


class Entry(data.Struct):
    """What waits for the framer: an event, or with `is_index` the index of the next event.

    Of an index entry `time_ticks` is the index and `polarity` says that events were dropped.
    """

    time_ticks: TIME_BITS
    source: SOURCE_BITS
    polarity: 1
    is_index: 1


class Drop(data.Struct):
    """An event that was dropped in this clock."""

    valid: 1
    source: SOURCE_BITS


def write_index(entry, index, gap):
    """Return the assignments that make `entry` an index entry."""
    return [entry.time_ticks.eq(index), entry.polarity.eq(gap), entry.is_index.eq(1)]


def write_event(entry, event):
    """Return the assignments that make `entry` an event."""
    return [
        entry.time_ticks.eq(event.time_ticks),
        entry.source.eq(event.source),
        entry.polarity.eq(event.polarity),
        entry.is_index.eq(0),
    ]


class Upload(wiring.Component):
    """Takes an event a clock while `enable`; keeps those that the framer has not yet taken.

    An event that finds it full is refused, and so is each until it is half empty. Full is
    upload_depth - MARGIN entries. The first event after a clear, after a refused one or with `gap`
    takes a second entry for its index and a second clock; where two such events come without an
    idle clock between them, the one behind may be refused.

    Each refused event is told on `drop` one clock later and counted in `dropped_cnt`, exact after 4
    clocks. Events while not `enable` are none of its business: neither kept nor counted.
    Latency 4 clocks; throughput one event a clock in, one entry a clock out. `clear_stb` and reset:
    empty, nothing dropped, the next event's index is sent. `dropped_cnt` wraps.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._depth = geometry.upload_depth
        super().__init__(
            {
                "i_events": In(stream.Signature(Event, always_ready=True)),
                "enable": In(1),
                "clear_stb": In(1),
                "o_entries": Out(stream.Signature(Entry)),
                "drop": Out(Drop),
                "dropped_cnt": Out(COUNT_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = (self._depth - 1).bit_length()
        width = Entry.as_shape().size
        m.submodules.entries = entries = plain_memory(width, self._depth)
        write, read = entries.write_port(), entries.read_port()
        m.submodules.fetch = fetch = Fetch(width, bits)
        m.d.comb += [
            read.addr.eq(fetch.address),
            read.en.eq(fetch.enable),
            fetch.data.eq(read.data),
            fetch.clear.eq(self.clear_stb),
            self.o_entries.payload.eq(fetch.o_words.payload),
            self.o_entries.valid.eq(fetch.o_words.valid),
            fetch.o_words.ready.eq(self.o_entries.ready),
        ]
        event, come = self.i_events.payload, Signal()
        entry = Signal(Entry)
        held, held_valid, held_index = Signal(Event), Signal(), Signal()
        refusing, gap, first = Signal(), Signal(), Signal(init=1)
        level = Signal(bits)
        index_due = Signal()
        refuse, hold = Signal(), Signal()
        m.d.comb += [
            come.eq(self.i_events.valid & self.enable & ~self.clear_stb),
            index_due.eq(event.gap | gap | first),
            write.data.eq(entry),
        ]

        # One event may wait in `held` while the index entry of an event is written: its own, or
        # that of the event before it.
        m.d.comb += write.en.eq(held_valid | come & ~refusing)
        with m.If(held_valid & held_index):
            m.d.comb += [write_index(entry, held.index, held.gap), refuse.eq(come)]
            m.d.sync += held_index.eq(0)
        with m.Elif(held_valid):
            m.d.comb += [write_event(entry, held), refuse.eq(come & refusing)]
            m.d.comb += hold.eq(come & ~refusing)
            m.d.sync += [held_valid.eq(hold), held_index.eq(index_due)]
        with m.Elif(index_due):
            m.d.comb += write_index(entry, event.index, event.gap | gap)
            m.d.comb += [refuse.eq(come & refusing), hold.eq(come & ~refusing)]
            m.d.sync += [held_valid.eq(hold), held_index.eq(0)]
        with m.Else():
            m.d.comb += [write_event(entry, event), refuse.eq(come & refusing)]
        with m.If(hold):
            m.d.sync += [held.eq(event), held.gap.eq(event.gap | gap)]
        with m.If(refuse):
            m.d.sync += gap.eq(1)
        with m.Elif(come):
            m.d.sync += [gap.eq(0), first.eq(0)]

        with m.If(write.en):
            m.d.sync += write.addr.eq(write.addr + 1)
        m.d.sync += [
            level.eq(write.addr - fetch.address),
            fetch.limit.eq(write.addr),
            refusing.eq(
                Mux(refusing, level > self._depth // 2, level >= self._depth - MARGIN),
            ),
            self.drop.valid.eq(refuse),
            self.drop.source.eq(event.source),
        ]
        self._count(m)
        with m.If(self.clear_stb):
            m.d.comb += write.en.eq(0)
            m.d.sync += [
                held_valid.eq(0),
                write.addr.eq(fetch.limit),
                refusing.eq(0),
                gap.eq(0),
                first.eq(1),
                level.eq(0),
                fetch.limit.eq(fetch.limit),
            ]
        return m

    def _count(self, m: Module) -> None:
        """Count the drops in limbs, so that no carry is longer than LIMB_BITS."""
        carry = self.drop.valid
        for start in range(0, COUNT_BITS, LIMB_BITS):
            limb = self.dropped_cnt[start : start + LIMB_BITS]
            carry_r = Signal(name=f"carry{start}")
            m.d.sync += Cat(limb, carry_r).eq(limb + carry)
            with m.If(self.clear_stb):
                m.d.sync += [limb.eq(0), carry_r.eq(0)]
            carry = carry_r
