# SPDX-License-Identifier: Apache-2.0
"""Runs and sweeps compared: what differs, and whether a change is too large."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.analyse.analyse import Report
from plexor.analyse.pairing import AMBIGUOUS
from plexor.archive.archived import Archived
from plexor.errors import ApartError, ExitCode, UsageError
from plexor.judge.compare import Difference, differences
from plexor.judge.configuration import (
    CHANNEL,
    NOT_SET,
    configuration,
    differing,
    exact_rate,
    exact_time,
)
from plexor.judge.gate import (
    By,
    FailOn,
    Judgement,
    judge,
    needed,
)
from plexor.judge.verdict import Outcome, worst
from plexor.library.archive_spec import GateSpec
from plexor.library.load import load_run
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.library.specs.spec import takes
from plexor.library.specs.values import Naming, path_of
from plexor.store.run_folder import RUN_FILE
from plexor.sweep.compare import differences as sweep_differences
from plexor.sweep.model import SweepResult
from plexor.sweep.store import is_sweep, load

SCHEMA = "plexor.judge.compare/3"
OTHERS = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Letters of results that are compared with the first one, A."""
Source = str | Path | Run | Sweep | Archived
"""A result, its path, or a folder of results."""
Result = Report | SweepResult | Archived
_CODES = {
    Outcome.PASS: ExitCode.PASS,
    Outcome.FAIL: ExitCode.BUDGET,
    Outcome.TOO_FEW: ExitCode.INVALID,
    Outcome.NOT_COMPARABLE: ExitCode.INVALID,
}


_NO_CAUSE = ("count",)
"""Keys that are named where they differ, and that cause no difference by themselves."""


