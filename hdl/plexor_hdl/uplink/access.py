# SPDX-License-Identifier: Apache-2.0
"""The access port: registers and result memories for a system around the instrument."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space
from plexor.protocol.window import SPACE_BITS, offset_bits, space_words, window_bits
from plexor_hdl.control.register_bus import RegisterBus
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, SpaceRead
from plexor_hdl.lib.addresses import ADDRESS_BITS, WORD_BITS
from plexor_hdl.uplink.dumper import word_clocks

WIRED_CLOCKS = 4
"""Maximum clocks by which a memory's word may come later here than at the dumper."""


class AccessRequest(data.StructLayout):
    """One word of the window (plexor.protocol.window) to read or write."""

    def __init__(self, geometry: Geometry) -> None:
        super().__init__({"address": window_bits(geometry), "write": 1, "data": WORD_BITS})


class AccessAnswer(data.Struct):
    """Result of an access: an OpStatus, and the word that was read, 0 unless the status is OK."""

    data: WORD_BITS
    status: 8


class Access(wiring.Component):
    """Reads and writes words of the access window, one at a time, and answers each in order.

    Registers go over `bus`, in the window's order of words. Words of memories are read through
    `spaces`, which at other times serve the dumper. Memories are read-only, and answer RUNNING
    while `running`. What the build leaves out answers NO_REGISTER.

    Latency: word_clocks + WIRED_CLOCKS + 3 clocks from a request to its answer for a memory, 4 more
        than the bus takes for a register, 3 for what is refused here.
    Throughput: one request at a time; the next is taken in the clock after its answer was.
    Reset: idle; nothing is asked.
    Wrap: none; it counts nothing.
    Full: a request waits until the answer before it has been taken.

    Ports:
        i_requests: Stream of words of the window to read or write.
        o_answers: Stream of answers, one for each request.
        bus: Asks for registers.
        running: 1 while a run lasts.
        i_spaces: The dumper's reads of memories, by Space.
        spaces: Reads of memories, by Space; the dumper's while this does not read.
        space: Space that is read while `reading`, else 0.
        reading: 1 while a memory is read here; the dumper must hold.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "i_requests": In(stream.Signature(AccessRequest(geometry))),
                "o_answers": Out(stream.Signature(AccessAnswer)),
                "bus": Out(RegisterBus()),
                "running": In(1),
                "i_spaces": In(SpaceRead()).array(len(Space)),
                "spaces": Out(SpaceRead()).array(len(Space)),
                "space": Out(range(len(Space))),
                "reading": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = offset_bits(self._geometry)
        request, answer = Signal.like(self.i_requests.payload), self.o_answers
        offset = request.address[:bits]
        bank = request.address[bits]
        space = request.address[bits + 1 : bits + 1 + SPACE_BITS]
        is_memory = request.address[-1]
        present = [number for number in Space if space_words(self._geometry, number)]
        there, within = Signal(), Signal()
        m.d.sync += [
            there.eq(Cat(space == number for number in present).any()),
            within.eq(~request.address[ADDRESS_BITS:].any()),
        ]

        value = 0
        for number, (dumpers, ours) in enumerate(zip(self.i_spaces, self.spaces, strict=True)):
            m.d.comb += [
                ours.address.eq(dumpers.address),
                ours.bank.eq(dumpers.bank),
                dumpers.data.eq(ours.data),
                dumpers.some.eq(ours.some),
            ]
            with m.If(self.reading):
                m.d.comb += [
                    ours.address.eq(offset),
                    # Beyond the last entry of every space, where all other spaces read 0.
                    ours.address[SPACE_ADDRESS_BITS - 1].eq(space != number),
                    ours.bank.eq(bank),
                ]
            if number in present:
                value |= ours.data

        settle_clocks = word_clocks(self._geometry) + WIRED_CLOCKS
        wait = Signal(range(settle_clocks))
        m.d.comb += [
            self.bus.address.eq(request.address[:ADDRESS_BITS]),
            self.bus.write.eq(request.write),
            self.bus.write_data.eq(request.data),
        ]
        m.d.sync += self.bus.request_stb.eq(0)
        with m.If(self.reading):
            m.d.comb += self.space.eq(space)
        with m.FSM(name="access"):
            with m.State("IDLE"):
                m.d.comb += self.i_requests.ready.eq(1)
                m.d.sync += [request.eq(self.i_requests.payload), wait.eq(settle_clocks - 1)]
                with m.If(self.i_requests.valid):
                    m.next = "LOOK"
            with m.State("LOOK"):
                m.next = "CHOOSE"
            with m.State("CHOOSE"):
                m.d.sync += answer.payload.data.eq(0)
                m.next = "ANSWER"
                with m.If(is_memory):
                    with m.If(~there):
                        m.d.sync += answer.payload.status.eq(OpStatus.NO_REGISTER)
                    with m.Elif(request.write):
                        m.d.sync += answer.payload.status.eq(OpStatus.READ_ONLY)
                    with m.Elif(self.running):
                        m.d.sync += answer.payload.status.eq(OpStatus.RUNNING)
                    with m.Else():
                        m.d.sync += self.reading.eq(1)
                        m.next = "MEMORY"
                with m.Elif(~within):
                    m.d.sync += answer.payload.status.eq(OpStatus.NO_REGISTER)
                with m.Else():
                    m.d.sync += self.bus.request_stb.eq(1)
                    m.next = "REGISTER"
            with m.State("MEMORY"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.d.sync += [
                        self.reading.eq(0),
                        answer.payload.data.eq(value),
                        answer.payload.status.eq(OpStatus.OK),
                    ]
                    m.next = "ANSWER"
                # A run that starts clears the memories.
                with m.If(self.running):
                    m.d.sync += [
                        self.reading.eq(0),
                        answer.payload.data.eq(0),
                        answer.payload.status.eq(OpStatus.RUNNING),
                    ]
                    m.next = "ANSWER"
            with m.State("REGISTER"):
                with m.If(self.bus.done_stb):
                    m.d.sync += answer.payload.status.eq(self.bus.status)
                    with m.If(~self.bus.write):
                        m.d.sync += answer.payload.data.eq(self.bus.read_data)
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += answer.valid.eq(1)
                with m.If(answer.ready):
                    m.next = "IDLE"
        return m
