# SPDX-License-Identifier: Apache-2.0
"""A part of a capture, from one time of its file to another. Pure."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from plexor.base.errors import UsageError
from plexor.base.units import FEMTOSECONDS, format_seconds
from plexor.files.imports.capture import Capture
from plexor.files.imports.edges import SignalEdges


def within(path: Path, capture: Capture, from_s: Fraction | None, to_s: Fraction | None) -> Capture:
    """Return the capture from one time to another, in the times of its file; None: as it is.

    Raises UsageError if nothing of the capture lies there.
    """
    unit_s = capture.unit_fs / FEMTOSECONDS
    start = capture.start if from_s is None else max(capture.start, ceil(from_s / unit_s))
    end = capture.end if to_s is None else min(capture.end, floor(to_s / unit_s))
    if (start, end) == (capture.start, capture.end):
        return capture
    if start >= end:
        first, last = (format_seconds(bound * unit_s, 6) for bound in (capture.start, capture.end))
        raise UsageError(f"{path}: nothing from --from to --until; it lasts from {first} to {last}")
    edges = {name: _within(own, start, end) for name, own in capture.edges.items()}
    gaps = tuple(
        (max(first, start), min(last, end))
        for first, last in capture.gaps
        if first < end and last > start
    )
    return replace(capture, start=start, end=end, edges=edges, gaps=gaps)


def _within(edges: SignalEdges, start: int, end: int) -> SignalEdges:
    inside = (edges.times >= start) & (edges.times <= end)
    first = edges.first_value
    return replace(
        edges,
        times=edges.times[inside],
        levels=edges.levels[inside],
        first_value=first if first is not None and start <= first[0] <= end else None,
        gaps=tuple(
            (max(begin, start), stop)
            for begin, stop in edges.gaps
            if begin < end and (stop is None or stop > start)
        ),
    )
