"""The packetizer of a network: frames of every kind, one after the other, as words."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import WORD_BYTES
from plexor_hdl.frame_bytes import SEQUENCE, FrameByte
from plexor_hdl.frame_words import ByteCrc, FrameWord, WordGatherer

SEQUENCE_WORD = SEQUENCE.start // WORD_BYTES


class WordPacketizer(wiring.Component):
    """Sends whole frames with sequence and CRC-32, an end beat after each.

    What Packetizer does, without encoding, but for this: a word each 4 clocks, and about 10 clocks
    more a frame. At 125 MHz that is what gigabit Ethernet carries of the longest frames.
    """

    i_answers: In(stream.Signature(FrameByte))
    i_events: In(stream.Signature(FrameWord))
    i_dump: In(stream.Signature(FrameByte))
    quiet: In(1)
    hurry: Out(1)
    moving: Out(1)
    o_words: Out(stream.Signature(FrameWord))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = ByteCrc()
        m.submodules.answers = answers = WordGatherer()
        m.submodules.dump = dump = WordGatherer()
        wiring.connect(m, wiring.flipped(self.i_answers), answers.i_bytes)
        wiring.connect(m, wiring.flipped(self.i_dump), dump.i_bytes)
        sources = [answers.o_words, wiring.flipped(self.i_events), dump.o_words]
        chosen, dump_next = Signal(len(sources)), Signal()
        m.d.sync += self.hurry.eq(answers.o_words.valid | (dump.o_words.valid & ~self.quiet))

        beat, coming, take = Signal(FrameWord), Signal(), Signal()
        for place, source in enumerate(sources):
            with m.If(chosen[place]):
                m.d.comb += [beat.eq(source.payload), coming.eq(source.valid)]
                m.d.comb += source.ready.eq(take)

        out, sequence = self.o_words, Signal(32)
        word, byte, busy = Signal(32), Signal(range(WORD_BYTES)), Signal()
        number, done = Signal(2), Signal()
        m.d.comb += [
            # A word goes on with its last byte.
            done.eq(busy & (byte == WORD_BYTES - 1) & (~out.valid | out.ready)),
            crc.step.eq(busy & ((byte != WORD_BYTES - 1) | done)),
            crc.byte.eq(word.word_select(byte, 8)),
            self.moving.eq(busy),
        ]
        with m.If(out.ready):
            m.d.sync += out.valid.eq(0)
        with m.If(crc.step):
            m.d.sync += byte.eq(byte + 1)
        with m.If(done):
            m.d.sync += [
                busy.eq(0),
                out.valid.eq(1),
                out.payload.word.eq(word),
                out.payload.end.eq(0),
            ]
        with m.FSM(name="word_packetizer"):
            with m.State("CHOOSE"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += [number.eq(0), byte.eq(0)]
                first, second, third = (Const(1 << place, len(sources)) for place in range(3))
                waits = ~self.quiet & dump.o_words.valid
                events = ~self.quiet & self.i_events.valid
                with m.If(answers.o_words.valid):
                    m.d.sync += chosen.eq(first)
                    m.next = "FRAME"
                with m.Elif(waits & (dump_next | ~events)):
                    m.d.sync += [chosen.eq(third), dump_next.eq(0)]
                    m.next = "FRAME"
                with m.Elif(events):
                    m.d.sync += [chosen.eq(second), dump_next.eq(1)]
                    m.next = "FRAME"
            with m.State("FRAME"):
                m.d.comb += take.eq((~busy | done) & coming)
                with m.If(take & beat.end):
                    m.d.sync += chosen.eq(0)
                    m.next = "CRC"
                with m.Elif(take):
                    m.d.sync += [
                        busy.eq(1),
                        word.eq(Mux(number == SEQUENCE_WORD, sequence, beat.word)),
                        number.eq(number + ~number.all()),
                    ]
            with m.State("CRC"):
                with m.If(~busy & (~out.valid | out.ready)):
                    m.d.sync += [out.valid.eq(1), out.payload.word.eq(crc.crc)]
                    m.next = "END"
            with m.State("END"):
                with m.If(~out.valid | out.ready):
                    m.d.sync += [
                        out.valid.eq(1),
                        out.payload.end.eq(1),
                        sequence.eq(sequence + 1),
                    ]
                    m.next = "CHOOSE"
        return m
