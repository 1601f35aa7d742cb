# SPDX-License-Identifier: Apache-2.0
"""Writes a board's bitstream to it, and asks the board what it has now."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.errors import IdentityError, LinkError, PlexorError, UsageError
from plexor.library.specs.spec import takes
from plexor.library.upkeep.desk import identified
from plexor.library.upkeep.specs import FlashSpec
from plexor.show.terminal.columns import Paint
from plexor.wire.desk import bitstreams, programmers
from plexor.wire.desk.bitstreams import Bitstream
from plexor.wire.desk.doctor import install_rules
from plexor.wire.desk.programmers import Way
from plexor.wire.link import boards
from plexor.wire.link.boards import FoundBoard, Plugged
from plexor.wire.link.rates import RATES, answering

PORT_S = 10.0
"""Time in which a board's port comes back after it was written."""
START_S = 3.0
"""Time in which a board starts from its flash, and answers."""
_PAUSE_S = 0.2
_UNWRITTEN = "nothing was written; --force writes it"
_SHOWN = ("core MHz", "sampling MHz", "cells", "RAMs", "tick, ps")
"""Figures of a build that are printed."""


@dataclass(frozen=True, slots=True)
class Flashed:
    """What is in a board now."""

    board: str
    """Its name, and that of its build if that is not the first: `icebreaker-counts`."""
    kept: bool
    """Whether it is in the board's flash, and so there after power-off."""
    bitstream: Bitstream
    identity: dict[str, Any]
    """What the instrument says of itself."""

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as lines for a terminal."""
        del width
        paint = Paint(colour)
        until = "kept in its flash" if self.kept else "until power-off"
        doubt = "" if self.bitstream.build_id else "; which build the file is is not known"
        lines = [
            paint(f"{self.board}: {self.bitstream.path} is in the board, {until}{doubt}", "good"),
            f"{self.identity['board']} answers, build {self.identity['build_id']}: "
            f"--link '{self.identity['link']}'",
        ]
        figures = self.bitstream.figures
        shown = [f"{name} {figures[name]}" for name in _SHOWN if name in figures]
        if shown:
            lines.append(f"computed by place and route: {'; '.join(shown)}")
        lines += [
            paint(f"this build misses a bound: {failure}", "bad")
            for failure in self.bitstream.failures
        ]
        return paint.done(lines)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor board flash --json` prints."""
        return {
            "board": self.board,
            "kept": self.kept,
            "bitstream": str(self.bitstream.path),
            "build_id": self.bitstream.build_id or None,
            "figures": dict(self.bitstream.figures) or None,
            "failures": list(self.bitstream.failures),
            "identity": self.identity,
        }


@takes(FlashSpec)
def flashed(board: str, asked: FlashSpec) -> Flashed:
    """Write the bitstream of a board to it, and return what answers then.

    `board` is its name, such as `icebreaker`. Raises UsageError for a board, build or file that
    there is not, and if several devices may be the board; LinkError if the board cannot be written
    or does not answer; IdentityError if another board or another build answers. Nothing is written
    where a board answers, or has the USB name, of another kind.
    """
    board = programmers.board_named(board)
    if asked.link is not None and asked.link.startswith(("sim:", "file:")):
        raise UsageError(f"--link: {asked.link!r} is no board; must be serial:PORT")
    way = programmers.ways()[board]
    name = bitstreams.build_name(board, asked.build)
    file = (
        bitstreams.bitstream(board, asked.build)
        if asked.bitstream is None
        else bitstreams.own(asked.bitstream, board)
    )
    words = way.persistent if asked.keep else way.volatile
    if not words:
        what = f"{board}: {way.tool} can only write the flash, where it stays"
        raise UsageError(f"{what}: plexor board flash {board} --keep")
    if not programmers.program(way):
        raise LinkError(f"{way.tool} is not installed: {programmers.got_by(way)}")
    device, choice = _device(board, way, asked)
    links = _links(way, asked.link, device)
    if not asked.force:
        _check_before(board, way, links)
    if asked.on_line is not None:
        asked.on_line(f"writing {file.path} with {way.tool}")
    programmers.write(way, (*choice, *words), file.path)
    return Flashed(name, asked.keep, file, _identity(way, file, asked.link, device))


def _devices(way: Way) -> list[Plugged]:
    """Return the USB devices with the id of a way's board, one entry each."""
    plugged = boards.usb_devices() or boards.serial_ports()
    by_device = {
        (entry.node, entry.serial): entry for entry in plugged if entry.usb_id == way.kind.usb_id
    }
    return list(by_device.values())


