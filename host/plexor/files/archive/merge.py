# SPDX-License-Identifier: Apache-2.0
"""Merges many small files of an archive into few large ones, while others add and read.

When a level has FAN_IN files, one process writes a file of the next level with all their runs, and
only then removes them. So each run is in at least one file at any moment, however suddenly a
process ends. It may be in two: readers count it once. A process removes only files whose runs are
in a file of a higher level that it wrote itself, so two processes never both rely on the other.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from plexor.base.disk.atomic import PART
from plexor.files.archive.folder import (
    Segment,
    aside,
    errors_of,
    is_damage,
    reading,
    segments,
    write,
)
from plexor.files.archive.schema import pyarrow

FAN_IN = 32
"""Number of files of a level that are merged into one."""
MOST_LEVEL = 2
"""Files of this level are not merged: with more than FAN_IN**3 runs, it would take too long."""
STALE_S = 10.0
"""Age at which a claim counts as abandoned. If its process still runs, two processes merge the same
files, which does no harm."""
LEFT_S = 86_400.0
"""Age at which an incomplete file counts as abandoned."""
_CLAIM = ".merging"


def merge(folder: Path) -> None:
    """Merge one level of an archive, if one is full and no other process does so.

    Raises StoreError with the path of a file that cannot be read or written.
    """
    with errors_of(folder, "merge"):
        known = segments(folder)
        for level in range(MOST_LEVEL):
            full = [segment for segment in known if segment.level == level]
            if len(full) >= FAN_IN:
                with _claimed(folder) as claimed:
                    if claimed:
                        _merge(folder, full, level + 1)
                        _sweep(folder)
                return


def _merge(folder: Path, full: Sequence[Segment], level: int) -> None:
    sound: list[Segment] = []
    tables: list[Any] = []
    for segment in full:
        try:
            tables.append(_read(folder / segment.name))
            sound.append(segment)
        except FileNotFoundError:
            return  # another process has merged it
        except (OSError, ValueError) as error:
            if not is_damage(error):
                raise
            aside(folder / segment.name, error)
    if not tables:
        return
    full = sound
    runs, table = _joined(tables)
    digest = hashlib.sha256("\n".join(runs).encode()).hexdigest()[:20]
    first, last = min(segment.first for segment in full), max(segment.last for segment in full)
    write(folder / Segment(level, first, last, digest).name, table)
    for segment in full:
        with suppress(FileNotFoundError):
            (folder / segment.name).unlink()


def _read(path: Path) -> Any:
    with reading(path) as file:
        return file.read(use_threads=False)


def _joined(tables: Sequence[Any]) -> tuple[list[str], Any]:
    """Return the runs of several tables in order, and all their rows, each run's once."""
    tables_kept: list[Any] = []
    seen: set[str] = set()
    for table in tables:
        runs = table.column("run").to_pylist()
        tables_kept.append(table.filter([run not in seen for run in runs]) if seen else table)
        seen |= set(runs)
    joined = pyarrow().concat_tables(tables_kept, promote_options="default")
    order = pyarrow("pyarrow.compute").sort_indices(joined.column("run"))
    return sorted(seen), joined.take(order)


@contextmanager
def _claimed(folder: Path) -> Generator[bool]:
    """Yield whether this process may merge: another may be at it, but not for ever."""
    path = folder / _CLAIM
    if _age_s(path) > STALE_S:
        path.unlink(missing_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        yield False
        return
    try:
        yield True
    finally:
        path.unlink(missing_ok=True)


def _age_s(path: Path) -> float:
    """Return how long ago a file was written, by the clock of the storage; 0 if it is gone."""
    probe = path.with_name(f".{secrets.token_hex(6)}{PART}")
    try:
        written = path.stat().st_mtime
        probe.touch()
        return probe.stat().st_mtime - written
    except FileNotFoundError:
        return 0.0
    finally:
        probe.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove what writers that ended suddenly have begun."""
    for file in folder.iterdir():
        if file.name.endswith(PART) and _age_s(file) > LEFT_S:
            file.unlink(missing_ok=True)
