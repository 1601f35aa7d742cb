"""An archive: runs of many writers in one folder, asked for trends and for the last good one.

archive = plexor.library.archive.Archive("nightly")
archive.add("runs/idle")
trend = archive.trend("ISR")
print(trend.text())
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from plexor.analyse.analyse import analyse
from plexor.archive import trend as histories
from plexor.archive.archived import Archived, last_good
from plexor.archive.figures import DEFAULT, parse_figure
from plexor.archive.folder import open_archive, put
from plexor.archive.merge import merge
from plexor.archive.origin import Origin, origin_of
from plexor.archive.query import Kept, Query, Where, parse_where
from plexor.archive.record import record
from plexor.archive.schema import table
from plexor.archive.trend import LAST, History
from plexor.errors import StoreError, UsageError
from plexor.library.compare import By, Comparison, FailOn, comparison
from plexor.library.load import load_run
from plexor.library.run import Run
from plexor.library.specs.values import Naming, choice, path_of, plain, read
from plexor.model.results import Kind, RunResult
from plexor.store.run_folder import RUN_FILE

__all__ = ["Added", "Archive", "Archived", "History", "Kept", "Log", "Trend"]


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

    runs: tuple[Kept, ...]
    total: int
    """The number of all that were chosen."""

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        from plexor.archive.text import log_text  # noqa: PLC0415

        return log_text(self.runs, self.total, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor archive log --json` prints."""
        from plexor.archive.document import log_document  # noqa: PLC0415

        return log_document(self.runs, self.total)


@dataclass(frozen=True, slots=True)
class Trend:
    """How figures of a channel went from run to run."""

    found: histories.Trend

    @property
    def histories(self) -> tuple[History, ...]:
        """Runs of one configuration each, in order, with the changes of their figures."""
        return self.found.histories

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        from plexor.archive.text import trend_text  # noqa: PLC0415

        return trend_text(self.found, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor archive trend --json` prints: in seconds."""
        from plexor.archive.document import trend_document  # noqa: PLC0415

        return trend_document(self.found)

    def page(self) -> str:
        """Return it as an HTML page."""
        from plexor.archive.page import trend_page  # noqa: PLC0415

        return trend_page(self.found)


class Archive:
    """A folder of runs, which any number of processes may add to and ask at once.

    It may be on shared storage. The first run that is added makes the folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = path_of(folder)

    def add(
        self, run: Run | str | Path, *, commit: str | None = None, branch: str | None = None
    ) -> Added:
        """Add a run, or the one at a path. When this returns, it is kept.

        The commit of the device is that of the repository around the run's folder, or around the
        working folder, unless it is given. A repository in the run's folder is none of the user's.
        Raises StoreError with a path if the run cannot be read or added.
        """
        place = Path() if isinstance(run, Run) else _folder(path_of(run))
        result = run.result if isinstance(run, Run) else load_run(path_of(run)).result
        origin = origin_of(place) if commit is None else Origin(commit)
        if branch is not None:
            origin = Origin(origin.commit, branch, origin.dirty)
        return self.keep(result, origin)

    def keep(self, result: RunResult, origin: Origin) -> Added:
        """Add a run whose device is of a known commit. Raises StoreError if it cannot be added."""
        # A base that was subtracted is no part of what was measured.
        one = record(analyse(result), origin)
        open_archive(self.folder)
        try:
            rows = table(one)
        except ValueError as error:
            raise StoreError(f"run {one.run}: cannot be archived: {error}") from error
        new = put(self.folder, one.run, rows)
        merge(self.folder)
        return Added(one.run, new)

    def log(self, where: Iterable[str] = (), last: int | None = None) -> Log:
        """Return the runs, newest first; the newest `last` alone.

        `where` are choices such as `branch=main`, `valid=yes` or `rate=20 kHz`: entries of a run's
        configuration, its commit or run (which may be cut short), branch, build, or dirty, valid
        and interrupted. Raises UsageError for a key that no run has.
        """
        chosen = _chosen(where)
        runs = self._query.runs(chosen, last)
        total = len(runs) if last is None else self._query.count(chosen)
        return Log(tuple(runs), total)

    def trend(
        self,
        channel: str,
        figures: Sequence[str] = DEFAULT,
        *,
        by: str = "commit",
        kind: str = "rise",
        where: Iterable[str] = (),
        across: Collection[str] = (),
        last: int = LAST,
    ) -> Trend:
        """Return the histories of a channel's figures, each with its changes.

        Runs of different configurations are different histories; `across` are entries that may
        differ. Each history is of its newest `last` runs. Raises UsageError for what is not known.
        """
        asked = read({"by": by, "kind": kind}, {"by": choice(histories.By), "kind": choice(Kind)})
        try:
            wanted = tuple(parse_figure(name) for name in figures)
        except ValueError as error:
            raise UsageError(str(error)) from error
        question = histories.Asked(
            channel,
            wanted,
            histories.By(asked["by"]),
            Kind(asked["kind"]),
            _chosen(where),
            tuple(across),
            last,
        )
        return Trend(histories.trend(self._query, question))

    def last_good(
        self, run: Run, where: Iterable[str] = (), across: Collection[str] = ()
    ) -> Archived:
        """Return the newest good run of the same configuration that began before a run, or with it.

        A good run is valid, and was not interrupted. Raises UsageError if there is none.
        """
        one = record(run.report, Origin())
        return last_good(
            self._query,
            one.configuration,
            run=one.run,
            before=one.started,
            where=_chosen(where),
            across=across,
        )

    def comparison(
        self,
        run: Run | str | Path,
        conditions: tuple[FailOn, ...] = (),
        by: By = By.INTERVAL,
        where: Iterable[str] = (),
        across: Collection[str] = (),
        name: Naming = plain,
    ) -> Comparison:
        """Compare a run with the last good one, by exact conditions.

        `name` gives an option's name for messages. Raises UsageError as `last_good`, and for
        conditions that cannot be judged.
        """
        from plexor.archive.words import run_text  # noqa: PLC0415

        after = run if isinstance(run, Run) else load_run(path_of(run))
        before = self.last_good(after, where, across)
        note = f"A is the last good run: {run_text(before.kept)}"
        return comparison(before, after, conditions, by, name, (note,))

    @cached_property
    def _query(self) -> Query:
        return Query(self.folder)


def _folder(path: Path) -> Path:
    """Return the folder in which a run lies; raise StoreError if there is no such path."""
    if not path.exists():
        raise StoreError(f"{path}: cannot read: there is no such file or folder")
    folder = (path if path.is_dir() else path.parent).resolve()
    return folder.parent if path.is_dir() or (folder / RUN_FILE).exists() else folder


def _chosen(where: Iterable[str]) -> tuple[Where, ...]:
    try:
        return tuple(map(parse_where, where))
    except ValueError as error:
        raise UsageError(f"where: {error}") from error
