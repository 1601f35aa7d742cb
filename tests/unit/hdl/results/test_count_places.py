# SPDX-License-Identifier: Apache-2.0
"""The places of counts: each count has its own, by whatever way it is asked for."""

import pytest
from amaranth.hdl import Cat, Const, Elaboratable, Module, Signal

from plexor.protocol.frames import SOURCE_BITS, SOURCE_CODE, SOURCE_CODE_VALUE
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import CLASSES
from plexor_hdl.results.count_places import CountPlaces

from ..simulation import settle

GEOMETRIES = [
    Geometry(channels=1, strikes=1, features=Feature(0)),
    Geometry(channels=1, strikes=1, features=Feature.SWEEP | Feature.SNAPSHOT),
    Geometry(channels=3, strikes=5, features=Feature.EVENTS),
    Geometry(channels=8, strikes=8, features=ALL_FEATURES),
    Geometry(channels=2, strikes=8, features=ALL_FEATURES),
    Geometry(channels=8, strikes=2, code_bits=8, features=ALL_FEATURES | Feature.CODES),
    Geometry(channels=1, strikes=1, code_bits=8, features=Feature.EVENTS | Feature.CODES),
]
each_geometry = pytest.mark.parametrize(
    "geometry", GEOMETRIES, ids=lambda g: f"{g.channels}-{g.strikes}"
)


class Asked(Elaboratable):
    """The places of everything that can be asked for with one number."""

    def __init__(self, geometry: Geometry) -> None:
        self.places = CountPlaces(geometry)
        self.number, self.bit, self.bank = Signal(SOURCE_BITS), Signal(), Signal()
        self.response_class = Signal(3)
        bits = self.places.bits
        self.code = Signal(bits)
        self.classes, self.edges = Signal(bits + 1), Signal(bits + 1)
        self.drops, self.source = Signal(bits + 1), Signal(bits + 1)

    def elaborate(self, platform):
        m = Module()
        places, code = self.places, self.places.code_of(self.number)
        m.d.comb += [
            self.code.eq(code),
            self.classes.eq(places.classes(self.response_class, self.number, self.bank)),
            self.edges.eq(places.edges(self.bit, code, self.bank)),
            self.drops.eq(places.drops(code, self.bank)),
            # The number above what is counted, as the register map has it.
            self.source.eq(places.source(Cat(self.bit, self.number))),
        ]
        return m


@each_geometry
def test_no_two_counts_have_one_place_and_all_fit(geometry):
    dut, taken = Asked(geometry), {}

    async def bench(ctx):
        def take(name, place):
            assert place < 1 << dut.places.bits, name
            assert taken.setdefault(place, name) == name

        for bank in range(2):
            ctx.set(dut.bank, bank)
            for channel in range(geometry.channels):
                ctx.set(dut.number, channel)
                for response_class in range(CLASSES):
                    ctx.set(dut.response_class, response_class)
                    take(("class", channel, response_class, bank), ctx.get(dut.classes))
            for source in geometry.merged:
                ctx.set(dut.number, source)
                take(("drops", source, bank), ctx.get(dut.drops))
                for bit in range(2):
                    ctx.set(dut.bit, bit)
                    take(("edges", source, bit, bank), ctx.get(dut.edges))
                    take(("source", source, bit), ctx.get(dut.source))

    settle(dut, bench)
    sources = len(geometry.merged)
    assert len(taken) == 2 * (geometry.channels * CLASSES + sources + 2 * sources) + 2 * sources


@each_geometry
def test_a_known_source_has_the_code_and_the_place_of_one_that_is_asked_for(geometry):
    dut = Asked(geometry)

    async def bench(ctx):
        for source in geometry.sources:
            ctx.set(dut.number, source)
            assert ctx.get(dut.code) == dut.places.code_number(source)
            for which in range(2):
                ctx.set(dut.bit, which)
                assert ctx.get(dut.source) == dut.places.source_number(source, which)

    settle(dut, bench)


@each_geometry
def test_codes_are_as_wide_as_they_are_said_to_be(geometry):
    places = CountPlaces(geometry)
    assert len(places.code_of(Const(0, SOURCE_BITS))) == places.code_bits
    assert max(places.code_number(source) for source in geometry.sources) < 1 << places.code_bits


def test_the_value_of_a_code_has_the_places_of_the_code():
    places = CountPlaces(GEOMETRIES[-1])
    assert places.code_number(SOURCE_CODE_VALUE) == places.code_number(SOURCE_CODE)
