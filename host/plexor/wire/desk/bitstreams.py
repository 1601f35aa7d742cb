# SPDX-License-Identifier: Apache-2.0
"""The bitstreams that are here: those that a clone has built, and those of a wheel.

`make gateware BOARD=NAME` leaves one in build/NAME/seed1/. The wheel `plexor-boards` brings one of
each build, with an index of their figures; `make wheels` makes it (tools/wheels.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plexor.base.errors import UsageError, reason_of
from plexor.base.meant import path_meant, suggestion
from plexor.wire.desk.programmers import CLONE, ways
from plexor.wire.link.boards import Family

PACKAGE, INDEX = "plexor_boards", "index.json"
"""What a wheel's package of bitstreams is called, and the file in it that lists them."""
FIGURES = "figures.json"
"""A build's figures, beside its bitstream in a clone."""
_SYNC = {"iCE40": b"\x7e\xaa\x99\x7e", "ECP5": b"\xff\xff\xbd\xb3"}
"""What stands before a configuration, as Project IceStorm and Project Trellis describe formats."""
_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Bitstream:
    """A file that configures a board."""

    path: Path
    build_id: str = ""
    """The build that answers when it is in the board; empty: not known."""
    figures: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What place and route says of it, as docs/gateware.md has it; empty: not known."""
    failures: tuple[str, ...] = ()
    """Bounds that it misses."""


def build_name(board: str, build: str | None) -> str:
    """Return the name of a board's build: `icebreaker-counts`, or the board's for its first.

    Raises UsageError if it has none such.
    """
    known = ways()[board].builds
    if build is None or build == known[0]:
        return board
    if build not in known:
        near = suggestion(build, known)
        raise UsageError(f"--build: {build!r}; {board} has {' and '.join(known)}{near}")
    return f"{board}-{build}"


def bitstream(board: str, build: str | None) -> Bitstream:
    """Return the bitstream of a board's build, the clone's own first.

    Raises UsageError if there is none here.
    """
    name = build_name(board, build)
    found = _built(name) or _brought().get(name)
    if found is None:
        have = ", ".join(available())
        others = f"here are those of {have}" if have else "none of another board is here either"
        make = f"make gateware BOARD={board}{f' BUILD={build}' if name != board else ''}"
        raise UsageError(
            f"{name}: no bitstream is here, and {others}: install the wheel plexor-boards, or "
            f"{make} in a clone"
        )
    _check(found.path, board)
    return found


def own(path: Path, board: str) -> Bitstream:
    """Return a user's bitstream for a board. Raises UsageError for a file that is none for it."""
    _check(path, board)
    return Bitstream(path, _build_id(path))


def available() -> list[str]:
    """Return the names of the builds whose bitstreams are here."""
    names = {build_name(board, build) for board, way in ways().items() for build in way.builds}
    return sorted(name for name in names if _built(name) or name in _brought())


def _built(name: str) -> Bitstream | None:
    """Return what the clone has built; None if it has not, or if this is no clone."""
    path = CLONE / "build" / name / "seed1" / "top.bit"
    if not (CLONE / "constraints").is_dir() or not path.is_file():
        return None
    build_id = _build_id(path)
    try:
        row: dict[str, Any] = json.loads(path.with_name(FIGURES).read_text())
        if row["cells"]["build id"] == build_id:
            return Bitstream(path, build_id, row["cells"], tuple(row["failures"]))
    except (OSError, ValueError, KeyError):
        pass  # only `make gateware-report` writes them
    return Bitstream(path, build_id)


def _brought() -> dict[str, Bitstream]:
    """Return the bitstreams that a wheel brought, by the names of their builds."""
    spec = find_spec(PACKAGE)
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
        if (folder / INDEX).is_file():
            index: dict[str, dict[str, Any]] = json.loads((folder / INDEX).read_text())
            return {
                name: Bitstream(
                    folder / row["file"], row["build_id"], row["figures"], tuple(row["failures"])
                )
                for name, row in index.items()
            }
    return {}


def _build_id(path: Path) -> str:
    """Return the build id of a bitstream, which a copy beside it has as its name; empty if none."""
    data = path.read_bytes()
    others = (other for other in path.parent.glob("*.bit") if other != path)
    return next((other.stem for other in others if other.read_bytes() == data), "")


def _check(path: Path, board: str) -> None:
    """Raise UsageError for a file that is no bitstream of a board's kind of device."""
    device = "ECP5" if ways()[board].kind.family is Family.ECP5 else "iCE40"
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: {reason_of(error)}{path_meant(path)}") from error
    kinds = [kind for kind, sync in _SYNC.items() if sync in head]
    if device not in kinds:
        what = f"a bitstream of an {kinds[0]}" if kinds else "no bitstream"
        raise UsageError(f"{path}: {what}; {board} has an {device}")
