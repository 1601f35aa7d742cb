# SPDX-License-Identifier: Apache-2.0
"""Places of all counts of a build."""

from amaranth.hdl import Cat, Const, Mux, Value, ValueLike

from plexor.protocol.frames import SOURCE_CODE, SOURCE_CODE_VALUE, SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import Geometry

CLASS_BITS = 3
CLASS, EDGES, OTHER = 0b00, 0b10, 0b11
"""Bits of a place that select a part: above the place in the part, below the bank."""


class CountPlaces:
    """Places of a build's counts in CountMemory.

    Sources have short codes: 0 and the channel; 1, 0 and the strike; or 1, 1 for the load and the
    step. A place has a class and a channel for classes, a polarity and a code for edges, and a code
    for drops, each in two banks. The sources' own counts are next to the drops: those of generated
    edges in bank 0's place, those of dropped edges in bank 1's. The value of a code has the places
    of the code, because it comes and is dropped with it.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._key_bits = geometry.key_bits
        self._codes = SOURCE_CODE in geometry.merged
        others = [source for source in geometry.merged if source >= SOURCE_STRIKE]
        number_bits = max((source % SOURCE_STRIKE).bit_length() for source in others)
        self._number_bits = max(geometry.key_bits, number_bits + 1)
        self.code_bits = self._number_bits + 1
        self.bits = self.code_bits + 4

    def code_of(self, source: Value) -> Value:
        """Return the code of a source's number, a signal."""
        top = self._number_bits - 1
        channel = ~source[SOURCE_STRIKE.bit_length() - 1 :].any()
        if self._codes:
            source = Cat(source[0] & ~(source[-1] & source[1]), source[1:])
        return Cat(source[:top], Mux(channel, source[top], source[-1]), ~channel)

    def code_number(self, source: int) -> int:
        """Return the code of a source's number, a constant."""
        source = SOURCE_CODE if source == SOURCE_CODE_VALUE else source
        kind = (source >= SOURCE_STRIKE) << 1 | (source >= SOURCE_LOAD)
        return kind << self._number_bits - 1 | source % SOURCE_STRIKE

    def classes(self, response_class: ValueLike, channel: Value, bank: ValueLike) -> Value:
        """Return the place of the count of a channel's class."""
        inside = Cat(response_class, channel[: self._key_bits])
        fill = Const(0, self.code_bits + 3 - len(inside))
        return Cat(inside, fill, bank)

    def edges(self, polarity: ValueLike, code: ValueLike, bank: ValueLike) -> Value:
        """Return the place of the count of a source's edges of one polarity."""
        return Cat(polarity, code, Const(EDGES, 2), bank)

    def drops(self, code: ValueLike, bank: ValueLike) -> Value:
        """Return the place of the count of a source's events that were dropped before the link."""
        return Cat(code, Const(0, 1), Const(OTHER, 2), bank)

    def source(self, address: Value) -> Value:
        """Return the place of a source's own count; the address has the source above the kind."""
        return Cat(self.code_of(address[1:]), Const(1, 1), Const(OTHER, 2), address[0])

    def source_number(self, source: int, which: int) -> int:
        """Return the place of a source's own count, for a constant number."""
        above = which << 3 | OTHER << 1 | 1
        return above << self.code_bits | self.code_number(source)
