# SPDX-License-Identifier: Apache-2.0
"""Compares runs and sweeps: their differences, and whether a change is too large."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.counts import counted
from plexor.base.errors import ApartError, ExitCode, UsageError
from plexor.base.figure_words import source_word
from plexor.experiments.sweep.compare import differences as sweep_differences
from plexor.experiments.sweep.model import SweepResult
from plexor.figures.analyse.analyse import Report
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.figures.judge.compare import VARIANCE, Difference, differences, is_quantile
from plexor.figures.judge.configuration import (
    CHANNEL,
    NOT_SET,
    configuration,
    differing,
    exact_rate,
    exact_time,
)
from plexor.figures.judge.figured import Figured, figured_differences
from plexor.figures.judge.gate import (
    By,
    FailOn,
    Judgement,
    judge,
    needed,
)
from plexor.figures.judge.verdict import Outcome, worst
from plexor.files.archive.archived import Archived
from plexor.files.store.run_folder import RUN_FILE
from plexor.library.load import figured_run, is_result, load, load_run
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.library.specs.archive_spec import GateSpec
from plexor.library.specs.spec import takes
from plexor.library.specs.values import Naming, path_of
from plexor.show.changes import names_of, sentences
from plexor.show.compare_page import ComparedSide, compare_page
from plexor.show.pictures.frame import provenance
from plexor.show.pictures.overlay import Overlaid
from plexor.show.pictures.picture import picture
from plexor.show.terminal.compare import change_text, compare_text

SCHEMA = "plexor.judge.compare/3"
OTHERS = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Letters of results that are compared with the first one, A."""
Source = str | Path | Run | Sweep | Archived
"""A result, its path, or a folder of results."""
Result = Report | SweepResult | Archived | Figured
_CODES = {
    Outcome.PASS: ExitCode.PASS,
    Outcome.FAIL: ExitCode.BUDGET,
    Outcome.TOO_FEW: ExitCode.INVALID,
    Outcome.NOT_COMPARABLE: ExitCode.INVALID,
}


_NO_CAUSE = ("count",)
"""Keys whose difference is named but causes no difference of figures."""


@dataclass(frozen=True, slots=True)
class Other:
    """A result that is compared with the first one, A."""

    letter: str
    place: str
    """Its folder, or what else it is."""
    values: Mapping[str, tuple[str, str]]
    """Values of A and of this result for each key of settings and device that differs. For folders
    of results, each key begins with the name of its result."""
    differing_keys: tuple[str, ...]
    """Keys of the configuration in which it differs from A."""


class Change(float):
    """How much a figure changed, as a part of what it was: 0.05 is 5 % more.

    `least` and `most` are its 95 % interval; None: nothing bounds that side. `before` and `after`
    are in seconds, in hertz, or shares.
    """

    least: float | None
    most: float | None
    before: float
    after: float

    def __repr__(self) -> str:
        bounds = [end for end in (self.least, self.most) if end is not None]
        told = " to ".join(f"{100 * end:+.3g} %" for end in bounds)
        return f"{100 * self:+.3g} %" + (f" (95 %: {told})" if len(bounds) == 2 else "")


class Changes:
    """How much each figure of a channel changed: `.p99`, `.max`, `.mean`, or `["p99.9"]`.

    A figure whose change is not known is None: one result lacks it, or it was 0 before.
    """

    def __init__(self, entries: Sequence[Difference]) -> None:
        self._known = {entry.figure: _change_of(entry) for entry in entries}

    def __getitem__(self, figure: str) -> Change | None:
        if figure in self._known:
            return self._known[figure]
        raise UsageError(f"{figure!r}: not compared; must be one of {', '.join(self._known)}")

    def __getattr__(self, figure: str) -> Change | None:
        nines = re.fullmatch(r"p99(9+)", figure)
        name = f"p99.{nines[1]}" if nines else figure
        if name not in self._known:
            raise AttributeError(f"{figure}: not compared; {', '.join(self._known)} are")
        return self._known[name]

    def __repr__(self) -> str:
        return ", ".join(f"{name} {change!r}" for name, change in self._known.items())


