# SPDX-License-Identifier: Apache-2.0
"""The build that both sides of the test know."""

from plexor.protocol.geometry import Geometry


def geometry_of(channels: int) -> Geometry:
    """Return a build with every feature and small memories."""
    return Geometry(
        channels=channels,
        latency_mantissa_bits=3,
        fall_mantissa_bits=2,
        interval_mantissa_bits=2,
        zoom_bits=5,
    )
