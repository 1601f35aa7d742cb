"""Keeps the values of codes until their events have passed the merge."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.capture.code_port import CodeValue

IN_FLIGHT = 8
"""Codes that may be outside the word FIFO: not yet valued, or on their way to the stamp."""
BEGUN = 4
"""Codes that have begun and have no value yet, at most."""


class CodeValues(wiring.Component):
    """Keeps the values of codes whose words were kept, in order.

    Latency: 1 clock from `i_value` to `o_value`.
    Throughput: a value each clock in and out.
    Reset: empty.
    Wrap: none.
    Full: never; it has more places than there are words in the FIFO and behind it.

    Ports:
        begin: A code begins; its word is offered to its FIFO.
        kept: The word that was offered in the clock before was kept.
        i_value: The value of the oldest code without one, 2 clocks or more after its `begin`.
        i_valid: `i_value` is one.
        o_value: The value of the oldest kept code.
        take: `o_value` is taken.
    """

    def __init__(self, word_fifo_depth: int) -> None:
        self._depth = 1 << (word_fifo_depth + IN_FLIGHT - 1).bit_length()
        super().__init__(
            {
                "begin": In(1),
                "kept": In(1),
                "i_value": In(CodeValue()),
                "i_valid": In(1),
                "o_value": Out(CodeValue()),
                "take": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.values = values = memory.Memory(shape=CodeValue(), depth=self._depth, init=[])
        write, read = values.write_port(), values.read_port(domain="comb")
        keeps = Array(Signal(name=f"keep{number}") for number in range(BEGUN))
        begun, valued, begins = Signal(range(BEGUN)), Signal(range(BEGUN)), Signal()
        m.d.sync += begins.eq(self.begin)
        with m.If(begins):
            m.d.sync += [keeps[begun].eq(self.kept), begun.eq(begun + 1)]
        keep = Mux(begins & (begun == valued), self.kept, keeps[valued])
        m.d.comb += [
            write.data.eq(self.i_value),
            write.en.eq(self.i_valid & keep),
            self.o_value.eq(read.data),
        ]
        with m.If(self.i_valid):
            m.d.sync += valued.eq(valued + 1)
        with m.If(write.en):
            m.d.sync += write.addr.eq(write.addr + 1)
        with m.If(self.take):
            m.d.sync += read.addr.eq(read.addr + 1)
        return m
