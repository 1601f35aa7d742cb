# SPDX-License-Identifier: Apache-2.0
"""What a capture holds: its signals with their edges, and how a run could be made of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from plexor.base.units import FEMTOSECONDS, seconds_of
from plexor.files.imports.capture import RANGE, Capture, CaptureFile, ReadRules, SignalBit
from plexor.files.imports.open import open_capture
from plexor.files.imports.proposal import proposed
from plexor.files.imports.timing import timing_of
from plexor.files.imports.windows import steps_of

_MOST_READ = 4096
"""Signals whose edges are counted: more are only named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSignal:
    """One signal of a capture."""

    name: str
    kind: str
    bits: int
    """Its width; 0 for what has no levels."""
    rises: int | None
    """Edges to high; None: they were not counted."""
    falls: int | None
    period_s: Fraction | None
    """Half of its rises are at most this apart; None: it has less than two."""
    use: str
    """What it can be, or why it can be nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureListing:
    """What a capture holds."""

    file: str
    format: str
    from_s: Fraction
    to_s: Fraction
    step_s: Fraction
    """All edges are at multiples of this time."""
    signals: tuple[ListedSignal, ...]
    notes: tuple[str, ...]
    strike: str | None
    """A signal that may strike: the others follow it. None: there are no two that fit."""
    responses: tuple[str, ...]
    """Signals that may answer it."""


def listing(path: Path, reading: ReadRules) -> CaptureListing:
    """Return what a capture holds. Raises UsageError for a file that cannot be read."""
    file = open_capture(path, reading)
    usable = [name for name, declared in file.signals.items() if declared.usable][:_MOST_READ]
    capture = file.read([SignalBit(name, file.signals[name].handle) for name in usable])
    timing = timing_of(path, capture)
    signals = {n: own for n, own in capture.edges.items() if not file.signals[n].is_mark}
    strike, responses = proposed(signals, capture.start)
    return CaptureListing(
        file=path.name,
        format=file.format,
        from_s=capture.start * capture.unit_fs / FEMTOSECONDS,
        to_s=capture.end * capture.unit_fs / FEMTOSECONDS,
        step_s=seconds_of(1, timing.step_fs),
        signals=tuple(_listed(file, name, capture) for name in file.signals),
        notes=capture.notes,
        strike=strike,
        responses=responses,
    )


def _listed(file: CaptureFile, name: str, capture: Capture) -> ListedSignal:
    declared, edges = file.signals[name], capture.edges.get(name)
    if edges is None:
        use = "no levels" if not declared.bits else f"one bit of it, such as {_bit(name)}"
        return ListedSignal(
            name=name,
            kind=declared.kind,
            bits=declared.bits,
            rises=None,
            falls=None,
            period_s=None,
            use=use if not declared.usable else "strike or response",
        )
    rises = edges.times[edges.levels == 1]
    period_s = None
    steps = steps_of(rises, capture.gaps)
    if len(steps):
        period_s = Fraction(int(np.median(steps))) * capture.unit_fs / FEMTOSECONDS
    return ListedSignal(
        name=name,
        kind=declared.kind,
        bits=declared.bits,
        rises=len(rises),
        falls=len(edges.times) - len(rises),
        period_s=period_s,
        use="strike or response" if len(edges.times) else "nothing: it never changes",
    )


def _bit(name: str) -> str:
    # A number alone is an element of an array, not a range.
    match = RANGE.search(name)
    return f"{name[: match.start()]}[{match[1]}]" if match else f"{name}[0]"
