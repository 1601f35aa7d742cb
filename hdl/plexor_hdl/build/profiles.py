# SPDX-License-Identifier: Apache-2.0
"""Profiles: the richest instrument for each kind of device that fits and meets its clock."""

from dataclasses import dataclass, replace

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry


@dataclass(frozen=True)
class Profile:
    """A geometry for a device; `core_mhz` is the clock that its tick is made from."""

    family: str
    device: tuple[str, ...]
    core_mhz: int
    geometry: Geometry


_ECP5 = Geometry(
    channels=8,
    strikes=2,
    samples=16,
    tick_fs=500_000,
    latency_mantissa_bits=5,
    fall_mantissa_bits=3,
    interval_mantissa_bits=3,
    zoom_bits=6,
    queue_depth=16,
    word_fifo_depth=32,
    upload_depth=512,
    ring_depth=256,
    phases=8,
    table_steps=16,
    features=ALL_FEATURES & ~Feature.SIMULATED,
    board="ecp5",
)

_HX8K = Geometry(
    channels=4,
    strikes=1,
    samples=8,
    tick_fs=1_041_667,
    queue_depth=64,
    word_fifo_depth=32,
    upload_depth=1024,
    features=Feature.EVENTS | Feature.BURST | Feature.DITHER | Feature.POISSON | Feature.FILTER,
    board="hx8k",
)
_UP5K = Geometry(
    channels=4,
    strikes=1,
    samples=8,
    tick_fs=2_604_167,
    queue_depth=64,
    word_fifo_depth=16,
    upload_depth=16_384,
    features=Feature.EVENTS | Feature.DITHER,
    board="up5k",
)
_COUNTS: dict[str, int] = {
    "latency_mantissa_bits": 3,
    "fall_mantissa_bits": 3,
    "queue_depth": 4,
    "word_fifo_depth": 16,
}
"""What both builds that count have in common."""


def _hx8k(geometry: Geometry) -> Profile:
    device = ("--hx8k", "--package", "ct256")
    return Profile(family="ice40", device=device, core_mhz=120, geometry=geometry)


def _up5k(geometry: Geometry) -> Profile:
    device = ("--up5k", "--package", "sg48")
    return Profile(family="up5k", device=device, core_mhz=48, geometry=geometry)


PROFILES = {
    "ecp5": Profile(
        family="ecp5",
        device=("--25k", "--package", "CABGA381", "--speed", "6"),
        core_mhz=125,
        geometry=_ECP5,
    ),
    # 12K look-up tables and 32 block RAMs, by Lattice FPGA-DS-02012 1.9, table 1.1.
    "ecp5-12k": Profile(
        family="ecp5",
        device=("--12k", "--package", "CABGA381", "--speed", "6"),
        core_mhz=125,
        geometry=replace(
            _ECP5,
            channels=4,
            strikes=1,
            features=_ECP5.features
            & ~(Feature.SWEEP | Feature.SCHEDULE | Feature.RING | Feature.POISSON),
            board="ecp5-12k",
        ),
    ),
    "hx8k": _hx8k(_HX8K),
    "hx8k-counts": _hx8k(
        replace(_HX8K, **_COUNTS, upload_depth=128, features=Feature.EVENTS | Feature.MATCH)
    ),
    "up5k": _up5k(_UP5K),
    "up5k-counts": _up5k(
        replace(
            _UP5K, **_COUNTS, channels=2, upload_depth=16, ring_depth=16, features=Feature.MATCH
        )
    ),
}

BUILDS = {
    "ecp5": ("full",),
    "ecp5-12k": ("full",),
    "hx8k": ("events", "counts"),
    "up5k": ("events", "counts"),
}
"""Builds of each profile; the first is what its name alone means.

`full` matches strikes and responses, counts classes and bins at any rate, and sends events.
`events` leaves the matching and counting to the host. `counts` is for chips without room for both:
it matches and counts, in fewer channels or with fewer features.
"""
