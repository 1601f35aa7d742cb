# SPDX-License-Identifier: Apache-2.0
"""One FIFO of edge words for each source, and the order in which the words were taken."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STEP
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.capture.edges import EdgeWord, at_least
from plexor_hdl.capture.hold import MOST_CLOCKS, STEPS_BITS, Hold
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.lib.memory_reader import plain_memory

GAP_BITS = 16
SPARE_SLOTS = 8
"""Maximum number of slots between the FIFOs and the stamp."""
EVENT_CLOCKS = 32
"""Upper bound, in clocks, of an event's wait for each event or expired strike before it."""
STEP_PAUSE_CLOCKS = 512
"""Upper bound, in clocks, of the events' wait for the record of a step."""
TERMS = 3
"""Number of summands that are added in one clock."""


def clock_bits(geometry: Geometry) -> int:
    """Return how many bits of a slot's clock are kept. No slot waits for half of their range.

    Raises ValueError if the FIFOs are so deep that more than LOW_BITS bits would be needed.
    """
    bits = _waiting_bits(geometry, geometry.word_fifo_depth)
    if bits > LOW_BITS:
        most = geometry.word_fifo_depth
        while most and _waiting_bits(geometry, most) > LOW_BITS:
            most //= 2
        raise ValueError(
            f"word_fifo_depth: {geometry.word_fifo_depth}; must be {most} or less with "
            f"{len(geometry.merged)} sources of {geometry.samples} samples"
        )
    return bits


def _waiting_bits(geometry: Geometry, word_fifo_depth: int) -> int:
    """Return how many bits tell clocks apart over the longest wait of a word."""
    edges = len(geometry.merged) * word_fifo_depth * geometry.samples
    longest = EVENT_CLOCKS * (edges + geometry.queue_depth)
    if SOURCE_STEP in geometry.sources:
        longest += STEP_PAUSE_CLOCKS * word_fifo_depth
    if Feature.LONG_FILTER in geometry.features:
        longest += MOST_CLOCKS
    return longest.bit_length() + 1


def following(place: Value) -> Value:
    """Return `place` + 1, modulo its range, without a carry chain."""
    return Cat(bit ^ place[:number].all() for number, bit in enumerate(place))


def four_counts(word: Value) -> tuple[Value, Value, Value]:
    """Return how many bits of each group of four are 1. Each result bit is a function of four bits.

    The results' bits are in three words. Each group uses the place of its first bit.
    """
    firsts = Const(sum(1 << place for place in range(0, len(word), 4)), len(word))
    odd, both, some = word ^ (word >> 1), word & (word >> 1), word | (word >> 1)
    all_four = both & (both >> 2) & firsts
    two = (both | (both >> 2) | (some & (some >> 2))) & firsts
    return (odd ^ (odd >> 2)) & firsts, two & ~all_four, all_four


class SourceAmounts(data.StructLayout):
    """Numbers of one source's edges in one clock: seen, and dropped because a queue was full."""

    def __init__(self, samples: int) -> None:
        bits = samples.bit_length()
        super().__init__({"generated": bits, "dropped": bits})


class Slot(data.StructLayout):
    """The words taken in one clock: their sources, and the ticks in which any of them has an edge.

    `several` means more than one such tick. A blank slot has no words and only tells the time.
    """

    def __init__(self, sources: int, samples: int) -> None:
        super().__init__({"mask": sources, "ticks": samples, "several": 1})


class Tag(data.StructLayout):
    """A slot's clock, and the number of edges of all sources dropped since the slot before.

    Without `indexed` events nothing uses the gap, and it has no bits.
    """

    def __init__(self, geometry: Geometry) -> None:
        gap_bits = GAP_BITS if geometry.indexed else 0
        super().__init__({"clock": clock_bits(geometry), "gap": gap_bits})


