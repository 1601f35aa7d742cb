# SPDX-License-Identifier: Apache-2.0
"""Folders of results: each appears as a whole, and what it replaces goes only then.

A folder is written beside its place, as `.NAME.….part`, synced, and then put there. If the name is
taken, it gets a free one: NAME-2. A folder that it replaces changes places with it; where the
system cannot do that at once, the older one is NAME.old meanwhile. Then the older folder's own
files are removed, and foreign ones move to the new folder. So at each moment there is a whole
folder, and one that an ended process left is put beside by the next that writes there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from plexor.disk.aside import free, names_of
from plexor.disk.exchange import exchange
from plexor.disk.lock import Lock, lock
from plexor.disk.said import say
from plexor.disk.whole import PART, part_of, parts_of, sync, sync_all
from plexor.errors import StoreError

OLD = ".old"
"""Ends the name of a folder while another one takes its place."""
_ANY_PERMISSIONS = 0o777


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """Where a folder of results goes."""

    path: Path
    """Links are resolved: what they point to is replaced, not they."""
    replaces: tuple[int, int] | None = None
    """Device and inode of the folder there that may be replaced; None: nothing may."""


@dataclass(frozen=True, slots=True)
class FolderKind:
    """A kind of results: the files that Plexor writes into such a folder."""

    result: str
    """The file without which it is no result; written last, removed first."""
    others: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """All of its files."""
        return self.others | {self.result}


def place_of(path: Path, *, replace: bool = False) -> FolderPlace:
    """Return the place of a folder, and with `replace` what is there now. Raises OSError."""
    found = path.resolve() if path.is_symlink() or path.name in ("", "..") else path
    if not replace or not found.is_dir():
        return FolderPlace(found)
    return FolderPlace(found, _identity(found))


def put(
    place: FolderPlace,
    kind: FolderKind,
    fill: Callable[[Path], object],
    moved: Mapping[str, Path] | None = None,
) -> Path:
    """Have `fill` write a folder, put it at its place, and return where it is.

    `moved` are files that are moved into it once the rest is on the disk, by their names there. If
    `fill` raises, nothing is left, and they stay. If the folder cannot be put anywhere, it is left
    where it was written. Raises OSError, StoreError, and what `fill` raises.
    """
    target = place.path
    target.parent.mkdir(parents=True, exist_ok=True)
    work, held = _begin(target)
    try:
        try:
            fill(work)
            work.chmod(_ANY_PERMISSIONS & ~_umask())
            sync_all(work)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        try:
            for name, path in (moved or {}).items():
                sync(path)
                shutil.move(path, work / name)
            sync(work)
            return _in_place(work, place, kind)
        except OSError as error:
            text = f"{target}: cannot be put there: {error.strerror or error}; it is in {work.name}"
            raise StoreError(text) from error
    finally:
        if held is not None:
            held.close()


def find_left(place: FolderPlace, kind: FolderKind, *, spare: bool = True) -> None:
    """Put whole folders beside that ended processes left, and say so; remove unfinished ones.

    Without `spare`, the first of them takes the place itself if that is free.
    """
    for part in parts_of(place.path):
        with suppress(OSError):
            held = lock(part)
            if held is None:
                continue
            try:
                if _is_whole(part, kind):
                    found = _beside(part, place.path, spare=spare)
                    say(f"{found}: whole, and left by a process that ended before it had its place")
                elif part.is_dir():
                    _remove(part, kind.names)
            finally:
                held.close()


def remove_own(folder: Path, kind: FolderKind) -> None:
    """Remove Plexor's own files from a folder, and the folder if nothing else is in it."""
    with suppress(OSError):
        _remove(folder, kind.names, kind.result)


def _is_whole(folder: Path, kind: FolderKind) -> bool:
    try:
        return (folder / kind.result).stat().st_size > 0
    except OSError:
        return False


def _begin(target: Path) -> tuple[Path, Lock | None]:
    """Return a new folder beside a place, locked where the system has locks."""
    while True:
        work = part_of(target)
        work.mkdir(0o700)
        try:
            held = lock(work)
        except FileNotFoundError:
            continue  # taken for one that a process left
        except OSError:
            return work, None
        if held is not None:
            return work, held


def _in_place(work: Path, place: FolderPlace, kind: FolderKind) -> Path:
    target = place.path
    if place.replaces is None or not os.path.lexists(target):
        return _beside(work, target, taken=True)
    if _identity(target) != place.replaces:
        return _beside(work, target, taken=True)
    if exchange(work, target):
        sync(target.parent)
        old = work
    else:
        try:
            old = free(target, OLD)
            os.rename(target, old)
        except OSError:
            return _beside(work, target, taken=True)
        sync(target.parent)
        target = _beside(work, target, taken=True)
    if _identity(old) != place.replaces:
        # Another process has put its own there in between, which stays.
        say(f"{_beside(old, place.path)}: was put to {place.path} meanwhile, and has this name now")
    else:
        try:
            _carry(old, target, kind.names)
            _remove(old, kind.names, kind.result)
        except OSError as error:
            say(f"{old}: holds what was in {target} before: {error.strerror or error}")
    return target


def _beside(folder: Path, target: Path, taken: bool = False, spare: bool = False) -> Path:
    """Rename a folder to the first free name of a place.

    With `taken`, say if that is another one than the first; with `spare`, leave the first free.
    """
    for name in names_of(target):
        if spare and name == target:
            continue
        try:
            # A folder takes the place of an empty one, and of nothing else.
            os.rename(folder, name)
        except OSError:
            if not os.path.lexists(name):
                raise
            continue
        sync(name.parent)
        if taken and name != target:
            say(f"{target}: was taken meanwhile; kept in {name}")
        return name
    raise AssertionError("names without end")


def _carry(old: Path, new: Path, own: Collection[str]) -> None:
    """Move foreign files from an older folder to the new one."""
    for entry in sorted(os.listdir(old)):
        if entry not in own:
            with suppress(OSError):
                os.rename(old / entry, free(new / entry))
    sync(new)


def _remove(folder: Path, own: Collection[str], first: str = "") -> None:
    """Remove Plexor's own files from a folder, and the folder unless it has others."""
    for entry in sorted(os.listdir(folder), key=lambda entry: entry != first):
        if entry in own or entry.endswith(PART):
            os.unlink(folder / entry)
    os.rmdir(folder)


def _identity(folder: Path) -> tuple[int, int]:
    found = os.stat(folder)
    return found.st_dev, found.st_ino


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
