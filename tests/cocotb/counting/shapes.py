"""The build that both sides of the test know."""

from plexor.protocol.geometry import Geometry


def geometry_of(channels: int) -> Geometry:
    """Return a build with every feature and small memories."""
    return Geometry(
        channels=channels, latency_mantissa_bits=3, interval_mantissa_bits=4, zoom_bits=5
    )
