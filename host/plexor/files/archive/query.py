# SPDX-License-Identifier: Apache-2.0
"""Questions to an archive, answered by DuckDB: which runs there are, and their figures.

Every question is asked of the files that are there at that moment. A run that is in two of them,
because they are being merged, counts once.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from plexor.base.errors import StoreError, UsageError
from plexor.base.jsonable import one_line
from plexor.figures.judge.configuration import source_of
from plexor.files.archive.folder import again, check_archive, damaged, segments
from plexor.files.archive.origin import Origin
from plexor.files.archive.record import LATER

FLAGS = ("dirty", "valid", "interrupted")
TEXTS = ("run", "commit", "branch", "build")
"""Columns by which runs can be chosen, beside the entries of their configuration."""
_RUN = "run, epoch(started)::BIGINT, commit, branch, dirty, simulated, valid, invalid_reasons, "
_OF_RUN = _RUN + "interrupted, tick_fs, duration_ticks, strikes_sent, configuration"
GOOD = "valid AND NOT interrupted"
"""Runs that later ones are compared with, and that trends are of."""


@dataclass(frozen=True, slots=True)
class ArchivedRun:
    """A run in an archive."""

    run: str
    started: datetime | None
    origin: Origin
    simulated: bool
    valid: bool
    invalid_reasons: str
    interrupted: bool
    tick_fs: int
    duration_ticks: int
    strikes: int
    configuration: Mapping[str, str]

    @property
    def source(self) -> str:
        """Where its figures come from: simulated, measured or imported."""
        return source_of(self.configuration, self.simulated)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Runs whose `key` is `value`: a column of FLAGS or TEXTS, or an entry of a configuration."""

    key: str
    value: str

    @property
    def text(self) -> str:
        """As it is written: `branch=main`."""
        return f"{self.key}={self.value}"


def parse_where(text: str) -> RunFilter:
    """Return the filter in `branch=main` or `valid=yes`. Raises ValueError for any other text."""
    key, sign, value = (field.strip() for field in text.partition("="))
    if not sign or not key:
        raise ValueError(f"{text!r}; must be KEY=VALUE, such as branch=main or 'rate=20 kHz'")
    if key in FLAGS and value not in ("yes", "no"):
        raise ValueError(f"{text!r}; must be {key}=yes or {key}=no")
    return RunFilter(key, value)


