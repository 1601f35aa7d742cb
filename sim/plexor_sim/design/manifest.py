# SPDX-License-Identifier: Apache-2.0
"""The manifest of a user's own Verilog: a TOML file, read and checked.

Paths are relative to the manifest. All keys:

    sources = ["irq.v", "rtl/*.sv"]  # Verilog, SystemVerilog or VHDL; C and C++ of DPI; lists (.f)
    top = "irq"                      # the module or entity at the pins
    include = ["rtl"]                # optional: folders searched for `include files and modules

    [defines]                        # optional: macros
    FAST = 1

    [clock]                          # absent: the device is combinational
    port = "clk"
    period_ps = 10_000
    phase_ps = 0                     # optional: its first rising edge

    [reset]                          # optional
    port = "rst_n"
    active = "low"                   # or "high"
    cycles = 4                       # before time zero, with an edge before and after them

    [ports]
    strikes = ["irq[0]", "irq[1]"]   # inputs: strike outputs 0, 1, ... of the instrument
    responses = ["isr", "task"]      # outputs: response channels 0, 1, ...
    load = "busy"                    # optional input: the background load
    timecode = ["now[0]", "now[1]"]  # optional inputs: pins 0, 1, ... of the timecode; with them a
                                     #   device needs no strikes
    codes = ["state[0]", "state[1]"] # optional outputs: code pins 0, 1, ...; a strobe is a response

    [constants]                      # optional: inputs that never change
    enable = 1

    [parameters]                     # optional: of the top; integers or strings
    DEPTH = 4

    [memory]                         # optional: images for $readmemh, by plusarg:
    firmware = "firmware.hex"        #   $value$plusargs("firmware=%s", path)
    [memory.parameters]              # the same by a string parameter of the top
    IMAGE = "firmware.hex"

    [timing]
    delay_ps = 0                     # optional: an output's change after its cause

Paths that the design itself opens, as in $readmemh("rom.hex", m), are relative to the manifest too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from plexor.protocol.frames import CODE_BITS, MAX_CHANNELS, MAX_STRIKES
from plexor.protocol.geometry import MAX_TIMECODE_BITS
from plexor_sim.design.sources import Sources, sources_of

_KEYS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "": {"sources": list, "top": str, "include": list},
    "clock": {"port": str, "period_ps": int, "phase_ps": int},
    "reset": {"port": str, "active": str, "cycles": int},
    "ports": {"strikes": list, "responses": list, "load": str, "codes": list, "timecode": list},
    "timing": {"delay_ps": int},
}
_COMMA = "\x1f"
"""What stands for a comma in the folder, because commas separate device options."""
_FREE = {
    "defines": (int, str, bool),
    "constants": int,
    "parameters": (int, str),
    "memory": str,
    "memory.parameters": str,
}


class ManifestError(Exception):
    """A manifest that cannot be used: the file, the key, and what would be right."""


@dataclass(frozen=True)
class Pin:
    """One bit of a port."""

    port: str
    bit: int

    @classmethod
    def parse(cls, text: str) -> Pin:
        """Return the pin in `name` or `name[bit]`. Raises ValueError for any other text."""
        matched = re.fullmatch(r"([A-Za-z_]\w*)(?:\[(\d+)\])?", text)
        if not matched:
            raise ValueError(f"{text!r}; must be name or name[bit]")
        return cls(matched[1], int(matched[2] or 0))


@dataclass(frozen=True)
class Manifest:
    """A checked manifest."""

    path: Path
    sources: Sources
    top: str
    strikes: tuple[Pin, ...]
    responses: tuple[Pin, ...]
    load: Pin | None = None
    codes: tuple[Pin, ...] = ()
    timecode: tuple[Pin, ...] = ()
    clock: Pin | None = None
    reset: Pin | None = None
    reset_active_low: bool = False
    constants: Mapping[str, int] | None = None
    parameters: Mapping[str, int | str] | None = None
    options: Mapping[str, str] | None = None


def load(path: Path) -> Manifest:
    """Return the manifest in a file. Raises ManifestError."""
    try:
        with path.open("rb") as file:
            document = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return _parse(path, document)
    except (ValueError, RecursionError) as error:
        raise ManifestError(f"{path}: {error}") from None


def _parse(path: Path, document: dict[str, Any]) -> Manifest:
    tables = _tables(document)
    top = tables[""]
    folder = path.parent.resolve()
    sources = sources_of(
        folder,
        _texts("sources", top.get("sources", [])),
        _texts("include", top.get("include", [])),
        tables["defines"],
    )
    if "top" not in top:
        raise ValueError("top: missing; must be the name of a module")
    named = tables["ports"]
    reset = tables["reset"]
    timecode = named.get("timecode")
    if reset and not tables["clock"]:
        raise ValueError("[reset]: a device without [clock] cannot have a reset")
    if reset.get("active", "high") not in ("high", "low"):
        raise ValueError(f'reset.active: {reset["active"]!r}; must be "high" or "low"')
    options, parameters = _images(folder, tables)
    return Manifest(
        path=path,
        sources=sources,
        top=top["top"],
        strikes=(
            _pins("ports.strikes", named.get("strikes", []), MAX_STRIKES)
            if timecode is None or "strikes" in named
            else ()
        ),
        responses=_pins("ports.responses", named.get("responses", []), MAX_CHANNELS),
        load=_pin("ports.load", named.get("load")),
        codes=_pins("ports.codes", named["codes"], CODE_BITS) if "codes" in named else (),
        timecode=() if timecode is None else _pins("ports.timecode", timecode, MAX_TIMECODE_BITS),
        clock=_pin("clock.port", tables["clock"].get("port")) if tables["clock"] else None,
        reset=_pin("reset.port", reset.get("port")) if reset else None,
        reset_active_low=reset.get("active") == "low",
        constants=tables["constants"],
        parameters=parameters,
        options=options,
    )


def _tables(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return all tables by name; every key is known and has its type."""
    found: dict[str, dict[str, Any]] = {name: {} for name in (*_KEYS, *_FREE)}
    for name, value in document.items():
        if isinstance(value, dict) and name in found:
            found[name] = cast(dict[str, Any], value)
        elif name in found and isinstance(value, list):
            tables = cast(list[Any], value)
            raise ValueError(
                f"[[{name}]]: {len(tables)} of them; must be one table [{name}], more are not "
                "supported"
            )
        elif name in found and name:
            raise ValueError(f"{name}: {value!r}; must be a table [{name}]")
        else:
            found[""][name] = value
    found["memory.parameters"] = found["memory"].pop("parameters", {})
    for name, table in found.items():
        label = f"{name}." if name else ""
        for key, value in table.items():
            wanted = _FREE[name] if name in _FREE else _KEYS[name].get(key)
            if wanted is None:
                known = ", ".join((*_KEYS[name], *(() if name else (*list(_KEYS)[1:], *_FREE))))
                raise ValueError(f"{label}{key}: unknown key; must be one of {known}")
            if not isinstance(value, wanted) or (isinstance(value, bool) and name != "defines"):
                kinds = wanted if isinstance(wanted, tuple) else (wanted,)
                right = " or ".join(kind.__name__ for kind in kinds)
                raise ValueError(f"{label}{key}: {value!r}; must be {right}")
            if isinstance(value, int) and value < 0 and name != "parameters":
                raise ValueError(f"{label}{key}: {value}; must be 0 or more")
    return found


