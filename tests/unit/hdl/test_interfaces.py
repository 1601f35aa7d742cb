# SPDX-License-Identifier: Apache-2.0
"""What stages hand each other has the bits of the contract, and those alone that a build needs."""

import pytest
from amaranth.hdl import Shape

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import (
    KINDS,
    IntervalKind,
    LatencyKind,
    Space,
    entries,
    entry_words,
)
from plexor.protocol.registers import BLOCKS
from plexor_hdl.interfaces import (
    SPACE_ADDRESS_BITS,
    Beat,
    Decision,
    Event,
    Kind,
    Measured,
    block_layout,
    kinds_of,
)
from plexor_hdl.stages import MEASURED


def bits(layout, *names):
    """Return the bits of members of a layout that are nested in each other."""
    for name in names:
        layout = layout[name].shape
    return Shape.cast(layout).width


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_block_has_each_register_with_its_bits_and_its_sign(block):
    layout = block_layout(block)
    for entry in block.registers:
        shape = Shape.cast(layout[entry.name].shape)
        assert (shape.width, shape.signed) == (entry.bits, entry.signed)
    assert layout.size == sum(entry.bits for entry in block.registers)


def test_kinds_are_those_of_latencies_then_those_of_intervals():
    assert [kind // KINDS for kind in Kind] == [0] * len(LatencyKind) + [1] * len(IntervalKind)
    names = [kind.name for kind in (*LatencyKind, *IntervalKind)]
    assert [kind.name for kind in Kind] == names


@pytest.mark.parametrize(
    ("features", "time_bits", "index_bits"),
    [
        (Feature(0), 32, 0),
        (Feature.EVENTS | Feature.MATCH, 32, 0),
        (MEASURED | Feature.MATCH, 64, 48),
        (ALL_FEATURES, 64, 48),
    ],
    ids=str,
)
def test_a_beat_has_the_time_and_the_index_that_the_build_looks_at(features, time_bits, index_bits):
    beat = Beat(Geometry(features=features))
    assert bits(beat, "event", "time_ticks") == time_bits
    assert bits(beat, "event", "index") == index_bits
    kept = bool(index_bits)
    measured = Measured(Geometry(features=features))
    assert (bits(measured, "time_ticks"), bits(measured, "index")) == (64 * kept, 48 * kept)
    assert bits(Decision(Geometry(features=features)), "early") == kept


def test_a_build_measures_all_kinds_or_rises_alone():
    assert kinds_of(Geometry(features=Feature.EVENTS | Feature.MATCH)) == (Kind.RISE,)
    assert kinds_of(Geometry(features=MEASURED | Feature.MATCH)) == tuple(Kind)


@pytest.mark.parametrize(("channels", "channel_bits"), [(1, 1), (2, 1), (3, 2), (8, 3)])
def test_a_channels_number_fits(channels, channel_bits):
    geometry = Geometry(channels=channels)
    assert bits(Measured(geometry), "channel") == channel_bits
    assert bits(Decision(geometry), "channel") == channel_bits


def test_each_source_has_a_number_and_each_spaces_words_an_address_with_a_bit_to_spare():
    most = Geometry(
        channels=8,
        strikes=8,
        latency_mantissa_bits=8,
        interval_mantissa_bits=8,
        zoom_bits=12,
    )
    assert max(most.sources) < 1 << bits(Event(), "source")
    for space in Space:
        # The upper bit says that a space is not read.
        assert entries(most, space) * entry_words(space) <= 1 << SPACE_ADDRESS_BITS - 1
