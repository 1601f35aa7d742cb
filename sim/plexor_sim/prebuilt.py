# SPDX-License-Identifier: Apache-2.0
"""Simulators and firmware that a wheel brings, so that devices of ours need no compiler.

A clone has none. `tools.wheels` makes them, and writes them down in an index beside them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from plexor.protocol.geometry import Geometry
from plexor_sim.device_options import checked
from plexor_sim.devices import chosen, cpp_device, options_of, written_as
from plexor_sim.libraries.build import is_of_libraries, library_device
from plexor_sim.riscv import DeviceBuild, Firmware, firmware_for, is_usual

FOLDER = Path(__file__).parent / "prebuilt"
INDEX = "index.json"
SYNTHETIC, RISCV, LIBRARY = "synthetic", "riscv", "library"
_KINDS: Mapping[str, Literal["bare", "freertos"]] = {"bare": "bare", "freertos": "freertos"}


@dataclass(frozen=True)
class Made:
    """A device with its simulator."""

    device: DeviceBuild
    executable: Path


def name_of(firmware: Firmware) -> str:
    """Return the name of a firmware in the index."""
    return " ".join((firmware.kind, firmware.program, *firmware.flags))


def prebuilt(
    name: str, own: str, cache: Path, geometry: Geometry | None = None, folder: Path = FOLDER
) -> Made | None:
    """Return a device that the wheel has, with the user's options; None if it must be built.

    With a geometry it is at the gateware's simulator of that, otherwise at the twin. Raises as
    `find_device`.
    """
    if not (folder / INDEX).is_file():
        return None
    index: dict[str, dict[str, Any]] = json.loads((folder / INDEX).read_text())
    programs = index["twins"] if geometry is None else index["gateware"].get(repr(geometry), {})
    taken = dict(chosen(checked(options_of(name), own, name)))
    device: DeviceBuild | None = None
    if (kind := _KINDS.get(name)) is not None:
        program = programs.get(RISCV)
        device = _riscv(kind, taken, index["firmware"], folder)
    elif written_as(name) == SYNTHETIC:
        program = programs.get(SYNTHETIC)
        device = cpp_device(SYNTHETIC)
    elif program := programs.get(LIBRARY) if is_of_libraries(name) else None:
        device = library_device(Path(name), cache)
    return Made(device, folder / program) if program and device else None


def _riscv(
    kind: Literal["bare", "freertos"],
    options: Mapping[str, str],
    images: Mapping[str, str],
    folder: Path,
) -> DeviceBuild | None:
    wanted = firmware_for(kind, options)
    image = images.get(name_of(wanted))
    if image is None or not is_usual(options) or "," in str(folder):
        return None
    return replace(cpp_device(SYNTHETIC), name=kind, options=wanted.options(folder / image))
