"""The packetizer: frames of every kind, one after the other, onto the link."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import CRC_BYTES
from plexor_hdl.cobs import CobsEncoder
from plexor_hdl.crc import FrameCrc
from plexor_hdl.frame_bytes import SEQUENCE, FrameByte

CRC_STEP_BITS = 4


class Packetizer(wiring.Component):
    """Sends whole frames with sequence, CRC-32, COBS and delimiter.

    The sources send header and payload; the sequence, where they send zeros, is filled in here. At
    each frame boundary a waiting answer goes first; events and dump frames take turns. While
    `quiet` only answers start, from the clock after. A frame once begun is always completed.
    `hurry` says that something other than events waits: a framer without an event at hand should
    end its frame.

    Latency: a COBS block (up to 254 bytes) and about 10 clocks. Throughput a byte each 3 clocks but
    for some 20 clocks a frame. Reset: sends nothing, sequence 0; `sequence` wraps. Full: the
    sources wait, none is dropped.
    """

    i_answers: In(stream.Signature(FrameByte))
    i_events: In(stream.Signature(FrameByte))
    i_dump: In(stream.Signature(FrameByte))
    quiet: In(1)
    hurry: Out(1)
    moving: Out(1)
    o_bytes: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = FrameCrc(CRC_STEP_BITS)
        m.submodules.encoder = encoder = CobsEncoder()
        wiring.connect(m, encoder.o_bytes, wiring.flipped(self.o_bytes))

        answers, events, dump = range(3)
        sources = [self.i_answers, self.i_events, self.i_dump]
        chosen = Signal(len(sources))
        dump_next = Signal()
        m.d.sync += self.hurry.eq(self.i_answers.valid | (self.i_dump.valid & ~self.quiet))

        # A byte stands for two clocks or more, half of it goes to the CRC in the first and in the
        # last; a third one brings the next.
        second, half, of_crc = Signal(), Signal(), Signal()
        out = stream.Signature(FrameByte).create()
        m.d.comb += [
            encoder.i_bytes.valid.eq(out.valid),
            encoder.i_bytes.payload.eq(out.payload),
            out.ready.eq(encoder.i_bytes.ready),
            half.eq(out.valid & (~second | out.ready)),
            crc.shift.eq(of_crc),
            self.moving.eq(out.valid & out.ready),
        ]
        # The CRC takes it a clock late.
        m.d.sync += [
            crc.step.eq(half),
            crc.data.eq(out.payload.byte.word_select(second, CRC_STEP_BITS)),
        ]
        with m.If(half):
            m.d.sync += second.eq(~second)
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)

        # A byte comes in the clock after the one in which there was room for it, and stood there.
        beat, arrived, last = Signal(FrameByte), Signal(), Signal()
        number, carry = Signal(range(SEQUENCE.stop + CRC_BYTES)), Signal()
        sequence, low = Signal(32), Signal(9)
        in_sequence, coming = Signal(), Signal()
        for place, source in enumerate(sources):
            with m.If(chosen[place]):
                m.d.comb += [
                    beat.eq(source.payload),
                    coming.eq(source.valid),
                    source.ready.eq(arrived),
                ]
        m.d.comb += low.eq(sequence[:8] + carry)
        m.d.sync += [
            in_sequence.eq((number >= SEQUENCE.start) & (number < SEQUENCE.stop)),
            arrived.eq(coming & (~out.valid | out.ready) & ~arrived),
            last.eq(beat.end),
        ]

        # Whose frame would start, as of the clock before: sources wait, so that it stays true.
        turn, free = Signal(len(sources)), ~self.i_answers.valid
        waits, ready = (~self.quiet & source.valid for source in (self.i_dump, self.i_events))
        m.d.sync += [
            turn[answers].eq(self.i_answers.valid),
            turn[dump].eq(free & waits & (dump_next | ~ready)),
            turn[events].eq(free & ready & ~(waits & dump_next)),
        ]
        with m.If(chosen[dump]):
            m.d.sync += dump_next.eq(0)
        with m.If(chosen[events]):
            m.d.sync += dump_next.eq(1)

        with m.FSM(name="packetizer"):
            with m.State("CHOOSE"):
                m.d.comb += crc.start.eq(~out.valid)
                m.d.sync += [number.eq(0), carry.eq(1), of_crc.eq(0)]
                with m.If(~out.valid):
                    m.d.sync += [out.payload.end.eq(0), chosen.eq(turn)]
                    with m.If(turn.any()):
                        m.next = "FRAME"
            with m.State("FRAME"):
                with m.If(arrived):
                    m.d.sync += out.payload.byte.eq(Mux(in_sequence, sequence[:8], beat.byte))
                    with m.If(last):
                        m.d.sync += chosen.eq(0)
                        m.next = "CRC"
                    with m.Else():
                        m.d.sync += out.valid.eq(1)
                with m.If(arrived & (number != SEQUENCE.stop)):
                    m.d.sync += number.eq(number + 1)
                with m.If(arrived & in_sequence):
                    # The sequence goes round once, a byte at a time, and is one more then.
                    m.d.sync += [sequence.eq(Cat(sequence[8:], low[:8])), carry.eq(low[8])]
            with m.State("CRC"):
                m.d.sync += of_crc.eq(1)
                with m.If(~out.valid & ~crc.step):
                    m.d.sync += [
                        out.payload.byte.eq(crc.low),
                        out.valid.eq(1),
                        number.eq(number + 1),
                    ]
                    with m.If(number == SEQUENCE.stop + CRC_BYTES - 1):
                        m.next = "END"
            with m.State("END"):
                with m.If(~out.valid):
                    m.d.sync += [out.payload.end.eq(1), out.valid.eq(1)]
                    m.next = "CHOOSE"
        return m
