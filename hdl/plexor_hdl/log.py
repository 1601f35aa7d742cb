"""LOG frames: what happened in a run, told once."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import FrameType
from plexor_hdl.frame_words import HEADER_WORDS, FrameWord, header_words
from plexor_hdl.interfaces import INDEX_BITS, TIME_BITS

CODE_BITS = 3


class LogEntry(data.Struct):
    """One LOG frame: `code` is a LogCode, `index` its argument, `base_ticks` its time."""

    code: CODE_BITS
    index: INDEX_BITS
    base_ticks: TIME_BITS


class Log(wiring.Component):
    """Sends one LOG frame an entry.

    The entry must stand until `ready`, which is high in the clock in which its frame is complete;
    nothing is stored. Latency one clock, throughput a word a clock. Reset: sends nothing.
    """

    i_entries: In(stream.Signature(LogEntry))
    o_words: Out(stream.Signature(FrameWord))

    def elaborate(self, platform):
        m = Module()
        number = Signal(range(HEADER_WORDS + 1))
        entry = self.i_entries.payload
        word = header_words(
            m,
            number,
            kind=FrameType.LOG,
            tag=entry.code,
            index=entry.index,
            base_ticks=entry.base_ticks,
        )
        free = Signal()
        m.d.comb += [
            free.eq(~self.o_words.valid | self.o_words.ready),
            self.i_entries.ready.eq(free & (number == HEADER_WORDS)),
        ]
        with m.If(free):
            m.d.sync += self.o_words.valid.eq(self.i_entries.valid)
            with m.If(self.i_entries.valid):
                m.d.sync += [
                    self.o_words.payload.word.eq(word),
                    self.o_words.payload.end.eq(number == HEADER_WORDS),
                    number.eq(number + 1),
                ]
                with m.If(number == HEADER_WORDS):
                    m.d.sync += number.eq(0)
        return m
