# SPDX-License-Identifier: Apache-2.0
"""The packetizer: sends frames of all kinds, one after the other."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor_hdl.lib.frame_bytes import SEQUENCE, FrameByte
from plexor_hdl.uplink.frame_parts import FramePart


class Packetizer(wiring.Component):
    """Passes whole frames on, one after the other, each with its sequence.

    The sources send header and payload, and zeros where the sequence belongs; it is filled in here.
    At each frame boundary a waiting answer goes first; events and dump frames take turns. A frame
    that has begun is always completed.

    Latency: 3 clocks from a frame that waits to its first part.
    Throughput: a part each 2 clocks; the next frame's first part comes 4 clocks after an end.
    Reset: nothing is sent; the sequence is 0.
    Wrap: the sequence wraps at 2**32.
    Full: the sources wait while `o_parts` does; nothing is dropped.

    Ports:
        i_answers: Stream of the command port's frames.
        i_events: Stream of the framer's frames, in parts.
        i_dump: Stream of the dumper's frames.
        quiet: 1 lets only answers start, from the clock after.
        hurry: 1 if something other than events waits: a framer without an event should end its
            frame.
        o_parts: Stream of the frames' parts.
    """

    i_answers: In(stream.Signature(FrameByte))
    i_events: In(stream.Signature(FramePart))
    i_dump: In(stream.Signature(FrameByte))
    quiet: In(1)
    hurry: Out(1)
    o_parts: Out(stream.Signature(FramePart))

    def elaborate(self, platform):
        m = Module()
        answers, events, dump = range(3)
        sources = [self.i_answers, self.i_events, self.i_dump]
        chosen = Signal(len(sources))
        dump_next = Signal()
        m.d.sync += self.hurry.eq(self.i_answers.valid | (self.i_dump.valid & ~self.quiet))

        # A part is offered one clock after its source offers it.
        out, coming, taken = self.o_parts, Signal(), Signal()
        byte, end = Signal(8), Signal()
        number, carry = Signal(range(SEQUENCE.stop + 1)), Signal()
        sequence, low = Signal(32), Signal(9)
        in_sequence, next_in_sequence, lowest_byte = Signal(), Signal(), Signal(8)
        for place, source in enumerate(sources):
            with m.If(chosen[place]):
                lowest = source.payload.word[:8] if place == events else source.payload.byte
                m.d.comb += [
                    byte.eq(lowest),
                    end.eq(source.payload.end),
                    coming.eq(source.valid),
                    source.ready.eq(taken),
                ]
        m.d.comb += [
            taken.eq(out.valid & out.ready),
            low.eq(sequence[:8] + carry),
            next_in_sequence.eq((number >= SEQUENCE.start) & (number < SEQUENCE.stop)),
            # Only events have words. While it is not their turn, the framer waits with a byte.
            out.payload.word.eq(Cat(lowest_byte, self.i_events.payload.word[8:])),
            out.payload.whole.eq(self.i_events.payload.whole),
        ]
        m.d.sync += [
            in_sequence.eq(next_in_sequence),
            # A source's byte may come straight from a memory.
            lowest_byte.eq(Mux(next_in_sequence, sequence[:8], byte)),
            out.valid.eq(coming & ~taken),
            out.payload.end.eq(end),
        ]

        # The turn is a clock old. It stays valid, because sources wait.
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
                m.d.sync += [number.eq(0), carry.eq(1), chosen.eq(turn)]
                with m.If(turn.any()):
                    m.next = "FRAME"
            with m.State("FRAME"):
                with m.If(taken & (number != SEQUENCE.stop)):
                    m.d.sync += number.eq(number + 1)
                with m.If(taken & in_sequence):
                    # The sequence rotates once, byte by byte, and is incremented on the way.
                    m.d.sync += [sequence.eq(Cat(sequence[8:], low[:8])), carry.eq(low[8])]
                with m.If(taken & out.payload.end):
                    m.d.sync += chosen.eq(0)
                    m.next = "END"
            with m.State("END"):
                # In this clock, sources no longer offer what was taken.
                m.next = "CHOOSE"
        return m