def _images(
    folder: Path, tables: dict[str, dict[str, Any]]
) -> tuple[dict[str, str], dict[str, int | str]]:
    """Return device options and parameters, including memory images."""
    clock, timing = tables["clock"], tables["timing"]
    options = {"folder": str(folder).replace(",", _COMMA)}
    if clock:
        if clock.get("period_ps", 0) < 2 or "port" not in clock:
            raise ValueError("[clock]: needs port and period_ps, which must be at least 2")
        options["clock_ps"] = str(clock["period_ps"])
        options["phase_ps"] = str(clock.get("phase_ps", 0))
    if tables["reset"]:
        options["reset_cycles"] = str(tables["reset"].get("cycles", 1))
    if timing:
        options["delay_ps"] = str(timing.get("delay_ps", 0))
    for name, value in tables["memory"].items():
        (image,) = _paths(folder, f"memory.{name}", [value])
        if "," in str(image):
            raise ValueError(
                f"memory.{name}: {image} contains a comma, which separates device options"
            )
        options[f"plus.{name}"] = str(image)
    parameters: dict[str, int | str] = dict(tables["parameters"])
    for name, value in tables["memory.parameters"].items():
        (image,) = _paths(folder, f"memory.parameters.{name}", [value])
        parameters[name] = str(image)
    return options, parameters


def _texts(key: str, values: list[Any]) -> list[str]:
    for value in values:
        if not isinstance(value, str):
            raise ValueError(f"{key}: {value!r}; must be text")
    return cast(list[str], values)


def _paths(folder: Path, key: str, values: list[Any] | None) -> tuple[Path, ...]:
    paths = tuple(folder / value for value in _texts(key, values or []))
    for path in paths:
        if not path.is_file():
            raise ValueError(f"{key}: {path} does not exist")
    return paths


def _pin(key: str, text: str | None) -> Pin | None:
    if text is None:
        return None
    try:
        return Pin.parse(text)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _pins(key: str, texts: list[Any], most: int) -> tuple[Pin, ...]:
    if not 1 <= len(texts) <= most:
        raise ValueError(f"{key}: {len(texts)} pins; must be 1 to {most}")
    return tuple(pin for text in _texts(key, texts) if (pin := _pin(key, text)))
