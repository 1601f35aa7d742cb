# SPDX-License-Identifier: Apache-2.0
"""An archive's folder: files of runs that any number of processes add to at once, without a lock.

The folder may be on shared storage: a rename within it is atomic, and of several processes that
create the same file for themselves alone one succeeds. Nothing else is needed of it.

Each run is added as a file of level 0, which appears whole, under a name that its content gives. So
a run that is added twice is there once. `plexor.archive.merge` makes few large files of many small
ones.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from plexor.archive.schema import ROW_GROUP, parquet
from plexor.disk.aside import keep_copy, set_aside
from plexor.disk.errors import unwritten
from plexor.disk.notices import say
from plexor.disk.whole import whole
from plexor.documents import Document, is_damaged_document
from plexor.errors import StoreError
from plexor.jsonable import one_line

T = TypeVar("T")

MARK = "archive.json"
"""The file that makes a folder an archive."""
_TRIES = 50
_AGAIN_S = 0.02
_NAME = re.compile(r"(\d)-(\d{8}T\d{6})-(\d{8}T\d{6})-([0-9a-f]{20})\.parquet")


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """A file of runs, by what its name says: when the first and the last of them began."""

    level: int
    """0: a single run. Higher: what files of the level below were merged into."""
    first: str
    last: str
    digest: str

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.level}-{self.first}-{self.last}-{self.digest}.parquet"


@dataclass(frozen=True, slots=True)
class _Mark:
    """The content of MARK."""


ARCHIVE = Document("archive-file", 2, _Mark, wrapped="archive")


def open_archive(folder: Path) -> None:
    """Make a folder an archive, if it is new or empty. Raises StoreError if it cannot be one."""
    with errors_of(folder, "write"):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / MARK).exists():
            if not _is_free(folder) and not segments(folder):
                raise StoreError(f"{folder}: holds no archive; name a new or an empty folder")
            _mark(folder)
    check_archive(folder)


def check_archive(folder: Path) -> None:
    """Raise StoreError unless a folder is an archive that this host reads.

    Files of runs are one without MARK too. A damaged MARK is written anew, and a copy of it stays.
    """
    if not (folder / MARK).exists():
        if folder.is_dir() and segments(folder):
            return
        raise StoreError(f"{folder}: holds no archive; plexor archive add makes one")
    try:
        ARCHIVE.read(folder / MARK)
    except StoreError as error:
        if not is_damaged_document(error):
            raise
        if not segments(folder) and not _is_free(folder):
            raise StoreError(
                f"{error}; there are no runs beside it: name another folder"
            ) from error
        try:
            say(f"{error}; written anew, and kept as {keep_copy(folder / MARK).name}")
            _mark(folder)
        except OSError:
            say(f"{error}; the runs beside it are read")


def _is_free(folder: Path) -> bool:
    """Return whether nothing is in a folder but MARK, its copies, and what is hidden."""
    return all(entry.name.startswith((MARK, ".")) for entry in folder.iterdir())


def _mark(folder: Path) -> None:
    """Write MARK."""
    text = ARCHIVE.text(_Mark())
    appear(folder / MARK, lambda path: path.write_text(text, encoding="utf-8"))


def segments(folder: Path) -> list[Segment]:
    """Return the files of an archive, which together hold each run at least once.

    While a folder is listed, files may come and others go. A file that was merged may be gone and
    the one that it was merged into not yet be seen: then the listing is taken again.
    """
    found: set[Segment] = set()
    for look in range(_TRIES):
        before, found = found, set(filter(None, map(segment, os.listdir(folder))))
        if look and before <= found:
            break
    return sorted(found)


def segment(name: str) -> Segment | None:
    """Return what a file's name says; None for any other file."""
    match = _NAME.fullmatch(name)
    return None if match is None else Segment(int(match[1]), match[2], match[3], match[4])


