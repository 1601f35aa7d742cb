# SPDX-License-Identifier: Apache-2.0
"""32-bit counters in few bits of memory. A state of them can be frozen while they count on."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.clearing import Clearing
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.results.folding import Folding
from plexor_hdl.results.upper import PHASES, Upper, fetched_twice
from plexor_hdl.uplink.dumper import IN_FRAME_BITS

MAIN_BITS, DELTA_BITS = 12, 5
"""Low bits of a counter, each kind in a memory of its own. At a depth of 16384 a block RAM is one
bit wide, so these widths waste no bits."""
PAGES = 256
QUEUE = 4
"""Number of pairs of counts that may wait."""
CARRIES = 16
"""Number of carries that may wait. Pairs stop at half of it; those under way add fewer."""


class Pair(data.StructLayout):
    """Two counters that count one each: one below, one from `second_from` on."""

    def __init__(self, entries: int) -> None:
        super().__init__({"first": range(entries), "second": range(entries)})


def bins_ports(entries: int) -> dict:
    """Return the ports of counters that count in pairs."""
    return {
        "i_pair": In(stream.Signature(Pair(entries), always_ready=True)),
        "expect_stb": In(1),
        "room": Out(1),
        "address": In(range(entries)),
        "there": In(1),
        "word": Out(WORD_BITS),
        "some": Out(1),
        "frozen": In(1),
        "folding": Out(1),
        "idle": Out(1),
        "clear_stb": In(1),
        "clear_busy": Out(1),
        "saturated": Out(1),
    }


class Bins(wiring.Component):
    """Counts by twos in an array of counters whose state can be frozen while they count.

    Each pair adds one to a counter below `second_from` and one to a counter from there on; with
    `second_from` at `entries`, a power of two, only to the first. A pair is announced while `room`
    is high, at least 4 clocks after the one before, and comes later, in the same order.

    While `frozen` is high, counts go to a delta memory, and reads give the state when it rose. It
    may rise while `idle` and not `folding`. When it falls, the delta is added in the background:
    `folding` is high until that is done, and reads give any state between.

    A counter keeps its lowest `main_bits` (in the delta `delta_bits`) in a memory of its own, the
    others in Upper, which has room for few. Without room there, a counter stays where it is.

    Latency: WORD_CLOCKS (8) clocks from `address` to `word`; unless frozen, `word` keeps its old
        value while a carry is under way. A pair has counted once `idle` is high.
    Throughput: a pair in 4 clocks, 6 pairs in 28 while folding, a carry in JOB_CLOCKS. Pairs wait
        while CARRIES / 2 carries wait, and for each carry while folding or while Upper's `may_fail`
        is high.
    Reset: nothing is under way; the memories keep their words, so a clear must come before the
        first pair.
    Wrap: none; a counter stays at its greatest value and sets `saturated`.
    Full: `room` is low while QUEUE pairs are announced or wait.

    Ports:
        i_pair: Stream of pairs of counters, each of which counts one; always taken.
        expect_stb: Announces one pair.
        room: 1 if a pair may be announced.
        address: Counter that is read; it must stand until `word` is there.
        there: 1 if `address` is that of a counter; else `word` is 0.
        word: Count of the counter at `address`.
        some: 1, in the clock after the address, if one of the 2**IN_FRAME_BITS counters around it
            has counted or was folded since the clear; 0 without `there`.
        frozen: 1 freezes what is read.
        folding: 1 until the delta has been added.
        idle: 1 if no pair is under way; while `folding` it may be low for some clocks.
        clear_stb: Zeroes all; `frozen` must be low.
        clear_busy: 1 while that takes; no pairs may come.
        saturated: 1 from the first count that was lost until the next clear.
    """

    WORD_CLOCKS = 8

    def __init__(
        self,
        entries: int,
        second_from: int,
        main_bits: int = MAIN_BITS,
        delta_bits: int = DELTA_BITS,
        pages: int = PAGES,
        upper_bits: int | None = None,
    ) -> None:
        if entries & (entries - 1) or entries < 32:
            raise ValueError(f"entries: {entries}; must be a power of two, 32 or more")
        if not 1 <= delta_bits <= main_bits:
            raise ValueError(f"delta_bits: {delta_bits}; must be 1 to {main_bits}")
        self._entries, self._second_from = entries, second_from
        self._main_bits, self._delta_bits = main_bits, delta_bits
        self._upper_bits = WORD_BITS - main_bits if upper_bits is None else upper_bits
        self._pages = pages
        super().__init__(bins_ports(entries))

    def elaborate(self, platform) -> Module:
        m = Module()
        phase = Signal(PHASES, init=1)
        m.d.sync += phase.eq(phase.rotate_left(1))
        m.submodules.upper = upper = Upper(self._entries, self._upper_bits, self._pages)
        m.submodules.clearing = clearing = Clearing(max(self._entries, upper.places))
        clear = Line(m, clearing.busy, "clear")
        m.submodules.folding = folding = Folding(self._entries)
        m.d.comb += [
            clearing.stb.eq(self.clear_stb),
            self.clear_busy.eq(clear[0] | clear[1] | clear[2]),
            upper.phase.eq(phase),
            upper.clear.eq(clearing.busy),
            upper.clear_address.eq(clearing.address),
            upper.read_address.eq(self.address),
            upper.free_stb.eq(folding.done_stb),
            folding.phase.eq(phase),
            folding.frozen.eq(self.frozen),
            folding.clear.eq(self.clear_stb),
            folding.upper_any.eq(upper.taken.any()),
            self.folding.eq(folding.busy),
        ]

        # Counters are issued in phase 3. The first of a pair is read in phase 0, the second in 1,
        # and a word for the outside in 2. Each is written 3 clocks after its read.
        quiet, may = Signal(), Signal()
        pairs, pop = self._pairs(m, phase, folding, quiet, may)
        first, second = Signal(range(self._entries)), Signal(range(self._entries))
        valid, fold, into_delta = Signal(2), Signal(), Signal()
        paired = Const(self._second_from < self._entries)
        is_second = paired & (folding.address >= self._second_from)
        with m.If(phase[3]):
            m.d.sync += [
                fold.eq(folding.wants),
                into_delta.eq(self.frozen),
                first.eq(Mux(folding.wants, folding.address, pairs.first)),
                second.eq(Mux(folding.wants, folding.address, pairs.second)),
                valid.eq(Mux(folding.wants, Cat(~is_second, is_second), Cat(pop, pop & paired))),
            ]
        m.d.comb += folding.go.eq(phase[3] & folding.wants)
        place = Mux(phase[0], first, Mux(phase[1], second, self.address))
        counts = Line(m, (phase[2] & valid[0]) | (phase[3] & valid[1]), "counts")
        folds, deltas = Line(m, fold, "folds"), Line(m, into_delta, "deltas")

        carry, comes, comes_valid = self._carries(m, phase, upper, folding, quiet, may)
        spoilt = upper.failed_stb
        written = Signal(range(self._entries))
        m.d.sync += written.eq(
            Mux(
                clear[0],
                clearing.address,
                Mux(
                    phase[0],
                    folding.address,
                    Mux(phase[1], carry.address, Line(m, place, "place")[2]),
                ),
            )
        )
        totals = {}
        for name, bits, read, delta in (
            ("main", self._main_bits, place, 0),
            ("delta", self._delta_bits, Mux(folding.walks, folding.address, place), 1),
        ):
            memory = plain_memory(bits, self._entries, ram_style="block")
            m.submodules[name] = memory
            word = fetched_twice(m, memory, read, f"{name}_word")
            totals[name] = total = Signal(bits + 1, name=f"{name}_total")
            zero, write, enable = clear[0], memory.write_port(), Signal(name=f"{name}_write")
            here = (counts[0] & (into_delta == delta)) | (spoilt & (carry.delta == delta))
            if delta:
                addend, zero = 1, zero | folding.zero_stb
                m.d.comb += folding.delta_any.eq(word.any())
                delta_word = word
            else:
                main_word, writes, addend = word, enable, Signal(bits, name="addend")
                folded = Signal(bits)
                m.d.sync += addend.eq(Mux(fold, folded, 1))
            m.d.sync += [
                total.eq(Mux(zero, 0, (word + addend) | spoilt.replicate(bits))),
                enable.eq(zero | here),
            ]
            m.d.comb += [
                write.addr.eq(written),
                write.data.eq(total[:-1]),
                write.en.eq(enable),
            ]
        m.d.comb += folded.eq(Cat(delta_word, upper.taken))
        over = Mux(deltas[1], totals["delta"][-1], totals["main"][-1])
        # `ready` may be late: the taken word stays for more than a round before it is added.
        above = Signal()
        m.d.sync += above.eq(upper.taken[self._main_bits - self._delta_bits :].any())
        m.d.comb += [
            comes_valid.eq(counts[1] & (over | (folds[1] & above))),
            comes.address.eq(written),
            comes.delta.eq(deltas[1]),
            comes.fold.eq(folds[1]),
            comes.one.eq(over),
        ]
        self._frames(m, written, writes & ~clear[1], clear[1])
        low = Signal(self._main_bits)
        with m.If(phase[0]):
            m.d.sync += low.eq(main_word)
        # Carries end in phase 2: whether one is under way there is known in phase 1.
        take = Signal()
        m.d.sync += take.eq(phase[1] & ((quiet & ~comes_valid) | self.frozen))
        with m.If(take):
            m.d.sync += self.word.eq(Mux(self.there, Cat(low, upper.word), 0))
        with m.If(spoilt):
            m.d.sync += self.saturated.eq(1)
        with m.If(self.clear_stb):
            m.d.sync += self.saturated.eq(0)
        return m

    def _frames(self, m, written, counts, clear) -> None:
        """Keep a flag for each frame: whether a counter in it was written since the clear."""
        m.submodules.frames = memory = plain_memory(1, max(self._entries >> IN_FRAME_BITS, 2))
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(written >> IN_FRAME_BITS),
            write.data.eq(counts),
            write.en.eq(counts | clear),
            read.addr.eq(self.address >> IN_FRAME_BITS),
        ]
        m.d.sync += self.some.eq(read.data & self.there)

    def _pairs(self, m, phase, folding, quiet, may):
        """Return the next pair, and whether it is issued in this clock."""
        m.submodules.pairs = memory = plain_memory(Pair(self._entries), 2 * QUEUE)
        write, read = memory.write_port(), memory.read_port(domain="comb")
        here, there = Signal(range(2 * QUEUE)), Signal(range(2 * QUEUE))
        expected, recent = Signal(range(QUEUE + 1)), Signal(2)
        # `expect_stb` comes from far away, at most every 4 clocks.
        announced, pop = Signal(), Signal()
        m.d.comb += [
            write.addr.eq(there),
            write.data.eq(self.i_pair.payload),
            write.en.eq(self.i_pair.valid),
            read.addr.eq(here),
            pop.eq(phase[3] & (here != there) & may & ~folding.wants),
        ]
        m.d.sync += [
            there.eq(there + self.i_pair.valid),
            here.eq(here + pop),
            announced.eq(self.expect_stb),
            expected.eq(expected + announced - pop),
            self.room.eq(expected + announced < QUEUE),
            self.idle.eq(~expected.any() & ~recent.any() & quiet & ~self.expect_stb & ~announced),
        ]
        # An issued pair has counted two rounds later.
        with m.If(phase[3]):
            m.d.sync += recent.eq(Cat(pop, recent))
        return read.data, pop

    def _carries(self, m, phase, upper, folding, quiet, may):
        """Add carries one after the other, as they come.

        Return the carry under way, and the input for new carries with its validity. `quiet` means
        that no carry waits. `may` allows pairs to be issued while few carries wait. Some counters
        stay in place while they carry and must not count meanwhile. Folding waits until no carry is
        left.
        """
        layout = data.StructLayout(
            {"address": range(self._entries), "delta": 1, "fold": 1, "one": 1}
        )
        m.submodules.carries = memory = plain_memory(layout, CARRIES)
        write, read = memory.write_port(), memory.read_port(domain="comb")
        here, level = Signal(range(CARRIES)), Signal(range(CARRIES + 1))
        comes, valid = Signal(layout), Signal(name="carry_valid")
        busy, is_fold, pop, more = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            write.addr.eq((here + level)[: len(here)]),
            write.data.eq(comes),
            write.en.eq(valid),
            read.addr.eq(here),
            pop.eq(upper.done & ~is_fold),
            quiet.eq(level == 0),
            more.eq(Mux(pop, level > 1, ~quiet)),
            upper.job_stb.eq(phase[2] & Mux(busy, upper.done & more, more | folding.job_wants)),
            folding.quiet.eq(quiet),
            folding.job_done.eq(upper.done & is_fold),
        ]
        m.d.sync += [
            busy.eq(upper.job_stb | (busy & ~upper.done)),
            level.eq(level + valid - pop),
            here.eq(here + pop),
            may.eq(quiet | ((level < CARRIES // 2) & ~upper.may_fail & ~folding.busy)),
        ]
        with m.If(upper.job_stb):
            m.d.sync += is_fold.eq(~more)
        above = upper.taken[self._main_bits - self._delta_bits :]
        carry = read.data
        m.d.comb += [
            upper.address.eq(Mux(is_fold, folding.address, carry.address)),
            upper.delta.eq(is_fold | carry.delta),
            upper.take.eq(is_fold),
            upper.amount.eq(above & carry.fold.replicate(len(above))),
            upper.one.eq(carry.one),
        ]
        return carry, comes, valid
