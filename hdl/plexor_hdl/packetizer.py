"""The packetizer: frames of every kind, one after the other, onto the link."""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.cobs import CobsEncoder
from plexor_hdl.crc import FrameSerialiser
from plexor_hdl.frame_words import HEADER_WORDS, SEQUENCE_WORD, FrameWord


class Packetizer(wiring.Component):
    """Sends whole frames with sequence, CRC-32, COBS and delimiter.

    At each frame boundary a waiting response goes first; log, events and dump frames take turns.
    While `quiet` only responses start. A frame once begun is always completed. `hurry` says that
    something other than events waits: a framer without an event at hand should end its frame.

    Latency: a COBS block (up to 254 bytes) and about 10 clocks. Throughput one byte a clock but for
    some 6 clocks a frame. Reset: sends nothing, sequence 0; `sequence` wraps. Full: the sources
    wait, none is dropped.
    """

    i_responses: In(stream.Signature(FrameWord))
    i_log: In(stream.Signature(FrameWord))
    i_events: In(stream.Signature(FrameWord))
    i_dump: In(stream.Signature(FrameWord))
    quiet: In(1)
    hurry: Out(1)
    moving: Out(1)
    o_bytes: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.serialiser = serialiser = FrameSerialiser()
        m.submodules.encoder = encoder = CobsEncoder()
        wiring.connect(m, serialiser.o_bytes, encoder.i_bytes)
        m.d.comb += self.moving.eq(encoder.i_bytes.valid & encoder.i_bytes.ready)
        wiring.connect(m, encoder.o_bytes, wiring.flipped(self.o_bytes))

        turns = [self.i_log, self.i_events, self.i_dump]
        sources = [*turns, self.i_responses]
        responses = len(turns)
        chosen = Signal(range(len(sources)))
        last = Signal(range(len(turns)))
        waiting = Array(source.valid for source in turns)
        words = Array(source.payload.as_value() for source in sources)
        valids = Array(source.valid for source in sources)

        sequence = Signal(32)
        number = Signal(range(HEADER_WORDS))
        out = serialiser.i_words
        word = Signal(FrameWord)
        m.d.comb += word.eq(words[chosen])
        m.d.sync += self.hurry.eq(
            self.i_responses.valid | ((self.i_log.valid | self.i_dump.valid) & ~self.quiet)
        )
        with m.FSM(name="packetizer"):
            with m.State("CHOOSE"):
                m.d.sync += number.eq(0)
                with m.If(self.i_responses.valid):
                    m.d.sync += chosen.eq(responses)
                    m.next = "FRAME"
                with m.Elif(~self.quiet):
                    with m.Switch(last):
                        for turn in range(len(turns)):
                            with m.Case(turn):
                                order = [(turn + step) % len(turns) for step in (1, 2, 3)]
                                for candidate in reversed(order):
                                    with m.If(waiting[candidate]):
                                        m.d.sync += [chosen.eq(candidate), last.eq(candidate)]
                                        m.next = "FRAME"
            with m.State("FRAME"):
                m.d.comb += [
                    out.payload.eq(word),
                    out.valid.eq(valids[chosen]),
                ]
                with m.If((number == SEQUENCE_WORD) & ~word.end):
                    m.d.comb += out.payload.word.eq(sequence)
                for position, source in enumerate(sources):
                    with m.If(chosen == position):
                        m.d.comb += source.ready.eq(out.ready)
                with m.If(out.valid & out.ready):
                    with m.If(number != HEADER_WORDS - 1):
                        m.d.sync += number.eq(number + 1)
                    with m.If(word.end):
                        m.next = "COUNT"
            with m.State("COUNT"):
                m.d.sync += sequence.eq(sequence + 1)
                m.next = "CHOOSE"
        return m
