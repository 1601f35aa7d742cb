# SPDX-License-Identifier: Apache-2.0
"""Takes events through a deep memory, for runs whose events are sent afterwards."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor_hdl.uplink.upload import Entry

SLACK = 1024
"""Upper bound of the entries on the way to the memory and back."""


class Deep(wiring.Component):
    """Passes entries from the upload FIFO to the framer, or, with `after`, through the deep memory.

    `after` at `clear_stb` settles which, until the next clear. The memory is a FIFO outside, of any
    latency: entries leave by `o_kept` and come back by `i_fetched`, in order and none lost, and no
    other entries are there. Nothing is dropped here.

    From `clear_stb` on everything is taken and forgotten while `busy`, until the memory is empty,
    but for what stands at `o_entries`. Nothing new may come meanwhile.

    Latency: 1 clock, or 2 and what the memory takes.
    Throughput: an entry each clock.
    Reset: empty, and so the memory must be; entries pass.
    Wrap: none; it counts the entries in the memory, which has room for fewer than it can count.
    Full: `i_entries` waits while the memory is full; then the upload FIFO fills, and counts its
        drops.

    Ports:
        i_entries: Stream of entries from the upload FIFO.
        after: 1 if events are sent after the run; looked at with `clear_stb`.
        clear_stb: Forgets all entries.
        busy: 1 while that takes.
        o_kept: Stream of entries into the memory.
        i_fetched: Stream of entries from the memory.
        o_entries: Stream of entries to the framer.
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
