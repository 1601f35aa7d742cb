# SPDX-License-Identifier: Apache-2.0
"""Which signal of a capture may strike, and which may answer it. Pure.

A strike rises before its answer. Where a capture begins while a signal is high, the first rise of
that signal was not seen. Then the signal strikes whose rises the others follow sooner.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from plexor.files.imports.edges import SignalEdges, Times
from plexor.protocol.frames import MAX_CHANNELS

_CLOCK = 8
"""A signal with this many times the edges of another is a clock to it."""


def proposed(edges: Mapping[str, SignalEdges], start: int) -> tuple[str | None, tuple[str, ...]]:
    """Return a signal that no other one of about as many rises precedes, and those after it."""
    rises = {name: own.times[own.levels == 1] for name, own in edges.items()}
    active = sorted((name for name in rises if len(rises[name])), key=lambda name: rises[name][0])
    order = {name: number for number, name in enumerate(active)}
    high = {name for name in active if not edges[name].levels[0]}

    def precedes(name: str, other: str) -> bool:
        if not high & {name, other}:
            return order[name] < order[other]
        there = _behind(rises[name], rises[other], start if name in high else None)
        back = _behind(rises[other], rises[name], start if other in high else None)
        return (there, order[name]) < (back, order[other])

    for strike in active:
        alike = [name for name in active if _are_alike(rises[strike], rises[name])]
        if any(precedes(name, strike) for name in alike):
            continue
        # A signal that has several names in a file answers once.
        responses: list[str] = []
        for name in alike:
            if not any(np.array_equal(rises[name], rises[other]) for other in responses):
                responses.append(name)
        if responses:
            return strike, tuple(responses[:MAX_CHANNELS])
    return None, ()


def _are_alike(rises: Times, others: Times) -> bool:
    """Return whether two signals rise about as often; not one signal under two names."""
    often = len(rises) <= _CLOCK * len(others) and len(others) <= _CLOCK * len(rises)
    return often and not np.array_equal(rises, others)


def _behind(rises: Times, others: Times, start: int | None) -> float:
    """Return how long after a signal's last rise another one rises: half of its rises at most this.

    With `start`, the signal was high there and rose there at the latest. Infinite: the other one
    rises after none.
    """
    last = np.searchsorted(rises, others, side="right") - 1
    seen = last >= 0
    if seen.any():
        return float(np.median(others[seen] - rises[last[seen]]))
    return float("inf") if start is None else float(others[0] - start)
