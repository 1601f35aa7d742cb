"""The command port: frames from the host, executed on the register bus and answered; and LOGs."""

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
from plexor.protocol.registers import address
from plexor_hdl.cobs import CobsDecoder
from plexor_hdl.crc import FrameCrc
from plexor_hdl.fetch import plain_memory
from plexor_hdl.frame_bytes import HEADER_BYTES, INDEX, SEQUENCE, TAG, TYPE, FrameByte
from plexor_hdl.registers import RegisterBus
from plexor_hdl.words import ADDRESS_BITS, WORD_BITS

GROUP_BYTES = OPERATION.size_bytes
LEAST_BYTES = HEADER.size_bytes + CRC_BYTES + GROUP_BYTES
MOST_BYTES = HEADER.size_bytes + CRC_BYTES + GROUP_BYTES * MAX_OPERATIONS
ERROR_BITS = 32
CRC_STEP_BITS = 2
"""Bits of a received byte that its CRC takes in a clock: the link is slower than that."""
NOTHING = address("control", "action")
"""A word that always reads as 0."""


def _wide(name: str) -> tuple[int, int]:
    return address("status", name), address("status", name) + 1


LOG_WORDS = {
    LogCode.STARTED: (NOTHING, NOTHING, *_wide("start_ticks")),
    LogCode.STOPPED: (address("status", "stop_reason"), NOTHING, *_wide("end_ticks")),
    LogCode.TRIGGERED: (*_wide("trigger_index"), *_wide("trigger_ticks")),
    LogCode.REJECTED: (address("status", "command_errors"), NOTHING, *_wide("time_ticks")),
}
"""Register words that make the index and the time of a LOG frame."""


