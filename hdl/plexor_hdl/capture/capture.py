# SPDX-License-Identifier: Apache-2.0
"""Capture: turns every source's sample words into one stream of numbered events."""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_CODE_VALUE, SOURCE_STRIKE
from plexor.protocol.geometry import CODE_TRIGGER_CLOCKS, Feature, Geometry
from plexor.protocol.memory import table_bits
from plexor.protocol.registers import CHANNEL, CODE, LONG_FILTER, register
from plexor_hdl.capture.code_port import PORT_TRIGGER_CLOCKS, CodePort, CodeValue
from plexor_hdl.capture.code_values import CodeValues
from plexor_hdl.capture.edges import Edges
from plexor_hdl.capture.filter import TICKS_BITS, Filter, filter_clocks
from plexor_hdl.capture.hold import STEPS_BITS
from plexor_hdl.capture.long_filter import LongFilter
from plexor_hdl.capture.mend import MEND_CLOCKS, Mend
from plexor_hdl.capture.merge import Columns, Rows
from plexor_hdl.capture.stamp import Stamp
from plexor_hdl.capture.timebase import IDLE_CLOCKS, LOW_BITS, epoch_bits
from plexor_hdl.capture.word_queues import SourceAmounts, WordQueues
from plexor_hdl.interfaces import COUNT_BITS, INDEX_BITS, Beat, Event, block_layout
from plexor_hdl.lib.counter import count_sum


def in_order(queues: WordQueues, columns: Columns, rows: Rows, stamp: Stamp) -> list[Any]:
    """Return the assignments that merge the queues' words into one stream."""
    return [
        columns.advance.eq(rows.i_ready),
        columns.i_valid.eq(queues.o_valid),
        queues.o_ready.eq(columns.i_ready),
        columns.i_slot.eq(queues.o_slot),
        columns.i_words.eq(queues.o_words),
        queues.take_words.eq(columns.take_words),
        rows.i_column.eq(columns.o_column),
        stamp.i_valid.eq(rows.o_valid),
        rows.o_ready.eq(stamp.i_ready),
        stamp.i_event.eq(rows.o_event),
        stamp.tag.eq(queues.tag),
        queues.take_tag.eq(stamp.take_tag),
    ]


