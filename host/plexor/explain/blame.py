# SPDX-License-Identifier: Apache-2.0
"""What the device was doing when it was struck, by its codes. Pure.

The code in force at a strike is the last one that came before it; a strike in the tick of a code
comes first. It is not known before the first code, where codes may be missing, and after one whose
value is in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from plexor.decode.matched import Samples
from plexor.model.code_array import CodeArray
from plexor.model.results import EventArray

Ticks = npt.NDArray[np.int64]

NOT_KNOWN = -1
"""In place of a code."""


@dataclass(frozen=True, slots=True)
class Blamed:
    """The answers to strikes that met one code. Times are in ticks."""

    code: int
    """The code, or NOT_KNOWN."""
    answers: int
    late: int | None
    """Number of them that are in a cluster of late answers; None: not known of the chip's."""
    min_ticks: int
    max_ticks: int
    sum_ticks: int


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of a late answer: from a code, or the strike, to the next one."""

    code: int | None
    """The code that begins it, or NOT_KNOWN; None: the strike does."""
    ticks: int


@dataclass(frozen=True, slots=True)
class Chain:
    """A late answer, from its strike to its response. Its links add up to its latency."""

    strike_ticks: int
    latency_ticks: int
    code: int
    """The code in force at the strike, or NOT_KNOWN."""
    links: tuple[AnswerPart, ...]


class Blame:
    """Codes of a run, to be asked what was in force. `events` tells where codes may be missing."""

    def __init__(self, codes: CodeArray, events: EventArray) -> None:
        self._times = codes["time_ticks"].astype(np.int64)
        self._codes = np.where(codes["torn"], NOT_KNOWN, codes["code"].astype(np.int64))
        index = events["index"].astype(np.int64)
        after = np.flatnonzero(np.diff(index, prepend=-1) != 1)
        self._gaps = events["time_ticks"][after].astype(np.int64)
        """Time of the first event behind each place where events are missing."""

    def in_force(self, time_ticks: Ticks) -> Ticks:
        """Return the code in force at a strike of each time, or NOT_KNOWN."""
        if not len(self._times):
            return np.full(len(time_ticks), NOT_KNOWN, np.int64)
        place = np.searchsorted(self._times, time_ticks, "left") - 1
        last = np.maximum(place, 0)
        passed = np.searchsorted(self._gaps, time_ticks, "right")
        known = passed == np.searchsorted(self._gaps, self._times[last], "right")
        return np.where((place >= 0) & known, self._codes[last], NOT_KNOWN)

    def by_code(self, samples: Samples, late: Ticks) -> tuple[Blamed, ...]:
        """Return the answers by code, those with the longest latency first.

        `late` are the places of late answers among the samples.
        """
        codes = self.in_force(samples.start_ticks)
        is_late = np.zeros(len(codes), np.bool_)
        is_late[late] = True
        found = [
            Blamed(
                int(code),
                int(np.count_nonzero(own)),
                int(np.count_nonzero(is_late[own])),
                int(samples.value_ticks[own].min()),
                int(samples.value_ticks[own].max()),
                int(samples.value_ticks[own].sum()),
            )
            for code in np.unique(codes)
            for own in [codes == code]
        ]
        return tuple(sorted(found, key=lambda entry: (-entry.max_ticks, entry.code)))

    def chain(self, strike_ticks: int, latency_ticks: int) -> Chain:
        """Return what happened from a strike to its answer."""
        end = strike_ticks + latency_ticks
        first = np.searchsorted(self._times, strike_ticks, "left")
        inside = slice(int(first), int(np.searchsorted(self._times, end, "right")))
        borders = [strike_ticks, *self._times[inside].tolist(), end]
        codes: list[int | None] = [None, *self._codes[inside].tolist()]
        # Where events are missing, a code may be: what the device did until the next is not known.
        passed = np.searchsorted(self._gaps, borders, "right")
        links = tuple(
            AnswerPart(NOT_KNOWN if passed[place] < passed[place + 1] else code, end - begin)
            for place, (code, (begin, end)) in enumerate(zip(codes, pairwise(borders), strict=True))
        )
        (code,) = self.in_force(np.array([strike_ticks]))
        return Chain(strike_ticks, latency_ticks, int(code), links)