def _change_of(entry: Difference) -> Change | None:
    if entry.change is None or entry.before is None or entry.after is None:
        return None
    change = Change(entry.change)
    ends = entry.ratio_interval
    change.least, change.most = (
        None if end is None else float(end - 1) for end in (ends.least, ends.most)
    )
    change.before, change.after = float(entry.before), float(entry.after)
    return change


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Results, or folders of results, compared with the first one."""

    place: str
    """The first result's folder, or what else it is."""
    differences: tuple[Difference, ...]
    """Each figure of the first and of each other result, its change and the change's interval."""
    others: tuple[Other, ...]
    invalid_reasons: tuple[str, ...]
    """Reasons why runs prove nothing."""
    notes: tuple[str, ...]
    """Notes on parts that cannot be compared, and on unknown causes."""
    conditions: tuple[FailOn, ...] = ()
    by: By = By.INTERVAL
    judgements: tuple[Judgement, ...] = ()
    """One for each condition on each figure that it applies to."""
    skipped: tuple[FailOn, ...] = ()
    """Conditions whose figure neither result has."""
    source: str = ""
    """Where the figures come from: simulated, measured on what, or both."""
    reports: tuple[Overlaid, ...] = ()
    """The runs, A first, if all are single runs of the same tick: what can be drawn."""
    columns: str | None = None
    """More figures that text and page show, as GateSpec says; the document has all."""

    def __repr__(self) -> str:
        """Return a sentence for each channel: `ISR: B is 1.05 times A at p99, 95 % between ...`."""
        letters = ["A", *(other.letter for other in self.others)]
        places = [self.place, *(other.place for other in self.others)]
        names = dict(zip(letters, names_of(letters, places), strict=True))
        lines = sentences(self.differences, names)
        if self.conditions:
            lines.append(f"{self.outcome}{f': {why}' if (why := self.reason()) else ''}")
        return "\n".join((*lines, *self.invalid_reasons))

    @property
    def change(self) -> Mapping[str, Changes]:
        """How much each figure changed, by channels: `comparison.change["ISR"].p99`.

        Of several others the letter is before the channel, of folders the result: `B: ISR`.
        """
        by: dict[str, list[Difference]] = {}
        for entry in self.differences:
            by.setdefault(entry.name, []).append(entry)
        return {name: Changes(entries) for name, entries in by.items()}

    @property
    def differing_keys(self) -> tuple[str, ...]:
        """Keys of the configuration in which any result differs from the first."""
        return tuple(sorted({key for other in self.others for key in other.differing_keys}))

    @property
    def shown(self) -> tuple[Difference, ...]:
        """The differences that text and page show."""
        more = self.columns is not None
        return tuple(entry for entry in self.differences if more or entry.figure != VARIANCE)

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of all judgements."""
        return worst(self.judgements)

    def exit_code(self) -> ExitCode:
        """Return the exit code. An invalid run comes first, because it proves nothing."""
        if self.conditions and self.invalid_reasons:
            return ExitCode.INVALID
        return _CODES[self.outcome]

    def reason(self) -> str:
        """Return in one line why the exit code is not 0; empty if it is."""
        if self.exit_code() == ExitCode.PASS:
            return ""
        if self.conditions and self.invalid_reasons:
            return self.invalid_reasons[0]
        return next(
            change_text(judgement)
            for judgement in self.judgements
            if judgement.outcome == self.outcome
        )

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        none: Mapping[str, tuple[str, str]] = {}
        sides = [("A", self.place, none)]
        sides += [(other.letter, other.place, other.values) for other in self.others]
        return compare_text(self.shown, self.judgements, sides=sides, width=width, colour=colour)

    def page(self) -> str:
        """Return it as an HTML page."""
        sides = [ComparedSide("A", self.place, {})]
        sides += [ComparedSide(other.letter, other.place, other.values) for other in self.others]
        return compare_page(
            sides,
            self.shown,
            self.judgements,
            self.source,
            self.reports,
            invalid_reasons=self.invalid_reasons,
            notes=self.notes,
            document=self.document(),
        )

    def picture(self) -> str:
        """Return the histograms of all runs on the same axes as an SVG picture.

        Raises UsageError for sweeps, folders of several, runs of an archive, and other ticks.
        """
        runs = [each for each in self.reports if isinstance(each, Report)]
        if not runs or len(runs) < len(self.reports):
            raise UsageError(
                "only runs of the same tick, each with a folder of its own, make one picture; a "
                "page (.html) shows the others too"
            )
        names = [self.place, *(other.place for other in self.others)]
        letters = ["A", *(other.letter for other in self.others)]
        told = [f"{letter}, {name}" for letter, name in zip(letters, names, strict=True)]
        return picture(*runs, names=told)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor compare --json` prints."""
        is_judged = bool(self.conditions)
        return {
            "schema": SCHEMA,
            "exit_code": int(self.exit_code()),
            "invalid_reasons": list(self.invalid_reasons),
            "differing_keys": list(self.differing_keys),
            "runs": [
                {
                    "run": other.letter,
                    "place": other.place,
                    "differing_keys": list(other.differing_keys),
                    "differing": {
                        key: {"before": first_value, "after": other_value}
                        for key, (first_value, other_value) in other.values.items()
                    },
                }
                for other in self.others
            ],
            "first": {"run": "A", "place": self.place},
            "differences": [_difference(difference) for difference in self.differences],
            "judged_by": self.by.value if is_judged else None,
            "outcome": self.outcome.value if is_judged else None,
            "conditions": [_judgement(judgement) for judgement in self.judgements],
            "skipped": [condition.text for condition in self.skipped],
        }


