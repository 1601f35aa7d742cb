# SPDX-License-Identifier: Apache-2.0
"""Captures of several windows, each around a trigger. What lies between two was not captured. Pure.

A window's first sample is no edge: nobody knows how its level came to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from plexor.base.counts import counted
from plexor.files.imports.capture import Capture
from plexor.files.imports.edges import Levels, SignalEdges, Times, edges_of
from plexor.files.imports.signals import Unknown

Gaps = tuple[tuple[int, int], ...]


def edges_in_windows(
    times: Times,
    levels: Levels,
    starts: Sequence[int],
    unknown: Unknown = Unknown.CUT,
) -> SignalEdges:
    """Return the edges of a signal from its values, in each window by itself.

    `starts` are the times of the first samples of the second window and of those behind it. A value
    that is not told again at such a time goes on.
    """
    bounds = [0, *np.searchsorted(times, starts).tolist(), len(times)]
    parts: list[SignalEdges] = []
    for number, (begin, end) in enumerate(pairwise(bounds)):
        own, values = times[begin:end], levels[begin:end]
        if number and begin and (begin == end or own[0] > starts[number - 1]):
            own = np.insert(own, 0, starts[number - 1])
            values = np.insert(values, 0, levels[begin - 1])
        parts.append(edges_of(own, values, unknown))
    ends = [*starts, None]
    return SignalEdges(
        np.concatenate([part.times for part in parts]),
        np.concatenate([part.levels for part in parts]),
        brief=sum(part.brief for part in parts),
        gaps=tuple(
            (first, ends[number] if last is None else last)
            for number, part in enumerate(parts)
            for first, last in part.gaps
        ),
    )


def in_windows(capture: Capture, starts: Sequence[int]) -> Capture:
    """Return a capture of samples with gaps before the windows that begin at `starts`.

    Such a gap lies within the unit between two samples, which is halved for it: no time moves.
    """
    if not starts:
        return capture
    return replace(
        capture,
        unit_fs=capture.unit_fs / 2,
        start=2 * capture.start,
        end=2 * capture.end,
        edges={name: _halved(edges) for name, edges in capture.edges.items()},
        step_fs=round(capture.unit_fs),
        gaps=tuple((2 * first - 1, 2 * first) for first in starts),
        notes=(*capture.notes, _note(len(starts) + 1)),
    )


def _halved(edges: SignalEdges) -> SignalEdges:
    return replace(
        edges,
        times=2 * edges.times,
        gaps=tuple((2 * first, None if last is None else 2 * last) for first, last in edges.gaps),
    )


def steps_of(times: Times, gaps: Gaps) -> Times:
    """Return the time from each to the next, but across a gap."""
    apart = np.diff(times)
    for first, last in gaps:
        position = int(np.searchsorted(times, first))
        if 0 < position < len(times) and times[position] >= last:
            apart[position - 1] = -1
    return apart[apart >= 0]


def _note(windows: int) -> str:
    return (
        f"{counted(windows, 'window')}: how long it is from one to the next is not known; nothing "
        "is matched across, and what is open at the end of one is pending"
    )
