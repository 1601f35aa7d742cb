# SPDX-License-Identifier: Apache-2.0
"""Which frames of a link have arrived and which have not, by the sequence in their headers."""

from __future__ import annotations

from enum import StrEnum

MODULUS = 1 << 32
RECENT_FRAMES = 4096
"""Frames further back are not known."""


class Disorder(StrEnum):
    """What happened to a frame that arrived out of turn."""

    REORDERED = "reordered"  # came behind a later one, and was put in its place
    LATE = "late"  # came when those behind it had been given on: lost on the link
    DUPLICATE = "duplicate"  # came before, was given on once


class Past:
    """The frames up to the last one that came."""

    def __init__(self) -> None:
        self._known = 0
        self._missing: dict[int, None] = {}

    def came(self, frames: int) -> None:
        """Take so many frames as come, each in its turn."""
        self._known = min(self._known + frames, RECENT_FRAMES)

    def miss(self, first: int, frames: int) -> None:
        """Take so many frames, from one sequence on, as passed over."""
        for ahead in range(max(0, frames - RECENT_FRAMES), frames):
            self._missing[(first + ahead) % MODULUS] = None
        while len(self._missing) > RECENT_FRAMES:
            del self._missing[next(iter(self._missing))]
        self.came(frames)

    def disorder_of(self, sequence: int, frames_behind: int) -> Disorder | None:
        """Return what a frame is that comes `frames_behind` behind its turn: LATE or DUPLICATE.

        None: it is of before all that is known, so the instrument has begun anew. Then everything
        is forgotten.
        """
        if frames_behind > self._known:
            self._known = 0
            self._missing.clear()
            return None
        if sequence in self._missing:
            del self._missing[sequence]
            return Disorder.LATE
        return Disorder.DUPLICATE