@takes(GateSpec)
def compare(before: Source, after: Source | Sequence[Source], options: GateSpec) -> Comparison:
    """Compare a result, or each of several, with an earlier one.

    All are runs, all are sweeps, or all are folders, whose results of the same name are compared.
    The earlier one is A; the others are B to Z, at most 25. The options are those of GateSpec:
    `fail_on="p99.9>+5%,mean>+10%,saturation<-2%"` are changes that are too large; `judge` is
    `interval`, by which a condition breaks only if that is certain, or `estimate`; `columns` are
    figures that text and page show only when they are asked for: `variance`.

    Raises UsageError if nothing in them can be compared or judged, and StoreError for a path
    without a readable result.
    """
    return comparison(before, after, options)


def comparison(
    before: Source,
    after: Source | Sequence[Source],
    options: GateSpec,
    notes: tuple[str, ...] = (),
) -> Comparison:
    """Compare results as `compare` does; `notes` precede the notes of the comparison."""
    conditions, by = options.fail_on, By(options.judge)
    result = compared(before, after, [condition.figure for condition in conditions])
    skipped = _skipped(conditions, result.differences, options.naming)
    try:
        judgements = judge(result.differences, conditions, by)
    except ValueError as error:
        raise UsageError(f"{options.naming('fail_on')} {error}") from error
    notes = (*notes, *result.notes)
    return replace(
        result,
        notes=notes,
        conditions=conditions,
        by=by,
        judgements=judgements,
        skipped=skipped,
        columns=options.columns,
    )


