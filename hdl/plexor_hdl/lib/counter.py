# SPDX-License-Identifier: Apache-2.0
"""Wide counters that meet timing, made of chunks with registered carries."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.countdown import TIMER_LOW_BITS, Countdown
from plexor_hdl.lib.split_sum import CHUNK_BITS, added

LEAST_ALARM_CLOCKS = 3
"""An Alarm with fewer clocks takes as many."""
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


def count_sum(m: Module, total: Signal, strobes: list[Value], clear: Value) -> None:
    """Count strobes of several kinds in a signal, as `count`. They come two clocks later."""
    came = Signal(range(len(strobes) + 1), name=f"{total.name}_came")
    low, over = Signal.like(came, name=f"{total.name}_low"), Signal(name=f"{total.name}_over")
    m.d.sync += [came.eq(sum(strobes)), Cat(low, over).eq(low + came)]
    with m.If(clear):
        m.d.sync += [came.eq(0), low.eq(0), over.eq(0)]
    rest = Signal(len(total) - len(low), name=f"{total.name}_rest")
    count(m, rest, over, clear)
    m.d.comb += total.eq(Cat(low, rest))


class Alarm(wiring.Component):
    """Says when a number of clocks has passed.

    A strobe may come at any time, and starts anew.

    Latency: `done` falls 1 clock after `start_stb`, and rises `clocks` + 1 clocks after it, but no
        earlier than LEAST_ALARM_CLOCKS + 1.
    Throughput: one strobe each clock; only the last one counts.
    Reset: done.
    Wrap: none; `done` stays until a strobe.
    Full: never; it keeps one time.

    Ports:
        clocks: How many clocks are to pass; it stands still from the clock before the strobe on.
        start_stb: Starts the count.
        done: The clocks have passed.
    """

    def __init__(self, bits: int) -> None:
        super().__init__(
            {
                "clocks": In(bits),
                "start_stb": In(1),
                "done": Out(1, init=1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.left = left = Countdown(len(self.clocks))
        low, rest = self.clocks[:TIMER_LOW_BITS], self.clocks[TIMER_LOW_BITS:]
        far, few = Signal(), Signal()
        m.d.sync += [
            far.eq(rest.any()),
            few.eq(~rest.any() & (low < LEAST_ALARM_CLOCKS)),
            self.done.eq((self.done | left.last) & ~self.start_stb),
        ]
        m.d.comb += [
            left.load.eq(self.start_stb),
            left.count.eq(Mux(few, LEAST_ALARM_CLOCKS, low)),
            left.rest.eq(rest),
            left.far.eq(far),
            left.step.eq(1),
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
