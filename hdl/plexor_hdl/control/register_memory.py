# SPDX-License-Identifier: Apache-2.0
"""The register bank's memory: constants, written values, and times of a run."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.registers import (
    CHANNEL,
    CODE,
    CONTROL,
    IDENTITY,
    LONG_FILTER,
    LONG_FILTER_STATUS,
    MATCHER,
    SCHEDULE,
    SOURCE,
    STATUS,
    STEP,
    STIMULUS,
)
from plexor_hdl.lib.addresses import (
    ADDRESS_BITS,
    WORD_BITS,
    claimed,
    hits_layout,
    split,
    words_of,
)
from plexor_hdl.lib.memory_reader import plain_memory

STORED = (IDENTITY, CONTROL, MATCHER, CHANNEL, STIMULUS, STEP, CODE, SCHEDULE, LONG_FILTER)
"""Blocks whose words are constants or hold the last written value."""
MARKED = ("start_ticks", "end_ticks")
"""Registers of STATUS that hold the time of a moment."""
LATCH = 2 * len(MARKED)
"""Place behind those of MARKED. Reading a wide register's low word latches its high word here."""
MARK_WORDS = 8


class Look(data.Struct):
    """A look at the time for a mark: at which word, and for which register of MARKED."""

    low: 1
    high: 1
    end: 1


