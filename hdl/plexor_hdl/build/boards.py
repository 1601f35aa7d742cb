# SPDX-License-Identifier: Apache-2.0
"""Boards: the instrument of each board, read from its file in constraints/."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.build.profiles import BUILDS, PROFILES, Profile

_INSTALLED = Path(__file__).parents[1] / "constraints"
CONSTRAINTS = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[3] / "constraints"
"""Folder of the boards' files. A wheel has them inside this package."""


_PROFILE = re.compile(r'(?m)^profile = "([^"]*)"')

DEFAULT = "ulx3s-25f"
"""The board of a simulation that names none."""


class BoardError(Exception):
    """A board's file cannot be used. The text has the place, its value, and what would be right."""


@dataclass(frozen=True)
class BoardFile:
    """A board's file, and the instrument that the board has."""

    name: str
    profile: Profile
    geometry: Geometry
    core_mhz: Fraction
    table: dict[str, Any]
    text: bytes


def files() -> list[str]:
    """Return the names of all boards."""
    return sorted(path.stem for path in CONSTRAINTS.glob("*.toml"))


def names() -> list[str]:
    """Return the names of all builds: a board's, and `BOARD-BUILD` for its other builds."""
    return sorted(name for board in files() for name in [board, *_others(board)])


def builds(board: str) -> tuple[str, ...]:
    """Return the builds of a board, the first of which its name alone means."""
    match = _PROFILE.search((CONSTRAINTS / f"{board}.toml").read_text(encoding="utf-8"))
    return BUILDS.get(match[1], ()) if match else ()


def build_of(board: str, build: str) -> str:
    """Return the name of one of a board's builds. Raises BoardError if it has none such."""
    known = builds(board)
    if build not in known:
        raise BoardError(f"build: {build!r}; {board} has {' and '.join(known)}")
    return board if build == known[0] else f"{board}-{build}"


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Yield each board that a name may be of, with what is left for its build."""
    for board in files():
        if name == board or name.startswith(f"{board}-"):
            yield board, name[len(board) + 1 :]


def _others(board: str) -> list[str]:
    return [f"{board}-{build}" for build in builds(board)[1:]]


def read(name: str) -> BoardFile:
    """Return a board's file, for the build that `name` says; see `names`.

    Raises BoardError if it is missing or cannot be used.
    """
    board, build = next(
        ((board, build) for board, build in _splits(name) if not build or build in builds(board)),
        ("", ""),
    )
    if not board:
        raise BoardError(f"board: {name!r}; must be one of {', '.join(names())}")
    path = CONSTRAINTS / f"{board}.toml"
    name = build_of(board, build) if build else board
    build = name[len(board) + 1 :]
    text = path.read_bytes()
    try:
        table = tomllib.loads(text.decode())
        profile_name = f"{table['profile']}-{build}" if build else table["profile"]
        if profile_name not in PROFILES:
            raise ValueError(f"profile: {profile_name!r}; must be one of {', '.join(PROFILES)}")
        profile = PROFILES[profile_name]
        core_mhz = Fraction(str(table["clock"]["core_mhz"]))
        tick_fs = round(10**9 / (core_mhz * profile.geometry.samples))
        geometry = replace(profile.geometry, board=table["identity"], tick_fs=tick_fs)
        if codes := table.get("pins", {}).get("codes"):
            features = geometry.features | Feature.CODES
            geometry = replace(geometry, code_bits=len(codes), features=features)
        if timecode := table.get("pins", {}).get("timecode"):
            geometry = replace(geometry, timecode_bits=len(timecode))
        geometry = replace(geometry, lamps=len(table.get("pins", {}).get("lamps", ())))
    except KeyError as error:
        raise BoardError(f"{path.name}: no {error.args[0]!r}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise BoardError(f"{path.name}: {error}") from error
    return BoardFile(name, profile, geometry, core_mhz, table, text)


def simulated(name: str = DEFAULT) -> Geometry:
    """Return the geometry of a board's simulation. Raises BoardError as `read` does."""
    geometry = read(name).geometry
    return replace(geometry, features=geometry.features | Feature.SIMULATED)
