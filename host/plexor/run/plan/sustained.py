# SPDX-License-Identifier: Apache-2.0
"""How fast strikes may come without end: what the instrument can match and count."""

from __future__ import annotations

from plexor.protocol.geometry import Feature, Geometry

VALUES_CLOCKS = 18
"""Clocks in which a build with FALL and INTERVALS counts the four values of one answered strike."""


def channel_counts(geometry: Geometry) -> list[int]:
    """Return the numbers of channels of which it is said how fast strikes may come."""
    return [count for count in (1, 2, 4, 8) if count <= geometry.channels]


def sustained_clocks(geometry: Geometry, channels: int, *, live: bool) -> int | None:
    """Return the least core clocks between strikes that may come without end and lose no edge.

    Each strike is one pulse, which so many channels answer with one pulse each. `live`: events go
    over the link; most of them find it busy, and each of those takes one clock to be counted.
    None: it is not known for a build that counts other values. docs/instrument.md has the table;
    `make sustained` measures it.
    """
    if Feature.FALL | Feature.INTERVALS not in geometry.features:
        return None
    edges = 2 * (channels + 1)
    return VALUES_CLOCKS * channels + 1 + (edges if live else 0)
