# SPDX-License-Identifier: Apache-2.0
"""The channels of a device under test, if the user names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from plexor.base.errors import UsageError
from plexor.base.toml_text import parse_toml
from plexor.model.load import RAISED, is_own
from plexor.model.settings import Channel, Settings
from plexor.protocol.frames import MAX_CHANNELS
from plexor.wire.link.open import device_of, without_device

Jumper = str | tuple[int, int]
"""A wire from a strike's pin to a channel's: `strike0=ch2`, or (0, 2)."""
UNSTRUCK = "load.fall"
"""The reference of a channel that answers nothing: the load falls after a run only."""

SIMULATED = {
    "freertos": "FreeRTOS on a RISC-V core: an interrupt pin and a task pin",
    "bare": "bare-metal firmware on a RISC-V core: an interrupt pin",
    "synthetic": "answers by given distributions, and can drop, duplicate and overload",
    "ce30": "synthetic, with the latencies that a study found for Windows CE 3.0: an interrupt pin "
    "and an application pin",
    "cenet": "synthetic, with the latencies that the study found for Windows CE .NET",
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
    """Return the channels of a simulated device by its own pins; without a device, all channels."""
    names = () if dut is None else _PINS.get(dut.partition(":")[0], ())
    if dut is not None and dut.partition(":")[0].endswith(".toml"):
        names = _manifest_pins(Path(dut.partition(":")[0]))
    if not names:
        names = tuple(f"ch{n}" for n in range(available))
    return tuple(Channel(n, name) for n, name in enumerate(names[:available]))


def wired(settings: Settings) -> Settings:
    """Return settings whose channels have the wires of codes too.

    Nothing of theirs is matched. Raises UsageError for a response on a channel that carries codes.
    """
    codes = settings.codes
    if codes is None:
        return settings
    wires = ()
    if codes.wires is not None:
        wires = (
            Channel(codes.wires.clock, "code clock", reference=UNSTRUCK),
            Channel(codes.wires.data, "code data", reference=UNSTRUCK),
        )
    responses = tuple(channel for channel in settings.channels if channel not in wires)
    for channel in responses:
        if channel.number in codes.channels:
            raise UsageError(
                f"{channel.label}: ch{channel.number} carries codes; name another channel"
            )
    return replace(settings, channels=responses + wires)


def response_pins(uri: str, dut: str | None, but: int | None = None) -> tuple[Channel, ...]:
    """Return the pins of the simulated device at a link, except number `but`.

    Raises UsageError for a link whose device is not known.
    """
    if not uri.startswith("sim:"):
        raise UsageError("channels: name the device's response pins, such as ISR=ch0")
    channels = channels_of(device_of(uri, dut), MAX_CHANNELS)
    return tuple(channel for channel in channels if channel.number != but)


def under(uri: str, dut: str | None, load: str | None) -> tuple[str, str | None]:
    """Return a link and its device under test with one of the device's own loads, by name.

    Raises UsageError for a load that no device of a manifest has.
    """
    if not uri.startswith("sim:") or not is_own(load):
        return uri, dut
    device = device_of(uri, dut)
    manifest, colon, _ = device.partition(":")
    if manifest.endswith(".toml"):
        raise UsageError(
            f"load {load}: a design's load has no name; say {RAISED}, which raises the input that "
            f"{manifest} names as ports.load"
        )
    return without_device(uri), f"{device}{',' if colon else ':'}load={load}"


def described(uri: str, dut: str | None, keys: Mapping[str, str]) -> dict[str, str]:
    """Return the description of a device: the name of a simulated one, and the user's keys.

    Raises UsageError for a simulated device at a link that has one of its own.
    """
    if uri.startswith("sim:"):
        return {"dut": device_of(uri, dut), **keys}
    if dut is not None:
        raise UsageError(f"dut {dut}: is for sim: links; {uri} has a device of its own")
    return dict(keys)


def wiring_of(jumpers: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    """Return the channels at each output."""
    wiring: dict[int, list[int]] = {}
    for output, channel in jumpers:
        wiring.setdefault(output, []).append(channel)
    return wiring


def _manifest_pins(path: Path) -> tuple[str, ...]:
    """Return the names in a manifest; none if it is wrong, which the simulator reports."""
    try:
        table: dict[str, Any] = parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    ports: Any = table.get("ports")
    pins: Any = cast("dict[str, Any]", ports).get("responses") if isinstance(ports, dict) else None
    if not isinstance(pins, list):
        return ()
    return tuple(str(pin) for pin in cast("list[object]", pins))[:MAX_CHANNELS]
