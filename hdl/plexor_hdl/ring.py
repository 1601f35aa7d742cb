"""The ring: the last events before and after a trigger."""

from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELTA_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.fetch import plain_memory
from plexor_hdl.interfaces import TIME_BITS, Event
from plexor_hdl.upload import MARK_BITS, MARKS, Entry, write_event, write_mark, write_start


class Ring(wiring.Component):
    """Keeps the last ring_depth events that came while not `freeze`.

    `send_stb` (with `freeze` high, no `busy`; else ignored) sends them as entries, oldest first,
    marks before the first, each after a gap and each with other upper bits of the time; they stay
    and can be sent again. `busy` until the last entry has been taken. Latency 5 clocks; an event a
    clock in, an entry each 6 clocks out. `clear_stb` and reset: empty, and nothing more is sent,
    but what stands at `o_entries` until it is taken. Full: the oldest is overwritten.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._depth = geometry.ring_depth
        super().__init__(
            {
                "i_events": In(stream.Signature(Event(), always_ready=True)),
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
        m.submodules.reader = ResetInserter(self.clear_stb)(self._reader(item, sending))
        m.d.comb += [
            item.ready.eq(~out.valid | out.ready),
            self.busy.eq(sending | out.valid),
        ]
        with m.If(item.ready):
            m.d.sync += [out.valid.eq(item.valid & ~self.clear_stb), out.payload.eq(item.payload)]
        return m

    def _reader(self, out, sending) -> Module:
        """Return what keeps the events and, while `sending`, sends entries to `out`."""
        m = Module()
        m.submodules.events = events = plain_memory(Event(), self._depth)
        write, read = events.write_port(), events.read_port()
        wrapped = Signal()
        event = Signal(Event())
        last = Signal(range(self._depth))
        first, above = Signal(), Signal(TIME_BITS - DELTA_BITS)
        marks, start = Signal(range(MARKS)), Signal(MARKS * MARK_BITS)
        m.d.sync += [
            write.en.eq(self.i_events.valid & ~self.freeze),
            write.data.eq(self.i_events.payload),
        ]
        with m.If(write.en):
            m.d.sync += [write.addr.eq(write.addr + 1), wrapped.eq(wrapped | write.addr.all())]
        m.d.comb += read.en.eq(1)
        with m.FSM(name="ring") as fsm:
            m.d.comb += sending.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += first.eq(1)
                with m.If(self.send_stb & self.freeze & (wrapped | write.addr.any()) & ~write.en):
                    m.d.sync += last.eq(write.addr - 1)
                    with m.If(wrapped):
                        m.d.sync += read.addr.eq(write.addr)
                    with m.Else():
                        m.d.sync += read.addr.eq(0)
                    m.next = "READ"
            with m.State("READ"):
                m.next = "LATCH"
            with m.State("LATCH"):
                m.d.sync += event.eq(read.data)
                m.next = "START"
            with m.State("START"):
                m.d.sync += [
                    first.eq(0),
                    above.eq(event.time_ticks[DELTA_BITS:]),
                    write_start(start, event, event.gap),
                ]
                m.next = "EVENT"
                with m.If(first | event.gap | (event.time_ticks[DELTA_BITS:] != above)):
                    m.next = "MARKS"
            with m.State("MARKS"):
                with m.If(~out.valid | out.ready):
                    m.d.sync += [
                        write_mark(out.payload, start[:MARK_BITS]),
                        out.valid.eq(1),
                        start.eq(start[MARK_BITS:]),
                        marks.eq(marks + 1),
                    ]
                    with m.If(marks == MARKS - 1):
                        m.d.sync += marks.eq(0)
                        m.next = "EVENT"
            with m.State("EVENT"):
                with m.If(~out.valid | out.ready):
                    m.d.sync += [write_event(out.payload, event), out.valid.eq(1)]
                    m.next = "SENT"
            with m.State("SENT"):
                with m.If(out.ready):
                    m.d.sync += [out.valid.eq(0), read.addr.eq(read.addr + 1)]
                    m.next = "READ"
                    with m.If(read.addr == last):
                        m.next = "IDLE"
        return m