class Query:
    """A connection to an archive for queries. Raises StoreError for a folder that is no archive."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        check_archive(folder)
        self._duckdb = _duckdb()
        self._connection: Any = None
        self._names: tuple[str, ...] = ()
        """The files in the table of `_connection`."""
        self._damaged: set[str] = set()
        """Files that cannot be read; they may be set aside or not."""

    def runs(self, where: Sequence[RunFilter] = (), last: int | None = None) -> list[ArchivedRun]:
        """Return runs, newest first; at most `last` of them."""
        limit = "" if last is None else f"LIMIT {last:d}"
        rows = self.ask(
            lambda chosen: (
                f"SELECT DISTINCT ON (run) {_OF_RUN} FROM files WHERE first AND {chosen}"
                f" ORDER BY run DESC {limit}"
            ),
            where,
        )
        return [_kept(row) for row in rows]

    def count(self, where: Sequence[RunFilter] = ()) -> int:
        """Return the number of runs."""
        rows = self.ask(
            lambda chosen: f"SELECT count(DISTINCT run) FROM files WHERE first AND {chosen}", where
        )
        return int(rows[0][0]) if rows else 0

    def keys(self) -> dict[str, set[str]]:
        """Return the keys of all configurations, each with its values."""
        keys: dict[str, set[str]] = {}
        for (text,) in self.ask(lambda _: "SELECT DISTINCT configuration FROM files WHERE first"):
            for key, value in parsed(text).items():
                keys.setdefault(key, set()).add(value)
        return keys

    def channels(self, where: Sequence[RunFilter] = ()) -> list[str]:
        """Return the names of all channels, in order of their numbers."""
        rows = self.ask(
            lambda chosen: (
                f"SELECT channel FROM files WHERE channel IS NOT NULL AND {chosen} "
                "GROUP BY channel ORDER BY min(number), channel"
            ),
            where,
        )
        return [name for (name,) in rows]

    def ask(
        self,
        sql: Callable[[str], str],
        where: Sequence[RunFilter] = (),
        bound_before: Sequence[Any] = (),
        bound_after: Sequence[Any] = (),
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a query of the table `files`.

        `sql` gets the condition for `where`. `bound_before` and `bound_after` are the values that
        it binds before and after that condition. Raises StoreError for a file that cannot be read,
        and UsageError for a key that no run has.
        """
        return again(lambda: self._ask(sql, where, bound_before, bound_after))

    def _ask(
        self,
        sql: Callable[[str], str],
        where: Sequence[RunFilter],
        bound_before: Sequence[Any],
        bound_after: Sequence[Any],
    ) -> list[tuple[Any, ...]]:
        known = (segment.name for segment in segments(self.folder))
        names = tuple(name for name in known if name not in self._damaged)
        if not names:
            return []
        try:
            if names != self._names:
                self._open(names)
            condition, bound = self._condition(self._connection, where)
            return self._connection.execute(
                sql(condition), [*bound_before, *bound, *bound_after]
            ).fetchall()
        except self._duckdb.Error as error:
            self._names = ()
            for name in names:
                (self.folder / name).stat()  # raises FileNotFoundError if it is gone: ask again
            set_aside = damaged(self.folder, names)
            if set_aside:
                self._damaged |= set_aside
                return self._ask(sql, where, bound_before, bound_after)
            raise StoreError(f"{self.folder}: cannot read: {one_line(error)}") from error

    def _open(self, names: tuple[str, ...]) -> None:
        """Make the table `files`. The content of a file name never changes."""
        self._names = ()
        self._connection = self._duckdb.connect(config={"autoinstall_known_extensions": False})
        self._connection.execute("SET parquet_metadata_cache = true")
        paths = [str(self.folder / name) for name in names]
        files = self._connection.read_parquet(paths, union_by_name=True)
        missing = (f"NULL::BIGINT AS {name}" for name in LATER if name not in files.columns)
        files.project(", ".join(("*", *missing))).create_view("files")
        self._names = names

    def _condition(self, connection: Any, where: Sequence[RunFilter]) -> tuple[str, list[Any]]:
        """Return the SQL condition of filters, and the values that it binds."""
        conditions: list[str] = []
        bound: list[Any] = []
        for condition in where:
            if condition.key in FLAGS:
                conditions.append(
                    f"{condition.key} IS NOT DISTINCT FROM {condition.value == 'yes'}"
                )
            elif condition.key in TEXTS:
                # An identity or a commit may be cut short; a branch is a name.
                equal = (
                    f"{condition.key} = ?"
                    if condition.key == "branch"
                    else f"starts_with({condition.key}, ?)"
                )
                conditions.append(equal)
                bound.append(condition.value)
        of_configuration = [
            condition for condition in where if condition.key not in (*FLAGS, *TEXTS)
        ]
        if of_configuration:
            conditions.append("list_contains(?, configuration)")
            bound.append(_configurations(connection, of_configuration))
        return " AND ".join(conditions) or "true", bound


def _configurations(connection: Any, conditions: Sequence[RunFilter]) -> list[str]:
    """Return the configurations that meet all conditions, as their column has them."""
    sql = "SELECT DISTINCT configuration FROM files WHERE first"
    known: list[str] = [text for (text,) in connection.execute(sql).fetchall()]
    keys = {key for text in known for key in parsed(text)}
    for condition in conditions:
        if condition.key not in keys:
            names = ", ".join(sorted({*FLAGS, *TEXTS, *keys}))
            raise UsageError(f"{condition.text}: no run has this key; runs have {names}")
    return [
        t
        for t in known
        if all(parsed(t).get(condition.key) == condition.value for condition in conditions)
    ]


@lru_cache(maxsize=4096)
def parsed(text: str) -> Mapping[str, str]:
    """Return a configuration from its column. Raises StoreError for a text that is not one."""
    try:
        document: Any = json.loads(text)
        return {str(key): str(value) for key, value in document.items()}
    except (ValueError, AttributeError, RecursionError) as error:
        raise StoreError(f"archive: a configuration that is none: {text[:80]!r}") from error


def _kept(row: tuple[Any, ...]) -> ArchivedRun:
    run, epoch_s, commit, branch, dirty, simulated, valid, reasons, interrupted, *others = row
    tick_fs, duration_ticks, strikes, configuration = others
    return ArchivedRun(
        run,
        began(epoch_s),
        Origin(commit, branch, dirty),
        bool(simulated),
        bool(valid),
        reasons or "",
        bool(interrupted),
        tick_fs,
        duration_ticks,
        strikes,
        parsed(configuration),
    )


def began(epoch_s: int | None) -> datetime | None:
    """Return a time from its column."""
    try:
        return None if epoch_s is None else datetime.fromtimestamp(epoch_s, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _duckdb() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ModuleNotFoundError as error:
        raise UsageError(
            "archive: DuckDB is not installed, which answers questions to archives; in a clone: "
            "pip install '.[archive]'"
        ) from error
