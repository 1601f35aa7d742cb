# SPDX-License-Identifier: Apache-2.0
"""Boards: the instrument of each board, read from its file in constraints/."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.build.profiles import PROFILES, Profile

_INSTALLED = Path(__file__).parents[1] / "constraints"
CONSTRAINTS = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[3] / "constraints"
"""Folder of the boards' files. A wheel has them inside this package."""


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


def names() -> list[str]:
    """Return the names of all boards that have a file."""
    return sorted(path.stem for path in CONSTRAINTS.glob("*.toml"))


def read(name: str) -> BoardFile:
    """Return a board's file. Raises BoardError if it is missing or cannot be used."""
    if name not in names():
        raise BoardError(f"board: {name!r}; must be one of {', '.join(names())}")
    path = CONSTRAINTS / f"{name}.toml"
    text = path.read_bytes()
    try:
        table = tomllib.loads(text.decode())
        if table["profile"] not in PROFILES:
            raise ValueError(f"profile: {table['profile']!r}; must be one of {', '.join(PROFILES)}")
        profile = PROFILES[table["profile"]]
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
