# SPDX-License-Identifier: Apache-2.0
"""Where bins are in memory: each kind's apart from the others', and found by its address."""

import gc
import random

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import KINDS, first_bin, width_bits
from plexor_hdl.build.profiles import PROFILES
from plexor_hdl.interfaces import SPACE_ADDRESS_BITS, kinds_of
from plexor_hdl.results.bin_places import LOG_SPACES, ZOOM_SPACES, BinPlaces, Layout
from plexor_hdl.results.results import Results

from ..simulation import made, simulate

GEOMETRIES = {
    **{name: profile.geometry for name, profile in PROFILES.items()},
    "uneven": Geometry(
        channels=3, latency_mantissa_bits=4, fall_mantissa_bits=2, interval_mantissa_bits=3
    ),
    "one": Geometry(channels=1, zoom_bits=4),
    "rises": Geometry(channels=5, features=Feature.MATCH),
}
NOT_READ = 1 << SPACE_ADDRESS_BITS - 1


def bins_of(geometry, spaces):
    """Return the entries of each kind's bins in its space, by the contract."""
    found = {}
    for kind in kinds_of(geometry):
        space, part = spaces[kind // KINDS], kind % KINDS
        bins = 1 << width_bits(geometry, space, part) + geometry.key_bits
        first = first_bin(geometry, space, part, 0)
        found[space, kind] = range(first, first + bins)
    return found


@pytest.mark.parametrize("name", GEOMETRIES)
def test_regions_have_the_bins_of_the_contract_and_do_not_overlap(name):
    geometry = GEOMETRIES[name]
    layout, taken = Layout(geometry), set()
    for spaces, regions in ((LOG_SPACES, layout.logs), (ZOOM_SPACES, layout.zooms)):
        expected = bins_of(geometry, spaces)
        if spaces == ZOOM_SPACES and Feature.ZOOM not in geometry.features:
            expected = {}
        found = {(r.space, r.kind): range(r.offset, r.offset + r.size) for r in regions}
        assert found == expected
        for region in regions:
            # So that a place is the first one or the address.
            assert region.first % region.size == 0
            places = set(range(region.first, region.first + region.size))
            assert not places & taken
            taken |= places
            assert (region.first >= layout.second_from) == (spaces == ZOOM_SPACES)
    assert max(taken) < layout.entries
    assert layout.entries.bit_count() == 1
    if layout.zooms:
        assert layout.second_from % layout.windows == 0
        assert layout.windows.bit_count() == 1


@pytest.mark.parametrize("name", GEOMETRIES)
def test_an_address_is_found_where_its_region_is_and_no_other_is(name):
    geometry, chance = GEOMETRIES[name], random.Random(1)
    layout = Layout(geometry)
    regions = [*layout.logs, *layout.zooms]
    spaces = sorted({region.space for region in regions})
    dut = BinPlaces(spaces, regions, layout.entries)
    asked, expected, found = [], [], []
    for region in regions:
        near = {region.offset, region.offset + region.size - 1, region.offset + region.size}
        near |= {region.offset + chance.randrange(region.size) for _ in range(20)}
        near |= {(1 << SPACE_ADDRESS_BITS - 1) - 1, max(region.offset - 1, 0)}
        asked += [(region.space, address) for address in sorted(near)]
    chance.shuffle(asked)
    for space, address in asked:
        here = [r for r in regions if r.space == space and 0 <= address - r.offset < r.size]
        expected.append(here[0].first + address - here[0].offset if here else None)

    async def bench(ctx):
        for clock in range(len(asked) + dut.LATENCY):
            if clock >= dut.LATENCY:
                found.append(ctx.get(dut.place) if ctx.get(dut.there) else None)
            chosen, address = asked[min(clock, len(asked) - 1)]
            for number, space in enumerate(spaces):
                other = NOT_READ | chance.getrandbits(SPACE_ADDRESS_BITS - 1)
                ctx.set(dut.addresses[number], address if space == chosen else other)
            await ctx.tick()

    simulate(dut, bench)
    assert found == expected
    assert sum(place is None for place in found) > 0


def test_nothing_is_there_while_no_space_is_read():
    layout = Layout(GEOMETRIES["uneven"])
    dut = made(BinPlaces, LOG_SPACES, tuple(layout.logs), layout.entries)

    async def bench(ctx):
        for address in range(0, 1 << 10, 7):
            for port in dut.addresses:
                ctx.set(port, NOT_READ | address)
            await ctx.tick().repeat(dut.LATENCY)
            assert not ctx.get(dut.there)

    simulate(dut, bench)


@pytest.mark.filterwarnings("ignore:.*created but never used")
def test_bins_of_falls_finer_than_those_of_rises_are_refused():
    with pytest.raises(ValueError, match="fall_mantissa_bits: 5; must be 4 or less"):
        Results(Geometry(latency_mantissa_bits=4, fall_mantissa_bits=5))
    gc.collect(0)
