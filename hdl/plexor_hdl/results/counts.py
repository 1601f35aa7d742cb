# SPDX-License-Identifier: Apache-2.0
"""A build's counts of sources, events, drops and classes, all in one memory."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_BITS, SOURCE_LOAD, SOURCE_STEP
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import CLASSES, Space, banks
from plexor_hdl.capture.capture import SourceAmounts
from plexor_hdl.control.registers import SOURCE_ADDRESS_BITS
from plexor_hdl.interfaces import COUNT_BITS, SPACE_ADDRESS_BITS, Decision, SpaceRead
from plexor_hdl.lib.split_sum import CHUNK_BITS
from plexor_hdl.results.count_memory import CHUNK_NUMBER_BITS, COUNT_CHUNKS, CountMemory
from plexor_hdl.results.count_places import CLASS_BITS, CountPlaces
from plexor_hdl.results.count_queue import CountQueue
from plexor_hdl.uplink.upload import Drop

PARTS = (Space.CLASSES, Space.EDGES, Space.UPLOAD_DROPS)
VISIT_BITS = 4
VISIT_CLOCKS = 1 << VISIT_BITS
"""Clocks between visits of two sources' counts."""


COPY_WAIT = 18
"""Clocks from `copying` to the first word that may be copied."""
COPY_CLOCKS = 3
"""Clocks from a word's address to the word."""


def copy_clocks(geometry: Geometry) -> int:
    """Return for how many clocks `copying` may be high, at most."""
    return COPY_WAIT + COPY_CLOCKS + geometry.channels * CLASSES * COUNT_CHUNKS * 2 + 8