@dataclass(frozen=True, slots=True)
class Other:
    """A result that is compared with the first one, A."""

    letter: str
    place: str
    """Its folder, or what else it is."""
    values: Mapping[str, tuple[str, str]]
    """Entries of settings and device in which it differs from A: what A has, and what it has. Of
    folders of results each name begins with that of its result."""
    differing_keys: tuple[str, ...]
    """Keys of the configuration in which it differs from A."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two or more results side by side, or folders of such. All are compared with the first."""

    place: str
    """The first result's folder, or what else it is."""
    differences: tuple[Difference, ...]
    """Each figure of the first and of each other one, its change and the change's interval."""
    others: tuple[Other, ...]
    invalid_reasons: tuple[str, ...]
    """Why runs prove nothing."""
    notes: tuple[str, ...]
    """What cannot be compared, and what makes a cause unknown."""
    conditions: tuple[FailOn, ...] = ()
    by: By = By.INTERVAL
    judgements: tuple[Judgement, ...] = ()
    """One for each condition on each figure that it applies to."""
    skipped: tuple[FailOn, ...] = ()
    """Conditions whose figure neither result has."""

    @property
    def differing_keys(self) -> tuple[str, ...]:
        """Keys of the configuration in which any result differs from the first."""
        return tuple(sorted({key for other in self.others for key in other.differing_keys}))

    @property
    def outcome(self) -> Outcome:
        """Whether all changes are within their limits, one is not, or too few samples tell."""
        return worst(self.judgements)

    def exit_code(self) -> ExitCode:
        """Return the exit code. An invalid run comes first, because it proves nothing."""
        if self.conditions and self.invalid_reasons:
            return ExitCode.INVALID
        return _CODES[self.outcome]

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        from plexor.render.terminal.compare import compare_text  # noqa: PLC0415

        none: Mapping[str, tuple[str, str]] = {}
        sides = [("A", self.place, none)]
        sides += [(other.letter, other.place, other.values) for other in self.others]
        return compare_text(
            self.differences, self.judgements, sides=sides, width=width, colour=colour
        )

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor compare --json` prints."""
        asked = bool(self.conditions)
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
                        key: {"before": before, "after": after}
                        for key, (before, after) in other.values.items()
                    },
                }
                for other in self.others
            ],
            "first": {"run": "A", "place": self.place},
            "differences": [_difference(entry) for entry in self.differences],
            "judged_by": self.by.value if asked else None,
            "outcome": self.outcome.value if asked else None,
            "conditions": [_judgement(entry) for entry in self.judgements],
            "skipped": [condition.text for condition in self.skipped],
        }


@takes(GateSpec)
def compare(before: Source, after: Source | Sequence[Source], asked: GateSpec) -> Comparison:
    """Compare a result, or each of several, with an earlier one.

    All are runs, or all are sweeps, or folders that hold such: those of the same name are compared.
    The earlier one is A, the others are B to Z, 25 at most. The options are those of GateSpec:
    `fail_on="p99.9>+5%,mean>+10%,saturation<-2%"` are changes that are too large; `judge` is
    `interval`, by which a condition breaks only if that is certain, or `estimate`.

    Raises UsageError if nothing in them can be compared or judged, and StoreError for a path
    without a readable result.
    """
    return comparison(before, after, asked)


def comparison(
    before: Source,
    after: Source | Sequence[Source],
    asked: GateSpec,
    notes: tuple[str, ...] = (),
) -> Comparison:
    """Compare results as `compare` does. `notes` come before those on what cannot be compared."""
    conditions, by = asked.fail_on, By(asked.judge)
    found = compared(before, after, [condition.figure for condition in conditions])
    skipped = _skipped(conditions, found.differences, asked.naming)
    try:
        judgements = judge(found.differences, conditions, by)
    except ValueError as error:
        raise UsageError(f"{asked.naming('fail_on')} {error}") from error
    notes = (*notes, *found.notes)
    return replace(
        found, notes=notes, conditions=conditions, by=by, judgements=judgements, skipped=skipped
    )


def compared(
    before: Source, after: Source | Sequence[Source], wanted: Collection[str] = ()
) -> Comparison:
    """Return what differs between a result and each of the others.

    Of folders of results those of the same name are compared. A figure that one of several others
    has is there of all. Raises UsageError if nothing in them can be compared.
    """
    others = [after] if isinstance(after, Source) else list(after)
    if not 1 <= len(others) <= len(OTHERS):
        raise UsageError(f"compare: {1 + len(others)} results; must be 2 to {1 + len(OTHERS)}")
    first = _Side("A", before, _results(before))
    sides = [_Side(OTHERS[n], source, _results(source)) for n, source in enumerate(others)]
    parts = [_two(first, side, wanted) for side in sides]
    if len(parts) == 1:
        return parts[0]
    figures = {entry.figure for part in parts for entry in part.differences}
    parts = [_two(first, side, {*wanted, *figures}) for side in sides]
    found: list[Difference] = []
    notes: list[str] = []
    for side, part in zip(sides, parts, strict=True):
        found += [replace(entry, side=side.letter) for entry in part.differences]
        notes += [f"A and {side.letter}: {note}" for note in part.notes]
    return Comparison(
        first.place,
        tuple(found),
        tuple(other for part in parts for other in part.others),
        tuple(dict.fromkeys(reason for part in parts for reason in part.invalid_reasons)),
        tuple(notes),
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


def _two(first: _Side, second: _Side, wanted: Collection[str]) -> Comparison:
    """Return what differs between two."""
    one, other = first.results, second.results
    names = [name for name in one if name in other]
    if not names:
        raise ApartError(
            f"{first.source}, {second.source}: hold {_names(one)} and {_names(other)}; both must "
            "be a single result, or folders of results with the same names"
        )
    found: list[Difference] = []
    values: dict[str, tuple[str, str]] = {}
    keys: set[str] = set()
    invalid: list[str] = []
    notes = [f"{name}: is in only one of the two" for name in sorted({*one} ^ {*other})]
    for name in names:
        pair = one[name], other[name]
        label = f"{name}: " if name else ""
        own = _pair(*pair, wanted, f"{label}A and {second.letter}")
        found += [replace(entry, result=name) for entry in own]
        for key, (before, after) in differing(*map(_configuration, pair)).items():
            if key.startswith(CHANNEL) and NOT_SET in (before, after):
                continue  # a channel of one of them alone, which a note names
            values[f"{label}{key}"] = before, after
            keys.add(key)
        channels = [_channels(each) for each in pair]
        alone = sorted(set(channels[0]) ^ set(channels[1]))
        notes += [f"{label}{channel}: is in only one of the two" for channel in alone]
        for side, result in zip((first, second), pair, strict=True):
            if isinstance(result, Report):
                apart = [c.name for c in result.channels if not c.paired]
                notes += [
                    f"{label}{channel}: latencies are not comparable, since in {side.letter} "
                    f"{AMBIGUOUS}"
                    for channel in apart
                ]
                reasons = result.invalid_reasons
                told = f"{label}{side.letter} is an INVALID RUN"
                invalid += [f"{told}: {reason}" for reason in reasons]
    if not found:
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
            f"{len(causes)} keys of the configuration differ ({', '.join(causes)}), so the cause "
            "of a difference is not known"
        )
    other_side = Other(second.letter, second.place, values, tuple(sorted(keys)))
    return Comparison(first.place, tuple(found), (other_side,), tuple(invalid), tuple(notes))


def _results(source: Source) -> dict[str, Result]:
    """Return the results of a source by name; one that is a single result has no name."""
    if isinstance(source, Run):
        return {"": source.report}
    if isinstance(source, Sweep):
        return {"": source.result}
    if isinstance(source, Archived):
        return {"": source}
    path = path_of(source)
    if not path.is_dir() or is_sweep(path) or (path / RUN_FILE).exists():
        return {"": _read(path)}
    folders = sorted(entry for entry in path.iterdir() if entry.is_dir())
    kept = [entry for entry in folders if is_sweep(entry) or (entry / RUN_FILE).exists()]
    return {entry.name: _read(entry) for entry in kept} or {"": _read(path)}


def _read(path: Path) -> Result:
    return load(path) if is_sweep(path) else load_run(path).report


def _pair(one: Result, other: Result, wanted: Collection[str], label: str) -> Iterable[Difference]:
    if isinstance(one, Report | Archived) and isinstance(other, Report):
        return differences(one, other, wanted)
    if isinstance(one, SweepResult) and isinstance(other, SweepResult):
        if one.criteria != other.criteria:
            ours, theirs = (" and ".join(each.criteria) for each in (one, other))
            raise ApartError(
                f"{label}: sweeps by different criteria, {ours} and {theirs}; their saturation "
                "frequencies are not of the same thing"
            )
        return sweep_differences(one, other)
    raise ApartError(f"{label}: one is a sweep, the other a run; both must be of the same kind")


def _configuration(result: Result) -> Mapping[str, str]:
    """Return what a result was taken with."""
    if isinstance(result, Report):
        return configuration(result.result)
    if isinstance(result, Archived):
        return result.run.configuration
    return {
        "source": "simulated" if result.simulated else "measured",
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
    return [entry.name for entry in result.channels]


def _names(results: dict[str, Result]) -> str:
    return ", ".join(name or "one result" for name in results)


def _skipped(
    conditions: Sequence[FailOn], found: Sequence[Difference], name: Naming
) -> tuple[FailOn, ...]:
    """Return the conditions whose figure neither result has; raise UsageError if all are such."""
    figures = {entry.figure for entry in found}
    skipped = tuple(entry for entry in conditions if entry.figure not in figures)
    if skipped and len(skipped) == len(conditions):
        names = ", ".join(entry.text for entry in skipped)
        raise UsageError(f"{name('fail_on')} {names}: neither result has this figure")
    return skipped


def _difference(entry: Difference) -> dict[str, Any]:
    interval = entry.interval
    return {
        "result": entry.result,
        "channel": entry.channel,
        "figure": entry.figure,
        "unit": entry.unit,
        "run": entry.side or OTHERS[0],
        "before": _number(entry.before),
        "before_bound": None if entry.before_bound is None else entry.before_bound.value,
        "after": _number(entry.after),
        "after_bound": None if entry.after_bound is None else entry.after_bound.value,
        "ratio": _number(entry.ratio),
        "least": _number(interval.least),
        "most": _number(interval.most),
    }


def _judgement(entry: Judgement) -> dict[str, Any]:
    lacking = needed(entry) if entry.outcome == Outcome.TOO_FEW else None
    return {
        "condition": entry.condition.text,
        "result": entry.difference.result,
        "channel": entry.difference.channel,
        "run": entry.difference.side or OTHERS[0],
        "figure": entry.condition.figure,
        "limit": float(entry.condition.part),
        **entry.document(),
        "change": _number(entry.difference.change),
        "least": entry.least,
        "most": entry.most,
        "needed": None if lacking is None else lacking.count,
        "at_least": lacking is not None and lacking.at_least,
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
