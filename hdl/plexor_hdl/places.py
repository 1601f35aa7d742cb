"""Where the counts of a build with one bank are."""

from amaranth.hdl import Cat, Const, Mux

from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE
from plexor.protocol.geometry import Geometry

EDGES, SOURCE, CLASS, DROP = 0b000, 0b001, 0b010, 0b100
"""The upper bits of places."""


class Places:
    """Where the counts of a build are: numbers for Counts, and the rows of their limbs.

    Sources get short codes: 0 and the channel, 1, 0 and the strike, or 1, 1 for the load. A place
    has a code and a bit more for events and for sources, a class and a channel for classes. The
    drops' limbs share the rows that a fourth limb of the others would have.
    """

    def __init__(self, geometry: Geometry) -> None:
        strike_bits = (geometry.strikes - 1).bit_length()
        self._number_bits = max(geometry.key_bits, strike_bits + 1)
        self.code_bits = self._number_bits + 1
        self.bits = self.code_bits + 4
        self.row_bits = self.code_bits + 5

    def code_of(self, source):
        """Return the code of a source's number."""
        top = self._number_bits - 1
        channel = ~source[SOURCE_STRIKE.bit_length() - 1 :].any()
        return Cat(source[:top], Mux(channel, source[top], source[-1]), ~channel)

    def code_number(self, source: int) -> int:
        """Return the code of a source that is known."""
        kind = (source >= SOURCE_STRIKE) << 1 | (source == SOURCE_LOAD)
        low = source % SOURCE_STRIKE
        return low if not kind else kind << self._number_bits - 1 | low

    def first(self, part: int) -> int:
        """Return the first place of a part."""
        return part << self.code_bits + 1

    def edges(self, code_and_polarity):
        return self._place(code_and_polarity, EDGES)

    def source(self, address):
        return self._place(Cat(address[0], self.code_of(address[1:])), SOURCE)

    def source_number(self, source: int, which: int) -> int:
        return self.code_number(source) << 1 | which | SOURCE << self.code_bits + 1

    def classes(self, entry):
        return self._place(entry, CLASS)

    def drops(self, code):
        return self._place(code, DROP)

    def _place(self, inside, part: int):
        above = part << self.code_bits + 1 >> len(inside)
        return Cat(inside, Const(above, self.bits - len(inside)))

    def row_of(self, place, limb):
        """Return the row of a limb of a place."""
        # Ands and ors, for yosys takes a choice of a constant for a reset, which no memory has.
        low, rows, drop = self.code_bits, self.row_bits - 2, place[-1]
        upper = rows - low - 2
        return Cat(
            place[:low],
            Mux(drop, limb, place[low : low + 2]),
            place[low + 2 : rows] & ~drop.replicate(upper),
            limb | drop.replicate(2),
        )
