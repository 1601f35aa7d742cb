# SPDX-License-Identifier: Apache-2.0
"""Histories: runs of one configuration in order, and where their figures change.

Runs of different configurations never share a history, so a change is in the device and not in how
it was measured. A caller may name keys of the configuration that may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plexor.base.counts import counted
from plexor.base.errors import UsageError
from plexor.figures.judge.configuration import of_channel, source_of
from plexor.figures.judge.verdict import Number, Outcome, Verdict
from plexor.files.archive.changes import BEHIND, changes, lacking
from plexor.files.archive.figures import FigureColumn
from plexor.files.archive.origin import Origin
from plexor.files.archive.query import GOOD, Query, RunFilter, began, parsed
from plexor.model.results import Kind

LAST = 1000
"""Default number of runs of a history."""
_LETTERS = 9
_SIMULATED, _TICK, _CONFIGURATION, _GOOD, _TOTAL = 5, 6, 7, 8, 9
"""Columns of a row; those of figures follow."""
_SQL = """
    WITH own AS (
        SELECT DISTINCT ON (run) run, epoch(started)::BIGINT, "commit", branch, dirty, simulated,
            tick_fs, configuration, {good} AS good
        FROM files WHERE channel = ? AND kind = ? AND {chosen}
    ), newest AS (
        SELECT *, count(*) OVER (PARTITION BY configuration, good) AS total FROM own
        QUALIFY row_number() OVER (PARTITION BY configuration, good ORDER BY run DESC) <= ?
    ), figures AS (
        SELECT DISTINCT ON (run) run, {columns} FROM files
        WHERE channel = ? AND kind = ? AND run IN (SELECT run FROM newest)
    )
    SELECT * FROM newest JOIN figures USING (run) ORDER BY run
"""
"""The newest runs of each configuration. Histograms are read for these runs only."""
_Key = tuple[tuple[str, str], ...]


class GroupedBy(StrEnum):
    """What runs are grouped by."""

    COMMIT = "commit"
    """Runs of a commit form a group, so a history changes only between commits."""
    BOARD = "board"
    LOAD = "load"


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a history."""

    run: str
    started: datetime | None
    origin: Origin

    @property
    def commit(self) -> str:
        """The commit in short, with a plus if files differed from it; empty if it is not known."""
        known = self.origin.commit
        return "" if known is None else known[:_LETTERS] + ("+" if self.origin.dirty else "")

    @property
    def group(self) -> object:
        """A key that all runs of its commit share; the run itself if the commit is not known."""
        origin = self.origin
        return self.run if origin.commit is None else (origin.commit, origin.dirty)


@dataclass(frozen=True, slots=True)
class LevelStep:
    """A change of a history: the median differs from the run at `place` on."""

    place: int
    before: float
    after: float
    error: float
    """Probability that a history without a change is divided as clearly."""

    @property
    def change(self) -> float | None:
        """The relative change; None if the level before is 0."""
        return (self.after - self.before) / self.before if self.before else None


