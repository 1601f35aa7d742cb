# SPDX-License-Identifier: Apache-2.0
"""Presets of the synthetic device: the two systems of a published study, as far as it tells.

C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows CE", COTS Journal. Times begin at
a request: for IST, on channel 0, at the strike; for APP, on channel 1, at the rise of IST.
docs/study.md says which figures are from the study and which were chosen here.
"""

from __future__ import annotations

from collections.abc import Mapping

_SECOND_PS = 10**12


def _served(rate_hz: int) -> str:
    """Return the service time that just sustains a rate."""
    return f"{_SECOND_PS // rate_hz}ps"


def _distribution(*parts: tuple[float, str, str]) -> str:
    """Return the mixture of (weight, minimum, maximum)."""
    return "+".join(f"{weight}*uniform:{low}:{high}" for weight, low, high in parts)


# One interrupt and one event are remembered; further ones are lost. A system that has lost one
# takes so long for each that the knee is the same for every share of lost strikes.
_BOTH: Mapping[str, str] = {"load_name": "polygons", "queue": "1", "ch1.after": "ch0"}

PRESETS: Mapping[str, Mapping[str, str]] = {
    "ce30": {
        **_BOTH,
        "ch0.latency": "2.5us",
        "ch0.load_latency": _distribution((0.6, "2.5us", "2.5us"), (0.4, "2.5us", "7.5us")),
        "ch0.width": "1us",
        "ch0.load_width": _distribution((0.998, "1us", "3us"), (0.002, "10us", "40us")),
        "ch0.service": _served(100_500),
        "ch0.load_service": _served(80_000),
        "ch0.overload": "25us",
        "ch1.latency": "13.5us",
        "ch1.load_latency": _distribution(
            (0.2, "12.3us", "12.7us"),
            (0.15, "27.3us", "27.7us"),
            (0.65, "40us", "109us"),
        ),
        "ch1.width": "5us",
        "ch1.load_width": "uniform:5us:8us",
        "ch1.service": _served(60_000),
        "ch1.load_service": _served(27_000),
        "ch1.overload": "80us",
    },
    "cenet": {
        **_BOTH,
        "ch0.latency": "6.3us",
        "ch0.load_latency": _distribution((0.8, "6.3us", "6.3us"), (0.2, "6.3us", "8.3us")),
        "ch0.width": "1us",
        "ch0.service": _served(47_000),
        "ch0.overload": "60us",
        "ch1.latency": _distribution((0.7, "46.7us", "46.7us"), (0.3, "46.7us", "58.7us")),
        "ch1.load_latency": _distribution((0.7, "46.7us", "46.7us"), (0.3, "46.7us", "50.7us")),
        "ch1.width": "5us",
        "ch1.service": _served(40_000),
        "ch1.load_service": _served(39_200),
        "ch1.overload": "80us",
    },
}
"""Options of the synthetic device, by name of the preset."""