class Capture(wiring.Component):
    """Turns the sample words of all sources into one stream of numbered events, in time order.

    It counts the edges of each source before any FIFO. While it is idle a beat without event tells
    the time about every IDLE_CLOCKS.

    Latency: 15 or 16 clocks from `words` to `o_beat` where no other event waits, and
        filter_clocks(W) more with Feature.FILTER, MEND_CLOCKS more with Feature.MEND; 1 more each
        time a chunk of the index carries. With a long filter, those of Hold more.
    Throughput: one word of each source each clock in; one beat each 2 clocks out. A code and its
        value are one beat.
    Reset: empty; all levels before the first word count as low; the next index is 0.
    Wrap: an event's time is whole, though only low bits of it travel with the words. The index
        wraps after 2**48 events.
    Full: a word that finds its source's FIFO full is dropped, counted in `amounts`, and marked as a
        gap at the next event. `o_ready` low stops the merge as a whole.

    Ports:
        clear: Begins a run: the index is 0, no gap, no final beat.
        words: The sample words of the clock `low` - 1, in the order of `geometry.levels`, oldest
            sample lowest. The active level is high, but for channels, whose `invert` is applied
            here.
        capture: The `words` of this clock belong to the run.
        channels: The registers of each channel; `enable`, `invert`, `either` and `filter_ticks`
            count here.
        long_filters: With Feature.LONG_FILTER: the registers of LONG_FILTER of each channel.
        active_only: Where the build does not match: a bit for each source, in the order of
            `geometry.merged`, whose trailing edges are no events.
        strike_enables: A bit for each strike output: its edges are captured.
        codes: Levels of the code pins, with Feature.CODES; those of `words` come a clock later.
        code: The registers of the code port; codes of its `zone_mask` are neither events nor beats.
        low: Of Timebase, in clocks.
        epoch: Of Timebase.
        last_epoch: Of Timebase.
        idle: Nothing that was captured waits to be merged; a clock late.
        final_valid: Asks for the final beat, once a run is over and `idle` is high.
        final_ready: The request is taken; always high.
        o_valid: `o_beat` stands.
        o_ready: The beat is taken; it should come from a register.
        o_beat: An event, or only the news of the time.
        final_stb: Where the build does not match: the final beat has come, a clock ago.
        event_stb: Strobes once for each event, as its beat comes.
        event: The event in whole, its time in ticks; valid with `event_stb`. In the clock after a
            code that of its value, whose time and index are the code's and not told again.
        value: The value of a code, valid where `event` is one of SOURCE_CODE_VALUE.
        value_stb: `event` is one of SOURCE_CODE_VALUE.
        sent_stb: `event` is a code, as its own event comes.
        code_stb: A code comes into force, in the order of beats, or one of `zone_mask` would; its
            time stands at `event`, and its value at `code_value`.
        code_value: The value of that code, still at its event.
        trigger_stb: The code port shows `trigger_code`, in a run or not.
        hold: No code may come: up to two more still do.
        masked: How many codes were left out because of `zone_mask`.
        mended: Of how many clocks samples were exchanged on an enabled channel, in the run.
        removed: With Feature.LONG_FILTER: edges that long filters have removed, in the run.
        next_index: The index of the event on its way out, or of the next one if there is none.
        amounts: Edges that each source had, and that were dropped, in one clock; to be counted.
        gap_saturated: A gap was too long to be told; until `clear`.
    """

    def __init__(self, geometry: Geometry, *, matches: bool = True) -> None:
        """`matches`: the build has a matcher. Without one its events go to the link alone."""
        self._geometry, self._matches = geometry, matches
        ports = {
            "codes": In(geometry.code_bits),
            "code": In(block_layout(CODE)),
            "value": Out(CodeValue()),
            "value_stb": Out(1),
            "sent_stb": Out(1),
            "code_stb": Out(1),
            "code_value": Out(CodeValue()),
            "trigger_stb": Out(1),
            "hold": In(1),
            "masked": Out(COUNT_BITS),
        }
        unmatched = {"active_only": In(len(geometry.merged)), "final_stb": Out(1)}
        self.removes = Feature.LONG_FILTER in geometry.features
        long_filter = {
            "long_filters": In(data.ArrayLayout(block_layout(LONG_FILTER), geometry.channels)),
            "removed": Out(COUNT_BITS),
        }
        super().__init__(
            {
                "clear": In(1),
                "words": In(data.ArrayLayout(geometry.samples, len(geometry.levels))),
                "capture": In(1),
                "channels": In(data.ArrayLayout(block_layout(CHANNEL), geometry.channels)),
                "strike_enables": In(geometry.strikes),
                **(ports if geometry.code_bits else {}),
                **({} if matches else unmatched),
                **(long_filter if self.removes else {}),
                "low": In(LOW_BITS),
                "epoch": In(epoch_bits(geometry)),
                "last_epoch": In(epoch_bits(geometry)),
                "idle": Out(1),
                "final_valid": In(1),
                "final_ready": Out(1),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_beat": Out(Beat(geometry)),
                "event_stb": Out(1),
                "event": Out(Event()),
                "mended": Out(register("status", "mended").bits),
                "next_index": Out(INDEX_BITS),
                "amounts": Out(
                    data.ArrayLayout(SourceAmounts(geometry.samples), len(geometry.merged))
                ),
                "gap_saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        # Without results of its own, a build has block RAMs to spare, but no cells.
        ram_style = "auto" if self._matches else "block"
        removes = self.removes
        m.submodules.queues = queues = WordQueues(geometry, ram_style, holds=removes)
        m.submodules.columns = columns = Columns(geometry, removes=removes)
        m.submodules.rows = rows = Rows(geometry, leaves_out=not self._matches, removes=removes)
        m.submodules.stamp = stamp = Stamp(geometry, removes=removes)

        if not self._matches:
            m.d.comb += rows.active_only.eq(self.active_only)
            m.d.sync += self.final_stb.eq(stamp.o_valid & stamp.o_final & ~self.final_stb)
        filtered = Feature.FILTER in geometry.features
        # A code port is a clock later than an edge detector.
        channel_clocks = filter_clocks(geometry.samples) if filtered else min(geometry.code_bits, 1)
        mends = Feature.MEND in geometry.features
        late_clocks = channel_clocks + (MEND_CLOCKS if mends else 0)
        capture = [self.capture]
        for number in range(late_clocks + Edges.LATENCY + queues.latency):
            delayed = Signal(name=f"capture{number}")
            m.d.sync += delayed.eq(capture[-1])
            capture.append(delayed)

        channels: list[Any] = []
        mended: list[Any] = []
        for number, source in enumerate(geometry.levels):
            m.submodules[f"edges{source}"] = edges = Edges(geometry.samples)
            word = self.words[number]
            if source < geometry.channels:
                channel = self.channels[source]
                m.d.comb += [
                    edges.enable.eq(channel.enable),
                    edges.invert.eq(channel.invert),
                    columns.either[number].eq(channel.either),
                ]
            elif source < SOURCE_STRIKE + geometry.strikes:
                m.d.comb += edges.enable.eq(self.strike_enables[source - SOURCE_STRIKE])
            else:
                m.d.comb += edges.enable.eq(1)
            left_clocks = channel_clocks if source < geometry.channels else late_clocks
            if mends and source < geometry.channels:
                m.submodules[f"mend{source}"] = mend = Mend(geometry.samples)
                m.d.comb += mend.word.eq(word)
                word = mend.o_word
                mended.append(mend.mended & channel.enable)
            if source < geometry.channels:
                channels.append(word ^ channel.invert.replicate(geometry.samples))
            if filtered and source < geometry.channels:
                m.submodules[f"filter{source}"] = glitches = Filter(geometry.samples)
                m.d.comb += [
                    glitches.word.eq(word),
                    glitches.filter_ticks.eq(channel.filter_ticks),
                    edges.word.eq(glitches.o_word),
                ]
            else:
                for step in range(left_clocks):
                    delayed = Signal(geometry.samples, name=f"word{source}_{step}")
                    m.d.sync += delayed.eq(word)
                    word = delayed
                m.d.comb += edges.word.eq(word)
            m.d.comb += [
                edges.capture.eq(capture[late_clocks]),
                queues.i_edges[number].eq(edges.o_edges),
                queues.i_valid[number].eq(edges.o_valid),
            ]

        some = Signal()
        m.d.sync += some.eq(Cat(mended).any() & capture[MEND_CLOCKS])
        with m.If(self.clear):
            m.d.sync += self.mended.eq(0)
        with m.Elif(some & ~self.mended.all()):
            m.d.sync += self.mended.eq(self.mended + 1)

        told, final, clock = Signal(init=1), Signal(), Signal.like(queues.clock)
        # Between runs the clock stays at the end of the last run.
        with m.If(Cat(capture[-2:]).any()):
            # The words now offered were sampled queues.latency clocks ago.
            m.d.sync += clock.eq(self.low - (len(capture) - 1))
        with m.If(self.low[: IDLE_CLOCKS.bit_length() - 1] == 0):
            m.d.sync += told.eq(0)
        with m.Elif(~self.idle | queues.blank):
            m.d.sync += told.eq(1)
        with m.If(self.clear):
            m.d.sync += final.eq(0)
        with m.Elif(self.final_valid):
            m.d.sync += final.eq(1)
        m.d.comb += [
            queues.clock.eq(clock),
            queues.clear.eq(self.clear),
            queues.blank.eq(
                (self.idle & ~told & capture[late_clocks + Edges.LATENCY]) | self.final_valid
            ),
            self.amounts.eq(queues.amounts),
            *in_order(queues, columns, rows, stamp),
            stamp.final.eq(final),
            stamp.clear.eq(self.clear),
            stamp.low.eq(self.low),
            stamp.epoch.eq(self.epoch),
            stamp.last_epoch.eq(self.last_epoch),
            self.final_ready.eq(1),
            stamp.o_ready.eq(self.o_ready),
            self.o_valid.eq(stamp.o_valid),
            self.o_beat.is_event.eq(stamp.o_is_event),
            self.o_beat.final.eq(stamp.o_final),
            *(self.o_beat.event[name].eq(stamp.o_event[name]) for name in Event().members),
            self.event_stb.eq(stamp.event_stb),
            *(self.event[name].eq(stamp.o_event[name]) for name in Event().members),
            self.next_index.eq(stamp.next_index),
            self.gap_saturated.eq(queues.gap_saturated),
        ]
        if removes:
            self._remove(m, capture[late_clocks], queues, columns)
            # Edges that are removed one after another would tell nothing of the time.
            with m.If(self.low[: IDLE_CLOCKS.bit_length() - 1] == 0):
                m.d.sync += stamp.news.eq(1)
            with m.Elif(stamp.o_valid):
                m.d.sync += stamp.news.eq(0)
        if geometry.code_bits:
            live = capture[late_clocks + Edges.LATENCY]
            strobes = channels, channel_clocks
            self._wire_codes(m, late_clocks, strobes, live, queues, stamp)
        m.d.sync += self.idle.eq(queues.empty & columns.empty & ~rows.o_valid)
        return m

    def _remove(self, m: Module, captures, queues: WordQueues, columns: Columns) -> None:
        """Let long filters remove edges from the words that leave the queues, and count them."""
        geometry = self._geometry
        joined, strobes = Const(0), []
        # Settings stand still from `clear` on. Their ways to what uses them are long.
        for channel, registers in enumerate(self.long_filters):
            number = geometry.merged.index(channel)
            m.submodules[f"long_filter{channel}"] = longer = LongFilter(geometry)
            word, glitches = queues.o_words[number], getattr(m.submodules, f"filter{channel}")
            settings = self.channels[channel]
            asked = Signal(name=f"long_filter_asked{channel}")
            m.d.sync += asked.eq(longer.ticks.any())
            with m.If(asked):
                m.d.comb += glitches.filter_ticks.eq((1 << TICKS_BITS) - 1)
            m.d.comb += [
                longer.clear.eq(self.clear),
                longer.word.eq(glitches.o_word),
                longer.capture.eq(captures),
                longer.kept.eq(queues.kept[number]),
                longer.take.eq(columns.take_words[number]),
                longer.level.eq(word.polarity ^ settings.invert),
                columns.i_words[number].edges.eq(
                    word.edges & longer.passes.replicate(geometry.samples)
                ),
            ]
            ticks = Signal.like(longer.ticks, name=f"long_filter_ticks{channel}")
            m.d.sync += ticks.eq(Mux(settings.enable, registers.ticks, 0))
            m.d.comb += longer.ticks.eq(ticks)
            joined = joined | ticks
            strobes.append(longer.removed)
        hold, hold_steps = Signal(), Signal(STEPS_BITS)
        m.d.sync += [hold.eq(joined.any()), hold_steps.eq(joined[-STEPS_BITS:])]
        m.d.comb += [queues.hold.eq(hold), queues.hold_steps.eq(hold_steps)]
        count_sum(m, self.removed, strobes, self.clear)

    def _wire_codes(self, m: Module, clocks: int, strobes, live, queues, stamp) -> None:
        """Make edge words of codes, and keep the values of those that are not dropped."""
        channels, strobe_clocks = strobes
        m.submodules.code_port = port = CodePort(self._geometry.code_bits, self._geometry.samples)
        m.submodules.code_values = values = CodeValues(self._geometry)
        pins = self.codes
        for step in range(clocks - 1):
            delayed = Signal(len(pins), name=f"codes{step}")
            m.d.sync += delayed.eq(pins)
            pins = delayed
        # The first register is behind the choice, for which there is no time later.
        strobe = Array(channels)[self.code.strobe_channel]
        for step in range(strobe_clocks):
            delayed = Signal(self._geometry.samples, name=f"strobe{step}")
            m.d.sync += delayed.eq(strobe)
            strobe = delayed
        # So a code triggers after the same time in each build.
        trigger = port.trigger_stb
        for step in range(CODE_TRIGGER_CLOCKS - PORT_TRIGGER_CLOCKS - clocks):
            delayed = Signal(name=f"trigger{step}")
            m.d.sync += delayed.eq(trigger)
            trigger = delayed
        m.d.comb += [
            port.pins.eq(pins),
            port.settings.eq(self.code),
            port.strobe.eq(strobe),
            values.begin.eq(port.begin_stb),
            values.kept.eq(queues.kept[-1]),
            values.i_value.eq(port.value),
            values.i_valid.eq(port.o_value),
            values.zone_mask.eq(self.code.zone_mask),
            values.clear.eq(self.clear),
            values.leave_stb.eq(stamp.code_stb),
            stamp.skip.eq(values.skip),
            self.masked.eq(values.masked),
            self.trigger_stb.eq(trigger),
        ]
        place = len(self._geometry.merged) - 1
        in_force = Signal(table_bits(self._geometry))
        m.d.comb += [
            queues.i_edges[place].edges.eq(Mux(live, port.o_begin, 0)),
            queues.i_edges[place].polarity.eq(1),
            queues.i_valid[place].eq(live & port.begin_stb),
            self.o_beat.event.value.eq(values.value),
            self.code_value.eq(values.value),
            stamp.hold.eq(self.hold),
            self.o_beat.code.eq(in_force),
        ]
        m.d.sync += self.code_stb.eq(stamp.code_stb)
        with m.If(self.clear):
            m.d.sync += in_force.eq(0)
        with m.Elif(self.code_stb):
            m.d.sync += in_force.eq(values.value.code[: self._geometry.code_bits][-len(in_force) :])
        # The next event comes 2 clocks after a code at the earliest.
        m.d.comb += self.sent_stb.eq(stamp.event_stb & stamp.o_code)
        m.d.sync += self.value_stb.eq(self.sent_stb)
        with m.If(stamp.event_stb):
            m.d.sync += self.value.eq(values.value)
        with m.If(self.value_stb):
            m.d.comb += [
                self.event_stb.eq(1),
                self.event.source.eq(SOURCE_CODE_VALUE),
                self.event.polarity.eq(1),
                self.event.gap.eq(0),
            ]
