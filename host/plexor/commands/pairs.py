"""The results in two folders that can be compared: runs with runs, sweeps with sweeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from plexor.analyse.analyse import Report, analyse
from plexor.commands.stored import read_run
from plexor.errors import UsageError
from plexor.judge.compare import Difference, configuration, differences, differing_keys
from plexor.store.run_folder import RUN_FILE
from plexor.sweep.compare import differences as sweep_differences
from plexor.sweep.model import SweepResult
from plexor.sweep.store import is_sweep, load

Result = Report | SweepResult


@dataclass(frozen=True, slots=True)
class Compared:
    """All differences, and the notes on them."""

    differences: tuple[Difference, ...]
    keys: tuple[str, ...]
    """Keys of the configuration that differ."""
    invalid: tuple[str, ...]
    """Why runs prove nothing."""
    notes: tuple[str, ...]


def compared(before: Path, after: Path, wanted: Collection[str]) -> Compared:
    """Return what differs between two results, or two folders of results of the same names.

    Raises UsageError if nothing in them can be compared.
    """
    one, other = _results(before), _results(after)
    names = [name for name in one if name in other]
    if not names:
        raise UsageError(
            f"{before}, {after}: hold {_names(one)} and {_names(other)}; both must be a single "
            "result, or folders of results with the same names"
        )
    found: list[Difference] = []
    keys: set[str] = set()
    invalid: list[str] = []
    notes = [f"{name}: is in only one of the two" for name in sorted({*one} ^ {*other})]
    for name in names:
        pair = one[name], other[name]
        label = f"{name}: " if name else ""
        own, differing = _pair(*pair, wanted, label)
        found += [replace(entry, result=name) for entry in own]
        keys |= {*differing}
        channels = [_channels(each) for each in pair]
        alone = sorted(set(channels[0]) ^ set(channels[1]))
        notes += [f"{label}{channel}: is in only one of the two" for channel in alone]
        for side, result in zip("AB", pair, strict=True):
            if isinstance(result, Report):
                reasons = result.invalid_reasons
                invalid += [f"{label}{side} is an INVALID RUN: {reason}" for reason in reasons]
    if len(keys) > 1:
        notes.append(
            f"{len(keys)} keys of the configuration differ ({', '.join(sorted(keys))}), so the "
            "cause of a difference is not known"
        )
    return Compared(tuple(found), tuple(sorted(keys)), tuple(invalid), tuple(notes))


def _results(path: Path) -> dict[str, Result]:
    """Return the results at a path by name; a path that is one result has no name."""
    if not path.is_dir() or is_sweep(path) or (path / RUN_FILE).exists():
        return {"": _read(path)}
    folders = sorted(entry for entry in path.iterdir() if entry.is_dir())
    kept = [entry for entry in folders if is_sweep(entry) or (entry / RUN_FILE).exists()]
    return {entry.name: _read(entry) for entry in kept} or {"": _read(path)}


def _read(path: Path) -> Result:
    return load(path) if is_sweep(path) else analyse(read_run(path))


def _pair(
    one: Result, other: Result, wanted: Collection[str], label: str
) -> tuple[Iterable[Difference], tuple[str, ...]]:
    if isinstance(one, Report) and isinstance(other, Report):
        keys = differing_keys(configuration(one), configuration(other))
        return differences(one, other, wanted), keys
    if isinstance(one, SweepResult) and isinstance(other, SweepResult):
        return sweep_differences(one, other), differing_keys(one.device, other.device)
    raise UsageError(
        f"{label}A and B: one is a sweep, the other a run; both must be of the same kind"
    )


def _channels(result: Result) -> list[str]:
    if isinstance(result, Report):
        return [entry.name for entry in result.channels]
    return [f"{knee.channel} under {knee.load}" for knee in result.knees]


def _names(results: dict[str, Result]) -> str:
    return ", ".join(name or "one result" for name in results)
