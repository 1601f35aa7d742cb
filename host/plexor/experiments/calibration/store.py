# SPDX-License-Identifier: Apache-2.0
"""Keeps calibrations in the user's data folder, one file for each board and build."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from plexor.base.counts import counted
from plexor.base.disk.aside import set_aside
from plexor.base.disk.errors import writing
from plexor.base.disk.notices import say
from plexor.base.documents import Document, is_damaged_document
from plexor.base.errors import StoreError, UsageError
from plexor.model.calibration import Calibration
from plexor.model.calibration_consistent import contradictions_of
from plexor.model.identity import Identity

CALIBRATION = Document("calibration", 2, Calibration, contradictions_of, wrapped="calibration")


def data_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Return the user's data folder for plexor, by the platform's convention.

    Linux: $XDG_DATA_HOME or ~/.local/share (XDG Base Directory Specification 0.8); macOS:
    ~/Library/Application Support; Windows: %LOCALAPPDATA%.
    """
    home = Path.home()
    if platform == "win32":
        base = environment.get("LOCALAPPDATA")
        return (Path(base) if base else home / "AppData" / "Local") / "plexor"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "plexor"
    base = environment.get("XDG_DATA_HOME", "")
    return (Path(base) if os.path.isabs(base) else home / ".local" / "share") / "plexor"


def default_path(serial: str, placement: int, folder: Path | None = None) -> Path:
    """Return the path of a board's calibration for a build with that Identity.placement."""
    return (folder or data_folder()) / "calibrations" / f"{_board(serial)}-{placement:016x}.json"


def _board(serial: str) -> str:
    """Return the first part of a board's file names, which no other board shares."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "_", serial).strip("._")[:100] or "unnamed"
    # The digest keeps boards apart whose slugs are equal, or differ in the case of letters only.
    digest = hashlib.sha256(serial.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{slug}-{digest}"


def save(calibration: Calibration, path: Path) -> None:
    """Write a calibration, completely or not at all. Raises StoreError with the path."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    CALIBRATION.write(calibration, path)


def load(path: Path) -> Calibration:
    """Return the calibration in a file. Raises StoreError with the path if it has no valid one."""
    return CALIBRATION.read(path)


def checked(calibration: Calibration, serial: str, identity: Identity, where: str) -> Calibration:
    """Return the calibration. Raises UsageError if board, gateware or build is another one."""
    asked = (serial, f"{identity.gateware_hash:016x}")
    has = (calibration.serial, f"{calibration.gateware_hash:016x}")
    for name, its, this in zip(("board", "gateware"), has, asked, strict=True):
        if its != this:
            raise UsageError(
                f"{where}: made for {name} {its}, but this is {name} {this}; run plexor board "
                "calibrate for this one"
            )
    if calibration.build_id != identity.build_id:
        raise UsageError(f"{where}: {_of_other_build(calibration, identity)}")
    geometry = identity.geometry
    phases = len(calibration.channels[0].rise.late_ps)
    if (phases, calibration.tick_fs) != (geometry.phases, geometry.tick_fs):
        raise UsageError(
            f"{where}: has {counted(phases, 'phase')} of {calibration.tick_fs} fs, this instrument"
            f" {geometry.phases} of {geometry.tick_fs} fs"
        )
    return calibration


def find(serial: str, identity: Identity, chosen: Path | None) -> Calibration | None:
    """Return the chosen calibration, or else the one kept for this instrument.

    What is kept for a simulated instrument is not applied unless it is chosen: a simulation gives
    the same figures each time, whatever was done with one before. A damaged one that was kept is
    set aside, and there is none then; nor is there of one in the format of another version, which
    stays. Raises StoreError for an unreadable file and UsageError for
    another instrument's calibration.
    """
    path = chosen or default_path(serial, identity.placement)
    if chosen is None:
        if identity.simulated or not path.is_file():
            return None
        try:
            load(path)
        except StoreError as error:
            why = f"{error}; latencies are not corrected"
            if is_damaged_document(error):
                with writing(path):
                    set_aside(path, why)
            elif isinstance(error.__cause__, ValueError):
                say(why)
            else:
                raise
            return None
    return checked(load(path), serial, identity, str(path))


def forget(serial: str, identity: Identity) -> Path:
    """Remove the calibration kept for this instrument; return its path.

    Raises UsageError where none is kept, StoreError where it cannot be removed.
    """
    path = default_path(serial, identity.placement)
    try:
        path.unlink()
    except FileNotFoundError:
        raise UsageError(f"no calibration is kept for {serial} in {path}") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot remove: {error.strerror or error}") from error
    return path


def of_other_builds(serial: str, identity: Identity) -> list[str]:
    """Return a line for each calibration of this board and gateware, but of another build.

    There is none of a simulated instrument, whose calibrations are applied where they are named.
    """
    lines: list[str] = []
    if identity.simulated:
        return lines
    here = default_path(serial, identity.placement)
    for path in sorted(here.parent.glob(f"{_board(serial)}-*.json")):
        try:
            found = load(path)
        except StoreError:
            continue
        its = (found.serial, found.gateware_hash)
        if path != here and its == (serial, identity.gateware_hash):
            lines.append(f"{path}: {_of_other_build(found, identity)}")
    return lines


def _of_other_build(calibration: Calibration, identity: Identity) -> str:
    its, this = (
        f"build {number:016x}" if number else "an unknown build"
        for number in (calibration.build_id, identity.build_id)
    )
    return (
        f"made for {its} of this gateware, but this is {this}, whose delays from the pads differ; "
        "plexor board calibrate measures them"
    )
