"""The packetizer: frames of every kind, one after the other, onto the link."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.cobs import CobsEncoder
from plexor_hdl.crc import CrcAppender
from plexor_hdl.frame_bytes import SEQUENCE, FrameByte
from plexor_hdl.skid import Skid


class Packetizer(wiring.Component):
    """Sends whole frames with sequence, CRC-32, COBS and delimiter.

    The sources send header and payload; the sequence in the header is filled in here. At each frame
    boundary a waiting answer goes first; events and dump frames take turns. While `quiet` only
    answers start. A frame once begun is always completed. `hurry` says that something other than
    events waits: a framer without an event at hand should end its frame.

    Latency: a COBS block (up to 254 bytes) and about 10 clocks. Throughput one byte a clock but for
    some 10 clocks a frame. Reset: sends nothing, sequence 0; `sequence` wraps. Full: the sources
    wait, none is dropped.
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
        m.submodules.skid = skid = Skid(FrameByte)
        m.submodules.appender = appender = CrcAppender()
        m.submodules.encoder = encoder = CobsEncoder()
        m.d.comb += [
            appender.i_bytes.payload.eq(skid.o_data),
            appender.i_bytes.valid.eq(skid.o_valid),
            skid.o_ready.eq(appender.i_bytes.ready),
            self.moving.eq(encoder.i_bytes.valid & encoder.i_bytes.ready),
        ]
        wiring.connect(m, appender.o_bytes, encoder.i_bytes)
        wiring.connect(m, encoder.o_bytes, wiring.flipped(self.o_bytes))

        answers, events, dump = range(3)
        sources = [self.i_answers, self.i_events, self.i_dump]
        chosen = Signal(len(sources))
        dump_next = Signal()
        m.d.sync += self.hurry.eq(self.i_answers.valid | (self.i_dump.valid & ~self.quiet))

        beat, taken = Signal(FrameByte), Signal()
        number, in_sequence = Signal(range(SEQUENCE.stop + 1)), Signal()
        sequence, low, carry = Signal(32), Signal(9), Signal()
        for place, source in enumerate(sources):
            with m.If(chosen[place]):
                m.d.comb += [
                    beat.eq(source.payload),
                    skid.i_valid.eq(source.valid),
                    source.ready.eq(skid.i_ready),
                ]
        m.d.comb += [
            taken.eq(skid.i_valid & skid.i_ready),
            in_sequence.eq((number >= SEQUENCE.start) & (number < SEQUENCE.stop)),
            skid.i_data.end.eq(beat.end),
            skid.i_data.byte.eq(Mux(in_sequence, sequence[:8], beat.byte)),
            low.eq(sequence[:8] + carry),
        ]
        with m.If(taken & (number != SEQUENCE.stop)):
            m.d.sync += number.eq(number + 1)
        with m.If(taken & in_sequence):
            # The sequence goes round once, a byte at a time, and is one more then.
            m.d.sync += [sequence.eq(Cat(sequence[8:], low[:8])), carry.eq(low[8])]
        with m.If(~chosen.any()):
            m.d.sync += [number.eq(0), carry.eq(1)]
            with m.If(self.i_answers.valid):
                m.d.sync += chosen[answers].eq(1)
            with m.Elif(~self.quiet & self.i_dump.valid & (dump_next | ~self.i_events.valid)):
                m.d.sync += [chosen[dump].eq(1), dump_next.eq(0)]
            with m.Elif(~self.quiet & self.i_events.valid):
                m.d.sync += [chosen[events].eq(1), dump_next.eq(1)]
        with m.Elif(taken & beat.end):
            m.d.sync += chosen.eq(0)
        return m