class WordQueue(wiring.Component):
    """Holds the edge words of one source until the merge takes them.

    It does not know whether a word is there: whoever takes one knows from the order of words. With
    `level` all samples of a word are alike: its only edge is in the first one, and the polarity is
    all that it keeps.

    Latency: 3 clocks from `i_word` to `o_word`: a word may be taken 2 clocks after it was offered.
    Throughput: one word each clock in, one out.
    Reset: empty.
    Wrap: its places go round modulo `depth`, a power of two.
    Full: a word that is offered while `full` is high is dropped whole, also with `take`.

    Ports:
        i_word: A word with edges.
        i_valid: `i_word` is offered.
        full: `depth` words are inside.
        take: Takes the oldest word that was not yet taken.
        o_word: The word taken last; valid from the clock after `take` until the next `take`.
    """

    def __init__(self, geometry: Geometry, level: bool, ram_style: str) -> None:
        self._depth = geometry.word_fifo_depth
        self._level, self._style = level, ram_style
        word = EdgeWord(geometry.samples)
        super().__init__(
            {
                "i_word": In(word),
                "i_valid": In(1),
                "full": Out(1),
                "take": In(1),
                "o_word": Out(word),
            }
        )

    def elaborate(self, platform):
        m = Module()
        kept, given = self.i_word.as_value(), self.o_word.as_value()
        if self._level:
            m.d.comb += self.o_word.edges.eq(1)
            kept, given = self.i_word.polarity, self.o_word.polarity
        memory = plain_memory(len(kept), self._depth, ram_style=self._style)
        m.submodules.words = memory
        write, read = memory.write_port(), memory.read_port()
        m.d.comb += [
            write.en.eq(self.i_valid & ~self.full),
            write.data.eq(kept),
            read.en.eq(self.take),
            given.eq(read.data),
        ]
        behind = following(write.addr) == read.addr
        m.d.sync += self.full.eq(~self.take & (self.full | (self.i_valid & behind)))
        with m.If(write.en):
            m.d.sync += write.addr.eq(following(write.addr))
        with m.If(self.take):
            m.d.sync += read.addr.eq(following(read.addr))
        return m


