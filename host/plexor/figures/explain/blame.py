# SPDX-License-Identifier: Apache-2.0
"""The device's code in force at each strike. Pure.

The code in force at a strike is the last code before it; a strike in the tick of a code comes
first. It is not known before the first code, where codes may be missing, and after a torn code.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from plexor.model.code_array import CodeArray
from plexor.model.results import EventArray
from plexor.wire.decode.matched import Samples

Ticks = npt.NDArray[np.int64]

NOT_KNOWN = -1
"""In place of a code."""


@dataclass(frozen=True, slots=True)
class Blamed:
    """The answers to strikes during one code. Times are in ticks."""

    code: int
    """The code, or NOT_KNOWN."""
    answers: int
    late: int | None
    """Number of them in clusters of late answers; None: the chip's tables do not tell."""
    min_ticks: int
    max_ticks: int
    sum_ticks: int


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A part of a late answer: from the strike or a code to the next code or the response."""

    code: int | None
    """The code that begins it, or NOT_KNOWN; None: the strike begins it."""
    ticks: int


@dataclass(frozen=True, slots=True)
class Chain:
    """A late answer from strike to response. Its links add up to its latency."""

    strike_ticks: int
    latency_ticks: int
    code: int
    """The code in force at the strike, or NOT_KNOWN."""
    links: tuple[AnswerPart, ...]


class Blame:
    """Looks up the code in force at a time. Gaps in `events` are where codes may be missing."""

    def __init__(self, codes: CodeArray, events: EventArray) -> None:
        self._times = codes["time_ticks"].astype(np.int64)
        self._codes = np.where(codes["torn"], NOT_KNOWN, codes["code"].astype(np.int64))
        index = events["index"].astype(np.int64)
        gap_ends = np.flatnonzero(np.diff(index, prepend=-1) != 1)
        self._gaps = events["time_ticks"][gap_ends].astype(np.int64)
        """Time of the first event after each gap."""

    def in_force(self, time_ticks: Ticks) -> Ticks:
        """Return the code in force at a strike of each time, or NOT_KNOWN."""
        if not len(self._times):
            return np.full(len(time_ticks), NOT_KNOWN, np.int64)
        position = np.searchsorted(self._times, time_ticks, "left") - 1
        last = np.maximum(position, 0)
        passed = np.searchsorted(self._gaps, time_ticks, "right")
        known = passed == np.searchsorted(self._gaps, self._times[last], "right")
        return np.where((position >= 0) & known, self._codes[last], NOT_KNOWN)

    def by_code(self, samples: Samples, late: Ticks) -> tuple[Blamed, ...]:
        """Return the answers by code, those with the longest latency first.

        `late` are the positions of late answers among the samples.
        """
        codes = self.in_force(samples.start_ticks)
        is_late = np.zeros(len(codes), np.bool_)
        is_late[late] = True
        blamed = [
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
        return tuple(
            sorted(blamed, key=lambda code_blame: (-code_blame.max_ticks, code_blame.code))
        )

    def chain(self, strike_ticks: int, latency_ticks: int) -> Chain:
        """Return the codes from a strike to its answer."""
        end = strike_ticks + latency_ticks
        first = np.searchsorted(self._times, strike_ticks, "left")
        inside = slice(int(first), int(np.searchsorted(self._times, end, "right")))
        borders = [strike_ticks, *self._times[inside].tolist(), end]
        codes: list[int | None] = [None, *self._codes[inside].tolist()]
        # A gap may hide a code: the device's code is not known until the next one.
        passed = np.searchsorted(self._gaps, borders, "right")
        links = tuple(
            AnswerPart(NOT_KNOWN if passed[link] < passed[link + 1] else code, end - begin)
            for link, (code, (begin, end)) in enumerate(zip(codes, pairwise(borders), strict=True))
        )
        (code,) = self.in_force(np.array([strike_ticks]))
        return Chain(strike_ticks, latency_ticks, int(code), links)