def _device(board: str, way: Way, asked: FlashSpec) -> tuple[Plugged | None, tuple[str, ...]]:
    """Return the board's USB device and the arguments that choose it; None: it is not known.

    Raises UsageError if it is not clear which, or is of another kind, LinkError without permission.
    """
    plugged = _devices(way)
    chosen = [
        entry
        for entry in plugged
        if (asked.serial == entry.serial if asked.serial else way.kind in boards.boards_of(entry))
    ]
    if plugged and not chosen and not asked.serial and asked.force:
        chosen = plugged
    if plugged and not chosen:
        told = ", ".join(map(_told, plugged))
        if asked.serial:
            raise UsageError(f"--serial: {asked.serial!r}; plugged in: {told}")
        raise UsageError(f"{told}: no {way.kind.name} by its USB name; {_UNWRITTEN}")
    if len(chosen) > 1:
        several = (
            f"{counted(len(chosen), 'device')} may be the {board}: {', '.join(map(_told, chosen))}"
        )
        can = all(entry.serial and way.which(entry.serial) for entry in chosen)
        instead = "name one with --serial" if can else "unplug all but one"
        raise UsageError(f"{several}; {instead}")
    serial = chosen[0].serial if chosen else asked.serial or ""
    # The program takes the first device with the id, if it is not told which.
    choice = way.which(serial) if serial and (asked.serial or len(plugged) > 1) else ()
    if choice is None or (len(plugged) > 1 and not choice):
        raise UsageError(f"{way.tool} cannot choose one of several devices; unplug all but one")
    if not chosen:
        return None, choice
    node = Path(chosen[0].node or "/")
    if node.exists() and not os.access(node, os.R_OK | os.W_OK):
        what = f"{_told(chosen[0])}: {node}: no permission to write it"
        raise LinkError(f"{what}: {install_rules()}")
    return chosen[0], choice


def _told(plugged: Plugged) -> str:
    name = plugged.product or FoundBoard(plugged, boards.boards_of(plugged)).name
    return f"{name} {plugged.serial}".rstrip() or plugged.node


def _links(way: Way, link: str | None, device: Plugged | None) -> list[str]:
    """Return the addresses at which the board may answer now."""
    if link is not None:
        return [link]
    serial = "" if device is None else device.serial
    return [
        f"serial:{entry.plugged.port}?baud={way.kind.baud}"
        for entry in boards.found_boards(boards.serial_ports())
        if entry.link
        and way.kind in entry.boards
        and way.kind.baud
        and (not serial or entry.plugged.serial == serial)
    ]


def _answer(uri: str, wait_s: float) -> dict[str, Any] | None:
    """Return what answers at a link within some time; None: nothing does.

    A serial port is asked with one command first, because a whole opening of a silent one takes
    seconds. Raises PlexorError if it cannot be opened, or if what answers is no instrument.
    """
    if not uri.startswith("serial:"):
        return identified(uri)
    port, _, query = uri.removeprefix("serial:").partition("?")
    rate = query.removeprefix("baud=")
    rates = [int(rate)] if rate.isdecimal() else RATES
    ends = time.monotonic() + wait_s
    while True:
        for heard in answering(port, rates):
            return identified(f"serial:{port}?baud={heard}")
        if time.monotonic() >= ends:
            return None
        time.sleep(_PAUSE_S)


def _check_before(board: str, way: Way, links: Sequence[str]) -> None:
    """Raise IdentityError if another board answers. One that is silent or new has no answer."""
    for uri in links:
        try:
            facts = _answer(uri, 0)
        except UsageError:
            raise
        except PlexorError:
            continue
        if facts is not None and facts["board"] != way.identity:
            answer = f"{uri}: {facts['board']} answers, build {facts['build_id']}"
            raise IdentityError(f"{answer}; {board} is {way.identity}; {_UNWRITTEN}")


def _identity(
    way: Way, file: Bitstream, link: str | None, device: Plugged | None
) -> dict[str, Any]:
    """Return the facts of the board that was written. Raises LinkError or IdentityError."""
    ends = time.monotonic() + (PORT_S if way.kind.baud else 0.0)
    while not (links := _links(way, link, device)):
        if time.monotonic() >= ends:
            raise LinkError(
                "written, but not identified, because no port has this board's USB id: plexor "
                "board identify --link serial:PORT asks it"
            )
        time.sleep(_PAUSE_S)
    error: PlexorError = LinkError("nothing answers")
    for uri in links:
        try:
            facts = _answer(uri, START_S) or identified(uri)
        except PlexorError as failure:
            error = LinkError(f"written, but not identified: {failure}")
            continue
        answer = f"{uri}: {facts['board']} answers, build {facts['build_id']}"
        if facts["board"] != way.identity:
            error = IdentityError(f"{answer}; {way.identity} was written")
        elif file.build_id and facts["build_id"] != file.build_id:
            why = "the board did not start from it"
            error = IdentityError(f"{answer}; {file.build_id} was written, and {why}")
        else:
            return facts
    raise error
