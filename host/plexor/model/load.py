# SPDX-License-Identifier: Apache-2.0
"""Loads of a device: which one is asked for, and which one a simulated device ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plexor.base.errors import UsageError

IDLE = "none"
"""The name of no load."""
RAISED = "on"
"""The name of whatever a device does while the load output is raised."""


@dataclass(frozen=True, slots=True)
class DeviceLoad:
    """The load of a simulated device, as its simulator says."""

    name: str
    """IDLE: it could run one, and runs none; RAISED: its load has no name; empty: it has nothing
    that could load it."""
    always: bool = False
    """Whether it runs whatever the load output's level is."""

    def during(self, raised: bool) -> str | None:
        """Return the load that ran with the load output raised, or not; None: it has none."""
        if not self.name:
            return None
        return self.name if raised or self.always else IDLE


def parse_device_load(text: str | None) -> DeviceLoad | None:
    """Return the load that a simulator says: `NAME`, `NAME always`, nothing; None: it says none."""
    if text is None:
        return None
    name, _, always = text.partition(" ")
    return DeviceLoad(name, always == "always")


def parse_load(value: object) -> str:
    """Return the name of a load as it is asked for; raise ValueError."""
    if not isinstance(value, str) or not value.strip() or len(value.split()) > 1 or "," in value:
        raise ValueError(
            f"load: {value!r}; must be the name of one load, such as cpu, {RAISED} for the load "
            f"output, or {IDLE}"
        )
    return value.strip()


def is_raised(name: str | None) -> bool:
    """Return whether the load output is raised for a load; None: none is asked for."""
    return name not in (None, "", IDLE)


def is_own(name: str | None) -> bool:
    """Return whether a load is one that a device has by this name."""
    return is_raised(name) and name != RAISED


def check_load(device_load: DeviceLoad | None, name: str, raised: bool) -> None:
    """Raise UsageError if a simulated device does not run what is asked for.

    `name` is the load that is asked for, empty if the level of the load output alone is. Of a
    device that is not simulated nothing is known: `device_load` is None.
    """
    if device_load is None:
        return
    setting = f"load {name or RAISED}"
    if raised and device_load.name in ("", IDLE):
        raise UsageError(
            f"{setting}: this device has no load that could be put on; name one that it has "
            "(`plexor board devices NAME` lists its options), or an input as ports.load in its "
            "manifest"
        )
    if is_own(name) and device_load.name != name:
        raise UsageError(
            f"{setting}: this device runs {device_load.name}; must be {device_load.name} or {IDLE}"
        )
    if name == IDLE and device_load.during(False) not in (None, IDLE):
        raise UsageError(
            f"{setting}: this device runs {device_load.name} whatever the load output's level is; "
            f"name {device_load.name}, or leave its option load_switched=0 out"
        )


def named_load(device: Mapping[str, str]) -> str:
    """Return the load that a simulated device's options name, by a run's description of it."""
    options = device.get("dut", "").partition(":")[2].split(",")
    named = [text.removeprefix("load=") for text in options if text.startswith("load=")]
    return named[-1] if named else ""


def load_name(ran: str | None, raised: bool, name: str = "") -> str:
    """Return a run's load in a word: what the device ran, or what was asked of an unknown one."""
    if ran is not None:
        return ran
    return (name or RAISED) if raised else IDLE


def load_texts(ran: str | None, raised: bool, name: str = "") -> list[str]:
    """Return what is known of a run's load: `idle`, `under load cpu`, `load output on`.

    `ran` is what a simulated device ran. If it is None, nothing is known but that the load output
    was raised, and the name that the user gave to what it does; if it was not, nothing is said.
    """
    if ran is None:
        own = f" ({name})" if name not in ("", RAISED) else ""
        return [f"load output on{own}"] if raised else []
    if ran == IDLE:
        return ["idle"]
    return ["under load" if ran == RAISED else f"under load {ran}"]
