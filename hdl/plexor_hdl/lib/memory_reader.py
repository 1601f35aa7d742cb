# SPDX-License-Identifier: Apache-2.0
"""Reads a memory as a stream."""

from collections.abc import Iterable
from typing import Any

from amaranth.hdl import Module, ShapeLike, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out


def plain_memory(
    shape: ShapeLike, depth: int, init: Iterable[int] = (), **attrs: Any
) -> memory.Memory:
    """Return a memory without logic for reading a word in the clock of its write.

    Such a read may give any value. No user of this function looks at it. `attrs` are attributes for
    the tools.
    """
    attrs = {"no_rw_check": 1, **attrs}
    return memory.Memory(shape=shape, depth=depth, init=init, attrs=attrs)


class QuickMemoryReader(wiring.Component):
    """Reads the words of a memory in order, one each clock.

    It is a MemoryReader for where the clock leaves room for what hangs on `ready`. The output is
    the memory's own register: what stands there when `clear` comes is forgotten.

    Latency: 1 clock from a new `limit` to the word.
    Throughput: one word each clock.
    Reset: at address 0, nothing read.
    Wrap: addresses are modulo the memory's size.
    Full: `enable` is low while a word waits at the output; nothing more is read.

    Ports:
        address: The next word to read; it goes to a synchronous read port.
        enable: The read port's enable.
        data: What the port read.
        limit: The words before this address may be read.
        clear: Goes back to address 0; `limit` must go with it.
        o_words: The words in order.
    """

    def __init__(self, width: int, address_bits: int) -> None:
        super().__init__(
            {
                "address": Out(address_bits),
                "enable": Out(1),
                "data": In(width),
                "limit": In(address_bits),
                "clear": In(1),
                "o_words": Out(stream.Signature(width)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        words, some = self.o_words, Signal()
        m.d.comb += [
            some.eq(self.address != self.limit),
            self.enable.eq(~words.valid | words.ready),
            words.payload.eq(self.data),
        ]
        with m.If(self.enable):
            m.d.sync += [words.valid.eq(some), self.address.eq(self.address + some)]
        with m.If(self.clear):
            m.d.sync += [words.valid.eq(0), self.address.eq(0)]
        return m


class MemoryReader(wiring.Component):
    """Reads the words of a memory in order, from address 0 up to before `limit`.

    The words before `address` are free to be written. The output is a register; one more is between
    it and the memory, which may be the memory's own. `clear` forgets what was read, but not what
    stands at the output.

    Latency: 3 clocks from a new `limit` to the word.
    Throughput: one word each 3 clocks.
    Reset: at address 0, nothing read.
    Wrap: addresses are modulo the memory's size.
    Full: nothing more is taken from the memory while a word waits at the output.

    Ports:
        address: The next word to read; it goes to a synchronous read port that is always enabled.
        data: What the port read.
        limit: The words before this address may be read.
        clear: Goes back to address 0; `limit` must go with it.
        o_words: The words in order.
    """

    def __init__(self, width: int, address_bits: int) -> None:
        super().__init__(
            {
                "address": Out(address_bits),
                "data": In(width),
                "limit": In(address_bits),
                "clear": In(1),
                "o_words": Out(stream.Signature(width)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # `read`: the memory's output is the next word. `there`: `word` is the next word.
        read, there = Signal(), Signal()
        word, take = Signal.like(self.data), Signal()
        # `ready` comes from far away, so the output is taken without it.
        m.d.comb += take.eq(there & ~self.o_words.valid)
        m.d.sync += [
            word.eq(self.data),
            read.eq((self.address != self.limit) & ~take & ~self.clear),
            there.eq(read & ~take & ~self.clear),
        ]
        with m.If(self.o_words.ready):
            m.d.sync += self.o_words.valid.eq(0)
        with m.If(take):
            m.d.sync += [
                self.o_words.valid.eq(~self.clear),
                self.o_words.payload.eq(word),
                self.address.eq(self.address + 1),
            ]
        with m.If(self.clear):
            m.d.sync += self.address.eq(0)
        return m
