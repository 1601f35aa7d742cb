# SPDX-License-Identifier: Apache-2.0
"""Locks that the system releases when their process ends, however suddenly."""

from __future__ import annotations

import os
import sys
import weakref
from contextlib import suppress
from pathlib import Path

from plexor.base.errors import UsageError

if sys.platform != "win32":
    import fcntl


class Lock:
    """A lock on an open file or folder; it ends with `close`, and with its process."""

    def __init__(self, handle: int) -> None:
        self._release = weakref.finalize(self, os.close, handle)

    def close(self) -> None:
        """Release it. May be called twice."""
        self._release()


def lock(path: Path) -> Lock | None:
    """Lock a file or a folder that exists; return None if another process has it locked.

    Raises OSError if it does not exist, was replaced meanwhile, or cannot be locked.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        if not _locked(handle):
            os.close(handle)
            return None
        if not os.path.samestat(os.fstat(handle), os.stat(path)):
            raise FileNotFoundError(f"{path}: is another one now")
    except BaseException:
        with suppress(OSError):
            os.close(handle)
        raise
    return Lock(handle)


def _locked(handle: int) -> bool:
    """Lock an open file; return False if another process has it. Raises OSError without locks."""
    if sys.platform == "win32":
        raise OSError("no locks")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Held:
    """A folder that one process writes to at a time: its file `.lock` names that process.

    A missing folder is created, and removed at the end if it is still empty. Raises UsageError that
    names the other process if one has the folder. Without locks in the system, none is held.
    """

    FILE = ".lock"

    def __init__(self, folder: Path, name: str = "out") -> None:
        self._folder = folder
        self._made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self._handle: int | None = None
        while self._handle is None:
            self._handle = self._taken(name)
        self._release = weakref.finalize(self, _leave, self._handle, folder, self._made)

    def close(self) -> None:
        """Let other processes have the folder. May be called twice."""
        self._release()

    def _taken(self, name: str) -> int | None:
        """Return the locked file; None if its holder has removed it meanwhile."""
        path = self._folder / self.FILE
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            with suppress(OSError):  # a file system without locks
                if not _locked(handle):
                    holder = os.read(handle, 200).decode(errors="replace").strip()
                    raise UsageError(
                        f"{name} {self._folder}: {holder or 'another process'} writes to it; wait "
                        "for its end, or name another folder"
                    )
            if not _is(handle, path):
                os.close(handle)
                return None
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()}".encode())
        except BaseException:
            with suppress(OSError):
                os.close(handle)
            raise
        return handle


def _is(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _leave(handle: int, folder: Path, created: list[Path]) -> None:
    """Remove the lock's file while it is locked, then created folders that are still empty."""
    with suppress(OSError):
        os.unlink(folder / Held.FILE)
    os.close(handle)
    with suppress(OSError):
        for parent in created:
            os.rmdir(parent)
