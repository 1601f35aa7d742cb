"""Devices under test: `synthetic`, its presets, `bare`, `freertos`, or the path of a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plexor_sim.manifest import load
from plexor_sim.presets import PRESETS
from plexor_sim.riscv import DeviceBuild, riscv_device
from plexor_sim.verilog import verilog_device

NAMES = ("synthetic", *PRESETS, "bare", "freertos")

_DEVICE = Path(__file__).parent / "device"


def find_device(name: str, cache: Path) -> DeviceBuild:
    """Return what the device of that name is linked from.

    Raises ValueError for an unknown name, ManifestError, BuildError, and PackageMissing if what
    the device is made of cannot be had.
    """
    if name == "synthetic" or name in PRESETS:
        return synthetic_device(PRESETS.get(name, {}))
    if name in ("bare", "freertos"):
        return riscv_device(name, cache)
    if name.endswith(".toml"):
        return verilog_device(load(Path(name)), cache)
    raise ValueError(f"device {name!r}: must be {', '.join(NAMES)} or a manifest NAME.toml")


def synthetic_device(preset: Mapping[str, str] | None = None) -> DeviceBuild:
    """Return the device that answers by given distributions; device/synthetic.h has its options."""
    names = ("synthetic.cpp", "synthetic_options.cpp", "distribution.cpp")
    return DeviceBuild(
        name="synthetic",
        verilog=(),
        top="",
        prefix="",
        cpp=tuple(_DEVICE / name for name in names),
        key="",
        options=preset or {},
    )


def option_text(device: DeviceBuild, own: str) -> str:
    """Return the device's options as it takes them: the build's, then the user's own."""
    parts = [f"{key}={value}" for key, value in device.options.items()]
    return ",".join([*parts, own] if own else parts)
