# SPDX-License-Identifier: Apache-2.0
"""The command port: executes frames from the host on the register bus, answers, sends LOGs."""

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
from plexor_hdl.control.register_bus import RegisterBus
from plexor_hdl.lib.addresses import ADDRESS_BITS, WORD_BITS
from plexor_hdl.lib.cobs import CobsDecoder, DecodedByte
from plexor_hdl.lib.crc import FrameCrc
from plexor_hdl.lib.frame_bytes import HEADER_BYTES, INDEX, SEQUENCE, TAG, TYPE, FrameByte
from plexor_hdl.lib.memory_reader import plain_memory
from plexor_hdl.lib.states import States
from plexor_hdl.lib.tables import table

GROUP_BYTES = OPERATION.size_bytes
LEAST_BYTES = HEADER.size_bytes + CRC_BYTES + GROUP_BYTES
MOST_BYTES = HEADER.size_bytes + CRC_BYTES + GROUP_BYTES * MAX_OPERATIONS
ERROR_BITS = 32
CRC_STEP_BITS = 2
"""Bits of a received byte that its CRC takes in each clock. The link is slower than that."""
SKIPPED_BYTES = len(SEQUENCE)
"""Bytes by which reading the command lags behind sending the answer's header, because the answer's
index is the command's sequence. The rest of the command's header is skipped at the end."""
NOTHING = address("control", "action")
"""Address of a word that always reads as 0."""


def _wide(name: str) -> tuple[int, int]:
    return address("status", name), address("status", name) + 1


LOG_WORDS = {
    LogCode.STARTED: (NOTHING, NOTHING, *_wide("start_ticks")),
    LogCode.STOPPED: (address("status", "stop_reason"), NOTHING, *_wide("end_ticks")),
    LogCode.TRIGGERED: (*_wide("trigger_index"), *_wide("trigger_ticks")),
    LogCode.REJECTED: (address("status", "command_errors"), NOTHING, *_wide("time_ticks")),
}
"""Addresses of the register words that form index and time of a LOG frame."""
DUMPED_WORDS = (address("status", "snapshot"), NOTHING, *_wide("end_ticks"))
"""The same of DUMPED, in a build without a dumper that tells it."""


def log_table(*, dumps: bool) -> dict[int, int]:
    """Return the words by code and part. Index and time are header bytes 8 to 23, four a part."""
    words = LOG_WORDS | ({LogCode.DUMPED: DUMPED_WORDS} if dumps else {})
    return {
        code << 2 | part: word for code, each in words.items() for part, word in enumerate(each)
    }


