# SPDX-License-Identifier: Apache-2.0
"""Files that appear as a whole, and stay when the machine ends suddenly."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from plexor.base.disk.errors import writing
from plexor.base.disk.lock import Lock, lock

PART = ".part"
"""Ends the names of files and folders that are being written."""


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's names, are on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows has no such wait
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_all(folder: Path) -> None:
    """Wait until everything in a folder is on the disk."""
    for parent, _, files in os.walk(folder):
        for name in files:
            sync(Path(parent, name))
        sync(Path(parent))


def part_of(path: Path) -> Path:
    """Return a new name for a file or a folder while it is incomplete."""
    return path.with_name(f".{path.name}.{os.urandom(6).hex()}{PART}")


def parts_of(path: Path) -> list[Path]:
    """Return the incomplete files and folders of a path, by their names."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{12}}{re.escape(PART)}")
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return []
    return [path.with_name(part_name) for part_name in names if name.fullmatch(part_name)]


def is_direct(path: Path) -> bool:
    """Return whether a path is written directly: a pipe, a device."""
    system = path.absolute().parts[1:2] in (("dev",), ("proc",))
    return path.exists() and (system or not path.is_file())


def write_text(path: Path, content: str) -> None:
    """Write a file as a whole or not at all. Raises StoreError with the path."""
    with writing(path):
        write_atomic(path, content)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all. Raises OSError or ValueError."""
    with replacing(path) as place:
        place.write_bytes(content)


def write_atomic(path: Path, content: str) -> None:
    """Write a file as a whole or not at all. Raises OSError or ValueError."""
    with replacing(path) as unfinished:
        unfinished.write_text(content, encoding="utf-8")


@contextmanager
def replacing(path: Path, *, alone: bool = True) -> Generator[Path]:
    """Yield a path to write to; at the end of the block that file replaces `path`.

    At any moment `path` is the complete old file or the complete new one. If it is a link, its
    target is replaced. A pipe or a device is written directly. Without `alone`, other hosts may
    write the same file, so incomplete files of ended writers stay. Raises OSError.
    """
    if is_direct(path):
        yield path
        return
    target = path.resolve() if path.is_symlink() else path
    unfinished = part_of(target)
    held: Lock | None = None
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        with suppress(OSError):
            held = lock(unfinished)
        yield unfinished
        sync(unfinished)
        os.replace(unfinished, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    finally:
        if held is not None:
            held.close()
    sync(target.parent)
    if alone:
        _clear(target)


def _clear(path: Path) -> None:
    """Remove the incomplete files of writers that ended suddenly."""
    for unfinished in parts_of(path):
        with suppress(OSError):
            held = lock(unfinished)
            if held is not None:
                os.unlink(unfinished)
                held.close()
