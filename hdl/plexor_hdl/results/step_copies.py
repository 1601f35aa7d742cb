# SPDX-License-Identifier: Apache-2.0
"""Step records: every channel's counts at the end of each step of the sweep table."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, STATISTICS, Space, entries
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, TIME_BITS, Kind, Measured, SpaceRead
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.split_sum import CHUNK_BITS, added
from plexor_hdl.results.count_memory import COUNT_CHUNKS
from plexor_hdl.results.counts import COPY_CLOCKS, COPY_WAIT, CopyAddress
from plexor_hdl.results.extent import Extent
from plexor_hdl.results.records import Records
from plexor_hdl.results.step_memory import (
    COUNT_LOW,
    GREATEST,
    HALF_BITS,
    LEAST,
    SQUARES_HIGH,
    SQUARES_LOW,
    SQUARES_MIDDLE,
    SUM_HIGH,
    SUM_LOW,
    StepMemory,
)

STILL_CLOCKS = 8
"""Clocks for which all stages must be idle before anything is read."""
STATISTICS_WORDS = STATISTICS.size_bytes * 8 // WORD_BITS
SUMMED = ("count", "count", "sum", "sum", "squares", "squares", "squares")
"""Sum that each of the first words of statistics belongs to. Carries stay inside a sum."""
LOW_OF_COUNT, PENDING = 0, 1
MAIN = {0: COUNT_LOW, 2: SUM_LOW, 3: SUM_HIGH, 4: SQUARES_LOW}
SIDE = {5: SQUARES_MIDDLE, 6: SQUARES_HIGH, 7: LEAST, 8: GREATEST}
REST = (PENDING, 9, 10)
ITEMS = 11
"""Words of a record beside the classes: SUMMED, the extremes, and two words of the time."""


class StepCopies(wiring.Component):
    """Keeps a record STEP (plexor.protocol.memory) of each channel at the end of each step.

    `step_stb` begins a record, and so does `final_stb` while `on`. Nothing more may be counted from
    then until `done_stb`. What is on its way has been counted once `counts_idle` and
    `results_idle` are both high for STILL_CLOCKS. Then classes are read through `copy`, and the
    words of `statistics`, each of one bank after the other; the sums of both banks are kept.
    Nothing else may read counts while `reading`, nor ask for a source. At other times the dumper
    reads `statistics`, through `i_statistics`.

    Latency: at most 40 clocks, and 110 for each channel, from both idle to `done_stb`: before the
        next step strikes, STEP_CLOCKS after the end of this one.
    Throughput: a step at a time; rise latencies of a channel at least 5 clocks apart.
    Reset: no records.
    Wrap: none; `step` counts no further than the table has steps.
    Full: never; the memory has a record for each step of the table and each channel.

    Ports:
        clear: 1 forgets all records.
        on: 1 if the sweep table is in use.
        step_stb: Strobes at the end of a step.
        final_stb: Strobes at the end of the run.
        end_ticks: Time of that end, in the clock after the strobe.
        pending: Strikes of each channel that are outstanding.
        counts_idle: 1 if all that was decided is in memory.
        results_idle: 1 if all that was measured is.
        i_valid: A value is offered to the results.
        i_ready: The results take it.
        i_measured: That value; of rise latencies the minimum and the maximum are kept.
        copying: 1 while classes are read from Counts.
        copy: Chunk of a class to read, one each clock.
        copy_word: The chunk, COPY_CLOCKS later.
        i_statistics: The dumper's reads of statistics.
        statistics: Reads of Records; the dumper's while this does not read.
        i_intervals: The dumper's reads of intervals' statistics, where the build has these.
        intervals: Reads of Records; they give way while this reads.
        read: Reads Space.STEPS; of bank 0, and 0 beyond the last record.
        reading: 1 while counts or statistics are read.
        busy: 1 from a strobe until its records are kept.
        done_stb: Strobes when they are.
        final_seen: Strobes after the last record, without `on` after `final_stb`.
        step: Number of steps recorded since `clear`.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._has_intervals = bool(entries(geometry, Space.INTERVAL_STATISTICS))
        intervals = {"i_intervals": In(SpaceRead()), "intervals": Out(SpaceRead())}
        super().__init__(
            {
                "clear": In(1),
                "on": In(1),
                "step_stb": In(1),
                "final_stb": In(1),
                "end_ticks": In(TIME_BITS),
                "pending": In(data.ArrayLayout(32, geometry.channels)),
                "counts_idle": In(1),
                "results_idle": In(1),
                "i_valid": In(1),
                "i_ready": In(1),
                "i_measured": In(Measured(geometry)),
                "copying": Out(1),
                "copy": Out(CopyAddress(geometry)),
                "copy_word": In(CHUNK_BITS),
                "i_statistics": In(SpaceRead()),
                "statistics": Out(SpaceRead()),
                **(intervals if self._has_intervals else {}),
                "read": In(SpaceRead()),
                "reading": Out(1),
                "busy": Out(1),
                "done_stb": Out(1),
                "final_seen": Out(1),
                "step": Out(range(geometry.table_steps + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        m.submodules.memory = memory = StepMemory(geometry)
        wiring.connect(m, wiring.flipped(self.read), memory.read)
        end_ticks, final = Signal(TIME_BITS), Signal()
        still, idle = Signal(range(STILL_CLOCKS)), self.counts_idle & self.results_idle
        start_stb, copied, added_up = Signal(), Signal(), Signal()
        # The strobes come from far away; their data stands for longer.
        step_stb, final_stb = Signal(), Signal()
        m.d.comb += [
            memory.step.eq(self.step),
            self.final_seen.eq(Mux(self.on, self.done_stb & final, final_stb)),
        ]
        m.d.sync += [
            self.done_stb.eq(0),
            step_stb.eq(self.step_stb),
            final_stb.eq(self.final_stb),
            still.eq(Mux(idle & ~step_stb & ~final_stb, still + ~still.all(), 0)),
        ]
        with m.FSM(name="records") as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("READY"))
            with m.State("READY"):
                with m.If(step_stb | (final_stb & self.on)):
                    m.d.sync += [end_ticks.eq(self.end_ticks), final.eq(final_stb)]
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                with m.If(still.all()):
                    m.d.comb += start_stb.eq(1)
                    m.next = "COPY"
            with m.State("COPY"):
                with m.If(copied & added_up):
                    m.d.sync += [self.done_stb.eq(1), self.step.eq(self.step + 1)]
                    m.next = "READY"
        with m.If(self.clear):
            m.d.sync += self.step.eq(0)
        self._classes(m, memory, start_stb, copied)
        self._statistics(m, memory, start_stb, added_up, end_ticks)
        return m

    def _classes(self, m, memory, start_stb, copied) -> None:
        """Add up the banks' chunks of classes, one in each clock, and write them as words."""
        wait, copy, running = Signal(range(COPY_WAIT)), self.copy, Signal()
        last_chunk, last_class = copy.chunk == COUNT_CHUNKS - 1, copy.response_class == CLASSES - 1
        with m.If(start_stb):
            m.d.sync += [self.copying.eq(1), wait.eq(COPY_WAIT - 1), copied.eq(0), copy.eq(0)]
        with m.Elif(wait.any()):
            m.d.sync += [wait.eq(wait - 1), running.eq(wait == 1)]
        with m.Elif(running):
            m.d.sync += copy.bank.eq(~copy.bank)
            with m.If(copy.bank):
                m.d.sync += copy.chunk.eq(Mux(last_chunk, 0, copy.chunk + 1))
                with m.If(last_chunk):
                    m.d.sync += copy.response_class.eq(copy.response_class + 1)
                    with m.If(last_class):
                        m.d.sync += copy.channel.eq(copy.channel + 1)
                        with m.If(copy.channel == self._geometry.channels - 1):
                            m.d.sync += running.eq(0)
        valid, come = Line(m, running, "copy_valid"), Line(m, copy, "come")
        here, there = come[COPY_CLOCKS], come[COPY_CLOCKS + 1]
        first, total, carry = Signal(CHUNK_BITS), Signal(CHUNK_BITS), Signal()
        low, high = Signal(CHUNK_BITS), Signal(CHUNK_BITS)
        with m.If(here.bank):
            m.d.sync += Cat(total, carry).eq(added(first, self.copy_word, carry & here.chunk.any()))
        with m.Else():
            m.d.sync += first.eq(self.copy_word)
        # The lower chunks of a class form one word. The upper chunks of two classes share one.
        writes = Signal()
        number = there.response_class
        with m.If(valid[COPY_CLOCKS + 1] & there.bank):
            with m.Switch(there.chunk):
                with m.Case(0):
                    m.d.sync += low.eq(total)
                with m.Case(1):
                    m.d.comb += writes.eq(1)
                with m.Default():
                    m.d.sync += high.eq(total)
                    m.d.comb += writes.eq(number[0])
        with m.If(writes):
            m.d.comb += [
                memory.main_valid.eq(1),
                memory.main.channel.eq(there.channel),
                memory.main.place.eq(Mux(there.chunk[0], number, Cat(number[1:], Const(0b10, 2)))),
                memory.main_word.eq(Cat(Mux(there.chunk[0], low, high), total)),
            ]
        with m.If(valid[COPY_CLOCKS + 1] & ~valid[COPY_CLOCKS]):
            m.d.sync += [copied.eq(1), self.copying.eq(0)]
        self._class_writes = writes

    def _statistics(self, m, memory, start_stb, added_up, end_ticks) -> None:
        """Add up the banks' words of statistics; write these and the remaining words."""
        geometry = self._geometry
        bits = max(geometry.key_bits, 1)
        pace = Signal(range(Records.STAND_CLOCKS))
        bank, item, channel = Signal(), Signal(range(ITEMS)), Signal(bits)
        address = Signal(range(geometry.channels * STATISTICS_WORDS))
        base = Signal.like(address)
        next_stb, adding = Signal(), Signal()
        last_item, last_channel = Signal(), Signal()
        m.d.sync += [
            next_stb.eq(adding & (pace == Records.STAND_CLOCKS - 2)),
            pace.eq(Mux(next_stb, 0, pace + adding)),
            last_item.eq(item == ITEMS - 1),
            last_channel.eq(channel == geometry.channels - 1),
        ]
        with m.If(start_stb):
            m.d.sync += [adding.eq(1), added_up.eq(0), pace.eq(0)]
            m.d.sync += [signal.eq(0) for signal in (bank, item, channel, address, base)]
        with m.Elif(next_stb):
            m.d.sync += bank.eq(~bank)
            with m.If(bank):
                m.d.sync += [item.eq(item + 1), address.eq(address + 1)]
                with m.If(last_item):
                    m.d.sync += [
                        item.eq(0),
                        channel.eq(channel + 1),
                        base.eq(base + STATISTICS_WORDS),
                        address.eq(base + STATISTICS_WORDS),
                    ]
                    with m.If(last_channel):
                        m.d.sync += adding.eq(0)
        # Its users are far away, so it is registered.
        m.d.sync += self.reading.eq(start_stb | adding | self.copying)
        ours, dumpers = self.statistics, self.i_statistics
        m.d.comb += [
            ours.address.eq(Mux(adding, address, dumpers.address)),
            ours.bank.eq(Mux(adding, bank, dumpers.bank)),
            dumpers.data.eq(ours.data),
            dumpers.some.eq(ours.some),
        ]
        if self._has_intervals:
            # The port whose upper address bit is low is read, so this one's bits are set meanwhile.
            others = self.i_intervals
            m.d.comb += [
                self.intervals.address.eq(
                    others.address | self.reading.replicate(SPACE_ADDRESS_BITS)
                ),
                self.intervals.bank.eq(others.bank),
                others.data.eq(self.intervals.data),
                others.some.eq(self.intervals.some),
            ]

        # A word comes IDLE_DELAY clocks after its address.
        m.submodules.extent = extent = Extent(geometry.channels, bits)
        where = Cat(bank, item, channel)
        late = Records.IDLE_DELAY
        came = Line(m, (adding & (pace == 0)), "came")
        place = Line(m, where, "where")
        word, first = Signal(WORD_BITS), Signal(WORD_BITS)
        low, low_carry = Signal(HALF_BITS), Signal()
        high, carry = Signal(HALF_BITS), Signal()

        def at(clocks: int):
            """Return bank, item and channel of the word that came `clocks` clocks ago."""
            there = place[late + clocks]
            return there[0], there[1 : 1 + len(item)], there[1 + len(item) :]

        carried = Array(
            n > 0 and n < len(SUMMED) and SUMMED[n] == SUMMED[n - 1] for n in range(ITEMS)
        )
        m.d.sync += word.eq(self.statistics.data)
        with m.If(came[late + 1] & ~at(1)[0]):
            m.d.sync += first.eq(word)
        m.d.sync += Cat(low, low_carry).eq(
            added(first[:HALF_BITS], word[:HALF_BITS], carry & carried[at(1)[1]])
        )
        word_high, first_high = Signal(HALF_BITS), Signal(HALF_BITS)
        low_r = Signal(HALF_BITS)
        m.d.sync += [
            word_high.eq(word[HALF_BITS:]),
            first_high.eq(first[HALF_BITS:]),
            low_r.eq(low),
        ]
        with m.If(came[late + 2] & at(2)[0]):
            m.d.sync += Cat(high, carry).eq(added(first_high, word_high, low_carry))
        _, number, whose = at(3)
        m.d.comb += [
            extent.valid.eq(self.i_valid & self.i_ready & (self.i_measured.kind == Kind.RISE)),
            extent.channel.eq(self.i_measured.channel),
            extent.value_ticks.eq(self.i_measured.value_ticks),
            extent.clear_stb.eq(self.clear | self.done_stb),
            extent.look.eq(channel),
        ]
        pending = Signal(HALF_BITS)
        m.d.sync += pending.eq(Array(self.pending)[at(2)[2]])
        words = {
            PENDING: Cat(low_r, pending),
            7: extent.least,
            8: extent.greatest,
            9: end_ticks[:WORD_BITS],
            10: end_ticks[WORD_BITS:],
        }
        total = Array(words.get(n, Cat(low_r, high)) for n in range(ITEMS))[number]
        ready, last = Signal(), Signal()
        kept, kept_number, kept_channel = Signal(WORD_BITS), Signal.like(item), Signal(bits)
        m.d.sync += ready.eq(came[late + 3] & at(3)[0])
        with m.If(came[late + 3] & at(3)[0]):
            m.d.sync += [kept.eq(total), kept_number.eq(number), kept_channel.eq(whose)]
        self._write(m, memory, ready, kept, kept_number, kept_channel)
        ends = (kept_number == ITEMS - 1) & (kept_channel == geometry.channels - 1)
        m.d.sync += last.eq(ready & ends)
        with m.If(last):
            m.d.sync += added_up.eq(1)

    def _write(self, m, memory, ready, word, number, channel) -> None:
        """Write a word to its memory. In `main`, words of classes go first."""

        def among(numbers):
            return Array(n in numbers for n in range(ITEMS))[number]

        waits = Signal()
        to_main = (ready & among(MAIN)) | waits
        m.d.sync += waits.eq(to_main & self._class_writes)
        with m.If(to_main & ~self._class_writes):
            m.d.comb += [
                memory.main_valid.eq(1),
                memory.main.channel.eq(channel),
                memory.main.place.eq(Array(MAIN.get(n, 0) for n in range(ITEMS))[number]),
                memory.main_word.eq(word),
            ]
        m.d.comb += [
            memory.side_valid.eq(ready & among(SIDE)),
            memory.side.channel.eq(channel),
            memory.side.place.eq(Array(SIDE.get(n, 0) for n in range(ITEMS))[number]),
            memory.side_word.eq(word),
            memory.rest_valid.eq(ready & among(REST)),
            memory.is_time.eq(number != PENDING),
            memory.rest.channel.eq(channel),
            memory.rest.place.eq(number == ITEMS - 1),
            memory.rest_word.eq(word),
        ]
