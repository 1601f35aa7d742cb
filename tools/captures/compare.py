# SPDX-License-Identifier: Apache-2.0
"""Compares the edges and gaps that Plexor reads with those of another reader's changes. Pure."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from plexor.files.imports.capture import Capture, SignalBit
from plexor.files.imports.edges import SignalEdges
from tools.captures.reading import OtherReading, OtherSignal, plain_name

Rows = npt.NDArray[np.int64]
"""A time, and what is there: an edge to 0 or 1, or the start or the end of a gap."""

_LOST, _FOUND = 2, 3
_WORDS = ("falls", "rises", "is lost", "is found")
_LEVELS = np.full(256, _LOST, np.int64)
_LEVELS[[*b"0lL"]] = 0
_LEVELS[[*b"1hH"]] = 1


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two readings of a capture agree."""

    edges: Mapping[str, int]
    """For each bit that was compared, its edges and borders of gaps if all are equal, else 0."""
    wrong: str
    """The first that is not equal; empty if all are."""


def agreement(capture: Capture, chosen: Mapping[str, SignalBit], other: OtherReading) -> Agreement:
    """Compare a capture with another reading, bit by bit. `chosen` are the bits that were read.

    A bit of a signal that the other reader lacks, or has of another width, is not compared.
    """
    unit_fs = _common(capture.unit_fs, other.unit_fs)
    scale, other_scale = int(capture.unit_fs / unit_fs), int(other.unit_fs / unit_fs)
    # The other reader may not tell what stood before the start from what changes there.
    first = None if other.tells_start else capture.start * scale
    edges, wrong = dict[str, int](), ""
    parts = _parts(chosen.values(), other) if other.has_wholes else {}
    signals = {**other.signals, **parts}
    for key, bit in chosen.items():
        signal = signals.get(plain_name(bit.name))
        if signal is None or signal.bits != bit.of:
            continue
        ours = _behind(_ours(capture.edges[key], scale), first)
        theirs = _behind(_theirs(signal, bit.bit, other_scale), first)
        equal = np.array_equal(ours, theirs)
        edges[key] = len(ours) if equal else 0
        if not equal and not wrong:
            wrong = f"{key}: {_unlike(ours, theirs, unit_fs)}"
    return Agreement(edges, wrong)


def _parts(chosen: Iterable[SignalBit], other: OtherReading) -> dict[str, OtherSignal]:
    """Return the elements of records and arrays that the other reader has as a whole."""
    widths = {plain_name(bit.name): bit.of for bit in chosen}
    elements = defaultdict[str, list[str]](list)
    for name in widths:
        for match in re.finditer(r"[.[]", name):
            if name[: match.start()] in other.signals and name not in other.signals:
                elements[name[: match.start()]].append(name)
    found: dict[str, OtherSignal] = {}
    for whole, names in elements.items():
        signal, left = other.signals[whole], 0
        if signal.bits == sum(widths[name] for name in names):
            for name in names:
                right = left + widths[name]
                values = signal.values[:, left:right]
                found[name] = replace(signal, bits=widths[name], values=values)
                left = right
    return found


def _common(unit_fs: Fraction, other_fs: Fraction) -> Fraction:
    """Return the greatest unit of which both are multiples."""
    over = unit_fs.denominator * other_fs.denominator
    whole = math.gcd(
        unit_fs.numerator * other_fs.denominator, other_fs.numerator * unit_fs.denominator
    )
    return Fraction(whole, over)


def _ours(edges: SignalEdges, scale: int) -> Rows:
    rows = [(time, _LOST) for time, _ in edges.gaps]
    rows += [(time, _FOUND) for _, time in edges.gaps if time is not None]
    found = np.concatenate(
        [
            np.stack([edges.times, edges.levels.astype(np.int64)], axis=1),
            np.array(rows, np.int64).reshape(len(rows), 2),
        ]
    )
    found[:, 0] *= scale
    return found[np.argsort(found[:, 0], kind="stable")]


def _theirs(signal: OtherSignal, bit: int, scale: int) -> Rows:
    levels = _LEVELS[signal.values[:, signal.bits - 1 - bit]]
    times = signal.times * scale
    times[: signal.initial] -= scale
    if not len(times):
        return np.zeros((0, 2), np.int64)
    # The last of several values at one time counts.
    last = np.append(times[1:] != times[:-1], True)
    times, levels = times[last], levels[last]
    changes = np.append(True, levels[1:] != levels[:-1])
    times, levels = times[changes], levels[changes]
    before = np.append(-1, levels[:-1])
    kinds = np.where((before == _LOST) & (levels != _LOST), _FOUND, levels)
    # The first value is no edge.
    kept = (before != -1) | (levels == _LOST)
    return np.stack([times, kinds], axis=1)[kept]


def _behind(rows: Rows, first: int | None) -> Rows:
    return rows if first is None else rows[rows[:, 0] > first]


def _unlike(ours: Rows, theirs: Rows, unit_fs: Fraction) -> str:
    """Say where two lists part."""
    shorter = min(len(ours), len(theirs))
    unlike = np.flatnonzero((ours[:shorter] != theirs[:shorter]).any(axis=1))
    number = int(unlike[0]) if len(unlike) else shorter

    def row(rows: Rows) -> str:
        if number >= len(rows):
            return "nothing"
        time, kind = rows[number].tolist()
        return f"{_WORDS[kind]} at {float(time * unit_fs / 10**6):g} ns"

    return f"number {number}: {row(ours)} here, {row(theirs)} there"