def compared(
    before: Source, after: Source | Sequence[Source], figures_needed: Collection[str] = ()
) -> Comparison:
    """Return the differences between a result and each of the others.

    In folders, results of the same name are compared. A figure that differs in one of the others is
    listed for all. Raises UsageError if nothing can be compared.
    """
    others = [after] if isinstance(after, Source) else list(after)
    if not 1 <= len(others) <= len(OTHERS):
        raise UsageError(f"compare: {1 + len(others)} results; must be 2 to {1 + len(OTHERS)}")
    first = _Side("A", before, _results(before))
    sides = [_Side(OTHERS[n], source, _results(source)) for n, source in enumerate(others)]
    pairs = [_two(first, side, figures_needed) for side in sides]
    shown = _reports([first, *sides])
    source = _source([first, *sides])
    if len(pairs) == 1:
        return replace(pairs[0], source=source, reports=shown)
    found = {difference.figure for pair in pairs for difference in pair.differences}
    # A percentile of too few samples is listed without being asked for, and has no value then.
    figures = {figure for figure in found if not is_quantile(figure)}
    pairs = [_two(first, side, {*figures_needed, *figures}) for side in sides]
    differences: list[Difference] = []
    notes: list[str] = []
    for side, pair in zip(sides, pairs, strict=True):
        differences += [replace(difference, side=side.letter) for difference in pair.differences]
        notes += [f"A and {side.letter}: {note}" for note in pair.notes]
    return Comparison(
        first.place,
        tuple(differences),
        tuple(other for pair in pairs for other in pair.others),
        tuple(dict.fromkeys(reason for pair in pairs for reason in pair.invalid_reasons)),
        tuple(notes),
        source=source,
        reports=shown,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """A result, or several by name, with its letter."""

    letter: str
    source: Source
    results: dict[str, Result]

    @property
    def place(self) -> str:
        """Its folder, or what else it is."""
        if isinstance(self.source, Archived):
            return f"run {self.source.run.run} of the archive"
        if isinstance(self.source, Run):
            return f"the run begun {self.source.result.started or 'at an unknown time'}"
        if isinstance(self.source, Sweep):
            return f"the sweep begun {self.source.result.started or 'at an unknown time'}"
        return str(self.source)

    @property
    def name(self) -> str:
        """Its letter and its place, for messages."""
        return f"{self.letter} ({self.place})"


def _reports(sides: Sequence[_Side]) -> tuple[Overlaid, ...]:
    """Return the runs if all are single runs of the same tick; else none."""
    results = [result for side in sides for result in side.results.values()]
    reports = [result for result in results if isinstance(result, Overlaid)]
    alone = len(reports) == len(results) == len(sides)
    same = len({report.tick_fs for report in reports}) == 1
    return tuple(reports) if alone and same else ()


def _source(sides: Sequence[_Side]) -> str:
    """Return where the figures of all results come from."""
    sources = {_source_of(result) for side in sides for result in side.results.values()}
    return " and ".join(sorted(sources))


def _source_of(result: Result) -> str:
    if isinstance(result, Report):
        return provenance(result.result)
    simulated = result.run.simulated if isinstance(result, Archived) else result.simulated
    return source_word(simulated)


def _two(first: _Side, second: _Side, figures_needed: Collection[str]) -> Comparison:
    """Return the comparison of two results, or of two folders of results."""
    first_results, second_results = first.results, second.results
    names = [name for name in first_results if name in second_results]
    if not names:
        raise ApartError(
            f"{first.source}, {second.source}: hold {_names(first_results)} and "
            f"{_names(second_results)}; both must be a single result, or folders of results "
            "with the same names"
        )
    differences: list[Difference] = []
    values: dict[str, tuple[str, str]] = {}
    keys: set[str] = set()
    invalid: list[str] = []
    notes = [
        f"{name}: is in only one of the two"
        for name in sorted({*first_results} ^ {*second_results})
    ]
    for name in names:
        pair = first_results[name], second_results[name]
        label = f"{name}: " if name else ""
        own = _pair(*pair, figures_needed, f"{label}A and {second.letter}")
        differences += [replace(difference, result=name) for difference in own]
        for key, (first_value, second_value) in differing(*map(_configuration, pair)).items():
            if key.startswith(CHANNEL) and NOT_SET in (first_value, second_value):
                continue  # a channel of only one result, which a note names
            values[f"{label}{key}"] = first_value, second_value
            keys.add(key)
        channels = [_channels(one_result) for one_result in pair]
        unshared = sorted(set(channels[0]) ^ set(channels[1]))
        notes += [f"{label}{channel}: is in only one of the two" for channel in unshared]
        for side, result in zip((first, second), pair, strict=True):
            if isinstance(result, Report | Figured):
                prefix = f"{label}{side.letter} is an INVALID RUN"
                invalid += [f"{prefix}: {reason}" for reason in result.invalid_reasons]
            if isinstance(result, Report):
                ambiguous = [c.name for c in result.channels if not c.paired]
                notes += [
                    f"{label}{channel}: latencies are not comparable, since in {side.letter} "
                    f"{AMBIGUOUS}"
                    for channel in ambiguous
                ]
    if not differences:
        ours, theirs = (
            ", ".join(dict.fromkeys(c for n in names for c in _channels(side.results[n])))
            for side in (first, second)
        )
        raise ApartError(
            f"{first.name} and {second.name} have no channel in common: {ours or 'none'}, and "
            f"{theirs or 'none'}"
        )
    causes = sorted(keys.difference(_NO_CAUSE))
    if len(causes) > 1:
        notes.append(
            f"{counted(len(causes), 'key')} of the configuration differ ({', '.join(causes)}), so "
            "the cause "
            "of a difference is not known"
        )
    other_side = Other(second.letter, second.place, values, tuple(sorted(keys)))
    return Comparison(first.place, tuple(differences), (other_side,), tuple(invalid), tuple(notes))


def _results(source: Source) -> dict[str, Result]:
    """Return the results of a source by name; the name of a single result is empty."""
    if isinstance(source, Run):
        return {"": figured_run(source) or source.report}
    if isinstance(source, Sweep):
        return {"": source.result}
    if isinstance(source, Archived):
        return {"": source}
    path = path_of(source)
    if not path.is_dir() or is_result(path):
        return {"": _read(path)}
    folders = sorted(entry_path for entry_path in path.iterdir() if entry_path.is_dir())
    with_result = [each for each in folders if is_result(each)]
    return {folder.name: _read(folder) for folder in with_result} or {"": _read(path)}


def _read(path: Path) -> Result:
    """Return what is at a path. Of a phase scan and the run it was taken from, it is the run."""
    has_run = (path / RUN_FILE).exists() and not Sweep.is_in(path)
    found = load_run(path) if has_run else load(path)
    if isinstance(found, Sweep):
        return found.result
    if isinstance(found, Run):
        return figured_run(found) or found.report
    figured = found.figured()
    if figured is None:
        raise ApartError(f"{path}: holds a {found.what}, of which nothing is compared")
    return figured


def _pair(
    first: Result, second: Result, figures_needed: Collection[str], label: str
) -> Iterable[Difference]:
    if isinstance(first, Report | Archived) and isinstance(second, Report | Archived):
        return differences(first, second, figures_needed)
    if isinstance(first, SweepResult) and isinstance(second, SweepResult):
        if first.criteria != second.criteria:
            ours, theirs = (" and ".join(result.criteria) for result in (first, second))
            raise ApartError(
                f"{label}: sweeps by different criteria, {ours} and {theirs}; their saturation "
                "frequencies are not of the same thing"
            )
        return sweep_differences(first, second)
    if isinstance(first, Figured) and isinstance(second, Figured) and first.kind == second.kind:
        return figured_differences(first, second, figures_needed)
    ours, theirs = _kind(first), _kind(second)
    raise ApartError(
        f"{label}: one is a {ours}, the other a {theirs}; both must be of the same kind"
    )


def _kind(result: Result) -> str:
    if isinstance(result, Figured):
        return result.kind
    return "sweep" if isinstance(result, SweepResult) else "run"


def _configuration(result: Result) -> Mapping[str, str]:
    """Return the configuration that a result was taken with."""
    if isinstance(result, Report):
        return configuration(result.result)
    if isinstance(result, Archived):
        return result.run.configuration
    if isinstance(result, Figured):
        return result.configuration
    return {
        "source": source_word(result.simulated),
        "tick": exact_time(Fraction(result.tick_fs, 10**15)),
        "strike": result.shape,
        "from": exact_rate(result.low_hz),
        "to": exact_rate(result.high_hz),
        "resolution": f"{float(result.width):.3g}",
        **result.device,
    }


def _channels(result: Result) -> list[str]:
    if isinstance(result, SweepResult):
        return [f"{knee.channel} under {knee.load}" for knee in result.knees]
    if isinstance(result, Figured):
        return list(result.names)
    return [channel.name for channel in result.channels]


def _names(results: dict[str, Result]) -> str:
    return ", ".join(name or "one result" for name in results)


def _skipped(
    conditions: Sequence[FailOn], differences: Sequence[Difference], name: Naming
) -> tuple[FailOn, ...]:
    """Return the conditions whose figure neither result has; raise UsageError if all lack it."""
    figures = {difference.figure for difference in differences}
    skipped = tuple(condition for condition in conditions if condition.figure not in figures)
    if skipped and len(skipped) == len(conditions):
        names = ", ".join(condition.text for condition in skipped)
        raise UsageError(f"{name('fail_on')} {names}: neither result has this figure")
    return skipped


def _difference(difference: Difference) -> dict[str, Any]:
    interval = difference.interval
    return {
        "result": difference.result,
        "channel": difference.channel,
        "figure": difference.figure,
        "unit": difference.unit,
        "run": difference.side or OTHERS[0],
        "before": _number(difference.before),
        "before_bound": None if difference.before_bound is None else difference.before_bound.value,
        "after": _number(difference.after),
        "after_bound": None if difference.after_bound is None else difference.after_bound.value,
        "needs": difference.needs,
        "ratio": _number(difference.ratio),
        "least": _number(interval.least),
        "most": _number(interval.most),
    }


def _judgement(judgement: Judgement) -> dict[str, Any]:
    lacking = needed(judgement) if judgement.outcome == Outcome.TOO_FEW else None
    return {
        "condition": judgement.condition.text,
        "result": judgement.difference.result,
        "channel": judgement.difference.channel,
        "run": judgement.difference.side or OTHERS[0],
        "figure": judgement.condition.figure,
        "limit": float(judgement.condition.part),
        **judgement.document(),
        "change": _number(judgement.difference.change),
        "least": judgement.least,
        "most": judgement.most,
        "needed": None if lacking is None else lacking.count,
        "at_least": lacking is not None and lacking.at_least,
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
