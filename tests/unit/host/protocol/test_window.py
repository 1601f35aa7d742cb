# SPDX-License-Identifier: Apache-2.0
"""The access window: registers and memories apart, each word at one address."""

import itertools

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import Space
from plexor.protocol.registers import ADDRESS_BITS, BLOCKS, address, register
from plexor.protocol.window import (
    REGISTER_BITS,
    copies,
    memories,
    offset_bits,
    space_words,
    window_bits,
    window_registers,
)

GREAT = Geometry(
    channels=8,
    strikes=8,
    latency_mantissa_bits=8,
    fall_mantissa_bits=7,
    interval_mantissa_bits=7,
    zoom_bits=12,
)
SMALL = Geometry(
    channels=1,
    strikes=1,
    latency_mantissa_bits=2,
    interval_mantissa_bits=2,
    features=Feature.MATCH,
)
GEOMETRIES = [Geometry(), GREAT, SMALL]


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_no_two_memories_share_a_word_and_none_is_a_register(geometry):
    spans = sorted((entry.address, entry.address + entry.words) for entry in memories(geometry))
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))
    assert spans[0][0] >= 1 << REGISTER_BITS
    assert spans[-1][1] <= 1 << window_bits(geometry)
    assert ADDRESS_BITS <= REGISTER_BITS


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_an_address_has_memory_space_bank_and_word_from_the_top(geometry):
    bits = offset_bits(geometry)
    for entry in memories(geometry):
        assert entry.address >> bits & 1 == entry.bank
        assert entry.address >> bits + 1 & 0xF == entry.space
        assert entry.address >> bits + 5 == 1
        assert entry.address & (1 << bits) - 1 == 0


def test_the_greatest_memory_fits_in_its_place_and_a_bit_less_would_not_do():
    most = max(space_words(GREAT, space) for space in Space)
    assert most <= 1 << offset_bits(GREAT) < 2 * most
    # Of a small build it is the registers' place that says how wide the window is.
    assert window_bits(SMALL) == REGISTER_BITS + 1


def test_a_build_has_the_memories_of_its_features():
    def banks(features):
        geometry = Geometry(features=features)
        return {(entry.space, entry.bank) for entry in memories(geometry)}

    everything = banks(ALL_FEATURES)
    assert (Space.CLASSES, 1) in everything
    assert (Space.LATENCY_BINS, 1) not in everything
    least = banks(Feature(0))
    assert (Space.CLASSES, 1) not in least
    spaces = {space for space, _ in least}
    assert not spaces & {Space.STEPS, Space.INTERVAL_BINS, Space.LATENCY_ZOOM}


def test_registers_are_those_of_the_builds_copies():
    found = window_registers(Geometry(channels=3, strikes=1, table_steps=4))
    assert {(block.name, copy) for block, copy, _, _ in found} == {
        *(("identity", 0), ("control", 0), ("matcher", 0), ("status", 0), ("stimulus", 0)),
        ("schedule", 0),
        ("long_filter_status", 0),
        *(
            (name, copy)
            for name in ("channel", "channel_status", "long_filter")
            for copy in range(3)
        ),
        *(("source", source) for source in (0, 1, 2, 8, 16, 17)),
        *(("step", copy) for copy in range(4)),
    }
    for block, copy, entry, place in found:
        assert place == address(block.name, entry.name, copy)
        assert entry is register(block.name, entry.name)


def test_a_build_without_a_table_has_no_steps():
    (step,) = (block for block in BLOCKS if block.name == "step")
    assert copies(Geometry(features=ALL_FEATURES & ~Feature.SWEEP), step) == ()
    assert copies(Geometry(table_steps=2), step) == (0, 1)


@pytest.mark.parametrize(("geometry", "channels"), [(GREAT, 8), (SMALL, 1)])
def test_a_memory_has_the_words_of_its_entries(geometry, channels):
    # Eight classes of 64 bits for each channel; as many for each source, and both its edges.
    sources = max(geometry.sources) + 1
    assert space_words(geometry, Space.CLASSES) == channels * 8 * 2
    assert space_words(geometry, Space.UPLOAD_DROPS) == sources * 2
    assert space_words(geometry, Space.EDGES) == sources * 2 * 2
    assert space_words(SMALL, Space.INTERVAL_BINS) == space_words(SMALL, Space.LATENCY_ZOOM) == 0
