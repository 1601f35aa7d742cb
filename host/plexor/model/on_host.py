# SPDX-License-Identifier: Apache-2.0
"""What the host does in place of a chip that leaves it out."""

from plexor.protocol.geometry import Feature, Geometry

COMPUTED = Feature.FALL | Feature.INTERVALS | Feature.SUM_SQUARES | Feature.EXTREMES
"""Features that the host can replace: it computes the figures from events and says so."""
MATCHED = COMPUTED | Feature.ZOOM | Feature.EARLY | Feature.SNAPSHOT | Feature.RING
"""Features that the host replaces where it does all the matching: on a chip without MATCH."""


def replaced(geometry: Geometry) -> Feature:
    """Return the features that the host replaces while an instrument streams events."""
    if Feature.EVENTS not in geometry.features:
        return Feature(0)
    return COMPUTED if Feature.MATCH in geometry.features else MATCHED
