"""Capture: from every source's sample words to one stream of numbered events."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_STRIKE, SOURCES
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import CHANNEL
from plexor_hdl.counter import COUNT_BITS, Counter
from plexor_hdl.edges import Edges
from plexor_hdl.filter import Filter
from plexor_hdl.interfaces import INDEX_BITS, block_layout
from plexor_hdl.merge import GAP_BITS, Columns, Rows, WordQueues
from plexor_hdl.skid import Skid
from plexor_hdl.stamp import Beat, Stamp
from plexor_hdl.timebase import LOW_BITS, epoch_bits


class SourceAmounts(data.StructLayout):
    """Edges of one source in one clock: seen, and dropped for want of room."""

    def __init__(self, samples: int) -> None:
        bits = samples.bit_length()
        super().__init__({"generated": bits, "dropped": bits})


class Capture(wiring.Component):
    """Wires filter, edges, merge and stamp; counts the edges of each source before any FIFO.

    `words` are all sources' sample words of the clock `low` - 1, in the order of
    `geometry.sources`, active level high but for channels, whose `invert` is applied here;
    `capture` says that this clock belongs to the run. `idle`: nothing captured waits to be merged;
    `moving`: edges are on their way to the merge. With Feature.SNAPSHOT `generated` and `dropped`
    count; without it they are 0, and `amounts` is to be counted.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "clear": In(1),
                "words": In(data.ArrayLayout(geometry.samples, len(geometry.sources))),
                "capture": In(1),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), geometry.channels)),
                "strike_enables": In(geometry.strikes),
                "low": In(LOW_BITS),
                "epoch": In(epoch_bits(geometry)),
                "last_epoch": In(epoch_bits(geometry)),
                "idle": Out(1),
                "final_valid": In(1),
                "final_ready": Out(1),
                "end_low": In(LOW_BITS),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_beat": Out(Beat),
                "next_index": Out(INDEX_BITS),
                "amounts": Out(
                    data.ArrayLayout(SourceAmounts(geometry.samples), len(geometry.sources))
                ),
                "generated": Out(data.ArrayLayout(COUNT_BITS, SOURCES)),
                "dropped": Out(data.ArrayLayout(COUNT_BITS, SOURCES)),
                "saturated": Out(1),
                "gap_saturated": Out(1),
                "moving": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        m.submodules.queues = queues = WordQueues(geometry)
        m.submodules.columns = columns = Columns(geometry)
        m.submodules.rows = rows = Rows(geometry)
        m.submodules.stamp = stamp = Stamp(geometry)
        slot = data.StructLayout(
            {
                "mask": len(geometry.sources),
                "words": queues.o_words.shape(),
                "clock": LOW_BITS,
                "gap": GAP_BITS,
            }
        )
        m.submodules.slots = slots = Skid(slot)
        m.submodules.ticks = ticks = Skid(columns.o_column.shape())
        m.submodules.beats = beats = Skid(Beat)

        filtered = Feature.FILTER in geometry.features
        filter_clocks = Filter.LATENCY if filtered else 0
        capture = [self.capture]
        for number in range(filter_clocks + Edges.LATENCY):
            delayed = Signal(name=f"capture{number}")
            m.d.sync += delayed.eq(capture[-1])
            capture.append(delayed)

        counted = Feature.SNAPSHOT in geometry.features
        saturated = []
        for number, source in enumerate(geometry.sources):
            m.submodules[f"edges{source}"] = edges = Edges(geometry.samples)
            word = self.words[number]
            if source < geometry.channels:
                channel = self.channels[source]
                word = word ^ channel.invert.replicate(geometry.samples)
                m.d.comb += edges.enable.eq(channel.enable)
            elif source < SOURCE_STRIKE + geometry.strikes:
                m.d.comb += edges.enable.eq(self.strike_enables[source - SOURCE_STRIKE])
            else:
                m.d.comb += edges.enable.eq(1)
            if filtered and source < geometry.channels:
                m.submodules[f"filter{source}"] = glitches = Filter(geometry.samples)
                m.d.comb += [
                    glitches.word.eq(word),
                    glitches.filter_ticks.eq(channel.filter_ticks),
                    edges.word.eq(glitches.o_word),
                ]
            else:
                for step in range(filter_clocks):
                    delayed = Signal(geometry.samples, name=f"word{source}_{step}")
                    m.d.sync += delayed.eq(word)
                    word = delayed
                m.d.comb += edges.word.eq(word)
            m.d.comb += [
                edges.capture.eq(capture[filter_clocks]),
                queues.i_edges[number].eq(edges.o_edges),
                queues.i_valid[number].eq(edges.o_valid),
            ]
            for name, seen in (("generated", edges.o_valid), ("dropped", queues.dropped[number])):
                amount = self.amounts[number][name]
                m.d.comb += amount.eq(Mux(seen, edges.o_edges["count"], 0))
                if not counted:
                    continue
                counter = Counter(len(amount))
                m.submodules[f"{name}{source}"] = counter
                m.d.comb += [
                    counter.clear.eq(self.clear),
                    getattr(self, name)[source].eq(counter.count),
                ]
                m.d.sync += counter.amount.eq(amount)
                saturated.append(counter.saturated)

        idle = Signal()
        clock = Signal(LOW_BITS)
        # The words at the queues now were at the pins this many clocks ago.
        m.d.sync += clock.eq(self.low - (filter_clocks + Edges.LATENCY))
        m.d.comb += [
            queues.clock.eq(clock),
            queues.clear.eq(self.clear),
            slots.i_valid.eq(queues.o_valid),
            queues.o_ready.eq(slots.i_ready),
            slots.i_data.mask.eq(queues.o_mask),
            slots.i_data.words.eq(queues.o_words),
            slots.i_data.clock.eq(queues.o_clock),
            slots.i_data.gap.eq(queues.o_gap),
            columns.i_valid.eq(slots.o_valid),
            slots.o_ready.eq(columns.i_ready),
            columns.i_mask.eq(slots.o_data.mask),
            columns.i_words.eq(slots.o_data.words),
            columns.i_clock.eq(slots.o_data.clock),
            columns.i_gap.eq(slots.o_data.gap),
            ticks.i_valid.eq(columns.o_valid),
            columns.o_ready.eq(ticks.i_ready),
            ticks.i_data.eq(columns.o_column),
            rows.i_valid.eq(ticks.o_valid),
            ticks.o_ready.eq(rows.i_ready),
            rows.i_column.eq(ticks.o_data),
            stamp.i_valid.eq(rows.o_valid),
            rows.o_ready.eq(stamp.i_ready),
            stamp.i_event.eq(rows.o_event),
            idle.eq(queues.empty & ~slots.o_valid & columns.empty & ~ticks.o_valid & rows.empty),
            stamp.clear.eq(self.clear),
            stamp.low.eq(self.low),
            stamp.epoch.eq(self.epoch),
            stamp.last_epoch.eq(self.last_epoch),
            stamp.idle.eq(idle & capture[-1]),
            stamp.idle_clock.eq(Mux(self.final_valid, self.end_low, clock)),
            stamp.final_valid.eq(self.final_valid),
            stamp.rest.eq(queues.rest),
            self.final_ready.eq(stamp.final_ready),
            self.idle.eq(idle),
            beats.i_valid.eq(stamp.o_valid),
            stamp.o_ready.eq(beats.i_ready),
            beats.i_data.eq(stamp.o_beat),
            self.o_valid.eq(beats.o_valid),
            beats.o_ready.eq(self.o_ready),
            self.o_beat.eq(beats.o_data),
            self.next_index.eq(stamp.next_index),
            self.gap_saturated.eq(queues.gap_saturated),
        ]
        m.d.sync += self.saturated.eq(Cat(*saturated).any())
        m.d.comb += self.moving.eq(queues.i_valid.any())
        return m