class RegisterMemory(wiring.Component):
    """Keeps what was written, constants, and the times of a run, in one memory.

    While `busy` it is read for the bus, else for run control and dumps. It finds the place of
    `hits` and `address` all the time. A mark keeps the time of the next clock as start_ticks or
    end_ticks; the time is read through `live`. With `track` the high word is looked at in each
    clock; that must have been so for some clocks in the last 2**31 ticks before a mark. What is
    looked at is written in the third clock after; the bus must not write then.

    Latency: 3 clocks from `hits`, or from `end` and `high`, to `word`; 1 from `hits` to `stored`.
    Throughput: a word each clock.
    Reset: for as many clocks as the memory has words, not after configuration, what was written is
        set to its reset values, while `walking`.
    Wrap: none; it counts nothing. Where the low word of a time wraps beside a look, the high word
        that belongs to it is kept.
    Full: never; each word has its place.

    Ports:
        hits: Blocks that the address is in, of the copies that the build has.
        address: Word address of the bus.
        busy: 1 while the bus asks.
        masking: 1 reads a mask of the word's bits in place of the word.
        stored: 1 if the word is one of this memory.
        write_data: Word to write; `word`, which must be its mask, cuts it.
        write_stb: Writes that to the word asked for in the clock before.
        live: Words from outside: the time's low word 2 clocks after `look_low`, its high word 2
            clocks after `look_high`; or the high word to latch.
        latch_stb: Writes `live` to the word asked for in the clock before.
        mark_stb: Keeps the time of the next clock.
        mark_end: With `mark_stb`: 1 keeps it as end_ticks, 0 as start_ticks.
        track: 1 looks at the high word of the time.
        look_low: 1 if the time's low word is looked at.
        look_high: 1 if the time's high word is looked at.
        end: While not `busy`: 1 reads end_ticks, 0 run_time_ticks.
        high: While not `busy`: 1 reads the high word, 0 the low one.
        word: The word.
        word_valid: 1 if `word` is what `end` and `high` ask for, and these have stood for 3 clocks.
        walking: 1 while reset values are written; the bus must wait.
    """

    def __init__(self, identity: dict[str, int], copies: dict[str, int]) -> None:
        self._identity = identity
        self._copies = copies
        self._blocks = [block for block in STORED if copies[block.name]]
        self._places, size = self._layout()
        self._depth = 1 << (size - 1).bit_length()
        super().__init__(
            {
                "hits": In(hits_layout(copies)),
                "address": In(ADDRESS_BITS),
                "busy": In(1),
                "masking": In(1),
                "stored": Out(1),
                "write_data": In(WORD_BITS),
                "write_stb": In(1),
                "live": In(WORD_BITS),
                "latch_stb": In(1),
                "mark_stb": In(1),
                "mark_end": In(1),
                "track": In(1),
                "look_low": Out(1),
                "look_high": Out(1),
                "end": In(1),
                "high": In(1),
                "word": Out(WORD_BITS),
                "word_valid": Out(1),
                "walking": Out(1),
            }
        )

    def _layout(self) -> tuple[dict[str, int], int]:
        """Return the aligned starts of blocks, masks and marks, and the end of all."""
        sizes = {"marks": MARK_WORDS}
        for block in self._blocks:
            copies = 1 << (self._copies[block.name] - 1).bit_length()
            sizes[block.name] = block.stride_words * copies
            if block is not IDENTITY:
                sizes[f"{block.name} masks"] = block.stride_words
        places, start = {}, 0
        for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
            places[name] = start
            start += size
        return places, start

    def _contents(self) -> tuple[list[int], list[int]]:
        """Return all words after configuration, and the places that a walk writes."""
        init = [0] * self._depth
        written = [self._places["marks"] + number for number in range(MARK_WORDS)]
        for block in self._blocks:
            for offset, word in enumerate(words_of(block)):
                for copy in range(self._copies[block.name]):
                    place = self._places[block.name] + copy * block.stride_words + offset
                    if block is IDENTITY:
                        init[place] = word.part(self._identity[word.register.name])
                    else:
                        init[place] = word.reset
                        written.append(place)
                if block is not IDENTITY and word.register.name != "action":
                    init[self._places[f"{block.name} masks"] + offset] = (1 << word.bits) - 1
        return init, written

    def elaborate(self, platform):
        m = Module()
        init, written = self._contents()
        m.submodules.memory = memory = plain_memory(WORD_BITS, self._depth, init)
        write, read = memory.write_port(), memory.read_port()
        place, free = Signal(range(self._depth)), Signal(3)
        run_time = self._places[CONTROL.name] + next(
            offset
            for offset, word in enumerate(words_of(CONTROL))
            if word.register.name == "run_time_ticks"
        )
        end_ticks = self._places["marks"] + 2 * MARKED.index("end_ticks")
        m.d.sync += [
            place.eq(
                Mux(
                    self.busy,
                    self._asked(m),
                    Mux(self.end, end_ticks + self.high, Mux(self.high, run_time + 1, run_time)),
                )
            ),
            free.eq(Cat(~self.busy, free)),
            # This can be the memory's own output register.
            self.word.eq(read.data),
        ]
        m.d.comb += [read.addr.eq(place), self.word_valid.eq(free[-1])]

        # The bank's register of the chosen word delays `live`, so the request is delayed with it.
        asked, chosen, came = Signal(Look), Signal(Look), Signal(Look)
        was_low = Signal()
        m.d.comb += [
            asked.low.eq(self.mark_stb),
            asked.high.eq(chosen.low | (self.track & ~self.mark_stb)),
            asked.end.eq(Mux(chosen.low, chosen.end, self.mark_end)),
            self.look_low.eq(asked.low),
            self.look_high.eq(asked.high),
        ]
        m.d.sync += [chosen.eq(asked), came.eq(chosen), was_low.eq(came.low)]
        # If the low word's upper bit is set, it may wrap in the next clock.
        keep = came.low | (came.high & ~(was_low & write.data[-1]))
        m.d.sync += [
            write.addr.eq(
                Mux(
                    came.low | came.high,
                    self._places["marks"] + Cat(came.high, came.end),
                    place,
                )
            ),
            write.data.eq(Mux(self.write_stb, self.write_data & self.word, self.live)),
            write.en.eq(self.write_stb | self.latch_stb | keep),
        ]
        self._walk(m, write, init, written)
        return m

    def _asked(self, m: Module):
        """Return the place of the word that the bus requests."""
        address, hits, marks = self.address, self.hits, self._places["marks"]
        terms, stored = [], []
        for block in self._blocks:
            size = block.stride_words * (1 << (self._copies[block.name] - 1).bit_length())
            place = self._places[block.name] | address[: (size - 1).bit_length()]
            if block is not IDENTITY:
                offset, _ = split(block, address)
                masks = self._places[f"{block.name} masks"]
                place = Mux(self.masking, masks | offset, place)
            terms.append(Mux(hits[block.name], place, 0))
            stored.append(hits[block.name])
        wide = [STATUS, SOURCE, *([LONG_FILTER_STATUS] if self._copies[LONG_FILTER.name] else [])]
        for block in wide:
            high = claimed(block, address, lambda word: word.number == 1)
            marked = claimed(block, address, lambda word: word.register.name in MARKED)
            end = claimed(block, address, lambda word: word.register.name == MARKED[1])
            place = marks | Mux(marked, Cat(high, end), LATCH)
            terms.append(Mux(hits[block.name], place, 0))
            stored.append(hits[block.name] & (high | marked))
        m.d.sync += self.stored.eq(Cat(stored).any())
        return reduce(or_, terms)

    def _walk(self, m: Module, write, init: list[int], written: list[int]) -> None:
        """Write everything again after a reset; no logic if the clock domain has no reset."""
        place = Signal(range(self._depth), reset_less=True)
        walking = Signal(reset_less=True)
        with m.If(ResetSignal(allow_reset_less=True)):
            m.d.sync += [walking.eq(1), place.eq(0)]
        with m.Elif(place == self._depth - 1):
            m.d.sync += walking.eq(0)
        m.d.comb += self.walking.eq(walking)
        with m.If(walking):
            m.d.sync += [place.eq(place + 1), write.addr.eq(place), write.en.eq(0)]
            with m.Switch(place):
                for number in written:
                    with m.Case(number):
                        m.d.sync += [write.data.eq(init[number]), write.en.eq(1)]
