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
    "hx8k": Profile(
        family="ice40",
        device=("--hx8k", "--package", "ct256"),
        core_mhz=120,
        geometry=Geometry(
            channels=4,
            strikes=1,
            samples=8,
            tick_fs=1_041_667,
            latency_mantissa_bits=3,
            queue_depth=4,
            word_fifo_depth=16,
            upload_depth=128,
            features=Feature.EVENTS,
            board="hx8k",
        ),
    ),
    "up5k": Profile(
        family="up5k",
        device=("--up5k", "--package", "sg48"),
        core_mhz=48,
        geometry=Geometry(
            channels=2,
            strikes=1,
            samples=8,
            tick_fs=2_604_167,
            latency_mantissa_bits=3,
            queue_depth=4,
            word_fifo_depth=16,
            upload_depth=16,
            ring_depth=16,
            features=Feature(0),
            board="up5k",
        ),
    ),
}
