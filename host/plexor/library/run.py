# SPDX-License-Identifier: Apache-2.0
"""A finished run: its figures, arrays and tables, and what can be made of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plexor.base.counts import counted
from plexor.base.errors import ExitCode, StoreError, UsageError
from plexor.base.units import ticks_of
from plexor.figures.analyse.analyse import Report, analyse
from plexor.figures.judge.budget import Budget, Judged, judge
from plexor.figures.judge.budget_file import load as load_budget
from plexor.figures.judge.verdict import Outcome
from plexor.files.store.document import document
from plexor.files.store.notes import Note
from plexor.library.explain.profile import Profile
from plexor.library.explain.specs import ProfileSpec, TimelineSpec, WhySpec
from plexor.library.explain.timeline import Timeline
from plexor.library.explain.why import Why
from plexor.library.keep import FolderPlace, Tap, check_out, keep
from plexor.library.reading import Reading, of_name, plot_of
from plexor.library.specs.options import Less
from plexor.library.specs.spec import takes
from plexor.library.specs.values import Time, path_of
from plexor.library.tables import events_table, latencies_table, to_pandas
from plexor.model.identity import Identity
from plexor.model.results import Accounting, EventArray, RunResult
from plexor.show import facts
from plexor.show.notebook import run_html, run_line
from plexor.show.page import page
from plexor.show.pictures.picture import picture
from plexor.show.terminal.run import text, verdict_text

if TYPE_CHECKING:
    from fractions import Fraction


class Run:
    """A run that has ended, measured now or loaded.

    `base` (seconds, or a text such as `120ns`) is subtracted from each latency. `columns` adds
    figures: `variance`, `jitter128`, or of a velocity such as `90km/h` how far an object moves
    during each latency.
    """

    def __init__(
        self,
        result: RunResult,
        base: Time = 0,
        columns: str | Sequence[str | Fraction] = (),
        unsaved: StoreError | None = None,
    ) -> None:
        self.result = result
        """Everything as it was measured, in ticks."""
        self.unsaved = unsaved
        """Why the run was not kept where it was to be; None if it was."""
        self.folder: Path | None = None
        """Where the run is kept: `out`, or a name beside it that was free. None if it is not."""
        self.notes: tuple[Note, ...] = ()
        """What somebody noted on it, the oldest first; `plexor show RUN --note TEXT` adds one."""
        self._less = Less.of({"base": base, "columns": columns})
        self._base_ticks = round(ticks_of(self._less.base, result.tick_fs))

    @takes(Less)
    def less(self, options: Less) -> Run:
        """Return this run with another base and more columns, as the options of Less say."""
        run = Run(self.result, options.base, options.columns, self.unsaved)
        run.notes = self.notes
        return run

    def taken_by(self, command: Sequence[str]) -> Run:
        """Have the run say which command line took it, by its words, before it is kept."""
        self.result = replace(self.result, command=shlex.join(command))
        return self

    def __repr__(self) -> str:
        return f"<plexor.Run {run_line(self.report)}>"

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        return run_html(self.report)

    @cached_property
    def report(self) -> Report:
        """All figures, in ticks."""
        less = self._less
        return analyse(self.result, self._base_ticks, less.velocity, less.named_columns)

    @property
    def valid(self) -> bool:
        """Whether the figures can be trusted."""
        return self.report.valid

    @property
    def invalid_reasons(self) -> tuple[str, ...]:
        """Why the figures cannot be trusted; empty for a valid run."""
        return self.report.invalid_reasons

    @property
    def simulated(self) -> bool:
        """Whether the instrument is a simulation."""
        return self.result.simulated

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end."""
        return self.result.interrupted

    @property
    def tick_fs(self) -> int:
        """Length of a tick, in femtoseconds."""
        return self.result.tick_fs

    @property
    def identity(self) -> Identity:
        """The instrument."""
        return self.result.identity

    @property
    def device(self) -> Mapping[str, str]:
        """The description of the device under test."""
        return self.result.device

    @property
    def accounting(self) -> Accounting:
        """Where every event went."""
        return self.result.accounting

    @cached_property
    def channels(self) -> tuple[Reading, ...]:
        """All channels that were measured."""
        return tuple(
            Reading(figures.result, self.tick_fs, figures) for figures in self.report.channels
        )

    def __getitem__(self, name: str) -> Reading:
        return of_name(self.channels, name)

    @property
    def events(self) -> EventArray | None:
        """The events in order (plexor.EVENT_DTYPE); None if they were not kept or not sent."""
        return self.result.events

    def to_arrow(self) -> Any:
        """Return the latencies as a pyarrow.Table, one row for each strike of each channel.

        Its columns are channel, strike (from 0), time_s, latency_s (null if the strike was missed)
        and class. Its schema's metadata has the tick and whether the run is simulated and valid.
        Raises UsageError for a run whose events are not complete, or whose strikes are not known.
        """
        return latencies_table(self)

    def to_pandas(self) -> Any:
        """Return the latencies as a pandas.DataFrame with the columns of `to_arrow`.

        Raises UsageError as that does, and if pandas is not installed.
        """
        return to_pandas(self.to_arrow())

    def events_arrow(self) -> Any:
        """Return the events as a pyarrow.Table: time_ticks, index, source, polarity.

        Raises UsageError for a run without events.
        """
        return events_table(self)

    def events_pandas(self) -> Any:
        """Return the events as a pandas.DataFrame. Raises UsageError if pandas is not installed."""
        return to_pandas(self.events_arrow())

    def plot(self, *others: Run, names: Sequence[str] = (), kind: str = "rise") -> Any:
        """Return the histograms as a matplotlib Figure, those of other runs on the same axes.

        `names` are those of all runs, this one's first. `kind` is rise, fall, width or period.
        Raises UsageError if matplotlib is not installed, and for a channel without that kind.
        """
        runs = (self, *others)
        told = list(names) or [f"run {n}" for n in range(1, len(runs) + 1)]
        if len(told) != len(runs):
            raise UsageError(
                f"names: {len(told)} for {counted(len(runs), 'run')}; give one for each run"
            )
        before = [f"{name}: " if len(runs) > 1 else "" for name in told]
        channels = [(name, reading) for name, run in zip(before, runs, strict=True)
                    for reading in run.channels]  # fmt: skip
        return plot_of(channels, kind, facts.headline(self.report))

    def judge(self, budget: str | Path | Budget) -> Judged:
        """Return what a budget says of the run: a file, or a Budget.

        Raises UsageError for a file that is no budget, and for one that does not fit the run.
        """
        limits = budget if isinstance(budget, Budget) else load_budget(str(budget))
        try:
            return judge(self.report, limits)
        except ValueError as error:
            raise UsageError(str(error)) from error

    def exit_code(self, verdict: Judged | None = None) -> ExitCode:
        """Return the exit code. Invalid comes first, because such a run proves nothing."""
        if not self.valid:
            return ExitCode.INVALID
        if verdict is None or verdict.outcome == Outcome.PASS:
            return ExitCode.PASS
        return ExitCode.BUDGET if verdict.outcome == Outcome.FAIL else ExitCode.INVALID

    def text(self, verdict: Judged | None = None, *, width: int = 100, colour: bool = False) -> str:
        """Return the figures as text for a terminal."""
        return text(self.report, verdict, self.notes, width=width, colour=colour)

    def verdict_text(self, verdict: Judged, *, width: int = 100, colour: bool = False) -> str:
        """Return only a verdict as text for a terminal."""
        return verdict_text(self.report, verdict, width=width, colour=colour)

    def document(
        self, verdict: Judged | None = None, code: ExitCode | None = None
    ) -> dict[str, Any]:
        """Return the figures as the document of `plexor measure --json`."""
        code = self.exit_code(verdict) if code is None else code
        return document(self.report, verdict, code, self.notes)

    def page(self, verdict: Judged | None = None) -> str:
        """Return the figures as an HTML page, which carries them as JSON too."""
        return page(self.report, verdict, self.document(verdict), self.notes)

    def picture(self, *others: Run, names: Sequence[str] = ()) -> str:
        """Return the histograms as SVG, those of other runs on the same axes.

        `names` are those of all runs, this one's first, by which the plots of several are told
        apart; `run 1`, `run 2` and so on if none are given. Raises UsageError if the runs'
        ticks differ.
        """
        ticks = {run.tick_fs for run in (self, *others)}
        if len(ticks) > 1:
            raise UsageError(
                f"the runs have ticks of {sorted(ticks)} fs; all must have the same tick"
            )
        return picture(*(run.report for run in (self, *others)), names=names)

    @takes(WhySpec)
    def why(self, options: WhySpec) -> Why:
        """Return the late answers of each channel, their clusters, and how each cluster recurs.

        The options are those of WhySpec: `over="50us"`. Without it, late answers are those beyond
        the first wide gap above the median.
        """
        limit = None if options.over is None else round(ticks_of(options.over, self.tick_fs))
        return Why(self.result, limit)

    @takes(TimelineSpec)
    def timeline(self, options: TimelineSpec) -> Timeline:
        """Return what the device's tasks and interrupts did, by its codes.

        The options are those of TimelineSpec: `start` and `end` bound what is drawn, and `cursors`
        are two times to measure between. All are seconds from the start of the run, or texts such
        as `1.5ms`. Raises UsageError for a run without codes.
        """
        return Timeline(self.result, options.start, options.end, options.cursors)

    @takes(ProfileSpec)
    def profile(self, options: ProfileSpec) -> Profile:
        """Return where the device's functions spent their time, by its codes.

        The options are those of ProfileSpec: `view="butterfly"`, which needs the name of a
        `function`, `base="120ns"`, the time of an empty call. Raises UsageError for a run without
        codes, and for a view or function that is not there.
        """
        base_ticks = round(ticks_of(options.base, self.tick_fs))
        return Profile(
            self.result, options.view, base_ticks, options.function, options.by, options.most
        )

    def export(self, *paths: str | Path, budget: str | Budget | None = None) -> None:
        """Write the run to files of other tools; the suffix of each names its format.

        For example `run.export("run1.vcd", "run1.pftrace")`. `budget` is for JUnit (.xml) and
        Markdown (.md). Raises UsageError for a file that this run cannot be written to, StoreError
        if a file cannot be written.
        """
        # An import at the top would be a circle: what writes a run needs its class.
        from plexor.library.exchange import export  # noqa: PLC0415

        export(self, paths, budget)

    def keep(self, place: FolderPlace, wire: Tap | None = None) -> Path:
        """Keep the run at a place that was looked at before it was taken; return its folder.

        Raises UnwrittenError with the path if it cannot be written.
        """
        self.folder = keep(self.result, place, wire)
        return self.folder

    def save(self, folder: str | Path, *, force: bool = False, wire: Tap | None = None) -> Path:
        """Keep the run in a new folder, as a whole or not at all; return the folder.

        `force` replaces a folder that holds a run; other files in it stay. If another process takes
        the name meanwhile, the folder gets another one. `wire` has the raw bytes of the run's link,
        which are moved into the folder. Raises UnwrittenError with the path if it cannot be
        written, and UsageError if there is something else.
        """
        return self.keep(check_out(path_of(folder), force), wire)
