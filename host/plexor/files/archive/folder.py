# SPDX-License-Identifier: Apache-2.0
"""An archive's folder: files of runs that any number of processes add to at once, without a lock.

The folder may be on shared storage. It needs two properties: a rename within it is atomic, and if
several processes create the same file exclusively, one succeeds.

Each run is added as a complete file of level 0, named after its content. So a run that is added
twice is stored once. `plexor.files.archive.merge` merges many small files into few large ones.
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

from plexor.base.disk.aside import keep_copy, set_aside
from plexor.base.disk.atomic import replacing
from plexor.base.disk.errors import unwritten
from plexor.base.disk.notices import say
from plexor.base.documents import Document, is_damaged_document
from plexor.base.errors import StoreError
from plexor.base.jsonable import one_line
from plexor.files.archive.schema import ROW_GROUP, parquet

T = TypeVar("T")

MARK = "archive.json"
"""The file that makes a folder an archive."""
_TRIES = 50
_AGAIN_S = 0.02
_NAME = re.compile(r"(\d)-(\d{8}T\d{6})-(\d{8}T\d{6})-([0-9a-f]{20})\.parquet")


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """A file of runs, as its name describes it: when its first and its last run began."""

    level: int
    """0: a single run. Higher: merged from files of the level below."""
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

    A folder with files of runs is one even without MARK. A damaged MARK is copied and written anew.
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
    """Return whether a folder has nothing but MARK, its copies and hidden files."""
    return all(path.name.startswith((MARK, ".")) for path in folder.iterdir())


def _mark(folder: Path) -> None:
    """Write MARK."""
    text = ARCHIVE.text(_Mark())
    appear(folder / MARK, lambda path: path.write_text(text, encoding="utf-8"))


def segments(folder: Path) -> list[Segment]:
    """Return the files of an archive, which together hold each run at least once.

    Files may appear and vanish while the folder is listed: a merged file may be gone before its
    result is seen. Then the folder is listed again.
    """
    listed: set[Segment] = set()
    for attempt in range(_TRIES):
        previous, listed = listed, set(filter(None, map(segment, os.listdir(folder))))
        if attempt and previous <= listed:
            break
    return sorted(listed)


def segment(name: str) -> Segment | None:
    """Return the segment of a file's name; None for any other file."""
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
        near = [
            segment
            for segment in known
            if segment.level and segment.first <= own.first <= segment.last
        ]
        return any(run in _sound_runs(folder / segment.name) for segment in near)

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
    """Return whether an error means a damaged file: pyarrow's own errors have no number."""
    return isinstance(error, ValueError) or error.errno is None


def aside(path: Path, error: Exception) -> None:
    """Set a damaged file of an archive aside, so that the others can be read; say so.

    In a read-only folder the file stays, and is only reported.
    """
    reason = f"{path}: damaged: {one_line(error).removeprefix(f'{path.name}: ')}"
    try:
        set_aside(path, reason)
    except FileNotFoundError:
        return  # another process did so
    except OSError:
        say(f"{reason}; it is left out")


def damaged(folder: Path, names: Iterable[str]) -> set[str]:
    """Read files of an archive; set aside those that are damaged, and return their names."""
    names_set_aside: set[str] = set()
    for name in names:
        try:
            with reading(folder / name) as file:
                for _ in file.iter_batches(use_threads=False):
                    pass
        except (OSError, ValueError) as error:
            if not is_damage(error):
                raise
            aside(folder / name, error)
            names_set_aside.add(name)
    return names_set_aside


@lru_cache(maxsize=256)
def _runs(path: Path) -> frozenset[str]:
    """Return the runs in a file. The content of a name never changes, so it is cached."""
    with reading(path) as file:
        return frozenset(file.read(["run"], use_threads=False).column(0).to_pylist())


@contextmanager
def reading(path: Path) -> Generator[Any]:
    """Open a file of runs. Raises ValueError with its name if it is no such file."""
    try:
        with parquet().ParquetFile(path) as file:
            if "run" not in file.schema_arrow.names:
                raise ValueError("no column run")
            yield file
    except ValueError as error:
        raise ValueError(f"{path.name}: {one_line(error)}") from error


def write(path: Path, table: Any) -> None:
    """Write a table to a file that is complete or missing, even if the machine stops suddenly."""
    appear(
        path,
        lambda unfinished: parquet().write_table(
            table, unfinished, compression="zstd", row_group_size=ROW_GROUP
        ),
    )


def appear(path: Path, fill: Callable[[Path], object]) -> None:
    """Let `fill` write a file beside its place, then rename it."""
    with replacing(path, alone=False) as unfinished:
        fill(unfinished)


def again(look: Callable[[], T]) -> T:
    """Return what `look` returns; repeat it while files vanish that it has listed.

    Then another process has merged them, and their runs are in its new file.
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
        named_path = error.filename or path
        if verb == "write":
            raise unwritten(named_path, error) from error
        raise StoreError(f"{named_path}: cannot {verb}: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{path}: cannot {verb}: {one_line(error)}") from error
