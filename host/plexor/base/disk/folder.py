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

from plexor.base.disk.aside import free, names_of
from plexor.base.disk.atomic import PART, part_of, parts_of, sync, sync_all
from plexor.base.disk.exchange import exchange
from plexor.base.disk.lock import Lock, lock
from plexor.base.disk.notices import say
from plexor.base.errors import StoreError

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
    """Return the place for a folder; with `replace`, it may replace what is there now.

    Raises OSError.
    """
    target = path.resolve() if path.is_symlink() or path.name in ("", "..") else path
    if not replace or not target.is_dir():
        return FolderPlace(target)
    return FolderPlace(target, _identity(target))


def put(
    place: FolderPlace,
    kind: FolderKind,
    fill: Callable[[Path], object],
    moved: Mapping[str, Path] | None = None,
) -> Path:
    """Let `fill` write a folder, rename it to its place, and return its path.

    `moved` maps names in the folder to files that are moved there once the rest is on the disk. If
    `fill` raises, the folder is removed and these files stay. If the folder cannot be renamed, it
    stays where it was written. Raises OSError, StoreError, and what `fill` raises.
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
    """Rename complete folders that ended processes left, and say so; remove incomplete ones.

    Without `spare`, the first one takes the place itself if that is free.
    """
    for unfinished in parts_of(place.path):
        with suppress(OSError):
            held = lock(unfinished)
            if held is None:
                continue
            try:
                if _is_whole(unfinished, kind):
                    renamed = _beside(unfinished, place.path, spare=spare)
                    say(
                        f"{renamed}: complete; left by a process that ended before it had its place"
                    )
                elif unfinished.is_dir():
                    _remove(unfinished, kind.names)
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
            continue  # another process took it for an abandoned folder
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
        # Another process has put its own folder there meanwhile. It stays.
        say(f"{_beside(old, place.path)}: was put to {place.path} meanwhile, and has this name now")
    else:
        try:
            _carry(old, target, kind.names)
            _remove(old, kind.names, kind.result)
        except OSError as error:
            say(f"{old}: holds what was in {target} before: {error.strerror or error}")
    return target


def _beside(folder: Path, target: Path, taken: bool = False, spare: bool = False) -> Path:
    """Rename a folder to the first free name for a place.

    With `taken`, say if the first name was not free; with `spare`, leave the first name free.
    """
    for name in names_of(target):
        if spare and name == target:
            continue
        try:
            # A rename replaces an empty folder, and nothing else.
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
    for name in sorted(os.listdir(old)):
        if name not in own:
            with suppress(OSError):
                os.rename(old / name, free(new / name))
    sync(new)


def _remove(folder: Path, own: Collection[str], first: str = "") -> None:
    """Remove Plexor's own files from a folder, and the folder unless it has others."""
    for entry in sorted(os.listdir(folder), key=lambda name: name != first):
        if entry in own or entry.endswith(PART):
            os.unlink(folder / entry)
    os.rmdir(folder)


def _identity(folder: Path) -> tuple[int, int]:
    status = os.stat(folder)
    return status.st_dev, status.st_ino


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
