"""Counters and statistics of samples PACE_CLOCKS or more apart: no forwarding, adders shared.

Beside Tally and Statistics, which take a sample a clock: with time between the samples a word is
back in memory before it is read again, and one adder of 16 bits does for several words in turn.
"""

from enum import IntEnum

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from plexor.protocol.memory import STATISTICS, VALUE_BITS
from plexor_hdl.extremes import biased
from plexor_hdl.fetch import plain_memory
from plexor_hdl.limb import Line
from plexor_hdl.parts import added
from plexor_hdl.statistics import ENTRY_WORDS, WORD_BITS, statistics_ports
from plexor_hdl.tables import table
from plexor_hdl.tally import Sweep, tally_ports

HALF_BITS = VALUE_BITS // 2
LEAST_KEY_BITS = 3
"""Of extremes that a tool is left to find a memory for."""


def fetched_from(m: Module, memory, address, name: str) -> Signal:
    """Return the word at `address`, one clock later; into a register before anything else."""
    # A port with its own clock would make yosys add logic for reads during writes.
    port = memory.read_port(domain="comb")
    fetched = Signal(len(port.data), name=name, reset_less=True)
    m.d.comb += port.addr.eq(address)
    m.d.sync += fetched.eq(port.data)
    return fetched


class PacedTally(wiring.Component):
    """An array of `entries` counters of `bits` bits, up to 32, in two limbs.

    Counts, saturates, clears and resets as a Tally of one bank, with its ports; beats must come
    PACE_CLOCKS or more apart. A memory that is `far`, spread over the device, has one more register
    behind it. Latency: a beat is in the words read for an address `latency` clocks after it.
    `read`: an address must stand until READ_CLOCKS clocks after it, and until as long after a beat.
    """

    def __init__(self, entries: int, bits: int, far: bool = False) -> None:
        if entries & (entries - 1) or entries < 2:
            raise ValueError(f"entries: {entries}; must be a power of two, 2 or more")
        if not 2 <= bits <= WORD_BITS:
            raise ValueError(f"bits: {bits}; must be 2 to {WORD_BITS}")
        self._entries = entries
        self._low_bits = bits // 2
        self._high_bits = bits - self._low_bits
        self.memories = [
            plain_memory(width, entries) for width in (self._low_bits, self._high_bits)
        ]
        self._far = far
        self.latency = 5 + far
        super().__init__(tally_ports(entries))

    def elaborate(self, platform) -> Module:
        m = Module()
        valid = Line(m, self.i_address.valid, "valid")
        m.submodules.sweep = sweep = Sweep(self._entries)
        m.d.comb += [sweep.stb.eq(self.clear_stb), self.clear_busy.eq(sweep.busy)]
        clear = Line(m, sweep.busy, "clear")

        address = Signal(range(self._entries))
        write_address = Signal.like(address)
        beyond = Signal()
        with m.If(~(valid[1] | valid[2])):
            m.d.sync += [
                address.eq(Mux(valid[0], self.i_address.payload.address, self.read.address)),
                beyond.eq(~valid[0] & self.read.address[len(address) :].any()),
            ]
        with m.If(valid[3] | clear[0]):
            m.d.sync += write_address.eq(Mux(clear[0], sweep.address, address))
        outside = Line(m, beyond, "outside")[1 + self._far]
        stored = []
        for name, memory in zip(("low", "high"), self.memories, strict=True):
            m.submodules[f"{name}_memory"] = memory
            fetched = fetched_from(m, memory, address, f"{name}_fetched")
            if self._far:
                fetched = Line(m, fetched, f"{name}_near")[1]
            word = Signal(len(fetched), name=name)
            m.d.sync += word.eq(Mux(outside, 0, fetched))
            stored.append(word)
        low, high = stored
        m.d.comb += self.read.data.eq(Cat(low, high))

        # The high limb one clock after the low one. A count that would wrap is not written.
        full = Signal()
        low_sum, high_sum = Signal(self._low_bits + 1), Signal(self._high_bits)
        held = Signal()
        m.d.comb += held.eq(low_sum[-1] & full)
        m.d.sync += [
            full.eq(high.all()),
            low_sum.eq(Mux(clear[0], 0, low + 1)),
            high_sum.eq(Mux(clear[0], 0, high + (low_sum[-1] & ~full))),
        ]
        written = 4 + self._far
        writes = (
            (low_sum, clear[1] | (valid[written] & ~held)),
            (high_sum, clear[1] | valid[written + 1]),
        )
        for memory, (total, enable) in zip(self.memories, writes, strict=True):
            port = memory.write_port()
            m.d.comb += [
                port.addr.eq(write_address),
                port.data.eq(total),
                port.en.eq(enable),
            ]
        with m.If(valid[written] & held):
            m.d.sync += self.saturated.eq(1)
        with m.If(self.clear_stb):
            m.d.sync += self.saturated.eq(0)
        return m


