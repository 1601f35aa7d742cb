# SPDX-License-Identifier: Apache-2.0
"""Stores a run in a folder, with the raw bytes of its link on request."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from plexor.base.disk.aside import names_of
from plexor.base.disk.atomic import PART, is_direct, sync
from plexor.base.disk.errors import writing
from plexor.base.disk.folder import FolderKind, FolderPlace, find_left, place_of
from plexor.base.disk.lock import Lock, lock
from plexor.base.disk.notices import say
from plexor.base.errors import PlexorError, StoreError, UnwrittenError, UsageError
from plexor.files.store.run_folder import KIND, RUN_FILE, put_run

if TYPE_CHECKING:
    from plexor.model.results import RunResult

WIRE = f".wire{PART}"
"""Suffix of a run's raw bytes until they are in its folder: NAME.wire.part."""


def check_out(out: Path, force: bool, name: str = "out", forcing: str = "force") -> FolderPlace:
    """Return the place for a run. Raises UsageError if a folder exists and cannot be replaced.

    Folders and recordings that ended processes left there are reported. `name` and `forcing` are
    the names of the two options for messages.
    """
    place, empty = _looked_at(out, name, force)
    if not empty and not force:
        if not (out / RUN_FILE).exists():
            raise UsageError(f"{name} {out}: already exists, and is no run; name another folder")
        raise UsageError(f"{name} {out}: already exists; {forcing} replaces it")
    if not empty and not (out / RUN_FILE).exists():
        raise UsageError(f"{name} {out}: holds no run; {forcing} replaces only runs")
    if not empty and not os.access(out, os.W_OK | os.X_OK):
        raise UsageError(f"{name} {out}: may not be written, so it cannot be replaced")
    find_left(place, KIND)
    for path in _recordings(place):
        with suppress(OSError):
            held = lock(path)
            if held is not None:
                held.close()
                say(f"{path}: raw bytes of a run that was not kept; plexor show reads it")
    return place


def check_new(out: Path, name: str = "out", kind: FolderKind | None = None) -> FolderPlace:
    """Return the place for a scan. Raises UsageError if a folder exists and is not empty.

    `kind` are the files of its folder, by default those of a run.
    """
    place, empty = _looked_at(out, name)
    if not empty:
        raise UsageError(f"{name} {out}: already exists; name a new folder")
    find_left(place, kind or KIND)
    return place


def _looked_at(out: Path, name: str, replace: bool = False) -> tuple[FolderPlace, bool]:
    """Return the place of a folder, and whether nothing is there."""
    try:
        empty = not out.exists() or (out.is_dir() and not any(out.iterdir()))
        return place_of(out, replace=replace), empty
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"{name} {out}: {reason or error}") from error


class Tap:
    """A file of raw bytes. If it can no longer be written, the run continues without it."""

    def __init__(self, file: BinaryIO, final: Path | None = None, held: Lock | None = None) -> None:
        self.path = Path(file.name)
        self.error: OSError | None = None
        self._file = file
        self._final = final
        self._held = held

    def close(self) -> None:
        """Close the file, and give it its name if it is whole. May be called twice."""
        if self._file.closed:
            return
        try:
            self._file.close()
            if self._final is not None and self.error is None:
                sync(self.path)
                os.replace(self.path, self._final)
                sync(self._final.parent)
        except OSError as error:
            self.error = error
        if self._final is not None and self.error is not None:
            reason = self.error.strerror or self.error
            say(f"{self._final}: cannot write: {reason}; what came before is in {self.path}")

    def leave(self) -> None:
        """Let other processes have the file."""
        if self._held is not None:
            self._held.close()

    def write(self, data: bytes, /) -> None:
        """Write all of `data`. After the first error, write nothing more."""
        try:
            while data and self.error is None:
                data = data[self._file.write(data) :]
        except OSError as error:
            self.error = error


def keep(result: RunResult, place: FolderPlace, tap: Tap | None = None) -> Path:
    """Keep a run, in place of what its place may replace; return its folder.

    Raises UnwrittenError, with what is there instead: what was there before stays, and so do the
    raw bytes.
    """
    try:
        folder = put_run(result, place, None if tap is None or tap.error else tap.path)
    except (StoreError, KeyboardInterrupt) as error:
        text = str(error) or f"{place.path}: interrupted before the run was stored"
        raise UnwrittenError(f"{text}{_raw(tap)}") from error
    if tap is not None and tap.error is not None:
        reason = tap.error.strerror or tap.error
        raise UnwrittenError(
            f"{folder}: the run was kept without the raw bytes of the link: {reason}{_raw(tap)}"
        )
    return folder


def _raw(tap: Tap | None) -> str:
    if tap is None or not tap.path.exists() or not tap.path.stat().st_size:
        return ""
    which_bytes = "the raw bytes of the link are" if tap.error is None else "those before are"
    return f"; {which_bytes} in {tap.path}, which plexor show reads"


@contextmanager
def recording(place: FolderPlace) -> Generator[Tap]:
    """Yield a file for raw bytes, beside the folder into which it will be moved.

    It stays if the run is not kept, but for one that never began. Raises StoreError.
    """
    with writing(place.path):
        place.path.parent.mkdir(parents=True, exist_ok=True)
        tap = _opened(place.path, WIRE)
    try:
        yield tap
    except PlexorError:
        tap.close()
        tap.path.unlink(missing_ok=True)
        raise
    except BaseException:
        say(f"{tap.path}: raw bytes of a run that was not kept; plexor show reads it")
        raise
    finally:
        tap.close()
        with suppress(OSError):
            if not tap.path.stat().st_size:
                tap.path.unlink()
        tap.leave()


def tap_at(path: Path) -> Tap:
    """Return a new file for raw bytes, which takes the place of `path` when it is closed.

    Until then it is beside it: NAME.part. Raises StoreError with the path if it cannot be written.
    """
    with writing(path):
        if is_direct(path):
            return Tap(path.open("wb", buffering=0))
        return _opened(path.resolve(), PART, path.resolve())


def _opened(path: Path, suffix: str, final: Path | None = None) -> Tap:
    """Open a new file of a path's first free name."""
    for name in names_of(path, suffix):
        with suppress(FileExistsError):
            file = name.open("xb", buffering=0)
            held = None
            with suppress(OSError):
                held = lock(name)
            return Tap(file, final, held)
    raise AssertionError("names without end")


def _recordings(place: FolderPlace) -> list[Path]:
    recordings: list[Path] = []
    for name in names_of(place.path, WIRE):
        if not name.exists():
            return recordings
        recordings.append(name)
    return recordings