class WordQueues(wiring.Component):
    """Holds the edge words of all sources, and the order in which they came.

    The words that are taken from one clock are a slot. A slot leaves in three parts, each in order:
    `o_slot`; its words by `take_words`, in a later clock; its `tag` by `take_tag`, 4 clocks or more
    after the slot, and 2 or more after the tag before. With `holds` slots can be held back: all of
    them for the same time, so that they still leave in order and as fast as they came.

    Latency: 4 clocks from `i_edges` to `o_slot`, 2 to `amounts`; while `hold`, those of Hold more
        to `o_slot`.
    Throughput: one slot each clock in, one each 2 clocks out.
    Reset: empty; no gap, and `gap_saturated` is low.
    Wrap: a tag's clock is modulo its range; no word waits for half of that.
    Full: a word that finds its FIFO full is dropped whole, and counted in `amounts` and in the next
        tag's gap. The order has a place for every word of every FIFO and SPARE_SLOTS more.

    Ports:
        i_edges: A word of edges for each source.
        i_valid: A bit for each source: it has a word with an edge in this clock.
        blank: Makes a slot without words, where no word is taken; only while `empty`.
        clock: The number of the clock whose words were offered `latency` clocks before.
        clear: Forgets the gap and `gap_saturated`. No slot comes for MOST_CLOCKS behind it.
        hold: With `holds`: slots are held back; it stands still from `clear` on.
        hold_steps: With `holds`: for how long, in steps of Hold; as `hold`.
        amounts: Edges that each source had, and that were dropped, 2 clocks ago.
        kept: A bit for each source: its word of the clock before was taken into its FIFO.
        gap_saturated: A gap is more than its 2**GAP_BITS - 1; until `clear`. It is never 0 then.
        o_valid: `o_slot` is a slot.
        o_ready: The slot is taken.
        o_slot: The sources of a slot, and the ticks in which one of them has an edge.
        o_words: The word of each source that was taken last; valid until the next is taken.
        take_words: A bit for each source: its next word is taken.
        tag: The clock of the oldest slot whose tag was not taken, and the edges dropped before it.
        take_tag: The tag is taken.
        empty: The tags of all slots were taken, and no word is on its way.
    """

    def __init__(self, geometry: Geometry, ram_style: str = "auto", *, holds: bool = False) -> None:
        """The FIFOs are memories of `ram_style`."""
        self._geometry, self._style, self._holds = geometry, ram_style, holds
        self.sources = len(geometry.merged)
        self._slots = 1 << (self.sources * geometry.word_fifo_depth + SPARE_SLOTS - 1).bit_length()
        word = EdgeWord(geometry.samples)
        self._sums = 1
        while TERMS**self._sums < self.sources:
            self._sums += 1
        self.latency = 2 + self._sums
        super().__init__(
            {
                "i_edges": In(data.ArrayLayout(word, self.sources)),
                "i_valid": In(self.sources),
                "blank": In(1),
                "clock": In(clock_bits(geometry)),
                "clear": In(1),
                **({"hold": In(1), "hold_steps": In(STEPS_BITS)} if holds else {}),
                "amounts": Out(data.ArrayLayout(SourceAmounts(geometry.samples), self.sources)),
                "kept": Out(self.sources),
                "gap_saturated": Out(1),
                "o_valid": Out(1),
                "o_ready": In(1),
                "o_slot": Out(Slot(self.sources, geometry.samples)),
                "o_words": Out(data.ArrayLayout(word, self.sources)),
                "take_words": In(self.sources),
                "tag": Out(Tag(geometry)),
                "take_tag": In(1),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        geometry = self._geometry
        fulls, kept = Signal(self.sources), self.kept
        ticks = 0
        for number, source in enumerate(geometry.merged):
            word, valid = self.i_edges[number], self.i_valid[number]
            m.submodules[f"queue{number}"] = queue = WordQueue(
                geometry, source in (SOURCE_LOAD, SOURCE_STEP), self._style
            )
            amount, full = self.amounts[number], Signal(2, name=f"full{number}")
            places = range(0, geometry.samples, 4)
            counts = [Signal(geometry.samples, name=f"counts{number}_{bit}") for bit in range(3)]
            m.d.comb += [
                queue.i_word.eq(word),
                queue.i_valid.eq(valid),
                queue.take.eq(self.take_words[number]),
                fulls[number].eq(queue.full),
                self.o_words[number].eq(queue.o_word),
                amount.dropped.eq(Mux(full[1], amount.generated, 0)),
            ]
            m.d.sync += [
                *(
                    one.eq(all_of)
                    for one, all_of in zip(counts, four_counts(word.edges), strict=True)
                ),
                amount.generated.eq(_sum([Cat(bit[at] for bit in counts) for at in places])),
                full.eq(Cat(queue.full, full)),
            ]
            ticks = ticks | Mux(queue.full, 0, word.edges)

        m.submodules.order = order = plain_memory(self.o_slot.shape(), self._slots)
        write, read = order.write_port(), order.read_port()
        push, blank, some, stood = Signal(), Signal(), Signal(), Signal()
        m.d.sync += [
            kept.eq(self.i_valid & ~fulls),
            blank.eq(self.blank),
            write.data.ticks.eq(ticks),
        ]
        m.d.comb += [
            push.eq(kept.any() | blank),
            write.en.eq(push),
            write.data.mask.eq(kept),
            write.data.several.eq(at_least(write.data.ticks)[1]),
            some.eq(read.addr != self._shown(m, write.addr, push)),
            read.en.eq((self.o_valid & self.o_ready) | ~stood),
        ]
        m.d.sync += [
            self.o_slot.eq(read.data),
            self.o_valid.eq(stood & ~(self.o_valid & self.o_ready)),
        ]
        with m.If(push):
            m.d.sync += write.addr.eq(write.addr + 1)
        with m.If(read.en):
            m.d.sync += stood.eq(some)
            with m.If(some):
                m.d.sync += read.addr.eq(read.addr + 1)

        next_tag = self._tags(m, push)
        m.d.comb += self.empty.eq((next_tag == write.addr) & ~push & ~self.i_valid.any())
        return m

    def _shown(self, m, end, push):
        """Return the end of the slots that may leave: `end` while none is held back."""
        if not self._holds:
            return end
        m.submodules.held = held = Hold()
        shown, cleared = Signal.like(end), Signal(init=1)
        m.d.comb += [held.steps.eq(self.hold_steps), held.strobe.eq(push)]
        with m.If(self.clear):
            m.d.sync += cleared.eq(1)
        with m.Elif(push):
            m.d.sync += cleared.eq(0)
        with m.If(Mux(self.hold, held.o_strobe & ~cleared, push)):
            m.d.sync += shown.eq(shown + 1)
        # What was held back by another length may still come.
        with m.Elif(cleared):
            m.d.sync += shown.eq(end)
        return shown

    def _tags(self, m, push):
        """Sum the drops of all sources, write each slot's tag, and return the next slot's."""
        terms = [amount.dropped for amount in self.amounts]
        if self._geometry.code_bits:
            # A code is two events, the last source, and one in a word at most.
            terms[-1] = Cat(Const(0, 1), terms[-1][0], Const(0, len(terms[0]) - 2))
        for level in range(self._sums):
            sums = []
            for place in range(0, len(terms), TERMS):
                group = terms[place : place + TERMS]
                total = Signal(range(len(group) * (1 << len(terms[0]))), name=f"sum{level}_{place}")
                m.d.sync += total.eq(_sum(group))
                sums.append(total)
            terms = sums
        for step in range(1 + self._sums):
            pushed = Signal(name=f"push{step}")
            m.d.sync += pushed.eq(push)
            push = pushed

        m.submodules.tags = tags = plain_memory(self.tag.shape(), self._slots)
        write, read = tags.write_port(), tags.read_port()
        oldest, second = Signal(range(self._slots)), Signal(range(self._slots), init=1)
        m.d.comb += [
            write.en.eq(push),
            write.data.clock.eq(self.clock),
            read.addr.eq(Mux(self.take_tag, second, oldest)),
        ]
        m.d.sync += self.tag.eq(read.data)
        if self._geometry.indexed:
            m.d.comb += write.data.gap.eq(self._gap(m, push, terms[0]))
        m.d.sync += oldest.eq(read.addr)
        with m.If(self.take_tag):
            m.d.sync += second.eq(second + 1)
        with m.If(push):
            m.d.sync += write.addr.eq(write.addr + 1)
        return oldest

    def _gap(self, m, push, dropped):
        """Return the drops since the last push. A sum that is too large keeps its highest bit."""
        gap, total, whole = Signal(GAP_BITS), Signal(GAP_BITS), Signal(GAP_BITS)
        m.d.comb += [total.eq(gap[:-1] + dropped), whole.eq(total | (gap[-1] << GAP_BITS - 1))]
        with m.If(push | self.clear):
            m.d.sync += gap.eq(0)
        with m.Else():
            m.d.sync += gap.eq(whole)
        with m.If(self.clear):
            m.d.sync += self.gap_saturated.eq(0)
        with m.Elif(gap[-1] & total[-1]):
            m.d.sync += self.gap_saturated.eq(1)
        return whole


def _sum(terms):
    while len(terms) > 1:
        pairs = [terms[place : place + 2] for place in range(0, len(terms), 2)]
        terms = [pair[0] + pair[1] if len(pair) > 1 else pair[0] for pair in pairs]
    return terms[0]
