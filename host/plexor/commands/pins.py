"""Which channels a device under test has, where nobody said."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

from plexor.protocol.frames import MAX_CHANNELS
from plexor.settings import Channel

SIMULATED = {
    "freertos": "FreeRTOS on a RISC-V core: an interrupt pin and a task pin",
    "bare": "bare-metal firmware on a RISC-V core: an interrupt pin",
    "synthetic": "answers by given distributions, with drops, duplicates and overload",
    "ce30": "synthetic, as a study found Windows CE 3.0: an interrupt pin and an application pin",
    "cenet": "synthetic, as that study found Windows CE .NET",
}
_PINS = {
    "freertos": ("ISR", "TASK"),
    "bare": ("ISR",),
    "synthetic": ("ch0", "ch1"),
    "ce30": ("IST", "APP"),
    "cenet": ("IST", "APP"),
}
"""Response pins of the simulated devices, in the order of their channels."""


def channels_of(dut: str | None, available: int) -> tuple[Channel, ...]:
    """Return the channels of a simulated device by its own pins; without one all there are."""
    names = () if dut is None else _PINS.get(dut.partition(":")[0], ())
    if dut is not None and dut.partition(":")[0].endswith(".toml"):
        names = _manifest_pins(Path(dut.partition(":")[0]))
    if not names:
        names = tuple(f"ch{n}" for n in range(available))
    return tuple(Channel(n, name) for n, name in enumerate(names[:available]))


def _manifest_pins(path: Path) -> tuple[str, ...]:
    """Return the names in a manifest; none where it is wrong, which the simulator will say."""
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    ports: Any = table.get("ports")
    pins: Any = cast("dict[str, Any]", ports).get("responses") if isinstance(ports, dict) else None
    if not isinstance(pins, list):
        return ()
    return tuple(str(pin) for pin in cast("list[object]", pins))[:MAX_CHANNELS]
