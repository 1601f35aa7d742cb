# SPDX-License-Identifier: Apache-2.0
"""Shares the register bus between two masters."""

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import OpStatus
from plexor.protocol.registers import BASE_ADDRESSES, BLOCKS
from plexor_hdl.control.register_bus import RegisterBus
from plexor_hdl.lib.addresses import ADDRESS_BITS, WORD_BITS, Word, claimed


def is_word(address: Value, claim: Callable[[Word], int]) -> Value:
    """Return whether `claim` holds for the register word at an address; 0 if there is none."""
    hits = []
    for block in BLOCKS:
        size = (block.stride_words * block.count - 1).bit_length()
        hit = address[size:] == BASE_ADDRESSES[block.name] >> size
        hits.append(hit & claimed(block, address, claim))
    return Cat(hits).any()


class WideReads(wiring.Component):
    """Asks for registers one at a time, wide ones whole: their words belong together.

    A read of a wide register's first word reads both, the low one first, with nothing of another's
    between them. A read of its second word gives what was read then, if it is the next request.
    With `high_first` the first word of a wide register is its high one for the `asker`; it is its
    low one on the bus.

    Latency: 4 clocks from a request to the bus's, if granted at once, and 1 from the bus's answer
        to the asker's; a wide read asks a second time, 1 clock after the first answer; 3 clocks for
        a second word that is known.
    Throughput: one request at a time.
    Reset: nothing is asked, and no second word is known.
    Wrap: none; it counts nothing.
    Full: never; a request waits until the bus is granted.

    Ports:
        asker: Requests from whoever asks.
        bus: Requests to the bus.
        ask: 1 from a request, unless its word is known, until it is done.
        granted: 1 if the bus may be used; it stays 1 while `ask` is.
    """

    def __init__(self, *, high_first: bool) -> None:
        self._high_first = high_first
        super().__init__(
            {
                "asker": In(RegisterBus()),
                "bus": Out(RegisterBus()),
                "ask": Out(1),
                "granted": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        asker, bus = self.asker, self.bus
        first, second = Signal(), Signal()
        m.d.sync += [
            first.eq(is_word(asker.address, lambda w: w.register.words == 2 and not w.number)),
            second.eq(is_word(asker.address, lambda w: w.register.words == 2 and w.number)),
        ]
        kept, kept_at, keeps = Signal(WORD_BITS), Signal(ADDRESS_BITS), Signal()
        both = Signal()
        m.d.comb += [bus.write.eq(asker.write), bus.write_data.eq(asker.write_data)]
        m.d.sync += [asker.done_stb.eq(0), bus.request_stb.eq(0)]
        with m.FSM(name="wide_reads"):
            with m.State("IDLE"):
                m.d.sync += both.eq(0)
                with m.If(asker.request_stb):
                    m.next = "LOOK"
            with m.State("LOOK"):
                m.next = "KEPT"
            with m.State("KEPT"):
                with m.If(keeps & ~asker.write & (kept_at == asker.address)):
                    m.d.sync += [asker.read_data.eq(kept), asker.status.eq(OpStatus.OK)]
                    m.d.sync += asker.done_stb.eq(1)
                    m.next = "IDLE"
                with m.Else():
                    m.d.sync += self.ask.eq(1)
                    m.next = "GRANT"
                m.d.sync += keeps.eq(0)
            with m.State("GRANT"):
                m.d.sync += bus.address.eq(asker.address)
                if self._high_first:
                    with m.If(second):
                        m.d.sync += bus.address.eq(asker.address - 1)
                    with m.Elif(first & asker.write):
                        m.d.sync += bus.address.eq(asker.address + 1)
                with m.If(self.granted):
                    m.d.sync += bus.request_stb.eq(1)
                    m.next = "BUS"
            with m.State("BUS"):
                with m.If(bus.done_stb):
                    m.d.sync += [asker.read_data.eq(bus.read_data), asker.status.eq(bus.status)]
                    with m.If(first & ~asker.write & ~both):
                        m.d.sync += [
                            kept.eq(bus.read_data),
                            kept_at.eq(asker.address + 1),
                            bus.address.eq(asker.address + 1),
                            bus.request_stb.eq(1),
                            both.eq(1),
                        ]
                    with m.Else():
                        with m.If(both):
                            m.d.sync += keeps.eq(bus.status == OpStatus.OK)
                            if not self._high_first:
                                m.d.sync += [
                                    asker.read_data.eq(kept),
                                    kept.eq(bus.read_data),
                                ]
                        m.d.sync += [asker.done_stb.eq(1), self.ask.eq(0)]
                        m.next = "IDLE"
        return m


class SharedBus(wiring.Component):
    """One register bus for two: the command port and the access port.

    The command port's wide registers have their low word first, the access port's their high word.
    Both read them whole (WideReads). Neither waits for more than one request of the other's; of two
    that ask at once the command port is first.

    Latency: 5 clocks more than the bus takes, for the access port 6; see WideReads for wide
        registers.
    Throughput: one request at a time.
    Reset: it is the command port's turn, and nothing is asked.
    Wrap: none; it counts nothing.
    Full: never; a request waits for the other's.

    Ports:
        command: Requests of the command port.
        access: Requests of the access port.
        bus: Requests to the register bank.
    """

    command: In(RegisterBus())
    access: In(RegisterBus())
    bus: Out(RegisterBus())

    def elaborate(self, platform):
        m = Module()
        m.submodules.command_reads = command = WideReads(high_first=False)
        m.submodules.access_reads = access = WideReads(high_first=True)
        wiring.connect(m, wiring.flipped(self.command), command.asker)
        wiring.connect(m, wiring.flipped(self.access), access.asker)
        turn = Signal()
        with m.If(~Mux(turn, access.ask, command.ask)):
            m.d.sync += turn.eq(access.ask & ~command.ask)
        bus = self.bus
        for ours, other in ((command, ~turn), (access, turn)):
            m.d.comb += [
                ours.granted.eq(other & ours.ask),
                ours.bus.done_stb.eq(bus.done_stb & other),
                ours.bus.read_data.eq(bus.read_data),
                ours.bus.status.eq(bus.status),
            ]
        for name in ("address", "write", "write_data", "request_stb"):
            port = getattr(bus, name)
            m.d.comb += port.eq(Mux(turn, getattr(access.bus, name), getattr(command.bus, name)))
        return m
