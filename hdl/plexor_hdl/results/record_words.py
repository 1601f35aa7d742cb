# SPDX-License-Identifier: Apache-2.0
"""Finds the memory and row of a record's word from its address in the space."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import STATISTICS, Space, banks
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, kinds_of
from plexor_hdl.lib.addresses import WORD_BITS
from plexor_hdl.lib.tables import table

ENTRY_WORDS = STATISTICS.size_bytes // (WORD_BITS // 8)
SUM, SQUARES, LEAST, MOST, EVENT = range(5)
FIELDS = {
    "sum_ticks": (SUM, 0),
    "count": (SUM, 2),
    "sum_sq_low_ticks2": (SQUARES, 0),
    "sum_sq_high_ticks2": (SQUARES, 2),
    "min_ticks": (LEAST, 1),
    "max_ticks": (MOST, 0),
    "max_index": (EVENT, 0),
    "max_time_ticks": (EVENT, 2),
    "min_index": (EVENT, 4),
    "min_time_ticks": (EVENT, 6),
}
"""Memory of each field of a record, and the row of its low word there."""
ROW_BITS = 3
ROWS = {SQUARES: range(3), EVENT: range(1 << ROW_BITS)}
"""Rows of the memories that only builds with several kinds have."""


def _bits_of(geometry: Geometry) -> tuple[int, int, int]:
    """Return the bits of channel, kind and bank in a record's key."""
    kind_bits = (len(kinds_of(geometry)) - 1).bit_length()
    return geometry.key_bits, kind_bits, banks(geometry, Space.LATENCY_STATISTICS) - 1


def key_bits_of(geometry: Geometry) -> int:
    """Return the number of bits of a record's key."""
    return sum(_bits_of(geometry))


def record_key(geometry: Geometry, channel: Value, kind: Value, bank: Value) -> Value:
    """Return the key of a record."""
    parts = zip((channel, kind, bank), _bits_of(geometry), strict=True)
    return Cat(part[:bits] for part, bits in parts if bits)


class Asked(data.StructLayout):
    """A requested word: its record, its memory, and its place (row and record) there.

    `there`: the build has it. `high`: it is the upper word of a field.
    """

    def __init__(self, key_bits: int) -> None:
        super().__init__(
            {
                "key": key_bits,
                "place": key_bits + ROW_BITS,
                "memory": range(5),
                "high": 1,
                "there": 1,
            }
        )


class RecordWords(wiring.Component):
    """Finds which word of which record an address asks for.

    Of the two addresses the one whose upper bit is low counts. They are words of entries of
    Space.LATENCY_STATISTICS and INTERVAL_STATISTICS.

    Latency: 3 clocks from an address to `asked`.
    Throughput: an address each clock.
    Reset: nothing is asked for.
    Wrap: none; it counts nothing.
    Full: never; it stores nothing.

    Ports:
        latency_address: Word address in Space.LATENCY_STATISTICS.
        latency_bank: Bank of that.
        interval_address: Word address in Space.INTERVAL_STATISTICS; ignored in a build without
            intervals.
        interval_bank: Bank of that.
        asked: The word; `there` says that the build has it.
    """

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        super().__init__(
            {
                "latency_address": In(SPACE_ADDRESS_BITS),
                "latency_bank": In(1),
                "interval_address": In(SPACE_ADDRESS_BITS),
                "interval_bank": In(1),
                "asked": Out(Asked(key_bits_of(geometry))),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        geometry, kinds = self._geometry, len(kinds_of(self._geometry))
        chosen = Signal()
        address = Signal(SPACE_ADDRESS_BITS)
        bank, is_interval = Signal(), Signal(2)
        if kinds > 1:
            m.d.comb += chosen.eq(~self.interval_address[-1])
        m.d.sync += [
            address.eq(Mux(chosen, self.interval_address, self.latency_address)),
            bank.eq(Mux(chosen, self.interval_bank, self.latency_bank)),
            is_interval.eq(Cat(chosen, is_interval)),
        ]
        # Records are a multiple of four words, so the table ignores the two lowest address bits.
        quads, entries = ENTRY_WORDS // 4, min(kinds, 2) << geometry.key_bits
        quad = address[2 : 2 + max((entries * quads - 1).bit_length(), 1)]
        places = range(entries * quads)
        entry, word = Signal(geometry.key_bits + 1), Signal(range(4 * quads))
        within, bank_r = Signal(), Signal()
        m.d.sync += [
            entry.eq(table({n: n // quads for n in places}, quad) if entries > 1 else 0),
            word.eq(Cat(address[:2], table({n: n % quads for n in places}, quad))),
            within.eq(address < entries * ENTRY_WORDS),
            bank_r.eq(bank),
        ]
        kind = Cat(entry[geometry.key_bits], is_interval[1])
        key = record_key(geometry, entry, kind, bank_r)
        row, asked = Signal(ROW_BITS), self.asked
        m.d.sync += [asked.there.eq(0), asked.high.eq(word[0]), asked.key.eq(key)]
        m.d.sync += asked.place.eq(Cat(row, key))
        number = 0
        with m.Switch(word):
            for field in STATISTICS.fields:
                memory, first = FIELDS[field.name]
                for half in range(field.bits // WORD_BITS):
                    inside = first if memory in (LEAST, MOST) else first + half
                    with m.Case(number + half):
                        m.d.comb += row.eq(inside)
                        m.d.sync += asked.memory.eq(memory)
                        # Builds that measure rises alone keep neither squares nor events.
                        if memory not in (SQUARES, EVENT) or (kinds > 1 and inside in ROWS[memory]):
                            m.d.sync += asked.there.eq(within)
                number += field.bits // WORD_BITS
        return m
