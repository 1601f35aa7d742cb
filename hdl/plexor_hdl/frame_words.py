"""Frames on their way to the packetizer: 32-bit words, the header first, an end beat last."""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data

from plexor.protocol.frames import HEADER, WORD_BYTES

HEADER_WORDS = HEADER.size_bytes // WORD_BYTES
SEQUENCE_WORD = 1
"""Header word that the packetizer fills in."""


class FrameWord(data.Struct):
    """One word of a frame; a beat with `end` carries no word and ends the frame."""

    word: 32
    end: 1


def header_words(m: Module, number, *, kind, flags=0, tag=0, index=0, base_ticks=0):
    """Return header word `number` (0 to 5) of the given fields, the sequence left zero.

    A combinational choice of six words; fields are values of up to their declared width.
    """
    values = {"type": kind, "flags": flags, "tag": tag, "index": index, "base_ticks": base_ticks}
    record = Signal(HEADER.size_bytes * 8, name="header")
    start = 0
    for entry in HEADER.fields:
        value = values.get(entry.name, Const(0, 1))
        m.d.comb += record[start : start + entry.bits].eq(value)
        start += entry.bits
    return record.word_select(number, 32)
