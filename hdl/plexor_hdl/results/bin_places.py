# SPDX-License-Identifier: Apache-2.0
"""Places of all kinds' bins in one memory, and the mapping of their spaces' addresses to them."""

from dataclasses import dataclass
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import KINDS, Space, mantissa_bits, width_bits
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, Kind, kinds_of

LOG_SPACES = (Space.LATENCY_BINS, Space.INTERVAL_BINS)
ZOOM_SPACES = (Space.LATENCY_ZOOM, Space.INTERVAL_ZOOM)


@dataclass(frozen=True)
class Region:
    """The bins of one kind, 2**`bits` for each channel. `first` is a multiple of their number."""

    space: Space
    kind: Kind
    bits: int
    size: int
    first: int
    offset: int
    """Offset of the kind's first bin in its space."""


def regions_of(geometry: Geometry, spaces: tuple[Space, ...], first: int) -> list[Region]:
    """Return the regions of all kinds in LOG_SPACES or ZOOM_SPACES, from the place `first` on.

    Raises ValueError if the bins of falls are narrower than those of rises.
    """
    if geometry.fall_mantissa_bits > geometry.latency_mantissa_bits:
        raise ValueError(
            f"fall_mantissa_bits: {geometry.fall_mantissa_bits};"
            f" must be {geometry.latency_mantissa_bits} or less, as of rises"
        )
    found = []
    for kind in kinds_of(geometry):
        space, part = spaces[kind // KINDS], kind % KINDS
        bits = width_bits(geometry, space, part)
        before = width_bits(geometry, space, 0)
        offset = part << before + geometry.key_bits
        found.append((space, kind, bits, 1 << bits + geometry.key_bits, offset))
    regions = []
    for space, kind, bits, size, offset in sorted(found, key=lambda one: -one[3]):
        first = -(-first // size) * size
        regions.append(Region(space, kind, bits, size, first, offset))
        first += size
    return regions


def mantissas_of(geometry: Geometry) -> dict[Kind, int]:
    """Return the mantissa bits of each kind's log-linear bins."""
    return {
        kind: mantissa_bits(geometry, LOG_SPACES[kind // KINDS], kind % KINDS)
        for kind in kinds_of(geometry)
    }


class Layout:
    """The regions of a build: log-linear bins, and zoom windows from `second_from` on.

    Windows come where several kinds are measured. There are `entries` places, a power of two;
    windows have `windows`, and lie at a multiple of it.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.logs = regions_of(geometry, LOG_SPACES, 0)
        self.zooms, self.windows = [], 0
        end = self.logs[-1].first + self.logs[-1].size
        if len(self.logs) > 1:
            windows = sum(region.size for region in regions_of(geometry, ZOOM_SPACES, 0))
            self.windows = power_of_two(windows)
            start = -(-end // self.windows) * self.windows
            self.zooms = regions_of(geometry, ZOOM_SPACES, start)
            end = start + windows
        self.entries = max(power_of_two(end), 32)
        self.second_from = self.zooms[0].first if self.zooms else self.entries


def power_of_two(value: int) -> int:
    """Return the smallest power of two that is at least `value`."""
    return 1 << (value - 1).bit_length()


class BinPlaces(wiring.Component):
    """Finds the place in memory of the bin that is read.

    At most one of `addresses` has its upper bit low: that one is read. The place is that of its bin
    in the memory that holds the `regions` of all kinds.

    Latency: LATENCY (2) clocks from `addresses` to `place` and `there`.
    Throughput: an address each clock.
    Reset: `there` is low.
    Wrap: none; it counts nothing.
    Full: never; it stores nothing.

    Ports:
        addresses: Word address in each of `spaces`; the upper bit is low in the one that is read.
        place: Number of the counter, valid while `there` is high.
        there: 1 if the address is that of a bin.
    """

    LATENCY = 2

    def __init__(self, spaces: list[Space], regions: list[Region], places: int) -> None:
        self._spaces, self._regions = spaces, regions
        super().__init__(
            {
                "addresses": In(SPACE_ADDRESS_BITS).array(len(spaces)),
                "place": Out(range(places)),
                "there": Out(1),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        address, chosen = Signal(SPACE_ADDRESS_BITS), Signal(len(self._spaces))
        for number, given in enumerate(self.addresses):
            with m.If(~given[-1]):
                m.d.sync += address.eq(given)
            m.d.sync += chosen[number].eq(~given[-1])
        places, there = [], []
        for region in self._regions:
            bits = (region.size - 1).bit_length()
            above = region.offset >> bits
            in_space = chosen[self._spaces.index(region.space)]
            there.append(in_space & (address[bits:] == above))
            # Only the bits that differ between the space's regions are compared.
            others = [one for one in self._regions if one.space == region.space]
            apart = reduce(or_, (one.offset ^ region.offset for one in others))
            here = in_space & ((address & apart) == (region.offset & apart))
            places.append(Mux(here, region.first | address[:bits], 0))
        m.d.sync += [self.place.eq(reduce(or_, places)), self.there.eq(Cat(there).any())]
        return m
