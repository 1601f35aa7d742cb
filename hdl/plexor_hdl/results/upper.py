# SPDX-License-Identifier: Apache-2.0
"""The upper bits of counters: pages of them, given out as needed, because few counters grow large.

Adjacent counters share a page, because large counters are next to each other.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, ValueLike
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import added

PHASES = 4
"""Clocks of a round. In each round, every memory has a clock for each of its users."""
GROUP_BITS = 4
JOB_CLOCKS = 2 * PHASES


def fetched_twice(m: Module, memory: Memory, address: ValueLike, name: str) -> Signal:
    """Return the word at `address`, two clocks later: a block RAM's word, registered."""
    port = memory.read_port()
    m.d.comb += port.addr.eq(address)
    word = Signal(len(port.data), name=name, reset_less=True)
    m.d.sync += word.eq(port.data)
    return word


class Upper(wiring.Component):
    """Keeps the upper bits of counters, in two sets of words, main and delta, that share pages.

    A word that was never added to has no memory. The words of 2**GROUP_BITS neighbours get a page
    together when one of them is first added to; there are `pages` - 1 pages. Main pages stay until
    the next clear. All delta pages are free again after `free_stb`; each delta word must have been
    taken before.

    Jobs come one after the other. A job adds `amount` and `one` to a word; or with `take` it gives
    the word in `taken` and zeroes it.

    Latency: JOB_CLOCKS (8) from `job_stb` to `done`; `word`, in phase 2, is that of `read_address`,
        which must have stood for 4 clocks.
    Throughput: a job in JOB_CLOCKS, a read in 4 clocks.
    Reset: it forgets which pages are free; a clear must follow.
    Wrap: none; a word stays at its greatest value, and `failed_stb` tells it.
    Full: without a free page nothing is added, and `failed_stb` tells it. `may_fail` rises a round
        or more before.

    Ports:
        phase: One bit for each clock of a round, of which one is high.
        job_stb: Asks for a job, in phase 2, while there is none or in the clock of `done`.
        address: Counter of the job; it stands, as the next four do, from the clock after to `done`.
        delta: 1 if its delta word is meant, else its main word.
        take: 1 takes the word, 0 adds to it.
        amount: What is added.
        one: 1 adds one more.
        taken: The word that was taken last.
        failed_stb: Strobes in the clock before `done` if a job failed.
        may_fail: 1 if no page is free, or a word has come to half its range since the clear.
        done: 1 in the clock in which a job ends.
        free_stb: Frees all delta pages.
        read_address: Counter whose main word is read.
        word: That word, in phase 2.
        clear: 1 while `clear_address` goes through all places; no jobs then.
        clear_address: Place that is zeroed.
    """

    def __init__(self, entries: int, bits: int, pages: int) -> None:
        self._groups = max(entries >> GROUP_BITS, 1)
        self._address_bits = max((entries - 1).bit_length(), GROUP_BITS)
        self._bits = bits
        self._pages = pages
        self.places = max(2 * self._groups, pages << GROUP_BITS)
        super().__init__(
            {
                "phase": In(PHASES),
                "job_stb": In(1),
                "address": In(self._address_bits),
                "delta": In(1),
                "take": In(1),
                "amount": In(bits),
                "one": In(1),
                "taken": Out(bits),
                "failed_stb": Out(1),
                "may_fail": Out(1),
                "done": Out(1),
                "free_stb": In(1),
                "read_address": In(self._address_bits),
                "word": Out(bits),
                "clear": In(1),
                "clear_address": In(range(self.places)),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        page_bits = (self._pages - 1).bit_length()
        table = plain_memory(page_bits, 2 * self._groups, ram_style="block")
        words = plain_memory(self._bits, self._pages << GROUP_BITS, ram_style="block")
        m.submodules.table, m.submodules.words = table, words
        inside, group = self.address[:GROUP_BITS], Cat(self.address[GROUP_BITS:], self.delta)
        read_inside = self.read_address[:GROUP_BITS]
        read_group = Cat(self.read_address[GROUP_BITS:], Const(0, 1))
        group_bits = max((self._groups - 1).bit_length(), 0) + 1
        phase = self.phase
        # The job comes late in a clock and stands for two rounds; only its look-up cannot wait.
        group_r, inside_r, delta = Signal.like(group), Signal.like(inside), Signal()
        m.d.sync += [group_r.eq(group), inside_r.eq(inside), delta.eq(self.delta)]

        # A job takes two rounds.
        first, second = Signal(), Signal()
        with m.If(phase[2]):
            m.d.sync += [first.eq(self.job_stb), second.eq(first)]
        m.d.comb += self.done.eq(second & phase[2])

        # The table's users: the reader in phase 2, the job from 3 on. Pages come 2 clocks later.
        looked_up = Mux(phase[2], read_group, group)[:group_bits]
        page = fetched_twice(m, table, looked_up, "page")
        low_free, high_free = Signal(range(self._pages + 1), init=1), Signal(page_bits)
        full = Signal()
        m.d.sync += full.eq(low_free > high_free)
        known, job_page = Signal(), Signal(page_bits)
        given = Signal()
        with m.If(first & phase[1]):
            m.d.sync += [
                known.eq(page.any()),
                job_page.eq(Mux(page.any(), page, Mux(delta, high_free, low_free))),
                given.eq(~page.any() & ~full & ~self.take),
            ]
        give = Signal()
        m.d.comb += give.eq(second & phase[3] & given)
        with m.If(give & ~delta):
            m.d.sync += low_free.eq(low_free + 1)
        with m.If(give & delta):
            m.d.sync += high_free.eq(high_free - 1)
        with m.If(self.clear):
            m.d.sync += low_free.eq(1)
        with m.If(self.clear | self.free_stb):
            m.d.sync += high_free.eq(self._pages - 1)
        forget = second & phase[3] & self.take & inside_r.all()
        write = table.write_port()
        table_write, table_address, table_data = Signal(), Signal(group_bits), Signal(page_bits)
        m.d.sync += [
            table_write.eq(self.clear | give | forget),
            table_address.eq(Mux(self.clear, self.clear_address, group_r)),
            table_data.eq(Mux(give, job_page, 0)),
        ]
        m.d.comb += [
            write.en.eq(table_write),
            write.addr.eq(table_address),
            write.data.eq(table_data),
        ]

        # The words' users: the reader in phase 0, the job from 2 on.
        place = Mux(phase[0], Cat(read_inside, page), Cat(inside_r, job_page))
        word = fetched_twice(m, words, place, "upper_word")
        there = Signal()
        with m.If(phase[0]):
            m.d.sync += there.eq(page.any())
        m.d.comb += self.word.eq(Mux(there, word, 0))

        total = Signal(self._bits + 1)
        base = Mux(known, word, 0)
        with m.If(second & phase[0]):
            m.d.sync += total.eq(added(base, self.amount, self.one))
            with m.If(self.take):
                m.d.sync += self.taken.eq(base)
        beyond = total[-1]
        m.d.comb += self.failed_stb.eq(second & phase[1] & ~self.take & (beyond | ~(known | given)))
        great = Signal()
        with m.If(self.clear):
            m.d.sync += great.eq(0)
        with m.Elif(second & phase[1] & ~self.take & total[-2:].any()):
            m.d.sync += great.eq(1)
        m.d.comb += self.may_fail.eq(full | great)
        writing, word_place, word_data = Signal(), Signal.like(place), Signal(self._bits)
        m.d.sync += [
            writing.eq(self.clear | (second & phase[1] & (known | given))),
            word_place.eq(Mux(self.clear, self.clear_address, Cat(inside_r, job_page))),
            word_data.eq(Mux(self.clear | self.take, 0, total[:-1] | beyond.replicate(self._bits))),
        ]
        write = words.write_port()
        m.d.comb += [
            write.en.eq(writing),
            write.addr.eq(word_place),
            write.data.eq(word_data),
        ]
        return m