class Command(wiring.Component):
    """Takes the host's bytes; executes whole, correct COMMAND frames; answers each.

    A frame that is no COBS encoding, has a wrong CRC or length, or is no COMMAND changes nothing:
    it is counted in `errors` (wraps) and answered with a LOG frame REJECTED. A good frame's
    operations are executed in their order, then the RESPONSE frame is complete. Bytes wait while a
    frame is executed and answered. Empty frames are ignored.

    Other LOG frames are sent as `i_logs` asks, while not `quiet` and between a frame's bytes; each
    is taken in the clock in which its frame is complete. What a LOG frame says, LOG_WORDS, is read
    over the bus while it is sent.

    `bus.read_data` and `bus.status` must stand from `done_stb` to the next request. Throughput one
    byte each 5 clocks while receiving; about 50 clocks an operation. Reset: between frames, no
    errors.
    """

    i_bytes: In(stream.Signature(8))
    i_logs: In(stream.Signature(LogCode))
    quiet: In(1)
    bus: Out(RegisterBus())
    errors: Out(ERROR_BITS)
    o_bytes: Out(stream.Signature(FrameByte))

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = CobsDecoder()
        m.submodules.crc = crc = FrameCrc(CRC_STEP_BITS)
        wiring.connect(m, wiring.flipped(self.i_bytes), decoder.i_bytes)
        size = 1 << (MOST_BYTES - 1).bit_length()
        m.submodules.frame = frame = plain_memory(8, size)
        write, read = frame.write_port(), frame.read_port()

        # Where the next byte goes to, then where the next one comes from: a LOG frame amid a
        # command leaves it alone.
        at, stored = Signal(range(size)), Signal(8)
        beat, taken = decoder.o_bytes.payload, Signal()
        step, last_step = Signal(range(8 // CRC_STEP_BITS)), Signal()
        good, matched, whole, is_command = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            write.addr.eq(at),
            read.addr.eq(at),
            write.data.eq(beat.byte),
            crc.data.eq(beat.byte.word_select(step, CRC_STEP_BITS)),
            last_step.eq(step == 8 // CRC_STEP_BITS - 1),
            read.en.eq(1),
        ]
        m.d.sync += [
            matched.eq(crc.matched),
            stored.eq(read.data),
            whole.eq(
                (at >= LEAST_BYTES) & (at <= MOST_BYTES) & (at[:3] == LEAST_BYTES % GROUP_BYTES)
            ),
        ]
        onward, wrote = Signal(), Signal()
        m.d.sync += wrote.eq(write.en)
        with m.If(onward | wrote):
            m.d.sync += at.eq(at + 1)
        with m.If(write.en & (at == TYPE)):
            m.d.sync += is_command.eq(beat.byte == FrameType.COMMAND)

        checking, wrong, carry = Signal(), Signal(), Signal()
        m.d.sync += wrong.eq(checking & ~(good & matched & whole & is_command))
        low, high = self.errors[: ERROR_BITS // 2], self.errors[ERROR_BITS // 2 :]
        m.d.sync += [Cat(low, carry).eq(low + wrong), high.eq(high + carry)]

        left = Signal(range(MAX_OPERATIONS + 1))
        place, value = Signal(ADDRESS_BITS), Signal(WORD_BITS)
        reads, writes, waits = Signal(), Signal(), Signal(2)
        # The value's 32 bits follow a clock late.
        moves, fetches = Signal(), Signal()
        move_next, fetch_next, request_next = Signal(), Signal(), Signal()
        m.d.sync += [
            moves.eq(move_next),
            fetches.eq(fetch_next),
            self.bus.request_stb.eq(request_next),
        ]
        with m.If(moves):
            m.d.sync += value.eq(Mux(fetches, self.bus.read_data, Cat(value[8:], stored)))
        logging, log = Signal(), Signal(LogCode)
        number = Signal(range(HEADER_BYTES))
        take_place, of_log, log_place = Signal(), Signal(), Signal(ADDRESS_BITS)
        with m.If(take_place):
            m.d.sync += place.eq(Mux(of_log, log_place, Cat(place[8:], stored)))
        # A byte stands for two clocks before it is sent, for the memory's sake; the state moves on
        # in the clock behind.
        out, send, sent, end, byte = self.o_bytes, Signal(), Signal(), Signal(), Signal(8)
        fresh, last_of_word, last_of_group, last_of_header = (Signal() for _ in range(4))
        stands = Signal()
        none_left, log_waits = Signal(), Signal()
        in_index = Signal()
        m.d.sync += [
            stands.eq(send & ~sent),
            fresh.eq(stands & send & ~sent),
            sent.eq(send & fresh & ~sent & ~out.valid),
            in_index.eq(number[2:] == INDEX.start // len(SEQUENCE)),
            last_of_word.eq(number[:2].all()),
            last_of_group.eq(number[:3].all()),
            none_left.eq(left == 0),
            log_waits.eq(self.i_logs.valid & ~self.quiet & ~logging),
            last_of_header.eq(number == HEADER_BYTES - 1),
        ]
        m.d.comb += [
            self.bus.address.eq(place),
            self.bus.write_data.eq(value),
            self.bus.write.eq(writes),
        ]
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(~out.valid):
            m.d.sync += [out.payload.byte.eq(byte), out.payload.end.eq(end)]
            m.d.sync += out.valid.eq(send & fresh & ~sent)

        with m.FSM(name="command"):
            with m.State("RECEIVE"):
                log_due = log_waits & (step == 0)
                m.d.sync += [number.eq(0), log.eq(self.i_logs.payload)]
                m.d.comb += [
                    taken.eq(decoder.o_bytes.valid & ~log_due),
                    crc.step.eq(taken & ~beat.end),
                    decoder.o_bytes.ready.eq((last_step | beat.end) & ~log_due),
                    write.en.eq(crc.step & last_step & ~at.all()),
                ]
                with m.If(crc.step):
                    m.d.sync += step.eq(step + 1)
                with m.If(taken & beat.end):
                    m.d.sync += good.eq(beat.good)
                    m.next = "SETTLE"
                with m.Elif(log_due):
                    m.d.sync += logging.eq(1)
                    m.next = "HEADER"
            with m.State("SETTLE"):
                m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += [crc.start.eq(1), checking.eq(1)]
                m.d.sync += [
                    left.eq((at - LEAST_BYTES + GROUP_BYTES)[3:]),
                    log.eq(LogCode.REJECTED),
                    at.eq(SEQUENCE.start),
                ]
                m.next = "HEADER"
                with m.If(~(good & matched & whole & is_command)):
                    m.d.sync += [logging.eq(1), at.eq(0)]

            with m.State("HEADER"):
                m.d.comb += send.eq(1)
                with m.Switch(number):
                    with m.Case(TYPE):
                        m.d.comb += byte.eq(Mux(logging, FrameType.LOG, FrameType.RESPONSE))
                    with m.Case(TAG.start):
                        m.d.comb += byte.eq(Mux(logging, log, left))
                # The index of a response is the sequence of the command, read from the frame.
                with m.If(in_index):
                    m.d.comb += byte.eq(stored)
                with m.If(sent):
                    m.d.sync += number.eq(number + 1)
                    with m.If(in_index):
                        m.d.comb += onward.eq(1)
                    with m.If(last_of_header):
                        m.d.sync += [at.eq(HEADER_BYTES), number.eq(0)]
                        m.next = "OPERATION"
                    with m.If(logging & last_of_group):
                        m.next = "WORD"
            with m.State("WORD"):
                with m.Switch(Cat(log, number[2:])):
                    for code, words in LOG_WORDS.items():
                        for part, word in enumerate(words):
                            case = (INDEX.start // 4 + part) << len(log) | code
                            with m.Case(case):
                                m.d.comb += log_place.eq(word)
                m.d.comb += [take_place.eq(1), of_log.eq(1)]
                m.d.sync += [reads.eq(1), writes.eq(0)]
                m.next = "REQUEST"

            with m.State("OPERATION"):
                # Address and code go out as they come in; then the value is taken.
                silent = number[2] | number[:2].all()
                m.d.comb += [byte.eq(stored), send.eq(~silent)]
                m.d.sync += waits.eq(Cat(silent & ~waits.any(), waits))
                with m.If(sent | waits[1]):
                    m.d.comb += onward.eq(1)
                    m.d.sync += number.eq(number + 1)
                    with m.Switch(number[:3]):
                        with m.Case(0, 1):
                            m.d.comb += take_place.eq(1)
                        with m.Case(2):
                            m.d.sync += [
                                reads.eq(stored == OpCode.READ),
                                writes.eq(stored == OpCode.WRITE),
                            ]
                        with m.Default():
                            m.d.comb += move_next.eq(1)
                    with m.If(last_of_group):
                        m.d.sync += [number.eq(GROUP_BYTES // 2), left.eq(left - 1)]
                        m.next = "REQUEST"
            with m.State("REQUEST"):
                m.d.comb += request_next.eq(reads | writes)
                m.next = "BUS"
                with m.If(~request_next):
                    m.next = "STATUS"
            with m.State("BUS"):
                m.d.comb += fetch_next.eq(1)
                with m.If(self.bus.done_stb):
                    m.d.comb += move_next.eq(reads)
                    m.next = "STATUS"
                    with m.If(logging):
                        m.next = "VALUE"
            with m.State("STATUS"):
                m.d.comb += [
                    send.eq(1),
                    byte.eq(Mux(reads | writes, self.bus.status, OpStatus.NO_OPERATION)),
                ]
                with m.If(sent):
                    m.next = "VALUE"
            with m.State("VALUE"):
                m.d.comb += [send.eq(1), byte.eq(value[:8])]
                with m.If(sent):
                    m.d.comb += move_next.eq(1)
                    m.d.sync += number.eq(number + 1)
                    with m.If(last_of_word):
                        m.next = "WORD"
                        with m.If(logging & last_of_header):
                            m.next = "END"
                        with m.Elif(~logging):
                            m.d.sync += number.eq(0)
                            m.next = "OPERATION"
                            with m.If(none_left):
                                m.d.sync += at.eq(0)
                                m.next = "END"
            with m.State("END"):
                m.d.comb += [send.eq(1), end.eq(1)]
                with m.If(sent):
                    m.d.sync += logging.eq(0)
                    m.d.comb += self.i_logs.ready.eq(logging & (log != LogCode.REJECTED))
                    m.next = "RECEIVE"
        return m
