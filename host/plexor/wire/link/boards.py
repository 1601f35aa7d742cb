# SPDX-License-Identifier: Apache-2.0
"""Boards by their USB ids: what is plugged in, and where its serial port is.

Ids and names: openFPGALoader's lists of boards and cables (src/board.hpp, src/cable.hpp), Apio's
list of boards (apio-definitions, boards.jsonc), and LambdaConcept's ECPIX-5 manual, "Debug". A
bridge chip has the id of its maker, so several boards share one. The product's name distinguishes
them if the maker of the board has set it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

FTDI = 0x0403
"""The vendor whose bridges collect bytes for a time that can be set."""
FT2232H = (FTDI, 0x6010)
FT231X = (FTDI, 0x6015)
DFU = (0x1209, 0x5AF0)
FT232H = (FTDI, 0x6014)
DAPLINK = (0x0D28, 0x0204)
ICELINK = (0x1D50, 0x602B)
ONLY = -1
"""The one serial port that the board has."""


class Family(Enum):
    """Families of chips whose sheets differ."""

    ECP5 = auto()
    ICE40_HX = auto()
    ICE40_UP = auto()


@dataclass(frozen=True, slots=True)
class Board:
    """One kind of board."""

    name: str
    family: Family
    usb_id: tuple[int, int]
    product: str
    """Part of its product's name, in lower case; empty: the id alone identifies it."""
    interface: int | None
    """USB interface of the instrument's port, or ONLY; None: it takes a USB serial adapter."""
    baud: int
    """The link's rate, as the board's file in constraints/ has it."""
    identities: tuple[str, ...]
    """What its bitstreams call themselves, as the files in constraints/ have it."""
    holds: bool = False
    """Whether RTS# and CTS# of its bridge go to the gateware: nothing is sent that has no room."""
    loses: tuple[int, ...] = ()
    """Values of bytes that its bridge is said to lose, as the board's file has it."""


BOARDS = (
    Board(
        *("ULX3S", Family.ECP5, FT231X, "", ONLY, 3_000_000), ("ulx3s12f", "ulx3s25f", "ulx3s85f")
    ),
    Board("OrangeCrab", Family.ECP5, DFU, "", None, 0, ("orngcrab",)),
    Board("iCEBreaker", Family.ICE40_UP, FT2232H, "icebreaker", 1, 8_000_000, ("icebrkr",)),
    Board(
        *("iCE40-HX8K-B-EVN", Family.ICE40_HX, FT2232H, "lattice", 1, 12_000_000, ("hx8kevn",)),
        holds=True,
    ),
    Board("ECPIX-5", Family.ECP5, FT2232H, "ecpix", 1, 12_000_000, ("ecpix5",)),
    Board(
        *("Colorlight i5", Family.ECP5, DAPLINK, "", ONLY, 115_200, ("clighti5",)),
        loses=(0x10, 0x12),
    ),
    Board(
        *("Colorlight i9", Family.ECP5, DAPLINK, "", ONLY, 115_200, ("clighti9",)),
        loses=(0x10, 0x12),
    ),
    Board("iCESugar-pro", Family.ECP5, ICELINK, "", ONLY, 115_200, ("sugarpro",)),
    Board("ULX4M-LS", Family.ECP5, (0x1D50, 0x614B), "", None, 0, ("ulx4mls",)),
    Board("Alchitry Cu", Family.ICE40_HX, FT2232H, "alchitry cu", 1, 12_000_000, ("alchitcu",)),
    Board("UPduino", Family.ICE40_UP, FT232H, "upduino", ONLY, 8_000_000, ("upduino3",)),
    Board("iCESugar v1.5", Family.ICE40_UP, ICELINK, "", ONLY, 125_000, ("icesugar",)),
    Board("pico-ice", Family.ICE40_UP, (0x1209, 0xB1C0), "", None, 0, ("picoice",)),
    Board("iCEBreaker Bitsy", Family.ICE40_UP, (0x1D50, 0x6146), "", None, 0, ("icebitsy",)),
    Board("TinyFPGA BX", Family.ICE40_HX, (0x1D50, 0x6130), "", None, 0, ("tinybx",)),
)