def of_run(run: str) -> Segment:
    """Return the file of one run, by its identity."""
    began, _, digest = run.rpartition("-")
    return Segment(0, began, began, digest)


def put(folder: Path, run: str, table: Any) -> bool:
    """Add a run's table; return whether it is new. When this returns, the run is kept.

    Raises StoreError with the path.
    """
    own = of_run(run)
    with errors_of(folder, "write"):
        if holds(folder, run):
            return False
        write(folder / own.name, table)
        return True


def holds(folder: Path, run: str) -> bool:
    """Return whether a run is in an archive. Only files of its time are opened."""
    own = of_run(run)

    def look() -> bool:
        known = segments(folder)
        if own in known:
            return True
        near = [each for each in known if each.level and each.first <= own.first <= each.last]
        return any(run in _sound_runs(folder / each.name) for each in near)

    return again(look)


def _sound_runs(path: Path) -> frozenset[str]:
    """Return the runs in a file; none of a damaged one, which is set aside."""
    try:
        return _runs(path)
    except (OSError, ValueError) as error:
        if not is_damage(error):
            raise
        aside(path, error)
        return frozenset()


def is_damage(error: OSError | ValueError) -> bool:
    """Return whether a file was read, and is damaged: pyarrow's own errors have no number."""
    return isinstance(error, ValueError) or error.errno is None


def aside(path: Path, error: Exception) -> None:
    """Set a damaged file of an archive aside, so that the others can be asked; say so.

    In a folder that cannot be written it stays, and is only said.
    """
    why = f"{path}: damaged: {one_line(error).removeprefix(f'{path.name}: ')}"
    try:
        set_aside(path, why)
    except FileNotFoundError:
        return  # another process did so
    except OSError:
        say(f"{why}; it is left out")


def damaged(folder: Path, names: Iterable[str]) -> set[str]:
    """Read files of an archive; set aside those that are damaged, and return their names."""
    found: set[str] = set()
    for name in names:
        try:
            with reading(folder / name) as file:
                for _ in file.iter_batches(use_threads=False):
                    pass
        except (OSError, ValueError) as error:
            if not is_damage(error):
                raise
            aside(folder / name, error)
            found.add(name)
    return found


@lru_cache(maxsize=256)
def _runs(path: Path) -> frozenset[str]:
    """Return the runs in a file; what a file of a name holds never changes."""
    with reading(path) as file:
        return frozenset(file.read(["run"], use_threads=False).column(0).to_pylist())


@contextmanager
def reading(path: Path) -> Generator[Any]:
    """Open a file of runs. Raises ValueError, with its name, where it is none."""
    try:
        with parquet().ParquetFile(path) as file:
            if "run" not in file.schema_arrow.names:
                raise ValueError("no column run")
            yield file
    except ValueError as error:
        raise ValueError(f"{path.name}: {one_line(error)}") from error


def write(path: Path, table: Any) -> None:
    """Write a table so that its file appears whole, and stays when the machine ends suddenly."""
    appear(
        path,
        lambda part: parquet().write_table(
            table, part, compression="zstd", row_group_size=ROW_GROUP
        ),
    )


def appear(path: Path, fill: Callable[[Path], object]) -> None:
    """Have a file written beside its place, then renamed to it."""
    with whole(path, alone=False) as part:
        fill(part)


def again(look: Callable[[], T]) -> T:
    """Return what `look` returns; repeat it while files go that it has seen.

    Another process has merged them then, and what it has made is there.
    """
    for _ in range(_TRIES):
        try:
            return look()
        except FileNotFoundError:
            time.sleep(_AGAIN_S)
    return look()


@contextmanager
def errors_of(path: Path, verb: str) -> Generator[None]:
    """Turn errors about files into a StoreError with a path."""
    try:
        yield
    except OSError as error:
        place = error.filename or path
        if verb == "write":
            raise unwritten(place, error) from error
        raise StoreError(f"{place}: cannot {verb}: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path}: cannot {verb}: {one_line(error)}") from error
