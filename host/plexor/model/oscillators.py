# SPDX-License-Identifier: Apache-2.0
"""How exact the boards' oscillators are. Every time that an instrument takes is as exact as that.

A board's documents name the part, if anything; no maker's sheet of one was at hand. 50 ppm over
temperature, supply and age is what the series of these parts are sold with at most, and is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

ASSUMED_PPM = 50


@dataclass(frozen=True, slots=True)
class Oscillator:
    """A board's oscillator."""

    ppm: int
    """Maximum error of its frequency, in parts per million."""
    source: str
    """Where that figure is from."""


_ASSUMED = Oscillator(ASSUMED_PPM, "assumed")
_FNETHE025 = Oscillator(ASSUMED_PPM, "assumed of Y1, FNETHE025 by the schematics v3.1.7")
_KC2520 = Oscillator(ASSUMED_PPM, "assumed of OSC1, KC2520B48.0000C10E00 by the schematics r0.2")
OSCILLATORS = {
    "ulx3s12f": _FNETHE025,
    "ulx3s25f": _FNETHE025,
    "ulx3s85f": _FNETHE025,
    "orngcrab": _KC2520,
}
"""By the name that a board's identity has; all others are assumed."""


def oscillator_of(board: str) -> Oscillator:
    """Return the oscillator of a board, by the name in its identity."""
    return OSCILLATORS.get(board, _ASSUMED)