class Pass(IntEnum):
    """The words of a record by the clock, after its sample, that reads them.

    Extremes are read beside them: the maximum in even passes, the minimum in odd ones. So the low
    bits of a word's number in its record tell its pass.
    """

    SUM_LOW = 0
    COUNT_LOW = 1
    SUM_HIGH = 2
    COUNT_HIGH = 3


class Source(IntEnum):
    """Where a word that is read comes from."""

    SUM = 0
    LEAST = 1
    MOST = 2
    ONES = 3


WORDS = {
    ("count", 0): Source.SUM,
    ("count", 1): Source.SUM,
    ("sum_ticks", 0): Source.SUM,
    ("sum_ticks", 1): Source.SUM,
    ("min_ticks", 0): Source.LEAST,
    ("min_ticks", 1): Source.ONES,
    ("max_ticks", 0): Source.MOST,
    ("max_ticks", 1): Source.ONES,
}
"""The words that a record has, and their source."""


class PacedStatistics(wiring.Component):
    """A record plexor.protocol.memory.STATISTICS for each key of `key_bits` bits, in one bank.

    Count, sum, minimum and maximum; all else reads 0. As Statistics otherwise, with its ports, but
    samples must come PACE_CLOCKS or more apart. A sample's words go through two adders and two
    compares of 16 bits in len(Pass) passes, a clock each.

    Latency: a sample is in the words read for addresses `latency` clocks after it.
    `read`: an address must stand until READ_CLOCKS + 2 clocks after it, and as long after a sample.
    Reset: no samples; sums need a clear.
    """

    def __init__(self, key_bits: int) -> None:
        self._key_bits = key_bits
        self.sums = [plain_memory(HALF_BITS, len(Pass) << key_bits) for _ in range(2)]
        self.latency = len(Pass) + 2
        super().__init__(statistics_ports(key_bits))

    def elaborate(self, platform) -> Module:
        m = Module()
        sample = self.i_sample.payload
        keys = 1 << self._key_bits
        valid = self._valid = Line(m, self.i_sample.valid, "valid")
        m.submodules.sweep = sweep = Sweep(keys * len(Pass))
        clear = self._clear = Line(m, sweep.busy, "clear")
        m.d.comb += [
            sweep.stb.eq(self.clear_stb),
            self.clear_busy.eq(Cat(clear[clocks] for clocks in range(6)).any()),
        ]

        # What is read: a sample's words for len(Pass) clocks; else what clears or reads.
        read_place, source, present = self._addressed(m)
        place, place_r = Signal.like(read_place), Signal.like(read_place)
        number = place_r[self._key_bits :]
        m.d.comb += place.eq(Mux(valid[0], sample.key, place_r))
        under_way = valid[1] | valid[2]
        with m.If(valid[0]):
            m.d.sync += place_r.eq(Cat(sample.key, Const(1, 2)))
        with m.Elif(under_way):
            m.d.sync += number.eq(number + 1)
        with m.Else():
            m.d.sync += place_r.eq(Mux(clear[0], sweep.address, read_place))
        places = Line(m, place, "place")

        # The biased value and its complement in turn, the complement first.
        value = Signal(VALUE_BITS)
        m.d.sync += value.eq(Mux(valid[0], ~biased(sample.value_ticks), ~value))
        sums = self._sums(m, value, places)
        extremes, known = self._extremes(m, value, places)

        negative = extremes[-1] ^ number[0]
        kind = Signal(Source)
        absent = Signal()
        m.d.sync += [
            kind.eq(source),
            absent.eq(
                ~present | ((source != Source.SUM) & ~known) | ((source == Source.ONES) & ~negative)
            ),
        ]
        word = Signal(WORD_BITS)
        least = biased(extremes)
        with m.Switch(kind):
            with m.Case(Source.SUM):
                m.d.comb += word.eq(sums)
            with m.Case(Source.LEAST):
                m.d.comb += word.eq(least)
            with m.Case(Source.MOST):
                m.d.comb += word.eq(~least)
            with m.Default():
                m.d.comb += word.eq(~0)
        m.d.sync += self.read.data.eq(Mux(absent, 0, word))
        return m

    def _addressed(self, m: Module):
        """Return the place of the word to read, a clock late; then its source, and if it is one."""
        keys = 1 << self._key_bits
        # A record is a whole number of four words, so the table needs no address bits below.
        quads = ENTRY_WORDS // 4
        quad = self.read.address[2 : 2 + (keys * quads - 1).bit_length()]
        key = table({n: n // quads for n in range(keys * quads)}, quad)
        quarter = table({n: n % quads for n in range(keys * quads)}, quad)
        low = self.read.address[:2]
        inside = self.read.address < keys * ENTRY_WORDS
        # Far from the dumper, and a table behind that.
        key, quarter, low, inside = (
            Line(m, value, name)[1]
            for value, name in (
                (key, "key"),
                (quarter, "quarter"),
                (low, "low"),
                (inside, "inside"),
            )
        )
        source, present = Signal(Source), Signal()
        starts, words = {}, 0
        for field in STATISTICS.fields:
            starts[field.name] = words
            words += field.bits // WORD_BITS
        with m.Switch(Cat(low, quarter)):
            for (name, part), its_source in WORDS.items():
                with m.Case(starts[name] + part):
                    m.d.comb += [source.eq(its_source), present.eq(1)]
        source_r, present_r = Signal(Source), Signal()
        m.d.sync += [
            source_r.eq(source),
            present_r.eq(present & inside),
        ]
        return Cat(key, ~low[1], low[0]), source_r, present_r

    def _sums(self, m: Module, value, places):
        """Return what memory has of sum and count at the place; add the sample in passing."""
        valid, clear = self._valid, self._clear
        negative = Line(m, valid[1] & value[-1], "negative")
        addends = [Signal(HALF_BITS, name="low_addend"), Signal(HALF_BITS, name="high_addend")]
        halves = ~value[:HALF_BITS], Cat(value[HALF_BITS:-1], ~value[-1])
        for lag, half in enumerate(halves):
            m.d.sync += addends[lag].eq(
                Mux(valid[1 + lag], half, negative[2 + lag].replicate(HALF_BITS))
            )
        totals = [Signal(HALF_BITS, name="low_total"), Signal(HALF_BITS, name="high_total")]
        # The high limb's carry is there when the low limb comes to the next word but one; before,
        # nothing is added to the sum and one to the count.
        carries = [Signal(name="to_low"), Signal(name="to_high")]
        found = []
        for lag, name in enumerate(("low", "high")):
            m.submodules[f"{name}_sums"] = memory = self.sums[lag]
            stored = Signal(HALF_BITS, name=f"{name}_stored")
            port = memory.write_port()
            total = added(stored, addends[lag], carries[lag])
            over = (total[-1] & ~valid[1]) | valid[2] if lag else total[-1]
            m.d.sync += [
                stored.eq(fetched_from(m, memory, places[lag], f"{name}_fetched")),
                totals[lag].eq(Mux(clear[3 + lag], 0, total)),
                carries[1 - lag].eq(over),
            ]
            m.d.comb += [
                port.addr.eq(places[3 + lag]),
                port.data.eq(totals[lag]),
                port.en.eq(Cat(clear[4 + lag], *(valid[3 + lag + n] for n in Pass)).any()),
            ]
            found.append(stored)
        return Cat(*found)

    def _extremes(self, m: Module, value, places):
        """Return what memory has at the place, and whether its key has samples.

        That is the complement of the biased maximum, or the biased minimum: what is less replaces
        either.
        """
        valid = self._valid
        width = self._key_bits + 1
        # Few rows a tool makes of flip-flops: too many for a device that has so few channels.
        style = {"ram_style": "block"} if width < LEAST_KEY_BITS else {}
        memory = plain_memory(VALUE_BITS, 1 << width, **style)
        m.submodules.extremes = memory
        stored = Signal(VALUE_BITS, name="extreme_stored")
        m.d.sync += stored.eq(fetched_from(m, memory, places[0][:width], "extreme_fetched"))
        # a < b where b + ~a carries; `value` is ~a here and, a clock later, what is to be written.
        low, high = slice(HALF_BITS), slice(HALF_BITS, None)
        less, low_less, same = Signal(), Signal(), Signal()
        m.d.sync += [
            low_less.eq((stored[low] + value[low])[HALF_BITS]),
            less.eq((stored[high] + value[high])[HALF_BITS]),
            same.eq((stored[high] ^ value[high]).all()),
        ]
        used = Signal(1 << self._key_bits)
        known = Signal()
        known_r = Signal()
        m.d.sync += [known.eq(Array(used)[places[1][: self._key_bits]]), known_r.eq(known)]
        with m.If(valid[3]):
            m.d.sync += Array(used)[places[3][: self._key_bits]].eq(1)
        with m.If(self._clear[0]):
            m.d.sync += used.eq(0)
        port = memory.write_port()
        m.d.comb += [
            port.addr.eq(places[3][:width]),
            port.data.eq(value),
            port.en.eq((valid[3] | valid[4]) & (~known_r | less | (same & low_less))),
        ]
        return stored, known
