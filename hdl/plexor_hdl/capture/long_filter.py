# SPDX-License-Identifier: Apache-2.0
"""The long glitch filter of one source: finds the edges whose level does not last."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import LONG_FILTER_CLOCKS, Geometry
from plexor_hdl.capture.word_queues import following
from plexor_hdl.lib.memory_reader import plain_memory

CLOCKS_BITS = (LONG_FILTER_CLOCKS - 1).bit_length()
"""Bits of the whole clocks of a filter's length."""


class LongFilter(wiring.Component):
    """Says which of the queued words of a source pass a filter longer than a word.

    The source's levels have passed a Filter of a word's length, so that a word has one edge at
    most. An edge lasts if the next one comes `ticks` or more later. One that does not last is
    removed, and so is an edge to the level that the filter has. The verdict on a word stands in a
    memory with a place for each place of its queue, so it must be read `ticks` and 3 clocks after
    the word's edge at the earliest.

    Latency: a word's edge is judged, at the latest, `ticks` + 3 clocks behind it; 1 clock from
        `take` to `passes`.
    Throughput: one word each clock in, and one each 2 clocks out.
    Reset: nothing is queued; the filter's level is low. So it is LONG_FILTER_CLOCKS behind `clear`
        where no level lasts.
    Wrap: its places go round as those of the queue. Time ends at LONG_FILTER_CLOCKS; what is longer
        ago is long enough.
    Full: never; the queue says what is kept.

    Ports:
        clear: A run begins to clear; `capture` comes LONG_FILTER_CLOCKS later or more.
        word: W filtered samples, oldest lowest.
        capture: The `word` of this clock belongs to the run.
        ticks: The filter's length; 0: each word passes. It stands still from `clear` on.
        kept: The `word` of 2 clocks before was queued.
        take: The next queued word is taken.
        level: The level behind the edge of the word that was taken last.
        passes: That word's edge passes.
        removed: It does not; strobes once, 2 clocks after `take`.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._samples, self._depth = geometry.samples, geometry.word_fifo_depth
        self._fine_bits = (geometry.samples - 1).bit_length()
        super().__init__(
            {
                "clear": In(1),
                "word": In(geometry.samples),
                "capture": In(1),
                "ticks": In(CLOCKS_BITS + self._fine_bits),
                "kept": In(1),
                "take": In(1),
                "level": In(1),
                "passes": Out(1),
                "removed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        some, live, near, before = self._edges(m)
        m.submodules.verdicts = verdicts = plain_memory(1, self._depth, ram_style="distributed")
        write, read = verdicts.write_port(), verdicts.read_port()
        # A word first lasts. An edge near to it comes a clock later or more, and says otherwise.
        waits, fresh = Signal(), Signal()
        m.d.comb += [write.en.eq(waits & (fresh | write.data)), write.data.eq(some & near)]
        m.d.sync += fresh.eq(some)
        with m.If(some):
            m.d.sync += waits.eq(self.kept)
        last = Signal(range(self._depth), init=self._depth - 1)
        m.d.comb += write.addr.eq(last)
        with m.If(self.kept):
            m.d.sync += last.eq(following(last))

        # The level in front of the run's first edge is the first that its words are compared with.
        begun, first_level = Signal(), Signal()
        m.d.sync += begun.eq(live & (begun | some))
        with m.If(some & live & ~begun):
            m.d.sync += first_level.eq(before)
        taken, held, takes, every = Signal(), Signal(), Signal(), Signal(init=1)
        m.d.comb += [
            read.en.eq(self.take),
            self.passes.eq(every | (~read.data & (self.level ^ held))),
        ]
        m.d.sync += [
            every.eq(~self.ticks.any()),
            takes.eq(self.take),
            self.removed.eq(takes & ~self.passes),
        ]
        with m.If(self.take):
            m.d.sync += [
                read.addr.eq(following(read.addr)),
                held.eq(Mux(taken, Mux(read.data, held, self.level), first_level)),
                taken.eq(1),
            ]
        with m.If(self.clear):
            m.d.sync += taken.eq(0)
        return m

    def _edges(self, m: Module) -> tuple[Signal, Signal, Signal, Signal]:
        """Find the edge of each word, and whether it is near the one before; return 2 clocks later.

        Return whether there is one, whether its word belongs to the run, whether it is near, and
        the filter's level in front of it.
        """
        last, fine_bits = Signal(), self._fine_bits
        some, live, level, fine = Signal(), Signal(), Signal(), Signal(fine_bits)
        # The samples in front of the edge are those that differ from the last one.
        differs = self.word ^ self.word[-1].replicate(self._samples)
        places, chosen = [], 0
        for bit in reversed(range(fine_bits)):
            step = 1 << bit
            above = Array(differs[at] for at in range(step - 1, self._samples, 2 * step))[chosen]
            places.insert(0, above)
            place = Signal(len(places), name=f"place{bit}")
            m.d.comb += [part.eq(value) for part, value in zip(place, places, strict=True)]
            chosen = place
        m.d.sync += [
            last.eq(self.word[-1]),
            some.eq(last ^ self.word[-1]),
            live.eq(self.capture),
            level.eq(self.word[-1]),
            fine.eq(chosen),
        ]
        # Behind an edge `left` clocks are near, and of the one behind them the first `rest` ticks.
        left, rest = Signal(CLOCKS_BITS + 1), Signal(fine_bits)
        near, until = Signal(), Signal(CLOCKS_BITS + 1 + fine_bits)
        m.d.comb += [
            near.eq(left[1:].any() | (left[0] & (fine < rest))),
            until.eq(self.ticks + fine),
        ]
        with m.If(self.clear):
            m.d.sync += left.eq(LONG_FILTER_CLOCKS)
        with m.Elif(some):
            m.d.sync += [left.eq(until[fine_bits:]), rest.eq(until[:fine_bits])]
        with m.Elif(left.any()):
            m.d.sync += left.eq(left - 1)
        before = Signal()
        with m.If(self.clear):
            m.d.sync += before.eq(0)
        with m.Elif(some & ~near):
            m.d.sync += before.eq(~level)
        some_r, live_r, near_r = Signal(), Signal(), Signal()
        m.d.sync += [some_r.eq(some), live_r.eq(live), near_r.eq(near)]
        return some_r, live_r, near_r, before