@dataclass(frozen=True, slots=True)
class Plugged:
    """A USB device, or one serial port of it."""

    usb_id: tuple[int, int]
    product: str
    serial: str
    interface: int | None
    """Interface of `port`."""
    port: str
    """Such as /dev/ttyUSB1; empty for a device without a port."""
    node: str
    """Where programs that flash it open it, such as /dev/bus/usb/001/004; empty: not known."""


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A plugged-in device, and the boards that it may be."""

    plugged: Plugged
    boards: tuple[Board, ...]

    @property
    def name(self) -> str:
        """The boards that it may be."""
        return " or ".join(board.name for board in self.boards)

    @property
    def link(self) -> bool:
        """Whether this is the instrument's port, or may be if interfaces are not known."""
        interface = self.plugged.interface
        return any(
            board.interface is not None
            and (interface is None or board.interface in (ONLY, interface))
            for board in self.boards
        )

    @property
    def rates(self) -> tuple[int, ...]:
        """The rates of the boards that it may be, fastest first; none if it has no port."""
        return tuple(sorted({board.baud for board in self.boards if board.baud}, reverse=True))

    @property
    def uris(self) -> tuple[tuple[str, str], ...]:
        """The whole address of its link, and the boards of which it is, for each rate."""
        return tuple(
            (
                f"serial:{self.plugged.port}?baud={rate}",
                " or ".join(board.name for board in self.boards if board.baud == rate),
            )
            for rate in self.rates
        )


def is_board(text: str) -> bool:
    """Return whether a text names a board, such as `ULX3S-25F` or `ulx3s25f`."""
    bare = re.sub("[-_ ]", "", text).lower()
    names = (re.sub("[-_ ]", "", board.name).lower() for board in BOARDS)
    return any(bare.startswith(name) for name in names)


def boards_of(plugged: Plugged) -> tuple[Board, ...]:
    """Return the boards that a device may be: by its name, or else by its id."""
    candidates = [board for board in BOARDS if board.usb_id == plugged.usb_id]
    product = plugged.product.lower()
    named = [board for board in candidates if board.product and board.product in product]
    return tuple(named or candidates)


def found_boards(plugged: Iterable[Plugged]) -> tuple[FoundBoard, ...]:
    """Return what may be a board, by port."""
    all_found = [FoundBoard(device, boards_of(device)) for device in plugged]
    return tuple(
        sorted(
            (board for board in all_found if board.boards),
            key=lambda board: (board.plugged.port, board.plugged.node),
        )
    )


def serial_ports() -> tuple[Plugged, ...]:
    """Return all serial ports of USB devices, as pyserial finds them."""
    from serial.tools.list_ports import comports  # noqa: PLC0415

    return tuple(
        Plugged(
            (port.vid, port.pid),
            port.product or port.description or "",
            port.serial_number or "",
            _interface(port.location or ""),
            port.device,
            "",
        )
        for port in comports()
        if port.vid is not None and port.pid is not None
    )


def at_port(port: str) -> FoundBoard | None:
    """Return the USB device behind a serial port, with the boards that it may be, maybe none.

    None: no USB device is behind it.
    """
    real = os.path.realpath(port)
    ports = [plugged for plugged in serial_ports() if os.path.realpath(plugged.port) == real]
    return FoundBoard(ports[0], boards_of(ports[0])) if ports else None


def usb_devices(root: Path = Path("/")) -> tuple[Plugged, ...]:
    """Return each serial port of each USB device, or the device where it has none.

    Reads the files of Linux below `root`; yields nothing on other systems.
    """
    devices: list[Plugged] = []
    folder = root / "sys/bus/usb/devices"
    for device in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            usb_id = (int(_text(device, "idVendor"), 16), int(_text(device, "idProduct"), 16))
            bus, number = (int(_text(device, name)) for name in ("busnum", "devnum"))
        except (OSError, ValueError):
            continue  # an interface or a hub's port, which has no ids
        node = f"/dev/bus/usb/{bus:03}/{number:03}"
        ports: list[tuple[int | None, str]] = []
        for interface in sorted(folder.glob(f"{device.name}:*")):
            ttys = [*interface.glob("ttyUSB*"), *interface.glob("tty/tty*")]
            ports += [(_interface(interface.name), f"/dev/{tty.name}") for tty in sorted(ttys)]
        product, serial = (_optional(device, name) for name in ("product", "serial"))
        for interface_number, port in ports or [(None, "")]:
            devices.append(Plugged(usb_id, product, serial, interface_number, port, node))
    return tuple(devices)


def _interface(location: str) -> int | None:
    """Return 1 of `1-2:1.1`, as Linux names an interface; None where there is no such end."""
    _, colon, end = location.rpartition(":")
    number = end.rpartition(".")[2]
    return int(number) if colon and number.isdecimal() else None


def _text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8", errors="replace").strip()


def _optional(folder: Path, name: str) -> str:
    try:
        return _text(folder, name)
    except OSError:
        return ""
