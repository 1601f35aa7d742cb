# SPDX-License-Identifier: Apache-2.0
"""An archive: runs of many writers in one folder, asked for trends and for the last good one.

archive = plexor.library.archive.Archive("nightly")
archive.add("runs/idle")
trend = archive.trend("ISR")
print(trend.text())
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.errors import StoreError, UsageError
from plexor.figures.analyse.analyse import analyse
from plexor.files.archive import trend as histories
from plexor.files.archive.archived import Archived, archived, last_good
from plexor.files.archive.document import log_document, trend_document
from plexor.files.archive.figures import DEFAULT, parse_figure
from plexor.files.archive.folder import open_archive, put
from plexor.files.archive.merge import merge
from plexor.files.archive.origin import Origin, origin_of
from plexor.files.archive.query import ArchivedRun, Query
from plexor.files.archive.record import record
from plexor.files.archive.schema import table
from plexor.files.archive.trend import LAST, History
from plexor.files.store.run_folder import RUN_FILE
from plexor.library.compare import Comparison, comparison
from plexor.library.load import load_run, run_in
from plexor.library.run import Run
from plexor.library.specs.archive_spec import (
    AddSpec,
    Alike,
    GateSpec,
    LastGoodSpec,
    LogSpec,
    TrendSpec,
)
from plexor.library.specs.spec import takes
from plexor.library.specs.values import path_of
from plexor.model.results import Kind, RunResult
from plexor.show.archive.list_page import MOST_COMPARED, ListedRuns, list_page
from plexor.show.archive.page import trend_page
from plexor.show.archive.picture import trend_picture
from plexor.show.archive.run_page import archived_page
from plexor.show.archive.text import log_text, trend_text
from plexor.show.archive.words import run_text

__all__ = ["Added", "Archive", "Archived", "ArchivedRun", "History", "Log", "Trend"]


@dataclass(frozen=True, slots=True)
class Added:
    """A run that is in the archive now."""

    run: str
    """Its identity."""
    new: bool
    """False if it was there before: then nothing was written."""


@dataclass(frozen=True, slots=True)
class Log:
    """Runs of an archive, newest first."""

    runs: tuple[ArchivedRun, ...]
    total: int
    """The number of all that were chosen."""

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return log_text(self.runs, self.total, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor archive log --json` prints."""
        return log_document(self.runs, self.total)


