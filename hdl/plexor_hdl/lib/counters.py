# SPDX-License-Identifier: Apache-2.0
"""Counters in a memory, for counts PACE_CLOCKS apart: each is stored before it is read again."""

from amaranth.hdl import Cat, Module, Mux, Signal, ValueLike
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.clearing import Clearing
from plexor_hdl.lib.history import Line
from plexor_hdl.lib.memory_reader import plain_memory


def fetched_from(m: Module, memory: Memory, address: ValueLike, name: str) -> Signal:
    """Return the word at `address`, one clock later, directly from a register."""
    # With a clocked port, yosys would add logic for reads during writes.
    port = memory.read_port(domain="comb")
    fetched = Signal(len(port.data), name=name, reset_less=True)
    m.d.comb += port.addr.eq(address)
    m.d.sync += fetched.eq(port.data)
    return fetched


class PacedTally(wiring.Component):
    """Counts events by address: `entries` counters of `bits` bits, up to 32, in two chunks.

    Beats come PACE_CLOCKS or more apart: each count is back in memory before the next is read. A
    memory that is `far`, spread over the device, has one more register behind it.

    Latency: a beat is in what is read for an address `latency` clocks after it. A count is there
        READ_CLOCKS after its address.
    Throughput: one beat each PACE_CLOCKS; one read each READ_CLOCKS, and none beside a beat.
    Reset: `saturated` is low. The counters are 0 at configuration, and keep their values at reset.
    Wrap: none; a counter at its maximum stays there.
    Full: a beat that finds a counter at its maximum is not counted, and sets `saturated`.

    Ports:
        valid: A beat: the counter at `address` counts one.
        address: The counter of a beat; valid with `valid`.
        read_address: The counter to read. It and `there` stand for READ_CLOCKS, and until as long
            after a beat.
        there: There is a counter at `read_address`; else 0 is read.
        count: The value that was read.
        clear_stb: Zeroes all counters and `saturated`.
        clear_busy: The counters are being zeroed, for `entries` clocks; no beat may come.
        saturated: A beat was not counted since the last clear.
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
        super().__init__(
            {
                "valid": In(1),
                "address": In(range(entries)),
                "read_address": In(range(entries)),
                "there": In(1),
                "count": Out(bits),
                "clear_stb": In(1),
                "clear_busy": Out(1),
                "saturated": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        valid = Line(m, self.valid, "valid")
        m.submodules.clearing = clearing = Clearing(self._entries)
        m.d.comb += [clearing.stb.eq(self.clear_stb), self.clear_busy.eq(clearing.busy)]
        clear = Line(m, clearing.busy, "clear")

        address = Signal(range(self._entries))
        write_address = Signal.like(address)
        beyond = Signal()
        with m.If(~(valid[1] | valid[2])):
            m.d.sync += [
                address.eq(Mux(valid[0], self.address, self.read_address)),
                beyond.eq(~valid[0] & ~self.there),
            ]
        with m.If(valid[3] | clear[0]):
            m.d.sync += write_address.eq(Mux(clear[0], clearing.address, address))
        outside = Line(m, beyond, "outside")[1 + self._far]
        stored, ahead = [], []
        for name, memory in zip(("low", "high"), self.memories, strict=True):
            m.submodules[f"{name}_memory"] = memory
            fetched = fetched_from(m, memory, address, f"{name}_fetched")
            if self._far:
                fetched = Line(m, fetched, f"{name}_near")[1]
            ahead.append(fetched)
            word = Signal(len(fetched), name=name)
            m.d.sync += word.eq(Mux(outside, 0, fetched))
            stored.append(word)
        low, high = stored
        m.d.comb += self.count.eq(Cat(low, high))

        # The high chunk follows one clock after the low one. A count that would wrap is not
        # written. The beat before may still be writing what a far memory first reads.
        full = Signal()
        low_sum, high_sum = Signal(self._low_bits + 1), Signal(self._high_bits)
        held = Signal()
        m.d.comb += held.eq(low_sum[-1] & full)
        m.d.sync += [
            full.eq((ahead[1] if self._far else high).all()),
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
