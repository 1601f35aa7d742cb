# SPDX-License-Identifier: Apache-2.0
"""Wide counters that meet timing, made of chunks with registered carries."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.split_sum import CHUNK_BITS, added

AHEAD = 3
"""Clocks by which an Alarm counts ahead, because its comparison takes as many."""
TIMER_CLOCKS = 6
"""Clocks from a Timer's start to its end, in addition to the set time."""


def count(m: Module, total: Signal, stb: Value, clear: Value) -> None:
    """Count strobes in a signal, from 0 at each `clear`. Carries go on for a clock each chunk."""
    carry = stb
    for start in range(0, len(total), CHUNK_BITS):
        chunk = total[start : start + CHUNK_BITS]
        carry_r = Signal(name=f"{total.name}_carry{start}")
        m.d.sync += Cat(chunk, carry_r).eq(chunk + carry)
        with m.If(clear):
            m.d.sync += [chunk.eq(0), carry_r.eq(0)]
        carry = carry_r


class Alarm(wiring.Component):
    """Says when a number of clocks has passed.

    A strobe may come at any time, and starts anew.

    Latency: `done` falls 1 clock after `start_stb`, and rises `clocks` + 1 clocks after it, but no
        earlier than 4.
    Throughput: one strobe each clock; only the last one counts.
    Reset: done.
    Wrap: none that matters; the count goes on when it is done, and `done` stays until a strobe.
    Full: never; it keeps one time.

    Ports:
        clocks: How many clocks are to pass; it stands still from the strobe on.
        start_stb: Starts the count.
        done: The clocks have passed.
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        super().__init__(
            {
                "clocks": In(bits),
                "start_stb": In(1),
                "done": Out(1, init=1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # All chunks change in the same clock, so each carry is found a clock ahead.
        chunks, goals, ones = [], [], []
        wrap, started = Signal(), Signal()
        m.d.sync += started.eq(self.start_stb)
        for start in range(0, self._bits, CHUNK_BITS):
            chunk = Signal(min(CHUNK_BITS, self._bits - start), name=f"chunk{start}")
            if chunks:
                m.d.sync += chunk.eq(chunk + Cat(wrap, *ones).all())
                one = Signal(name=f"ones{start}")
                m.d.sync += one.eq(chunk.all())
                ones.append(one)
            else:
                m.d.sync += chunk.eq(chunk + 1)
                m.d.sync += wrap.eq((chunk == (1 << len(chunk)) - 2) & ~started)
            # The count begins a clock after its start, with one clock more.
            with m.If(started):
                m.d.sync += chunk.eq(0 if chunks else AHEAD + 1)
            chunks.append(chunk)
            goals.append(self.clocks[start : start + CHUNK_BITS])
        pairs = []
        for number, (chunk, goal) in enumerate(zip(chunks, goals, strict=True)):
            pair = Signal(-(-len(chunk) // 2), name=f"pairs{number}")
            places = range(0, len(chunk), 2)
            m.d.sync += pair.eq(Cat(chunk[at : at + 2] == goal[at : at + 2] for at in places))
            # A start ends the counting ahead: up to AHEAD clocks have passed then.
            with m.If(started):
                m.d.sync += pair.eq(Cat(goal[at : at + 2] == 0 for at in places))
                if not number:
                    m.d.sync += pair[0].eq(1)
            pairs.append(pair)
        low_same, high_same = Signal(), Signal()
        m.d.sync += [
            low_same.eq(pairs[0].all() & ~self.start_stb & ~started),
            high_same.eq(Cat(*pairs[1:]).all()),
            self.done.eq((self.done | (low_same & high_same)) & ~self.start_stb),
        ]
        return m


class Timer(wiring.Component):
    """Counts down a time in ticks, given as two words, in whole clocks.

    `clear` forgets the time before; then the words come, in any order. Parts of a clock are
    forgotten. There are 2**`fine_bits` ticks in a clock.

    Latency: `done` rises TIMER_CLOCKS clocks, and those of the time, after `start_stb`.
    Throughput: one time for each `clear`.
    Reset: the time is 0; not done.
    Wrap: it counts up from the complement; its wrap is the end. `done` stays until `clear`.
    Full: never; it keeps one time.

    Ports:
        clear: Sets the time to 0, and stops.
        word: The low or the high word of the time, in ticks.
        low_stb: `word` is the low word.
        high_stb: `word` is the high word.
        start_stb: Starts the count.
        done: The time has passed.
    """

    def __init__(self, fine_bits: int) -> None:
        self._fine_bits = fine_bits
        super().__init__(
            {
                "clear": In(1),
                "word": In(WORD_BITS),
                "low_stb": In(1),
                "high_stb": In(1),
                "start_stb": In(1),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # It counts up from the inverted time until it wraps. Each chunk's carry is a clock late, so
        # the last carry comes a fixed time later. The load is an addition to 0.
        loaded, low_stb, high_stb = Signal(WORD_BITS), Signal(), Signal()
        m.d.sync += [
            loaded.eq(Mux(self.low_stb | self.high_stb, ~self.word, 0)),
            low_stb.eq(self.low_stb),
            high_stb.eq(self.high_stb),
        ]
        going = Signal()
        with m.If(self.start_stb):
            m.d.sync += going.eq(1)
        carry = going
        for part, others_stb in (
            (loaded[self._fine_bits :], high_stb),
            (loaded, low_stb),
        ):
            for start in range(0, len(part), CHUNK_BITS):
                amount = part[start : start + CHUNK_BITS]
                chunk = Signal(len(amount), name=f"chunk{start}_{len(part)}")
                over = Signal(name=f"carry{start}_{len(part)}")
                with m.If(self.clear):
                    m.d.sync += [chunk.eq(0), over.eq(0)]
                with m.Elif(~others_stb):
                    m.d.sync += Cat(chunk, over).eq(added(chunk, amount, carry))
                carry = over
        with m.If(carry):
            m.d.sync += self.done.eq(1)
        with m.If(self.clear):
            m.d.sync += [going.eq(0), self.done.eq(0)]
        return m
