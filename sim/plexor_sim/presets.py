"""Presets of the synthetic device: the two systems of a published study, as far as it tells.

C. Tacke, L. Ricci, "Benchmarking Real-Time Determinism in Windows CE", COTS Journal. Times are in
ps from a request: for IST, on channel 0, the strike, for APP, on channel 1, the rise of IST.
docs/study.md says which figures are the study's and which were chosen here.
"""

from __future__ import annotations

from collections.abc import Mapping

_SECOND_PS = 10**12


def _served(rate_hz: int) -> str:
    """Return the service time that just sustains a rate."""
    return str(_SECOND_PS // rate_hz)


def _distribution(*parts: tuple[float, int, int]) -> str:
    """Return the mixture of (weight, least, greatest)."""
    return "+".join(f"{weight}*uniform:{low}:{high}" for weight, low, high in parts)


# An interrupt and an event are remembered once. What comes on top is lost, and a system that has
# lost one takes so long for each that the knee is the same for any share of lost strikes.
_BOTH: Mapping[str, str] = {"load_name": "polygons", "queue": "1", "ch1.after": "ch0"}

PRESETS: Mapping[str, Mapping[str, str]] = {
    "ce30": {
        **_BOTH,
        "ch0.latency": "2500000",
        "ch0.load_latency": _distribution((0.6, 2_500_000, 2_500_000), (0.4, 2_500_000, 7_500_000)),
        "ch0.width": "1000000",
        "ch0.load_width": _distribution(
            (0.998, 1_000_000, 3_000_000), (0.002, 10_000_000, 40_000_000)
        ),
        "ch0.service": _served(100_500),
        "ch0.load_service": _served(80_000),
        "ch0.overload": "25000000",
        "ch1.latency": "13500000",
        "ch1.load_latency": _distribution(
            (0.2, 12_300_000, 12_700_000),
            (0.15, 27_300_000, 27_700_000),
            (0.65, 40_000_000, 109_000_000),
        ),
        "ch1.width": "5000000",
        "ch1.load_width": "uniform:5000000:8000000",
        "ch1.service": _served(60_000),
        "ch1.load_service": _served(27_000),
        "ch1.overload": "80000000",
    },
    "cenet": {
        **_BOTH,
        "ch0.latency": "6300000",
        "ch0.load_latency": _distribution((0.8, 6_300_000, 6_300_000), (0.2, 6_300_000, 8_300_000)),
        "ch0.width": "1000000",
        "ch0.service": _served(47_000),
        "ch0.overload": "60000000",
        "ch1.latency": _distribution((0.7, 46_700_000, 46_700_000), (0.3, 46_700_000, 58_700_000)),
        "ch1.load_latency": _distribution(
            (0.7, 46_700_000, 46_700_000), (0.3, 46_700_000, 50_700_000)
        ),
        "ch1.width": "5000000",
        "ch1.service": _served(40_000),
        "ch1.load_service": _served(39_200),
        "ch1.overload": "80000000",
    },
}
"""Options of device/synthetic.h by the preset's name."""
