# SPDX-License-Identifier: Apache-2.0
"""Memories whose readers must not look at a word in the clock in which it is written."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory
from amaranth.lib.memory import MemoryInstance

PLAIN = "no_rw_check"
_Memory = memory.Memory


class Memory(_Memory):
    """One that, where it is plain, gives the inverse of what a port writes while another reads it.

    A block RAM of the ECP5 may give anything then (Lattice FPGA-TN-02204), and a simulator of
    Amaranth's gives what was there.
    """

    def elaborate(self, platform):
        if PLAIN not in self.attrs:
            return super().elaborate(platform)
        m = Module()
        m.submodules.words = words = MemoryInstance(data=self._data, attrs=self.attrs)
        for port in self.write_ports:
            words.write_port(domain=port.domain, addr=port.addr, data=port.data, en=port.en)
        for port in self.read_ports:
            assert not port.transparent_for
            data = Value.cast(port.data)
            found, wrong = Signal(len(data)), Signal(len(data))
            words.read_port(
                domain=port.domain, data=found, addr=port.addr, en=port.en, transparent_for=()
            )
            written = 0
            for other in self.write_ports:
                each = Cat(bit.replicate(len(data) // len(other.en)) for bit in other.en)
                written |= Mux(other.addr == port.addr, each, 0)
            with m.If(port.en):
                m.d[port.domain] += wrong.eq(written)
            m.d.comb += data.eq(found ^ wrong)
        return m


MEMORIES = {"amaranth.lib.memory": Memory}
"""What the gateware's modules have for Memory here."""
