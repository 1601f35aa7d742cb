# SPDX-License-Identifier: Apache-2.0
"""Where results go, checked before the first strike."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from plexor.base.errors import PlexorError, StoreError
from plexor.cli.parameters import usage
from plexor.library.files import is_direct, part_of, writing
from plexor.library.keep import FolderPlace, Tap, check_out
from plexor.library.run import Run
from plexor.library.specs.options import NewFolder


def check_outputs(*files: Path | None, folder: Path | None = None, whole: bool = True) -> None:
    """Raise StoreError for a file or a folder of results that could not be written.

    With `whole`, the folder appears as a whole, in place of what exists; otherwise it grows in
    place. A file may lie in a folder that does not exist yet. Nothing is left behind.
    """
    if folder is not None:
        with writing(folder):
            _try_folder(folder, whole)
    seen: set[str] = set()
    for path in files:
        if path is None:
            continue
        with writing(path):
            if os.path.abspath(path) in seen:
                raise ValueError("is named twice; name two different files")
            seen.add(os.path.abspath(path))
            if folder is not None and os.path.abspath(path) == os.path.abspath(folder):
                raise ValueError("is also the folder to be written; name another file")
            if folder is None or folder.exists() or not _inside(path, folder):
                _try_file(path)


def all_of(*steps: Callable[[], object]) -> None:
    """Take every step, even if another one fails. Raise the first failure at the end."""
    failures: list[PlexorError] = []
    for step in steps:
        try:
            step()
        except PlexorError as error:
            failures.append(error)
    raise_first(failures)


def raise_first(failures: list[PlexorError]) -> None:
    """Raise the first of several errors, and print the others on standard error."""
    for error in failures[1:]:
        print(f"plexor: {error}", file=sys.stderr)
    if failures:
        raise failures[0]


def _inside(path: Path, folder: Path) -> bool:
    return os.path.dirname(os.path.abspath(path)) == os.path.abspath(folder)


def _try_file(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if is_direct(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return
    part = part_of(path.resolve())
    part.open("xb").close()
    part.unlink()


def _try_folder(folder: Path, whole: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    folder = folder.resolve()
    if whole and folder.is_mount():
        raise ValueError("is a mount point, which cannot be replaced; name a folder in it")
    above = [folder, *folder.absolute().parents]
    near = next(path for path in above[whole:] if path.exists())
    os.rmdir(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=near))


def check_run_folder(place: NewFolder) -> FolderPlace | None:
    """Return where a run is kept; reject what exists there and is not to be replaced, at once."""
    with usage():
        return None if place.out is None else check_out(place.out, place.force, "--out", "--force")


def kept(run: Run, place: FolderPlace, wire: Tap | None = None) -> StoreError | None:
    """Keep a run at its place; return why it could not be, so that its figures come first."""
    try:
        folder = run.keep(place, wire)
    except StoreError as error:
        return error
    print(f"plexor: run kept in {folder}", file=sys.stderr)
    return None