class CopyAddress(data.StructLayout):
    """Address of chunk number `chunk` of the count of a channel's class in a bank."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__(
            {
                "bank": 1,
                "chunk": CHUNK_NUMBER_BITS,
                "response_class": CLASS_BITS,
                "channel": max(geometry.key_bits, 1),
            }
        )


class Counts(wiring.Component):
    """Counts classes, edges and drops in each bank, and the edges of each source.

    A decision, an event and a drop can come in each clock while there is `room`; each is one of
    Space.CLASSES, Space.EDGES and Space.UPLOAD_DROPS. `bank` may change while `idle`.

    Several edges of a source can come in a clock. They go to short counters, which are visited in
    turn, one each VISIT_CLOCKS; visits carry them into the memory. A visit of the source that is
    read waits, once in a round.

    With a sweep table chunks of classes are copied while `copying` is high. It may rise while
    `idle`, for copy_clocks at most. Nothing else may be read then, and no source asked for; one
    that was asked for before is told. What comes meanwhile, a drop before the link for one, is
    counted afterwards.

    Latency: SOURCE_CLOCKS from `source_stb` to `source_value`; word_clocks (dumper.py), at most,
        from an address of `reads` to its word; COPY_CLOCKS from `copy` to `copy_word`.
    Throughput: 2 clocks for each count, but for one visit each VISIT_CLOCKS; a copied chunk each
        clock.
    Reset: nothing is under way; the memory keeps its words, so a clear must come first.
    Wrap: counts wrap at 2**48 and set `saturated`.
    Full: `room` falls up to 3 clocks late, and then still has ROOM words of CountQueue. A beat may
        begin in the clock in which it falls.

    Ports:
        copying: With a sweep table: 1 while classes are copied.
        copy: With a sweep table: chunk to copy, from COPY_WAIT clocks after `copying` rose.
        copy_word: With a sweep table: the chunk's CHUNK_BITS bits.
        i_decision: What the matcher decided of a channel.
        i_valid: 1 if `i_decision` counts in this clock.
        i_event_valid: 1 if an event of the merge counts in this clock.
        i_source: The event's source.
        i_polarity: The event's polarity.
        i_drop: An event that was dropped before the link, if it is valid.
        i_sources: Edges of each source in this clock, generated and dropped.
        room: 1 if the matcher may go on.
        idle: 1 if what came is in memory; it falls a clock after something comes.
        bank: Bank in which classes, edges and drops count.
        reads: Reads of the spaces PARTS, of which one is read at a time: the one whose address has
            its upper bit low. All give its word, or 0 where none is read.
        source_stb: Asks for a source's count; at least SOURCE_CLOCKS after the last, or for the
            same source.
        source_address: The source x 2, or one more for what was dropped of it; it stands from the
            clock before `source_stb` until the value is there.
        source_value: The count asked for; it stands until the next.
        settle_stb: Asks when all that came before is counted.
        settled_stb: Answers, once that is in memory and in the sources' counts.
        clear_stb: Zeroes all; nothing may come until `clear_busy` is low.
        clear_busy: 1 while the clear takes.
        saturated: 1 from the first wrap until the next clear.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._copies = SOURCE_STEP in geometry.sources
        self.spaces = PARTS
        copy = {
            "copying": In(1),
            "copy": In(CopyAddress(geometry)),
            "copy_word": Out(CHUNK_BITS),
        }
        super().__init__(
            {
                **(copy if self._copies else {}),
                "i_decision": In(Decision(geometry)),
                "i_valid": In(1),
                "i_event_valid": In(1),
                "i_source": In(SOURCE_BITS),
                "i_polarity": In(1),
                "i_drop": In(Drop),
                "i_sources": In(
                    data.ArrayLayout(SourceAmounts(geometry.samples), len(geometry.merged))
                ),
                "room": Out(1),
                "idle": Out(1),
                "bank": In(1),
                "reads": In(SpaceRead()).array(len(PARTS)),
                "source_stb": In(1),
                "source_address": In(SOURCE_ADDRESS_BITS),
                "source_value": Out(COUNT_BITS),
                "settle_stb": In(1),
                "settled_stb": Out(1),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        places = CountPlaces(geometry)
        two_banks = banks(geometry, Space.CLASSES) > 1
        lines = self._lines(places)
        # Each line is visited once in a round, but a visit may have to wait for a read.
        clocks = VISIT_CLOCKS * (len(lines) + 3)
        if self._copies:
            clocks += copy_clocks(geometry)
        bits = (clocks * geometry.samples).bit_length()
        m.submodules.counts = counts = CountMemory(places.bits, bits)
        m.submodules.queue = queue = CountQueue(geometry)
        m.d.comb += [
            queue.i_decision.eq(self.i_decision),
            queue.i_valid.eq(self.i_valid),
            queue.i_event_valid.eq(self.i_event_valid),
            queue.i_source.eq(self.i_source),
            queue.i_polarity.eq(self.i_polarity),
            queue.i_drop.eq(self.i_drop),
            queue.bank.eq(self.bank if two_banks else 0),
            queue.second.eq(counts.second),
            queue.taken.eq(counts.taken),
            queue.clear.eq(self.clear_stb),
            counts.place.eq(queue.place),
            counts.clear_stb.eq(self.clear_stb),
            self.room.eq(queue.room),
            self.idle.eq(queue.idle),
            self.clear_busy.eq(counts.clear_busy),
            self.saturated.eq(counts.saturated),
        ]

        # The line changes only after a visit has used its sample.
        line, wait = Signal(range(len(lines)), name="line"), Signal(VISIT_BITS, name="wait")
        due, visited, before = Signal(name="due"), Signal(name="visited"), Signal()
        line_place, last_line = Signal(places.bits), Signal(name="last_line")
        asked, watched = Signal(4, name="asked"), Signal(name="watched")
        stands = self.copying if self._copies else Const(0)
        source_place = places.source(self.source_address)
        m.d.comb += [
            counts.valid.eq(queue.valid & ~stands),
            # A visit waits until everything known about the line is up to date.
            counts.visit.eq(
                due & ~stands & ~visited & ~before & ~(watched & (self.source_stb | asked.any()))
            ),
            counts.visit_place.eq(line_place),
            counts.sample.eq(self._sample(m, lines, line, bits)),
        ]
        m.d.sync += [
            wait.eq(wait + 1),
            last_line.eq(line == len(lines) - 1),
            line_place.eq(Array(place for place, _, _ in lines)[line]),
            watched.eq(line_place == source_place),
        ]
        with m.If(counts.visit_taken):
            m.d.sync += due.eq(0)
        with m.If(wait.all()):
            m.d.sync += due.eq(1)
        with m.If(counts.second):
            m.d.sync += [visited.eq(counts.visit_taken), before.eq(visited)]
        with m.If(counts.second & visited):
            m.d.sync += line.eq(Mux(last_line, 0, line + 1))
        self._settle(m, counts.second & visited & last_line, queue.idle)
        self._reads(m, places, counts, asked, source_place, two_banks)
        if self._copies:
            self._copy(m, places, counts)
        return m

    def _lines(self, places):
        """Return each source count's place, its input, and the input's enable."""
        lines = []
        for number, source in enumerate(self._geometry.merged):
            amounts = self.i_sources[number]
            # These sources have at most one edge in a word.
            one = source >= SOURCE_LOAD
            amount = amounts.generated[0] if one else amounts.generated
            for which, enable in enumerate((Const(1), amounts.dropped.any())):
                lines.append((places.source_number(source, which), amount, enable))
        return lines

    def _sample(self, m, lines, line, bits):
        """Count each line's input, up to 2**bits; return the inverted count of `line`."""
        shorts = []
        for number, (_, amount, enable) in enumerate(lines):
            short = Signal(bits, name=f"short{number}")
            with m.If(self.clear_busy):
                m.d.sync += short.eq(0)
            with m.Elif(enable):
                m.d.sync += short.eq(short + amount)
            shorts.append(~short)
        # The choice takes two clocks: first within pairs, then among pairs.
        sample, odd = 0, Signal()
        m.d.sync += odd.eq(line[0])
        for pair in range((len(lines) + 1) // 2):
            one, other = [*shorts[2 * pair : 2 * pair + 2], Const(0)][:2]
            here, pick = Signal(bits, name=f"sample{pair}"), Signal(name=f"pick{pair}")
            m.d.sync += [
                pick.eq(line[1:] == pair),
                here.eq(Mux(pick, Mux(odd, other, one), 0)),
            ]
            sample |= here
        return sample

    def _settle(self, m, round_stb, idle) -> None:
        """Wait for the ends of two rounds, and until everything else is in memory."""
        left = Signal(2)
        m.d.sync += self.settled_stb.eq((left == 1) & idle)
        with m.If(self.settle_stb):
            m.d.sync += left.eq(3)
        with m.Elif((round_stb & left[1]) | ((left == 1) & idle)):
            m.d.sync += left.eq(left - 1)

    def _reads(self, m, places, counts, asked, source_place, two_banks) -> None:
        """Read the words of spaces, alternating between chunks, and a source's count on request."""
        # `asked` counts clocks: the count is read once nothing under way can change it.
        m.d.sync += asked.eq(asked + asked.any())
        with m.If(self.source_stb):
            m.d.sync += asked.eq(1)
        reads_source = asked[3] & ~asked[1:3].all()

        classes, edges, drops = self.reads
        chosen = [~read.address[SPACE_ADDRESS_BITS - 1] for read in self.reads]
        there, high, turn = Signal(), Signal(), Signal()
        number = Mux(chosen[1], edges.address[2:], drops.address[1:])[:SOURCE_BITS]
        code = places.code_of(number)
        present = Const(sum(1 << n for n in self._geometry.sources), 1 << SOURCE_BITS)
        place = Signal(places.bits)
        with m.If(chosen[0]):
            m.d.sync += [
                place.eq(
                    places.classes(
                        classes.address[1 : 1 + CLASS_BITS],
                        classes.address[1 + CLASS_BITS :],
                        classes.bank if two_banks else 0,
                    )
                ),
                there.eq(1),
                high.eq(classes.address[0]),
            ]
        with m.Else():
            m.d.sync += there.eq((chosen[1] | chosen[2]) & present.bit_select(number, 1))
            with m.If(chosen[1]):
                m.d.sync += [
                    place.eq(places.edges(edges.address[1], code, edges.bank if two_banks else 0)),
                    high.eq(edges.address[0]),
                ]
            with m.Else():
                m.d.sync += [
                    place.eq(places.drops(code, drops.bank if two_banks else 0)),
                    high.eq(drops.address[0]),
                ]
        # What is read in a second clock comes in the next one.
        of_source, chunk = Signal(), Signal(2)
        source_came, chunk_came = Signal(), Signal(2)
        chunk_next = Mux(reads_source, asked[1:3], Mux(turn, 1, Mux(high, 2, 0)))
        m.d.sync += [
            of_source.eq(reads_source),
            chunk.eq(chunk_next),
            counts.read_row.eq(Cat(Mux(reads_source, source_place, place), chunk_next)),
        ]
        parts = Array(Signal(CHUNK_BITS, name=f"part{number}") for number in range(2))
        with m.If(counts.second):
            m.d.sync += [
                turn.eq(~turn),
                source_came.eq(of_source),
                chunk_came.eq(chunk),
            ]
            with m.If(source_came):
                m.d.sync += self.source_value.word_select(chunk_came, CHUNK_BITS).eq(counts.word)
            with m.Elif(chunk_came[0]):
                m.d.sync += parts[1].eq(Mux(there & ~high, counts.word, 0))
            with m.Else():
                m.d.sync += parts[0].eq(Mux(there, counts.word, 0))
        for read in self.reads:
            m.d.comb += [read.data.eq(Cat(*parts)), read.some.eq(1)]

    def _copy(self, m, places, counts) -> None:
        """During `copying`, read nothing else, once everything under way has been written."""
        wait = Signal(range(COPY_WAIT))
        with m.If(~self.copying):
            m.d.sync += [wait.eq(0), counts.reads.eq(0)]
        with m.Elif(wait == COPY_WAIT - 2):
            m.d.sync += counts.reads.eq(1)
        with m.Else():
            m.d.sync += wait.eq(wait + 1)
        copy = self.copy
        # Until then, a count that was requested earlier may still be read.
        with m.If(counts.reads):
            place = places.classes(copy.response_class, copy.channel, copy.bank)
            m.d.sync += counts.read_row.eq(Cat(place, copy.chunk))
        m.d.comb += self.copy_word.eq(counts.word)
