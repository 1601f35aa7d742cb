# SPDX-License-Identifier: Apache-2.0
"""The content of a capture: edges of named signals, in whole units of time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from plexor.errors import UsageError
from plexor.imports.exported import ExportedRun

MOST_EDGES = 1 << 26
"""Greatest number of edges of a capture: more do not fit into the memory of most machines."""
_MOST_NAMES = 20

Times = npt.NDArray[np.int64]
Levels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class SignalEdges:
    """The edges of one signal: their times in units, and the level after each."""

    times: Times
    levels: Levels
    brief: int = 0
    """Number of changes that were undone at the same time; they are left out."""
    first_value: tuple[int, int] | None = None
    """Time and level of the first value, if the level before it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Edges of the requested signals, by their names in the request."""

    format: str
    unit_fs: Fraction
    """Unit of all times, in femtoseconds."""
    sampled: bool
    """Whether a unit is the time from one sample to the next."""
    start: int
    """Time of the start, in units."""
    end: int
    """Time of the end. In a dump the last edge may be there."""
    edges: Mapping[str, SignalEdges]
    names: Mapping[str, str]
    """The whole name of each signal in the file."""
    step_fs: int | None = None
    """Time between samples that the file names, if its unit is another."""
    exported: ExportedRun = field(default_factory=ExportedRun)


def signal_in(path: Path, names: Iterable[str], signal: str) -> str:
    """Return the full name of `signal`: itself, or the only name that ends in `.signal`.

    Raises UsageError that lists the names if there is no such name, or more than one.
    """
    known = list(names)
    if signal in known:
        return signal
    ending = [name for name in known if name.endswith(f".{signal}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise UsageError(f"{path}: {signal!r} is {_listed(ending)}; name one of them")
    raise UsageError(f"{path}: no signal {signal!r}; it has {_listed(known) or 'none'}")


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def too_many(path: Path) -> UsageError:
    """Return the error of a capture with more edges than MOST_EDGES."""
    return UsageError(f"{path}: more than {MOST_EDGES} edges of these signals; cut the capture")


def edges_of(times: Times, levels: Levels) -> SignalEdges:
    """Return the edges of a signal from its values, in order of time: the first is no edge.

    Of several values at one time the last one counts.
    """
    if not len(times):
        return SignalEdges(times, levels)
    last = np.append(times[1:] != times[:-1], True)
    brief = int(np.count_nonzero(~last & (times != times[0])))
    times, levels = times[last], levels[last]
    changed = np.append(False, levels[1:] != levels[:-1])
    return SignalEdges(times[changed], levels[changed], brief)
