"""Reading a memory as a stream."""

from amaranth.hdl import Module, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out


def plain_memory(shape, depth: int, init=()):
    """Return a memory without logic for a word that is read in the clock in which it is written.

    Such a read gives any value; none of its users looks at it.
    """
    return memory.Memory(shape=shape, depth=depth, init=init, attrs={"no_rw_check": 1})


class Fetch(wiring.Component):
    """Reads the words of a memory in order, from address 0 up to before `limit`, modulo its size.

    `address`, `enable` and `data` go to a synchronous read port. `address` is the next word to
    read: the words before it are free to be written. `clear` goes to address 0, where `limit` must
    go with it, and forgets what was read, but for what stands at the output. Latency 2 clocks,
    throughput one word a clock. The output is a register.
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
        read = Signal()
        output_free = Signal()
        m.d.comb += [
            output_free.eq(~self.o_words.valid | self.o_words.ready),
            self.enable.eq(~read | output_free),
        ]
        with m.If(self.enable):
            m.d.sync += read.eq(self.address != self.limit)
            with m.If(self.address != self.limit):
                m.d.sync += self.address.eq(self.address + 1)
        with m.If(output_free):
            m.d.sync += [self.o_words.valid.eq(read), self.o_words.payload.eq(self.data)]
        with m.If(self.clear):
            m.d.sync += [self.address.eq(0), read.eq(0)]
            with m.If(output_free):
                m.d.sync += self.o_words.valid.eq(0)
        return m
