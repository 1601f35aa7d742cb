# SPDX-License-Identifier: Apache-2.0
"""Keeps the values of codes until these leave the merge, and says which are not sent."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.codes import CLASS_BITS
from plexor.protocol.geometry import Geometry
from plexor_hdl.capture.code_port import CodeValue
from plexor_hdl.interfaces import COUNT_BITS
from plexor_hdl.lib.counter import count

IN_FLIGHT = 8
"""Codes that may be outside the word FIFO: not yet valued, or on their way to the stamp."""
BEGUN = 4
"""Codes that have begun and have no value yet, at most."""


class CodeValues(wiring.Component):
    """Keeps the values of codes whose words were kept, in order, until the codes leave the merge.

    `skip` says of the next code that its class is in `zone_mask`. Such a code is counted.

    Latency: 2 clocks from `i_value` until it may leave, 1 from `leave_stb` to `value`; codes leave
        at least 2 clocks apart.
    Throughput: a value each clock in and out.
    Reset: empty; none was masked.
    Wrap: `masked` wraps at 2**COUNT_BITS.
    Full: never; it has more places than there are words in the FIFO and behind it.

    Ports:
        begin: A code begins; its word is offered to its FIFO.
        kept: The word that was offered in the clock before was kept.
        i_value: The value of the oldest code without one, 2 clocks or more after its `begin`.
        i_valid: `i_value` is one.
        zone_mask: A bit for each class of codes, its codes' upper bits: they are not sent.
        leave_stb: A code leaves the merge.
        skip: It is not sent.
        value: The value of the code that left last.
        clear: A run begins: `masked` is 0.
        masked: How many codes left that are not sent.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._code_bits = geometry.code_bits
        self._depth = 1 << (geometry.word_fifo_depth + IN_FLIGHT - 1).bit_length()
        super().__init__(
            {
                "begin": In(1),
                "kept": In(1),
                "i_value": In(CodeValue()),
                "i_valid": In(1),
                "zone_mask": In(1 << CLASS_BITS),
                "leave_stb": In(1),
                "skip": Out(1),
                "value": Out(CodeValue()),
                "clear": In(1),
                "masked": Out(COUNT_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        kept = data.StructLayout({"value": CodeValue(), "skip": 1})
        m.submodules.values = values = memory.Memory(shape=kept, depth=self._depth, init=[])
        write, read = values.write_port(), values.read_port(domain="comb")
        keeps = Array(Signal(name=f"keep{number}") for number in range(BEGUN))
        begun, valued, begins = Signal(range(BEGUN)), Signal(range(BEGUN)), Signal()
        m.d.sync += begins.eq(self.begin)
        with m.If(begins):
            m.d.sync += [keeps[begun].eq(self.kept), begun.eq(begun + 1)]
        keep = Mux(begins & (begun == valued), self.kept, keeps[valued])
        above = self.i_value.code[: self._code_bits][-CLASS_BITS:]
        m.d.comb += [
            write.data.value.eq(self.i_value),
            write.data.skip.eq(self.zone_mask.bit_select(above, 1)),
            write.en.eq(self.i_valid & keep),
        ]
        with m.If(self.i_valid):
            m.d.sync += valued.eq(valued + 1)
        with m.If(write.en):
            m.d.sync += write.addr.eq(write.addr + 1)

        masked_stb = Signal()
        m.d.sync += [
            self.skip.eq(read.data.skip),
            masked_stb.eq(self.leave_stb & self.skip),
        ]
        with m.If(self.leave_stb):
            m.d.sync += [read.addr.eq(read.addr + 1), self.value.eq(read.data.value)]
        count(m, self.masked, masked_stb, self.clear)
        return m