@dataclass(frozen=True, slots=True)
class Stayed(Verdict):
    """Whether a level stayed, over the runs of a history."""

    changes: int
    runs: int
    """Number of runs whose figure is known."""
    needs: int | None
    """Number of runs that decides it; None: there are enough."""

    @property
    def numbers(self) -> Mapping[str, Number | None]:
        """The counts."""
        return {"changes": self.changes, "runs": self.runs, "needs": self.needs}


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """One figure of a history."""

    figure: FigureColumn
    values: NDArray[np.float64]
    """For each run, in seconds or as a share; NaN if it is not known."""
    steps: tuple[LevelStep, ...]
    lacking: int = 0
    """Further runs needed to tell whether the level changed since the last step; 0: enough."""

    @property
    def now(self) -> float | None:
        """The median of the newest BEHIND runs, or of all since the last step if they are fewer."""
        known = self.known
        first = self.steps[-1].place if self.steps else 0
        newest = self.values[known[known >= first]][-BEHIND:]
        return float(np.median(newest)) if len(newest) else None

    @property
    def needs(self) -> int | None:
        """Number of runs that tells whether the level changed; None: there are enough."""
        return len(self.known) + self.lacking if self.lacking else None

    @property
    def verdict(self) -> Stayed:
        """Whether the level stayed: it fails where it changed."""
        outcome, reason, settles = Outcome.PASS, "", ""
        if self.needs is not None:
            outcome, reason, settles = Outcome.TOO_FEW, "too few runs", f"needs {self.needs:,}"
        elif self.steps:
            outcome, reason = Outcome.FAIL, "changed"
        return Stayed(
            len(self.steps),
            len(self.known),
            self.needs,
            outcome=outcome,
            reason=reason,
            settles=settles,
        )

    @property
    def known(self) -> NDArray[np.intp]:
        """The positions of the runs whose figure is known."""
        return np.flatnonzero(~np.isnan(self.values))

    def levels(self) -> list[tuple[int, int, float]]:
        """Return each stretch without a change: its first and last position, and its median."""
        known = self.known
        ends = [0, *(int(np.searchsorted(known, step.place)) for step in self.steps), len(known)]
        return [
            (int(known[a]), int(known[b - 1]), float(np.median(self.values[known[a:b]])))
            for a, b in pairwise(ends)
            if b > a
        ]


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Runs of one configuration, in order."""

    configuration: dict[str, str]
    series: str
    """The board or the load that names the history; empty when grouped by commit."""
    simulated: bool
    points: tuple[Point, ...]
    total: int
    """Number of its runs in the archive; `points` are the newest of them."""
    courses: tuple[Course, ...]

    @property
    def source(self) -> str:
        """Where its figures come from: simulated, measured or imported."""
        return source_of(self.configuration, self.simulated)


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """Histories of one channel, newest first."""

    channel: str
    kind: Kind
    by: GroupedBy
    histories: tuple[History, ...]
    left_out: int
    """Number of runs that are invalid or were interrupted."""

    @property
    def runs(self) -> int:
        """Number of runs in all histories."""
        return sum(len(history.points) for history in self.histories)

    @property
    def simulated(self) -> bool:
        """Whether any run is of a simulation."""
        return any(history.simulated for history in self.histories)

    def differing(self) -> list[str]:
        """Return the keys in which the configurations of the histories differ."""
        known = [history.configuration for history in self.histories]
        keys = {key for history in known for key in history}
        return sorted(key for key in keys if len({history.get(key) for history in known}) > 1)


@dataclass(frozen=True, slots=True)
class TrendQuery:
    """The options of a trend."""

    channel: str
    figures: tuple[FigureColumn, ...]
    by: GroupedBy = GroupedBy.COMMIT
    kind: Kind = Kind.RISE
    where: tuple[RunFilter, ...] = ()
    across: tuple[str, ...] = ()
    """Keys of a configuration that may differ within a history."""
    last: int = LAST


def trend(query: Query, options: TrendQuery) -> Histories:
    """Return the histories of a channel. Raises UsageError where the archive has none."""
    columns = ", ".join(column for figure in options.figures for column in figure.columns)
    channel_and_kind = (options.channel, options.kind.value)
    rows = query.ask(
        lambda chosen: _SQL.format(chosen=chosen, good=GOOD, columns=columns),
        options.where,
        channel_and_kind,
        (options.last, *channel_and_kind),
    )
    if not rows:
        raise UsageError(_nothing(query, options))
    gathered: dict[_Key, list[tuple[Any, ...]]] = {}
    totals: dict[_Key, dict[str, int]] = {}
    left_out: dict[str, int] = {}
    keys: dict[str, _Key] = {}
    for row in rows:
        text, good, count = row[_CONFIGURATION], row[_GOOD], row[_TOTAL]
        if not good:
            left_out[text] = count
            continue
        if text not in keys:
            own = of_channel(parsed(text), options.channel)
            keys[text] = tuple(sorted((k, v) for k, v in own.items() if k not in options.across))
        gathered.setdefault(keys[text], []).append(row)
        totals.setdefault(keys[text], {})[text] = count
    histories = [
        _history(dict(key), own, sum(totals[key].values()), options)
        for key, own in gathered.items()
    ]
    if not histories:
        raise UsageError(
            f"channel {options.channel!r}: all {counted(sum(left_out.values()), 'run')} of it are "
            "invalid or "
            "were interrupted"
        )
    histories.sort(key=lambda history: max(point.run for point in history.points), reverse=True)
    return Histories(
        options.channel, options.kind, options.by, tuple(histories), sum(left_out.values())
    )


def _nothing(query: Query, options: TrendQuery) -> str:
    """Return why there is nothing to show."""
    rows = query.ask(lambda _: "SELECT DISTINCT channel FROM files WHERE channel IS NOT NULL")
    names = sorted(str(name) for (name,) in rows)
    if not names:
        return f"{query.folder}: holds no run; add one with plexor archive add"
    chosen = "".join(f" of {condition.text}" for condition in options.where)
    return (
        f"channel {options.channel!r}: no run{chosen} has its {options.kind}; the archive has the "
        f"channels {', '.join(names)}"
    )


def _history(
    configuration: dict[str, str], rows: list[tuple[Any, ...]], total: int, options: TrendQuery
) -> History:
    rows = rows[-options.last :]
    if options.by == GroupedBy.COMMIT:
        rows = _by_commit(rows)
    points = tuple(map(_point, rows))
    courses: list[Course] = []
    first = _TOTAL + 1
    for figure in options.figures:
        end = first + len(figure.columns)
        values = np.array(
            [
                np.nan if (v := figure.value(row[first:end], row[_TICK])) is None else v
                for row in rows
            ]
        )
        courses.append(_course(figure, values, points, options.by))
        first = end
    series = ""
    if options.by == GroupedBy.LOAD:
        series = configuration.get("load", "")
    elif options.by == GroupedBy.BOARD:
        series = configuration.get("board") or configuration.get("instrument", "")
    simulated = any(row[_SIMULATED] for row in rows)
    return History(configuration, series, simulated, points, total, tuple(courses))


def _by_commit(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return runs with those of a commit together, commits in the order of their first runs.

    A run whose commit is not known stands for itself.
    """
    groups: dict[object, list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(_point(row).group, []).append(row)
    return [row for group in groups.values() for row in group]


def _point(row: tuple[Any, ...]) -> Point:
    return Point(row[0], began(row[1]), Origin(*row[2:5]))


def _course(
    figure: FigureColumn,
    values: NDArray[np.float64],
    points: Sequence[Point],
    grouped_by: GroupedBy,
) -> Course:
    """Return a figure's course, with its changes or how many runs it lacks to tell."""
    known = np.flatnonzero(~np.isnan(values))
    own = values[known]
    starts = list(range(1, len(known)))
    if grouped_by == GroupedBy.COMMIT:
        groups = [points[int(number)].group for number in known]
        starts = [n for n in starts if groups[n] != groups[n - 1]]
    divisions = changes(own, starts)
    ends = [0, *(change.position for change in divisions), len(own)]
    medians = [float(np.median(own[a:b])) for a, b in pairwise(ends)] if len(own) else []
    steps = tuple(
        LevelStep(int(known[change.position]), medians[n], medians[n + 1], change.error)
        for n, change in enumerate(divisions)
    )
    since = ends[-2]
    short = lacking(own[since:], [start - since for start in starts if start > since])
    # Behind a change that was found, too few runs to find another one are no doubt by themselves.
    if divisions and len(own) - since < 2 * BEHIND:
        short = 0
    return Course(figure, values, steps, short)
