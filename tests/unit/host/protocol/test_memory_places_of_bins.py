# SPDX-License-Identifier: Apache-2.0
"""Where a key's bins are in their space."""

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    IntervalKind,
    LatencyKind,
    Space,
    entries,
    first_bin,
    width_bits,
)

GEOMETRY = Geometry(
    channels=3, latency_mantissa_bits=5, fall_mantissa_bits=3, interval_mantissa_bits=4, zoom_bits=6
)


@pytest.mark.parametrize(
    ("space", "kinds", "widths"),
    [
        (Space.LATENCY_BINS, LatencyKind, (1024, 256)),
        (Space.INTERVAL_BINS, IntervalKind, (512, 512)),
        (Space.LATENCY_ZOOM, LatencyKind, (64, 64)),
        (Space.INTERVAL_ZOOM, IntervalKind, (64, 64)),
    ],
)
def test_keys_lie_in_order_each_with_the_bins_of_its_kind(space, kinds, widths):
    place = 0
    for kind, width in zip(kinds, widths, strict=True):
        for channel in range(4):
            assert first_bin(GEOMETRY, space, kind, channel) == place
            assert 1 << width_bits(GEOMETRY, space, kind) == width
            place += width
    assert entries(GEOMETRY, space) == place


def test_without_a_word_about_falls_their_bins_are_those_of_rises():
    geometry = Geometry(channels=3, latency_mantissa_bits=5)
    assert geometry.fall_mantissa_bits == 5
    assert entries(geometry, Space.LATENCY_BINS) == 8 << 10
    lean = Geometry(channels=1, latency_mantissa_bits=3, features=Feature.MATCH)
    assert entries(lean, Space.LATENCY_BINS) == 2 << 8
