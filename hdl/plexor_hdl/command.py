"""The command port: frames from the host, executed on the register bus and answered."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import (
    CRC_BYTES,
    HEADER,
    MAX_OPERATIONS,
    OPERATION,
    FrameType,
    LogCode,
    OpCode,
    OpStatus,
)
from plexor_hdl.cobs import CobsDecoder
from plexor_hdl.crc import frame_crc
from plexor_hdl.fetch import plain_memory
from plexor_hdl.frame_words import HEADER_WORDS, FrameWord, header_words
from plexor_hdl.interfaces import TIME_BITS
from plexor_hdl.registers import RegisterBus

GROUP_BYTES = OPERATION.size_bytes
LEAST_BYTES = HEADER.size_bytes + CRC_BYTES + GROUP_BYTES
MOST_BYTES = HEADER.size_bytes + CRC_BYTES + GROUP_BYTES * MAX_OPERATIONS
ERROR_BITS = 32


class Command(wiring.Component):
    """Takes the host's bytes; executes whole, correct COMMAND frames; answers each.

    A frame that is no COBS encoding, has a wrong CRC or length, or is no COMMAND changes nothing:
    it is counted in `errors` (wraps) and answered with a LOG frame REJECTED, whose time is
    `time_ticks`. A good frame's operations are executed in their order, then the RESPONSE frame is
    complete. Bytes wait while a frame is executed and answered. Empty frames are ignored.

    Throughput one byte a clock while receiving; about 20 clocks an operation. Reset: between
    frames, no errors.
    """

    i_bytes: In(stream.Signature(8))
    time_ticks: In(TIME_BITS)
    bus: Out(RegisterBus())
    errors: Out(ERROR_BITS)
    o_words: Out(stream.Signature(FrameWord))

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = CobsDecoder()
        m.submodules.crc = crc = frame_crc()
        wiring.connect(m, wiring.flipped(self.i_bytes), decoder.i_bytes)
        size = 1 << (MOST_BYTES - 1).bit_length()
        m.submodules.frame = frame = plain_memory(8, size)
        write, read = frame.write_port(), frame.read_port()

        received = Signal(range(size))
        beat, taken = decoder.o_bytes.payload, Signal()
        m.d.comb += [
            taken.eq(decoder.o_bytes.valid & decoder.o_bytes.ready),
            crc.data.eq(beat.byte),
            crc.valid.eq(taken & ~beat.end),
            write.addr.eq(received),
            write.data.eq(beat.byte),
            write.en.eq(taken & ~beat.end & (received != size - 1)),
            read.en.eq(1),
        ]
        with m.If(write.en):
            m.d.sync += received.eq(received + 1)

        good, matched, whole = Signal(), Signal(), Signal()
        operations = Signal(range(MAX_OPERATIONS + 1))
        left = Signal(range(MAX_OPERATIONS + 1))
        group = Signal(GROUP_BYTES * 8)
        byte_r = Signal(8)
        loaded = Signal(range(GROUP_BYTES + 3))
        logging = Signal()
        answer = Signal(8)
        value = Signal(32)
        time_high = Signal(TIME_BITS - 32)
        number = Signal(range(HEADER_WORDS))
        address, code = group[:16], group[16:24]
        m.d.sync += [
            matched.eq(crc.match_detected),
            whole.eq(
                (received >= LEAST_BYTES)
                & (received <= MOST_BYTES)
                & (received[:3] == LEAST_BYTES % GROUP_BYTES)
            ),
            byte_r.eq(read.data),
        ]
        header = header_words(
            m,
            number,
            kind=Mux(logging, FrameType.LOG, FrameType.RESPONSE),
            tag=Mux(logging, LogCode.REJECTED, operations),
            index=Mux(logging, self.errors, group[32:]),
            base_ticks=Mux(logging, Cat(self.time_ticks[:32], time_high), 0),
        )
        out, free = self.o_words, Signal()
        m.d.comb += [
            free.eq(~out.valid | out.ready),
            self.bus.address.eq(address),
            self.bus.write_data.eq(group[32:]),
            self.bus.write.eq(code == OpCode.WRITE),
        ]
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)

        with m.FSM(name="command"):
            with m.State("RECEIVE"):
                m.d.comb += decoder.o_bytes.ready.eq(1)
                with m.If(taken & beat.end):
                    m.d.sync += good.eq(beat.good)
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += [
                    operations.eq((received - LEAST_BYTES + GROUP_BYTES)[3:]),
                    read.addr.eq(0),
                    loaded.eq(0),
                ]
                m.next = "REJECT"
                with m.If(good & matched & whole):
                    m.next = "LOAD_HEADER"
            with m.State("REJECT"):
                m.d.sync += [self.errors.eq(self.errors + 1), logging.eq(1)]
                m.next = "HEADER"
            for state, after in (("LOAD_HEADER", "TYPE"), ("LOAD", "OPERATE")):
                with m.State(state):
                    m.d.sync += [
                        read.addr.eq(read.addr + 1),
                        loaded.eq(loaded + 1),
                        group.eq(Cat(group[8:], byte_r)),
                    ]
                    with m.If(loaded == GROUP_BYTES + 1):
                        m.d.sync += loaded.eq(0)
                        m.next = after
            with m.State("TYPE"):
                m.d.sync += [left.eq(operations), read.addr.eq(HEADER.size_bytes)]
                m.next = "REJECT"
                with m.If(group[:8] == FrameType.COMMAND):
                    m.next = "HEADER"
            with m.State("HEADER"):
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(header),
                        out.payload.end.eq(0),
                        number.eq(number + 1),
                        time_high.eq(self.time_ticks[32:]),
                    ]
                    with m.If(number == HEADER_WORDS - 1):
                        m.d.sync += number.eq(0)
                        m.next = "LOAD"
                        with m.If(logging):
                            m.next = "END"
            with m.State("OPERATE"):
                m.d.comb += self.bus.request_stb.eq((code == OpCode.READ) | (code == OpCode.WRITE))
                m.d.sync += [
                    # The last two bytes read belong to the next operation.
                    read.addr.eq(read.addr - 2),
                    answer.eq(OpStatus.NO_OPERATION),
                    value.eq(group[32:]),
                ]
                m.next = "ANSWER"
                with m.If(self.bus.request_stb):
                    m.next = "BUS"
            with m.State("BUS"):
                with m.If(self.bus.done_stb):
                    m.d.sync += answer.eq(self.bus.status)
                    with m.If(code == OpCode.READ):
                        m.d.sync += value.eq(self.bus.read_data)
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                with m.If(free):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.word.eq(Cat(address, code, answer)),
                        left.eq(left - 1),
                    ]
                    m.next = "VALUE"
            with m.State("VALUE"):
                with m.If(free):
                    m.d.sync += [out.valid.eq(1), out.payload.word.eq(value)]
                    m.next = "LOAD"
                    with m.If(left == 0):
                        m.next = "END"
            with m.State("END"):
                with m.If(free):
                    m.d.sync += [out.valid.eq(1), out.payload.end.eq(1)]
                    m.d.sync += [logging.eq(0), received.eq(0)]
                    m.next = "RECEIVE"
        return m