class Command(wiring.Component):
    """Takes the host's bytes, executes whole, correct COMMAND frames, and answers each.

    A good frame's operations are executed in their order, then the RESPONSE frame is complete. A
    frame that is no COBS encoding, has a wrong CRC or length, or is no COMMAND changes nothing: it
    is counted and answered with a LOG frame REJECTED. Empty frames are ignored. With `datagrams`
    frames come decoded, with an end after each. With `dumps` it sends LOG frames DUMPED, too.

    Other LOG frames are sent as `i_logs` asks, between a frame's bytes and while not `quiet`. Each
    is taken in the clock after its frame is complete. What a LOG frame says, LOG_WORDS, is read
    over the bus while it is sent; `bus.read_data` and `bus.status` must stand from `done_stb` to
    the next request.

    Latency: 5 clocks from a frame's end to the first byte of its answer.
    Throughput: a received byte each 6 clocks, with `datagrams` each 5; a byte sent each 4 clocks.
        An operation takes 32 clocks and what the bus takes.
    Reset: between frames, no errors.
    Wrap: `errors` wraps at 2**32.
    Full: bytes wait while a frame is executed and answered. A frame that is too long is rejected.

    Ports:
        i_bytes: Stream of bytes from the link, with `datagrams` of decoded ones.
        i_logs: Stream of codes of LOG frames to send.
        quiet: 1 keeps LOG frames back, but for REJECTED.
        bus: Asks for registers.
        errors: Number of rejected frames.
        o_bytes: Stream of the frames' bytes, with an end after each frame.
    """

    def __init__(self, *, datagrams: bool = False, dumps: bool = False) -> None:
        self._datagrams, self._dumps = datagrams, dumps
        super().__init__(
            {
                "i_bytes": In(stream.Signature(DecodedByte if datagrams else 8)),
                "i_logs": In(stream.Signature(LogCode)),
                "quiet": In(1),
                "bus": Out(RegisterBus()),
                "errors": Out(ERROR_BITS),
                "o_bytes": Out(stream.Signature(FrameByte)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        frames = wiring.flipped(self.i_bytes)
        if not self._datagrams:
            m.submodules.decoder = decoder = CobsDecoder()
            wiring.connect(m, wiring.flipped(self.i_bytes), decoder.i_bytes)
            frames = decoder.o_bytes
        size = 1 << (MOST_BYTES - 1).bit_length()
        m.submodules.frame = frame = plain_memory(8, size)
        write, read = frame.write_port(), frame.read_port()
        now = States(
            *("RECEIVE", "BYTE", "SETTLE", "CHECK", "HEADER", "WORD", "OPERATION", "VALUE_IN"),
            *("REQUEST", "BUS", "STATUS", "VALUE", "END"),
        )

        # The place for the next received byte, later that of the next byte to read. A LOG frame in
        # the middle of a command does not change it.
        at, stored = Signal(range(size)), Signal(8)
        onward, wrote, rewind = Signal(), Signal(), Signal()
        beat, log_waits, logging = frames.payload, Signal(), Signal()
        m.d.comb += [write.addr.eq(at), read.addr.eq(at), write.data.eq(beat.byte), read.en.eq(1)]
        m.d.sync += [
            stored.eq(read.data),
            wrote.eq(write.en),
            rewind.eq(now["SETTLE"] | (now["END"] & ~logging)),
        ]
        with m.If(onward | wrote):
            m.d.sync += at.eq(at + 1)
        with m.If(rewind):
            m.d.sync += at.eq(0)
        accepted = self._receive(m, now, frames, write, at, log_waits)

        left, none_left = Signal(range(MAX_OPERATIONS + 1)), Signal()
        place, value = Signal(ADDRESS_BITS), Signal(WORD_BITS)
        reads, writes, asks = Signal(), Signal(), Signal()
        log, told = Signal(LogCode), Signal()
        number = Signal(range(HEADER_BYTES + SKIPPED_BYTES))
        last_of_word, last_of_group, last_of_header = Signal(), Signal(), Signal()
        in_index, past_tag, in_stored = Signal(), Signal(), Signal()
        head = Signal(8)
        step = self._send(m, now, number, last_of_word, head | Mux(in_stored, stored, 0), value)
        m.d.sync += [
            in_index.eq(number[2:] == INDEX.start // len(SEQUENCE)),
            past_tag.eq(number[2:].any()),
            in_stored.eq(now["OPERATION"] | (now["HEADER"] & in_index)),
            last_of_word.eq(number[:2].all()),
            last_of_group.eq(number[:3].all()),
            last_of_header.eq(
                number == Mux(logging, HEADER_BYTES - 1, HEADER_BYTES + SKIPPED_BYTES - 1)
            ),
            none_left.eq(left == 0),
            log_waits.eq(self.i_logs.valid & ~self.quiet & ~logging & ~told),
            told.eq(now["END"] & step & logging & (log != LogCode.REJECTED)),
        ]
        m.d.comb += [
            asks.eq(reads | writes),
            self.i_logs.ready.eq(told),
            self.bus.address.eq(place),
            self.bus.write_data.eq(value),
            self.bus.write.eq(writes),
            onward.eq(
                step & (now["OPERATION"] | now["VALUE_IN"] | (now["HEADER"] & past_tag & ~logging))
            ),
        ]
        with m.If(now["RECEIVE"]):
            m.d.sync += [number.eq(0), log.eq(self.i_logs.payload), logging.eq(log_waits)]
        with m.Elif(step & ~now["STATUS"]):
            m.d.sync += number.eq(number + 1)
        with m.If(now["CHECK"]):
            m.d.sync += [
                left.eq((at - LEAST_BYTES + GROUP_BYTES)[3:]),
                log.eq(LogCode.REJECTED),
                logging.eq(~accepted),
            ]
        with m.If(now["VALUE_IN"] & step & last_of_word):
            m.d.sync += left.eq(left - 1)

        # The effect of a step follows a clock later. The stored byte stays until the next step.
        moves, fetches, places, codes, of_log = (Signal() for _ in range(5))
        log_place = Signal(ADDRESS_BITS)
        m.d.sync += [
            moves.eq(
                (step & (now["VALUE_IN"] | now["VALUE"])) | (now["BUS"] & self.bus.done_stb & reads)
            ),
            fetches.eq(now["BUS"]),
            of_log.eq(now["WORD"]),
            places.eq(now["WORD"] | (now["OPERATION"] & step & ~number[1])),
            codes.eq(now["OPERATION"] & step & (number[:2] == 2)),
            self.bus.request_stb.eq(now["REQUEST"] & asks),
            log_place.eq(table(log_table(dumps=self._dumps), Cat(number[2], number[4], log))),
        ]
        with m.If(moves):
            m.d.sync += value.eq(Mux(fetches, self.bus.read_data, Cat(value[8:], stored)))
        with m.If(places):
            m.d.sync += place.eq(Mux(of_log, log_place, Cat(place[8:], stored)))
        with m.If(codes):
            m.d.sync += [reads.eq(stored == OpCode.READ), writes.eq(stored == OpCode.WRITE)]
        with m.If(now["WORD"]):
            m.d.sync += [reads.eq(1), writes.eq(0)]

        # Bytes of the answer that come neither from the store nor from a value.
        m.d.sync += head.eq(0)
        with m.If(now["STATUS"]):
            m.d.sync += head.eq(Mux(asks, self.bus.status, OpStatus.NO_OPERATION))
        with m.If(now["HEADER"] & (number == TYPE)):
            m.d.sync += head.eq(Mux(logging, FrameType.LOG, FrameType.RESPONSE))
        with m.If(now["HEADER"] & (number == TAG.start)):
            m.d.sync += head.eq(Mux(logging, log, left))

        now.go("CHECK", "HEADER")
        now.go("HEADER", "WORD", step & logging & last_of_group)
        now.go("HEADER", "OPERATION", step & last_of_header)
        now.go("OPERATION", "VALUE_IN", step & last_of_word)
        now.go("VALUE_IN", "REQUEST", step & last_of_word)
        now.go("WORD", "REQUEST")
        now.go("REQUEST", "BUS", asks)
        now.go("REQUEST", "STATUS", ~asks)
        now.go("BUS", "VALUE", self.bus.done_stb & logging)
        now.go("BUS", "STATUS", self.bus.done_stb & ~logging)
        now.go("STATUS", "VALUE", step)
        whole, over = step & last_of_word, Mux(logging, last_of_header, none_left)
        now.go("VALUE", "END", whole & over)
        now.go("VALUE", "WORD", whole & logging & ~over)
        now.go("VALUE", "OPERATION", whole & ~logging & ~over)
        now.go("END", "RECEIVE", step)
        now.connect(m)
        return m

    def _receive(self, m: Module, now: States, frames, write, at, log_waits):
        """Store frames and check them; in CHECK, return whether the frame is good."""
        m.submodules.crc = crc = FrameCrc(CRC_STEP_BITS)
        beat, comes = frames.payload, frames.valid & ~log_waits
        steps = 8 // CRC_STEP_BITS
        step, last, room = Signal(range(steps)), Signal(), Signal()
        matched, whole, at_type, command = Signal(), Signal(), Signal(), Signal()
        good, is_command, accepted = Signal(), Signal(), Signal()
        last_next = now["BYTE"] & (step == steps - 2)
        m.d.sync += [
            last.eq(last_next),
            write.en.eq(last_next & room),
            room.eq(~at.all()),
            at_type.eq(at == TYPE),
            command.eq(beat.byte == FrameType.COMMAND),
            # The CRC takes its part of the byte a clock late.
            crc.step.eq(now["BYTE"]),
            crc.data.eq(beat.byte.word_select(step, CRC_STEP_BITS)),
            matched.eq(crc.matched),
            whole.eq(
                (at >= LEAST_BYTES) & (at <= MOST_BYTES) & (at[:3] == LEAST_BYTES % GROUP_BYTES)
            ),
        ]
        m.d.comb += [
            crc.start.eq(now["CHECK"]),
            frames.ready.eq(last | now["SETTLE"]),
            accepted.eq(good & matched & whole & is_command),
        ]
        with m.If(now["BYTE"]):
            m.d.sync += step.eq(step + 1)
        with m.If(last & at_type):
            m.d.sync += is_command.eq(command)
        with m.If(now["SETTLE"]):
            m.d.sync += good.eq(beat.good)
        now.go("RECEIVE", "HEADER", log_waits)
        now.go("RECEIVE", "BYTE", comes & ~beat.end)
        now.go("RECEIVE", "SETTLE", comes & beat.end)
        now.go("BYTE", "RECEIVE", last)
        now.go("SETTLE", "CHECK")

        wrong, carry = Signal(), Signal()
        low, high = self.errors[: ERROR_BITS // 2], self.errors[ERROR_BITS // 2 :]
        m.d.sync += [
            wrong.eq(now["CHECK"] & ~accepted),
            Cat(low, carry).eq(low + wrong),
            high.eq(high + carry),
        ]
        return accepted

    def _send(self, m: Module, now: States, number, last_of_word, byte, value):
        """Send `byte`, the value's lowest byte or an end, by the state; return when it moves on.

        Steps are at least 4 clocks apart, because of the memory. Some bytes of a command are only
        skipped.
        """
        out, step = self.o_bytes, Signal()
        active, silent, stands, fresh = (Signal() for _ in range(4))
        sends = ("HEADER", "OPERATION", "VALUE_IN", "STATUS", "VALUE", "END")
        m.d.comb += active.eq(Cat(now[name] for name in sends).any())
        m.d.sync += [
            stands.eq(active & ~step),
            fresh.eq(stands & ~step),
            silent.eq(
                now["VALUE_IN"]
                | (now["OPERATION"] & last_of_word)
                | (now["HEADER"] & (number >= HEADER_BYTES))
            ),
            step.eq(fresh & ~step & (silent | ~out.valid)),
            out.valid.eq(Mux(out.valid, ~out.ready, fresh & ~step & ~silent)),
        ]
        with m.If(~out.valid):
            m.d.sync += [
                out.payload.byte.eq(byte | Mux(now["VALUE"], value[:8], 0)),
                out.payload.end.eq(now["END"]),
            ]
        return step
