"""The way of events through a deep memory, for runs whose events are sent afterwards."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.uplink.upload import Entry

SLACK = 1024
"""More entries than are on the ways to the memory and back."""


class Deep(wiring.Component):
    """Between the upload FIFO and the framer: entries pass, or with `after` by the deep memory.

    Which of both is settled by `after` at `clear_stb` and stays so until the next one. The memory
    is a FIFO outside, of any latency: entries leave by `o_kept` and come back by `i_fetched`, in
    order and none lost, and there is no other there. Nothing is dropped here: where the memory is
    full the upload FIFO waits, fills, and counts what it drops.

    From `clear_stb` on everything is taken and forgotten while `busy`, until the memory is empty,
    but for what stands at `o_entries`; nothing new may come meanwhile.
    Latency one clock past the memory, throughput an entry a clock. Reset: empty, and so the memory
    must be; entries pass.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._most = geometry.deep_depth + SLACK
        super().__init__(
            {
                "i_entries": In(stream.Signature(Entry)),
                "after": In(1),
                "clear_stb": In(1),
                "busy": Out(1),
                "o_kept": Out(stream.Signature(Entry)),
                "i_fetched": In(stream.Signature(Entry)),
                "o_entries": Out(stream.Signature(Entry)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        coming, kept = self.i_entries, self.o_kept
        fetched, out = self.i_fetched, self.o_entries
        by_memory, room, free = Signal(), Signal(), Signal()
        keep, fetch, level = Signal(), Signal(), Signal(range(self._most + 1))
        m.d.comb += [
            room.eq(~kept.valid | kept.ready),
            free.eq(~out.valid | out.ready),
            coming.ready.eq(self.busy | Mux(by_memory, room, free)),
            fetched.ready.eq(self.busy | free),
            keep.eq(coming.valid & room & by_memory & ~self.busy),
            fetch.eq(fetched.valid & fetched.ready),
        ]
        with m.If(kept.ready):
            m.d.sync += kept.valid.eq(0)
        with m.If(keep):
            m.d.sync += [kept.valid.eq(1), kept.payload.eq(coming.payload)]
        m.d.sync += level.eq(level + keep - fetch)

        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(free & ~self.busy):
            with m.If(by_memory):
                m.d.sync += [out.valid.eq(fetched.valid), out.payload.eq(fetched.payload)]
            with m.Else():
                m.d.sync += [out.valid.eq(coming.valid), out.payload.eq(coming.payload)]

        with m.If(self.clear_stb):
            m.d.sync += [by_memory.eq(self.after), self.busy.eq(1)]
        with m.Elif(level == 0):
            m.d.sync += self.busy.eq(0)
        return m
