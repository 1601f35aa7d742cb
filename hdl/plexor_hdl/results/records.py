# SPDX-License-Identifier: Apache-2.0
"""Exact statistics of each kind and channel: count, sums, and extremes with their events."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor_hdl.interfaces import Measured, SpaceRead, several_kinds
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.clearing import Clearing
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import high_part, low_part
from plexor_hdl.lib.squares import Squares
from plexor_hdl.lib.word_sums import WordSums
from plexor_hdl.results.record_words import (
    EVENT,
    LEAST,
    MOST,
    ROW_BITS,
    SQUARES,
    SUM,
    RecordWords,
    key_bits_of,
    record_key,
)


def biased(value: Value) -> Value:
    """Return a signed value's bits such that they order like an unsigned value."""
    return Cat(value[:-1], ~value[-1])


class Records(wiring.Component):
    """Keeps a record STATISTICS (plexor.protocol.memory) of each kind and channel, in each bank.

    A value goes to the record of its kind and channel in `bank`, which may change while `idle`.
    Where several kinds are measured there are the sum of squares, and index and time of the first
    minimum and the first maximum. What a build leaves out, and a record without samples, reads 0.
    Of the two spaces one is read at a time, the one whose address has its upper bit low.

    Latency: `idle` rises IDLE_CLOCKS after the last value, which is in memory by then. A word is
        there READ_DELAY (20) clocks after its address came and its record was last added to. While
        `idle` an address may stand for STAND_CLOCKS alone; its word is there IDLE_DELAY clocks
        after it came.
    Throughput: a value in PASSES (4) clocks, the first one of a record in 8; after two without a
        clock between there is one more, in which words are read. In a build that measures rises
        alone, a value in 9.
    Reset: nothing is under way; the memories keep their words, so a clear must come first.
    Wrap: sum and count wrap at 2**64, the sum of squares at 2**96; no run is that long.
    Full: never; `i_measured` waits for its turn.

    Ports:
        i_measured: Stream of values, in ticks, with their kind and channel.
        bank: Bank of the records that a value goes to.
        idle: 1 if no value is under way.
        latencies: Reads Space.LATENCY_STATISTICS.
        intervals: Reads Space.INTERVAL_STATISTICS.
        clear_stb: Zeroes all records.
        clear_busy: 1 while that takes; no values may come.
    """

    PASSES = 4
    """Number of words of count and sum together."""
    READ_DELAY = 5 * PASSES
    STAND_CLOCKS, IDLE_DELAY = 5, 8
    IDLE_CLOCKS = 32
    """Upper bound of a value's clocks from the input to the last memory."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        # Builds that measure rises alone read nothing while values come.
        self._several = several_kinds(geometry)
        self._chunk_bits = WORD_BITS if self._several else WORD_BITS // 2
        self._passes = self.PASSES * WORD_BITS // self._chunk_bits
        self.value_clocks = self._passes
        """Minimum clocks between two values."""
        self._key_bits = key_bits_of(geometry)
        super().__init__(
            {
                "i_measured": In(stream.Signature(Measured(geometry))),
                "bank": In(1),
                "idle": Out(1),
                "latencies": In(SpaceRead()),
                "intervals": In(SpaceRead()),
                "clear_stb": In(1),
                "clear_busy": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        key_bits = self._key_bits
        m.submodules.clearing = clearing = Clearing(self._passes << key_bits)
        clear = Line(m, clearing.busy, "clear")
        m.d.comb += [
            clearing.stb.eq(self.clear_stb),
            self.clear_busy.eq(Cat(clear[clocks] for clocks in range(4)).any()),
        ]

        # A value goes through its passes. After them, a clock may be used to read words.
        value = self.i_measured.payload
        start, runs, twice = Signal(), Signal(), Signal()
        number = Signal(range(2 * self.PASSES))
        last, long, free = Signal(), Signal(), Signal()
        calm = Signal(range(self.IDLE_CLOCKS))
        if self._several:
            m.d.comb += [
                free.eq(~runs | (last & ~twice)),
                start.eq(self.i_measured.valid & free),
                self.i_measured.ready.eq(free),
            ]
        else:
            # The value stays at the input until it is no longer needed, so it needs no register.
            m.d.comb += [
                start.eq(self.i_measured.valid & ~runs),
                self.i_measured.ready.eq(runs & (number == 2)),
            ]
        m.d.sync += [
            twice.eq(Mux(start, runs, twice & runs)),
            runs.eq(start | (runs & ~last)),
            number.eq(Mux(start, 0, number + 1)),
            last.eq(runs & (number == Mux(long, 2 * self._passes - 2, self._passes - 2))),
            self.idle.eq(~calm.any() & ~self.i_measured.valid),
        ]
        with m.If(self.i_measured.valid):
            m.d.sync += calm.eq(self.IDLE_CLOCKS - 1)
        with m.Elif(calm.any()):
            m.d.sync += calm.eq(calm - 1)
        key = record_key(self._geometry, value.channel, value.kind, self.bank)
        now = Signal(
            data.StructLayout(
                {
                    "key": key_bits,
                    "value": VALUE_BITS,
                    "negative": 1,
                    "index": len(value.index),
                    "time_ticks": len(value.time_ticks),
                }
            )
        )
        with m.If(start):
            m.d.sync += [
                now.key.eq(key),
                now.negative.eq(value.value_ticks[-1]),
                now.index.eq(value.index),
                now.time_ticks.eq(value.time_ticks),
            ]
            if self._several:
                m.d.sync += now.value.eq(value.value_ticks)
        if not self._several:
            m.d.comb += now.value.eq(value.value_ticks)
        known_now, known_read, read = self._known(
            m, key, start, clear[0], clearing.address, now.key
        )
        m.d.comb += long.eq(~known_now & self._several)

        adds = Signal()
        m.d.comb += adds.eq(runs & (number < self._passes))
        words = {SUM: self._sums(m, adds, number, now, read.place, clear, clearing.address)}
        if self._several:
            words[SQUARES] = self._add_squares(m, start, value, now, read.place, clear, clearing)
        extreme, keeps = self._extremes(m, adds, number, now, known_now, read.place)
        most = read.memory == MOST
        words[LEAST] = biased(extreme ^ most.replicate(VALUE_BITS))
        if self._several:
            words[EVENT] = self._event(m, keeps, now, read.place)
        self._answer(m, words, extreme, known_read, read)
        return m

    def _known(self, m, key, start, clear, clear_row, now_key):
        """Return whether the value's record and the record to read have samples.

        Also return the word to read: its `key`, `place` (key and row), `memory` and `high`.
        """
        m.submodules.known = memory = plain_memory(1, 1 << self._key_bits)
        write = memory.write_port()
        of_value, of_read = memory.read_port(domain="comb"), memory.read_port(domain="comb")
        known = Signal()
        m.submodules.words = words = RecordWords(self._geometry)
        read = words.asked
        m.d.comb += [
            words.latency_address.eq(self.latencies.address),
            words.latency_bank.eq(self.latencies.bank),
            words.interval_address.eq(self.intervals.address),
            words.interval_bank.eq(self.intervals.bank),
        ]
        started = Signal()
        m.d.comb += [
            of_value.addr.eq(key),
            of_read.addr.eq(read.key),
            write.addr.eq(Mux(clear, clear_row[-len(now_key) :], now_key)),
            write.data.eq(~clear),
            write.en.eq(clear | started),
        ]
        m.d.sync += started.eq(start)
        with m.If(start):
            m.d.sync += known.eq(of_value.data)
        return known, of_read.data, read

    def _sums(self, m, adds, number, now, place, clear, clear_row):
        """Add the value to sum and count; return the word read from them."""
        words, bits = self.PASSES << self._key_bits, self._chunk_bits
        m.submodules.sums = sums = WordSums(words, bits, self._several)
        chunk = number[: (self._passes - 1).bit_length()]
        half = len(chunk) - 1
        m.d.comb += [
            sums.run.eq(adds),
            sums.first.eq(~chunk[:half].any()),
            sums.chunk.eq(Mux(clear[0], clear_row, Cat(chunk, now.key))),
            sums.row.eq(Cat(place[:2], place[ROW_BITS:])),
            sums.clear.eq(clear[0]),
        ]
        # Signs and the count are added after the value, when another value may be at the input.
        late = Line(m, chunk, "chunk")[1]
        signed_sum = Cat(now.value, now.negative.replicate(WORD_BITS))
        with m.If(~late[-1]):
            m.d.comb += sums.addend.eq(signed_sum.word_select(late[:half], bits))
        with m.Else():
            m.d.comb += sums.addend.eq(~late[:half].any())
        return sums.word

    def _add_squares(self, m, start, value, now, place, clear, clearing):
        """Add the value's square when it is ready; return the word read from the sum of squares."""
        m.submodules.squares = squares = Squares()
        m.submodules.square_sums = sums = WordSums(
            self.PASSES << self._key_bits, WORD_BITS, live=True
        )
        m.d.comb += [squares.stb.eq(start), squares.value_ticks.eq(value.value_ticks)]
        # Squares take many clocks, so a small memory delays the keys.
        m.submodules.late_keys = late_keys = plain_memory(self._key_bits, 16)
        write, read = late_keys.write_port(), late_keys.read_port(domain="comb")
        clock = Signal(4)
        begins = Line(m, start, "begins")[Squares.LATENCY]
        number, runs, key = Signal(2), Signal(), Signal(self._key_bits)
        m.d.comb += [
            write.addr.eq(clock),
            write.data.eq(now.key),
            write.en.eq(1),
            read.addr.eq(clock - (Squares.LATENCY - 1)),
        ]
        m.d.sync += [
            clock.eq(clock + 1),
            runs.eq(begins | (runs & (number != 2))),
            number.eq(Mux(begins, 0, number + 1)),
        ]
        with m.If(begins):
            m.d.sync += key.eq(read.data)
        m.d.comb += [
            sums.run.eq(runs),
            sums.first.eq(number == 0),
            sums.chunk.eq(Mux(clear[0], clearing.address, Cat(number, key))),
            sums.row.eq(Cat(place[:2], place[ROW_BITS:])),
            sums.clear.eq(clear[0]),
        ]
        late = Line(m, number, "number_of_square")[1]
        with m.If(~late[1]):
            m.d.comb += sums.addend.eq(squares.square.word_select(late[0], WORD_BITS))
        return sums.word

    def _extremes(self, m, adds, number, now, known, place):
        """Keep maxima in row 0 and minima in row 1; return the word read, and what was kept.

        Row 0 holds the complement of the maximum, so in both rows a smaller value replaces another.
        """
        memory = plain_memory(VALUE_BITS, 2 << self._key_bits, ram_style="block")
        m.submodules.extremes = memory
        read, write = memory.read_port(), memory.write_port()
        compares = Signal()
        m.d.comb += compares.eq(adds & (number < 2))
        which = number[0]
        row = Mux(compares, Cat(which, now.key), Cat(place[0], place[ROW_BITS:]))
        m.d.comb += read.addr.eq(row)
        candidate = Signal(VALUE_BITS)
        least = Line(m, which, "which")
        m.d.sync += candidate.eq(biased(now.value) ^ ~least[1].replicate(VALUE_BITS))
        runs, rows = Line(m, compares, "compares"), Line(m, row, "row")
        first = Line(m, ~known, "first")
        stored, word = Signal(VALUE_BITS), Signal(VALUE_BITS)
        low_less, high_less, high_same = Signal(), Signal(), Signal()
        m.d.sync += [
            stored.eq(read.data),
            low_less.eq(low_part(candidate) < low_part(stored)),
            high_less.eq(high_part(candidate) < high_part(stored)),
            high_same.eq(high_part(candidate) == high_part(stored)),
        ]
        less = high_less | (high_same & low_less)
        if self._several:
            with m.If(~runs[2]):
                m.d.sync += word.eq(stored)
        else:
            m.d.comb += word.eq(stored)
        keeps = runs[3] & (first[3] | less)
        m.d.comb += [
            write.addr.eq(rows[3]),
            write.data.eq(Line(m, candidate, "candidate")[1]),
            write.en.eq(keeps),
        ]
        return word, (keeps, least[3])

    def _event(self, m, keeps, now, place):
        """Keep index and time of an extreme, word by word; return the word read from them.

        Only a first value is both extremes. It takes the time for both.
        """
        memory = plain_memory(WORD_BITS, 1 << self._key_bits + ROW_BITS, ram_style="block")
        m.submodules.events = memory
        read, write = memory.read_port(), memory.write_port()
        kept, which = keeps
        most, least, writes = Signal(), Signal(), Signal()
        todo, number, row = Signal(2), Signal(2), Signal(self._key_bits)
        event = Signal(4 * WORD_BITS)
        words = Cat(now.index, Const(0, 2 * WORD_BITS - len(now.index)), now.time_ticks)
        key, taken = Line(m, now.key, "event_key")[1], Line(m, words, "event")[1]
        m.d.sync += most.eq(kept & ~which)
        m.d.comb += [least.eq(kept & which), writes.eq(todo.any())]
        with m.If(most | least):
            m.d.sync += [todo.eq(Cat(most, least)), row.eq(key), event.eq(taken), number.eq(0)]
        with m.Elif(writes):
            m.d.sync += number.eq(number + 1)
            with m.If(number.all()):
                m.d.sync += todo.eq(todo & (todo - 1))
        stored, word = Signal(WORD_BITS), Signal(WORD_BITS)
        m.d.comb += [
            write.addr.eq(Cat(number, ~todo[0], row)),
            write.data.eq(event.word_select(number, WORD_BITS)),
            write.en.eq(writes),
            read.addr.eq(place),
        ]
        m.d.sync += [stored.eq(read.data), word.eq(stored)]
        return word

    def _answer(self, m, words, extreme, known, read) -> None:
        """Give the word that was read to the port that requested it."""
        most = read.memory == MOST
        negative = ~(extreme[-1] ^ most)
        value = 0
        for memory, word in words.items():
            part = Signal(WORD_BITS, name=f"part{memory}")
            here = read.memory == memory
            if memory == LEAST:
                here = here | most
                word_or_signs = Mux(read.high, negative.replicate(WORD_BITS), word)
            else:
                word_or_signs = word
            # These signals are far from the words, and earlier than these.
            shown = Signal(name=f"shown{memory}")
            m.d.sync += [
                shown.eq(here & read.there & known),
                part.eq(Mux(shown, word_or_signs, 0)),
            ]
            value |= part
        for port in (self.latencies, self.intervals):
            m.d.comb += [port.data.eq(value), port.some.eq(1)]
