# SPDX-License-Identifier: Apache-2.0
"""The manifest of a user's own design: a TOML file, read and checked.

Paths are relative to the manifest. All keys:

    sources = ["irq.v", "rtl/*.sv"]  # Verilog, SystemVerilog or VHDL; C and C++ of DPI; lists (.f)
                                     #   and FuseSoC cores (.core)
    top = "irq"                      # the module or entity at the pins
    include = ["rtl"]                # optional: folders searched for `include files and modules

    [defines]                        # optional: macros
    FAST = 1

    [variables]                      # optional: texts of variables in lists of files; one that
    ROOT = ".."                      #   has none is the folder above the list with its path

    [libraries]                      # optional: files of VHDL that are not in the library work
    cells = ["cells/*.vhd"]

    [core]                           # optional: of a core in sources
    target = "sim"                   # optional: default, or else sim, or else its only one
    flags = ["fast", "-tool_verilator"]  # optional: set, or unset by a hyphen
    libraries = [".."]               # optional: folders with cores that it depends on
    without = ["::debug"]            # optional: cores that are left out

    [clock]                          # absent: the device is combinational; [[clock]]: several
    port = "clk"
    period_ps = 10_000
    phase_ps = 0                     # optional: its first rising edge
    ppm = 0                          # optional: it is faster than nominal
    jitter_ps = 0                    # optional: RMS of the displacement of each edge

    [reset]                          # optional; [[reset]]: several
    port = "rst_n"
    active = "low"                   # or "high"
    cycles = 4                       # before time zero, with an edge before and after them
    clock = "clk"                    # optional: which clock's cycles; the first one's
    early_cycles = 0                 # optional: it ends so much before time zero
    synchronous = false              # optional: it ends right behind a rising edge

    [ports]
    strikes = ["irq[0]", "irq[1]"]   # inputs: strike outputs 0, 1, ... of the instrument
    responses = ["isr", "task"]      # outputs, or probes: response channels 0, 1, ...
    idle_high = ["irq[1]"]           # optional: strikes that are high until they are struck
    load = "busy"                    # optional input: the background load
    timecode = ["now[0]", "now[1]"]  # optional inputs: pins 0, 1, ... of the timecode; with them a
                                     #   device needs no strikes
    codes = ["state[0]", "state[1]"] # optional outputs: code pins 0, 1, ...; a strobe is a response

    [probes]                         # optional: signals inside the design, by paths from the top
    taken = "core.irq_ack"

    [inouts]                         # optional: what an inout is while nothing drives it: up, down,
    sda = "up"                       #   or as it was: keep; a strike drives it the other way

    [constants]                      # optional: inputs that never change
    enable = 1

    [random]                         # optional: inputs that change behind each rising edge
    data = "clk"                     #   of a clock

    [parameters]                     # optional: of the top; integers or strings
    DEPTH = 4

    [memory]                         # optional: images for $readmemh, by plusarg:
    firmware = "firmware.hex"        #   $value$plusargs("firmware=%s", path)
    [memory.parameters]              # the same by a string parameter of the top
    IMAGE = "firmware.hex"

    [timing]
    delay_ps = 0                     # optional: an output's change after its cause

Paths that the design itself opens, as in $readmemh("rom.hex", m), are relative to the manifest too.
All that is wrong in a manifest is told at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from plexor.protocol.frames import CODE_BITS, MAX_CHANNELS, MAX_STRIKES
from plexor.protocol.geometry import MAX_TIMECODE_BITS
from plexor_sim.design import inside
from plexor_sim.design.clocks import Clock, Reset, clocks_of, random_of, resets_of
from plexor_sim.design.cores import Selection
from plexor_sim.design.pins import Pin, pin_of, pins_of, texts_of
from plexor_sim.design.sources import Sources, sources_of

_KEYS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "": {"sources": list, "top": str, "include": list},
    "clock": {"port": str, "period_ps": int, "phase_ps": int, "ppm": int, "jitter_ps": int},
    "reset": {
        "port": str,
        "active": str,
        "cycles": int,
        "clock": str,
        "early_cycles": int,
        "synchronous": bool,
    },
    "ports": {
        "strikes": list,
        "responses": list,
        "idle_high": list,
        "load": str,
        "codes": list,
        "timecode": list,
    },
    "timing": {"delay_ps": int},
    "core": {"target": str, "flags": list, "libraries": list, "without": list},
}
_SEVERAL = ("clock", "reset")
"""Tables of which there may be several."""
_SIGNED = ("parameters.", "clock.ppm")
PULLS = ("up", "down", "keep")
_COMMA = "\x1f"
"""What stands for a comma in the folder, because commas separate device options."""
_FREE: Mapping[str, type | tuple[type, ...]] = {
    "defines": (int, str, bool),
    "variables": str,
    "libraries": list,
    "constants": int,
    "random": str,
    "probes": str,
    "inouts": str,
    "parameters": (int, str),
    "memory": str,
    "memory.parameters": str,
}


class ManifestError(Exception):
    """A manifest that cannot be used: the file, the key, and what would be right."""


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
    idle_high: tuple[Pin, ...] = ()
    clocks: tuple[Clock, ...] = ()
    resets: tuple[Reset, ...] = ()
    random: Mapping[str, int] | None = None
    """Inputs that change at random, with the number of their clock."""
    probes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Paths of signals inside the design, by names."""
    inouts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Inouts with their pull: up, down or keep."""
    constants: Mapping[str, int] | None = None
    parameters: Mapping[str, int | str] | None = None
    options: Mapping[str, str] | None = None


def manifest_in(folder: Path) -> str:
    """Return which manifest of a folder may be meant, behind a semicolon; empty if it has none."""
    first = next(iter(sorted(folder.glob("*.toml"))), None)
    return "" if first is None else f"; did you mean {first}?"


def load(path: Path) -> Manifest:
    """Return the manifest in a file. Raises ManifestError, which tells all that is wrong."""
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{path}: {error}; must be TOML, each key and table once") from None
    except IsADirectoryError:
        raise ManifestError(f"{path}: is a folder; must be a manifest{manifest_in(path)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        faults: list[str] = []
        manifest = _parse(path, document, faults)
    except RecursionError as error:
        raise ManifestError(f"{path}: {error}") from None
    if manifest is None or faults:
        raise ManifestError(f"{path}: {'; '.join(faults)}")
    return manifest


def _parse(path: Path, document: dict[str, Any], faults: list[str]) -> Manifest | None:
    tables = _Tables(faults)
    tables.read(document)
    top = tables["top level"]
    folder = path.parent.resolve()
    sources = _sources(folder, tables, faults)
    if "top" not in top:
        faults.append("top: missing; must be the name of a module")
    named = tables["ports"]
    timecode = named.get("timecode")
    clocks = clocks_of(tables.several("clock"), faults)
    if tables.several("reset") and not tables.several("clock"):
        faults.append("[reset]: a device without [clock] cannot have a reset")
    strikes: tuple[Pin, ...] = ()
    if timecode is None or "strikes" in named:
        strikes = pins_of("ports.strikes", named.get("strikes", []), MAX_STRIKES, faults)
    resets = resets_of(tables.several("reset"), clocks, faults)
    options, parameters = _options(folder, tables, clocks, resets, faults)
    if sources is not None:
        parameters = sources.parameters | parameters
        options = {f"plus.{name}": text for name, text in sources.plusargs.items()} | options
        faults += [
            f"sources: plusarg {name}: {text!r} contains a comma, which separates device options"
            for name, text in sources.plusargs.items()
            if "," in text
        ]
    idle_high: tuple[Pin, ...] = ()
    if "idle_high" in named:
        idle_high = pins_of("ports.idle_high", named["idle_high"], MAX_STRIKES, faults)
        faults += [
            f"ports.idle_high: {pin.text} is no strike; must be one of ports.strikes"
            for pin in idle_high
            if pin not in strikes
        ]
    responses = pins_of("ports.responses", named.get("responses", []), MAX_CHANNELS, faults)
    codes: tuple[Pin, ...] = ()
    if "codes" in named:
        codes = pins_of("ports.codes", named["codes"], CODE_BITS, faults)
    times: tuple[Pin, ...] = ()
    if timecode is not None:
        times = pins_of("ports.timecode", timecode, MAX_TIMECODE_BITS, faults)
    load_pin = pin_of("ports.load", named.get("load"), faults)
    random = random_of(tables["random"], clocks, faults)
    inside.check(tables["probes"], faults)
    _check_inouts(tables["inouts"], strikes, faults)
    if sources is None or faults:
        return None
    return Manifest(
        path=path,
        sources=sources,
        top=top["top"],
        strikes=strikes,
        responses=responses,
        load=load_pin,
        codes=codes,
        timecode=times,
        idle_high=idle_high,
        clocks=clocks,
        resets=resets,
        random=random,
        probes=tables["probes"],
        inouts=tables["inouts"],
        constants=tables["constants"],
        parameters=parameters,
        options=options,
    )


def _check_inouts(inouts: dict[str, str], strikes: tuple[Pin, ...], faults: list[str]) -> None:
    for name, pull in inouts.items():
        if pull not in PULLS:
            faults.append(f'inouts.{name}: {pull!r}; must be "up", "down" or "keep"')
        elif pull == "keep" and name in {pin.port for pin in strikes}:
            faults.append(f'inouts.{name}: "keep"; must be "up" or "down", because it is struck')


def _sources(folder: Path, tables: _Tables, faults: list[str]) -> Sources | None:
    top = tables["top level"]
    try:
        return sources_of(
            folder,
            texts_of("sources", top.get("sources", []), faults),
            texts_of("include", top.get("include", []), faults),
            tables["defines"],
            selection_of(folder, tables["core"], faults) if tables.several("core") else None,
            str(top.get("top", "")),
            tables["variables"],
            {
                name: texts_of(f"libraries.{name}", names, faults)
                for name, names in tables["libraries"].items()
            },
        )
    except ValueError as error:
        faults.append(str(error))
        return None


def selection_of(folder: Path, core: Mapping[str, Any], faults: list[str]) -> Selection:
    """Return what a table [core] in a folder says; append what is wrong to `faults`."""
    flags, libraries, without = (
        texts_of(f"core.{key}", core.get(key, []), faults)
        for key in ("flags", "libraries", "without")
    )
    paths = tuple(folder / name for name in libraries)
    faults += [f"core.libraries: {path} is no folder" for path in paths if not path.is_dir()]
    return Selection(core.get("target", ""), tuple(flags), paths, tuple(without))


class _Tables:
    """All tables by name; every key is known and has its type, and what is not is a fault."""

    def __init__(self, faults: list[str]) -> None:
        self._faults = faults
        self._tables: dict[str, list[dict[str, Any]]] = {}

    def __getitem__(self, name: str) -> dict[str, Any]:
        """Return the table of a name; an empty one if there is none."""
        found = self.several("" if name == "top level" else name)
        return found[0] if found else {}

    def several(self, name: str) -> list[dict[str, Any]]:
        """Return all tables of a name."""
        return self._tables.get(name, [])

    def read(self, document: dict[str, Any]) -> None:
        """Take the tables of a document."""
        top: dict[str, Any] = {}
        names = (*list(_KEYS)[1:], *_FREE)
        for name, value in document.items():
            if name not in names:
                top[name] = value
            elif isinstance(value, dict):
                self._add(name, cast(dict[str, Any], value))
            elif isinstance(value, list) and _are_tables(cast(list[Any], value)):
                several = cast(list[dict[str, Any]], value)
                if name in _SEVERAL:
                    for one in several:
                        self._add(name, one)
                else:
                    self._faults.append(
                        f"[[{name}]]: {len(several)} of them; must be one table [{name}], more are "
                        "not supported"
                    )
            else:
                self._faults.append(f"{name}: {value!r}; must be a table [{name}]")
        self._add("", top)

    def _add(self, name: str, table: dict[str, Any]) -> None:
        if name == "memory":
            table = dict(table)
            parameters = table.pop("parameters", {})
            if isinstance(parameters, dict):
                self._add("memory.parameters", cast(dict[str, Any], parameters))
            else:
                self._faults.append(
                    f"memory.parameters: {parameters!r}; must be a table [memory.parameters]"
                )
        taken = {key: value for key, value in table.items() if self._is_right(name, key, value)}
        self._tables.setdefault(name, []).append(taken)

    def _is_right(self, name: str, key: str, value: object) -> bool:
        label = f"{name}.{key}" if name else key
        wanted = _FREE[name] if name in _FREE else _KEYS[name].get(key)
        if wanted is None:
            known = ", ".join((*_KEYS[name], *(() if name else (*list(_KEYS)[1:], *_FREE))))
            self._faults.append(f"{label}: unknown key; must be one of {known}")
            return False
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            right = " or ".join(kind.__name__ for kind in kinds)
            self._faults.append(f"{label}: {value!r}; must be {right}")
            return False
        if isinstance(value, int) and value < 0 and not label.startswith(_SIGNED):
            self._faults.append(f"{label}: {value}; must be 0 or more")
            return False
        return True


def _are_tables(values: list[Any]) -> bool:
    return all(isinstance(value, dict) for value in values)


def _options(
    folder: Path,
    tables: _Tables,
    clocks: tuple[Clock, ...],
    resets: tuple[Reset, ...],
    faults: list[str],
) -> tuple[dict[str, str], dict[str, int | str]]:
    """Return device options and parameters, including memory images."""
    options = {"folder": str(folder).replace(",", _COMMA)}
    for number, clock in enumerate(clocks):
        of = f".{clock.pin.text}" if number else ""
        options[f"clock_ps{of}"] = str(clock.period_ps)
        options[f"phase_ps{of}"] = str(clock.phase_ps)
        options |= {f"ppm{of}": str(clock.ppm)} if clock.ppm else {}
        options |= {f"jitter_ps{of}": str(clock.jitter_ps)} if clock.jitter_ps else {}
    for number, reset in enumerate(resets):
        of = f".{reset.pin.text}" if number else ""
        options[f"reset_cycles{of}"] = str(reset.cycles)
    timing = tables["timing"]
    if timing:
        options["delay_ps"] = str(timing.get("delay_ps", 0))
    for name, value in tables["memory"].items():
        image = _image(folder, f"memory.{name}", value, faults)
        if "," in str(image):
            faults.append(
                f"memory.{name}: {image} contains a comma, which separates device options"
            )
        options[f"plus.{name}"] = str(image)
    parameters: dict[str, int | str] = dict(tables["parameters"])
    for name, value in tables["memory.parameters"].items():
        parameters[name] = str(_image(folder, f"memory.parameters.{name}", value, faults))
    return options, parameters


def _image(folder: Path, key: str, name: str, faults: list[str]) -> Path:
    path = folder / name
    if not path.is_file():
        faults.append(f"{key}: {path} does not exist")
    return path
