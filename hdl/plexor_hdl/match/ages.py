# SPDX-License-Identifier: Apache-2.0
"""Times in the matcher's memory, and their ages minus the limits that these are compared with."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import VALUE_BITS
from plexor.protocol.registers import MATCHER
from plexor_hdl.control.limits import HALF_BITS, SHARED, Limits, in_memories
from plexor_hdl.interfaces import block_layout
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.split_sum import add_one_more, added

COPY_CLOCKS = 3
"""Clocks from a word's read to its copy, to be stored elsewhere."""


class Ages(wiring.Component):
    """Keeps times in a memory, and compares their ages at the time of a beat with the limits.

    Times are read and stored by halves, the lower one first. A word is read at `read` in clocks 0
    and 1; `low_half` and `high_half` are due in clocks 2 and 3. With `joins` in clocks 1 to 6 the
    age is the latency itself: the word less the time. What is stored is `time_n`'s time or, with
    `copy`, what was read COPY_CLOCKS before or, where not `several`, is just read.

    Latency: `age_n` is whole in clock 4; `old`, `opened`, `slack`, `over` and `late` are right in
        clock 5, and where `several` the last two in clock 6.
    Throughput: one time read and one stored each 2 clocks.
    Reset: the memory keeps its times; nobody looks at one that was not stored in this run.
    Wrap: times and ages are modulo 2**32 ticks.
    Full: never; each time has a place of its own.

    Ports:
        limit_stb: A bit for each limit: `limit_data` was written to it; where limits are
            `in_memories`.
        limit_data: The value written, in ticks; where limits are `in_memories`.
        settings: The registers of the matcher, which hold limits.
        deadlines: The deadline of each channel, in ticks.
        trigger_latency_ticks: The latency in ticks over which a response triggers.
        channel: The channel whose deadline counts.
        time_n: The complement of the beat's time in ticks; it stands.
        half: The upper half of `time_n` counts in this clock, else the lower one.
        read: Where to read a half: the place, and above it which half.
        low_half: The lower half is added.
        high_half: The upper half is added.
        joins: The look is at a held response that a strike is joined to.
        held: The look is at a held response: `old` tells of `early_ticks`.
        write: Where to store a time.
        store: Stores the lower half in this clock and the upper half in the next.
        copy: Stores what was read.
        age_n: The complement of the age, or with `joins` the latency itself, in ticks; where not
            `several` it stands.
        slack: How many ticks are left before the age is `old`.
        old: The age is beyond the time-out.
        opened: The age has reached the window's minimum.
        over: The latency is over `trigger_latency_ticks`.
        late: The latency is over the deadline.
    """

    def __init__(self, geometry: Geometry, several: bool, address_bits: int) -> None:
        self._geometry = geometry
        self._several = several
        channels = geometry.channels
        limits = {"limit_stb": In(len(SHARED) + channels), "limit_data": In(VALUE_BITS)}
        super().__init__(
            {
                **(limits if in_memories(geometry) else {}),
                "settings": In(block_layout(MATCHER)),
                "deadlines": In(data.ArrayLayout(signed(VALUE_BITS), channels)),
                "trigger_latency_ticks": In(signed(VALUE_BITS)),
                "channel": In(max(geometry.key_bits, 1)),
                "time_n": In(VALUE_BITS),
                "half": In(1),
                "read": In(address_bits + 1),
                "low_half": In(1),
                "high_half": In(1),
                "joins": In(1),
                "held": In(1),
                "write": In(address_bits),
                "store": In(1),
                "copy": In(1),
                "age_n": Out(VALUE_BITS),
                "slack": Out(VALUE_BITS),
                "old": Out(1),
                "opened": Out(1),
                "over": Out(1),
                "late": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        word, time_n = self._memory(m)
        # On iCE40 a complemented carry can be registered at the end of its chain. `high` also holds
        # the lower half, one clock before it holds the upper one.
        low, carry_n, high = Signal(HALF_BITS), Signal(), Signal(HALF_BITS)
        total = added(word, time_n, ~carry_n)
        carries = total[HALF_BITS] & self.low_half
        if self._several:
            m.d.sync += carry_n.eq(~(carries | (self.joins & ~self.low_half)))
            m.d.sync += [high.eq(total), low.eq(high)]
        else:
            m.d.sync += carry_n.eq(~carries)
            with m.If(self.low_half | self.high_half):
                m.d.sync += high.eq(total)
            with m.If(self.high_half):
                m.d.sync += low.eq(high)
        m.d.comb += self.age_n.eq(Cat(low, high))
        if in_memories(self._geometry):
            self._halves(m, high)
        else:
            self._whole(m, high)
        return m

    def _memory(self, m):
        """Return the half word at `read` of 2 clocks ago, and `time_n` of one clock ago."""
        memory = plain_memory(HALF_BITS, 1 << len(self.read))
        m.submodules.memory = memory
        reader, port = memory.read_port(), memory.write_port()
        word, again = Signal(HALF_BITS, reset_less=True), Signal()
        half, half_n = Signal(HALF_BITS), Signal(HALF_BITS)
        kept, copies, copying = word, self.copy, Signal()
        m.d.sync += copying.eq(self.copy)
        if self._several:
            for number in range(COPY_CLOCKS):
                before, kept = kept, Signal(HALF_BITS, name=f"kept{number}", reset_less=True)
                m.d.sync += kept.eq(before)
            copies = Mux(again, copying, self.copy)
        else:
            copies = self.copy | copying
        m.d.comb += [
            reader.addr.eq(self.read),
            half.eq(Mux(self.half, self.time_n[HALF_BITS:], self.time_n[:HALF_BITS])),
        ]
        m.d.sync += [
            word.eq(reader.data),
            half_n.eq(half),
            again.eq(self.store),
            port.en.eq(self.store | again),
            port.addr[-1].eq(again),
            port.data.eq(Mux(copies, kept, ~half)),
        ]
        with m.If(~again):
            m.d.sync += port.addr[:-1].eq(self.write)
        return word, half_n

    def _halves(self, m, high) -> None:
        """Compare ages with the limits' lower halves, if due, and then with the upper ones."""
        m.submodules.limits = limits = Limits(self._geometry)
        # The lower half is in `high` while the upper one is due.
        m.d.comb += [
            limits.stb.eq(self.limit_stb),
            limits.data.eq(self.limit_data),
            limits.channel.eq(self.channel),
            limits.upper.eq(self.high_half),
        ]
        outputs = (self.old, 1), (self.opened, 0), (self.over, 1), (self.late, 1)
        for number, (output, more) in enumerate(outputs):
            carry_n, negative = Signal(name=f"carry_n{number}"), Signal(name=f"negative{number}")
            half = limits.halves[number]
            m.d.sync += [
                carry_n.eq(~added(half, high, Mux(self.high_half, more, ~carry_n))[HALF_BITS]),
                negative.eq(half[-1]),
            ]
            m.d.comb += output.eq(carry_n | negative)

    def _whole(self, m, high) -> None:
        """Compare ages with both halves of the limits at the same time."""
        settings = self.settings
        deadline = Signal(signed(VALUE_BITS))
        age_high = latency_high = high
        expiry = settings.timeout_ticks
        if self._several:
            # There are two clocks for the choice.
            here = Signal(len(self.deadlines))
            m.d.sync += here.eq(Cat(self.channel == number for number in range(len(here))))
            ways = (Mux(one, limit, 0) for one, limit in zip(here, self.deadlines, strict=True))
            m.d.sync += deadline.eq(reduce(or_, ways))
            expiry = Signal(VALUE_BITS - 1)
            m.d.sync += expiry.eq(Mux(self.held, settings.early_ticks, settings.timeout_ticks))
            # This is the latency's complement, whichever edge came first.
            latency_high = Signal(HALF_BITS)
            m.d.sync += latency_high.eq(high ^ self.joins.replicate(HALF_BITS))
        else:
            m.d.sync += deadline.eq(Array(self.deadlines)[self.channel])

        def beyond(limit, name, high, add=add_one_more):
            low_carry_n, result = Signal(name=f"{name}_carry_n"), Signal(name=name)
            limit = Cat(limit, Const(0, 1))
            low_sum = add(limit[:HALF_BITS], high)
            high_sum = added(limit[HALF_BITS:VALUE_BITS], high, ~low_carry_n)
            m.d.sync += [low_carry_n.eq(~low_sum[HALF_BITS]), result.eq(~high_sum[HALF_BITS])]
            return result, low_sum, high_sum

        def exceeded(limit, name):
            """Compare signed values."""
            if not self._several:
                return beyond(limit, name, latency_high)[0] | limit[-1]
            # The comparison is unsigned, because both signs are flipped.
            flipped = Cat(limit[:-1], ~limit[-1])
            low_carry_n, result = Signal(name=f"{name}_carry_n"), Signal(name=name)
            top = Cat(latency_high[:-1], ~latency_high[-1])
            m.d.sync += [
                low_carry_n.eq(~add_one_more(flipped[:HALF_BITS], latency_high)[HALF_BITS]),
                result.eq(~added(flipped[HALF_BITS:], top, ~low_carry_n)[HALF_BITS]),
            ]
            return result

        old, low_slack, high_slack = beyond(expiry, "old_age", age_high)
        opened, *_ = beyond(
            settings.window_min_ticks, "inside", age_high, lambda left, right: left + right
        )
        slack = Signal(3 * HALF_BITS)
        m.d.sync += slack.eq(
            Cat(slack[HALF_BITS : 2 * HALF_BITS], low_slack[:HALF_BITS], high_slack[:HALF_BITS])
        )
        m.d.comb += [
            self.old.eq(old),
            self.opened.eq(opened),
            self.over.eq(exceeded(self.trigger_latency_ticks, "over_limit")),
            self.late.eq(exceeded(deadline, "over_deadline")),
            self.slack.eq(Cat(slack[:HALF_BITS], slack[2 * HALF_BITS :])),
        ]