@dataclass(frozen=True, slots=True)
class Trend:
    """How figures of a channel went from run to run."""

    found: histories.Histories

    @property
    def histories(self) -> tuple[History, ...]:
        """Runs of one configuration each, in order, with the changes of their figures."""
        return self.found.histories

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return trend_text(self.found, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor archive trend --json` prints: in seconds."""
        return trend_document(self.found)

    def page(self) -> str:
        """Return it as an HTML page."""
        return trend_page(self.found, self.document())

    def picture(self) -> str:
        """Return its plots as an SVG picture, below each other."""
        return trend_picture(self.found)


class Archive:
    """A folder of runs, which any number of processes may add to and ask at once.

    It may be on shared storage. The first run that is added makes the folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = path_of(folder)

    @takes(AddSpec)
    def add(self, run: Run | str | Path, options: AddSpec) -> Added:
        """Add a run, or the one at a path. When this returns, it is kept.

        The options are those of AddSpec. The commit of the device is that of the repository around
        the run's folder, or around the working folder, unless it is given. A repository in the
        run's folder is none of the user's. Raises StoreError with a path if the run cannot be read
        or added.
        """
        folder = Path() if isinstance(run, Run) else _folder(path_of(run))
        result = run.result if isinstance(run, Run) else _run_at(path_of(run)).result
        origin = origin_of(folder) if options.commit is None else Origin(options.commit)
        if options.branch is not None:
            origin = Origin(origin.commit, options.branch, origin.dirty)
        return self.keep(result, origin)

    def keep(self, result: RunResult, origin: Origin) -> Added:
        """Add a run whose device is of a known commit. Raises StoreError if it cannot be added."""
        # A base that was subtracted is no part of what was measured.
        archive_record = record(analyse(result), origin)
        open_archive(self.folder)
        try:
            rows = table(archive_record)
        except ValueError as error:
            raise StoreError(f"run {archive_record.run}: cannot be archived: {error}") from error
        new = put(self.folder, archive_record.run, rows)
        merge(self.folder)
        return Added(archive_record.run, new)

    @takes(LogSpec)
    def log(self, options: LogSpec) -> Log:
        """Return the runs, newest first.

        The options are those of LogSpec: `where=["branch=main", "rate=20 kHz"]`, `last=20`. Raises
        UsageError for a key that no run has.
        """
        runs = self._query.runs(options.where, options.last)
        total = len(runs) if options.last is None else self._query.count(options.where)
        return Log(tuple(runs), total)

    @takes(TrendSpec)
    def trend(self, channel: str, options: TrendSpec) -> Trend:
        """Return the histories of a channel's figures, each with its changes.

        The options are those of TrendSpec: `figures=["p99"]`, `by="load"`. Runs of different
        configurations are different histories; `across` are entries that may differ. Each history
        is of its newest `last` runs. Raises UsageError for what is not known.
        """
        question = histories.TrendQuery(
            channel,
            options.figures or tuple(map(parse_figure, DEFAULT)),
            histories.GroupedBy(options.by),
            Kind(options.kind),
            options.where,
            options.across,
            options.last or LAST,
        )
        return Trend(histories.trend(self._query, question))

    @takes(Alike)
    def last_good(self, run: Run, options: Alike) -> Archived:
        """Return the newest good run of the same configuration that began before a run, or with it.

        The options are those of Alike: `where=["branch=main"]`, `across=["load"]`. A good run is
        valid, and was not interrupted. Raises UsageError if there is none.
        """
        archive_record = record(run.report, Origin())
        return last_good(
            self._query,
            archive_record.configuration,
            run=archive_record.run,
            before=archive_record.started,
            where=options.where,
            across=options.across,
        )

    @takes(LastGoodSpec)
    def comparison(self, run: Run | str | Path, options: LastGoodSpec) -> Comparison:
        """Compare a run with the last good one.

        The options are those of LastGoodSpec: `fail_on="p99.9>+5%"`, `where=["branch=main"]`.
        Raises UsageError as `last_good`, and for conditions that cannot be judged.
        """
        judged_run = run if isinstance(run, Run) else load_run(path_of(run))
        last_good = self.last_good(judged_run, where=options.where, across=options.across)
        note = f"A is the last good run: {run_text(last_good.run)}"
        return comparison(last_good, judged_run, options, (note,))

    @takes(LogSpec)
    def page(self, options: LogSpec) -> str:
        """Return the page of `plexor archive serve` that lists runs, chosen as in `log`."""
        chosen = self.log(where=options.where, last=options.last)
        listed = ListedRuns(
            str(self.folder),
            chosen.runs,
            chosen.total,
            [condition.text for condition in options.where],
            self._query.keys(),
            self._query.channels(options.where),
        )
        return list_page(listed)

    def run_page(self, run: str) -> str:
        """Return the page of a run by its identity. Raises StoreError if it is not there."""
        return archived_page(archived(self._query, run))

    def compare(self, runs: Sequence[str]) -> Comparison:
        """Compare runs by their identities: the earliest is A. Raises UsageError for fewer than 2.

        Raises StoreError if one is not there.
        """
        if not 2 <= len(set(runs)) <= MOST_COMPARED:
            raise UsageError(
                f"compare: {counted(len(set(runs)), 'run')}; must be 2 to {MOST_COMPARED}"
            )
        first, *others = (archived(self._query, run) for run in sorted(set(runs)))
        return comparison(first, others, GateSpec())

    @cached_property
    def _query(self) -> Query:
        return Query(self.folder)


def _run_at(path: Path) -> Run:
    """Return the run at a path; beside a phase scan it is the one of the scan."""
    if (path / RUN_FILE).exists():
        return load_run(path)
    return run_in(path, "only runs are kept in an archive")


def _folder(path: Path) -> Path:
    """Return the folder in which a run lies; raise StoreError if there is no such path."""
    if not path.exists():
        raise StoreError(f"{path}: cannot read: there is no such file or folder")
    folder = (path if path.is_dir() else path.parent).resolve()
    return folder.parent if path.is_dir() or (folder / RUN_FILE).exists() else folder
