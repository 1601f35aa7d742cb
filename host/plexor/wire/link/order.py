# SPDX-License-Identifier: Apache-2.0
"""Restores the order in which the frames of datagrams were sent, by their sequence.

A network may lose, duplicate and reorder datagrams. A missing frame is awaited for a while. If it
arrives later, it is counted and left out, because the frames after it have been passed on.
"""

from __future__ import annotations

from collections import Counter

from plexor.wire.link.sequence import MODULUS, Disorder, Past

HELD_FRAMES = 256
"""Frames held back for the sake of one that is missing; so far the first may have overtaken."""


class FrameOrder:
    """Puts frames in order; `counts` counts those that were out of order.

    Each frame that is put in comes out once, or is counted as LATE or DUPLICATE. Frames come out
    with ascending sequence, modulo 2**32, until an instrument begins anew. Frames behind a missing
    one are held until it comes, HELD_FRAMES are held, or `release` is called.
    """

    def __init__(self) -> None:
        self.counts: Counter[Disorder] = Counter()
        self._next: int | None = None
        self._highest = 0
        self._held: dict[int, bytes] = {}
        self._past = Past()

    @property
    def waits(self) -> bool:
        """Whether frames are held back."""
        return bool(self._held)

    def put(self, sequence: int, frame: bytes) -> list[bytes]:
        """Take a frame; return those that are now in order."""
        if self._next is None:
            self._next = self._highest = sequence
            # What it has overtaken comes too late.
            self._past.miss(sequence - HELD_FRAMES, HELD_FRAMES)
        ahead = (sequence - self._next) % MODULUS
        if ahead >= MODULUS >> 1:
            return self._behind(sequence, frame, MODULUS - ahead)
        if sequence in self._held:
            self.counts[Disorder.DUPLICATE] += 1
            return []
        if 0 < (self._highest - sequence) % MODULUS < MODULUS >> 1:
            self.counts[Disorder.REORDERED] += 1
        else:
            self._highest = sequence
        if ahead == 0:
            self._next = (sequence + 1) % MODULUS
            self._past.came(1)
            return [frame, *self._following()] if self._held else [frame]
        self._held[sequence] = frame
        return self.release() if len(self._held) > HELD_FRAMES else []

    def release(self) -> list[bytes]:
        """Give up the first missing frames; return those held after them, up to the next gap."""
        if self._next is None or not self._held:
            return []
        start = self._next
        ahead = min((sequence - start) % MODULUS for sequence in self._held)
        self._past.miss(start, ahead)
        self._next = (start + ahead) % MODULUS
        return self._following()

    def _following(self) -> list[bytes]:
        """Return the held frames whose turn it is."""
        assert self._next is not None
        frames: list[bytes] = []
        while self._next in self._held:
            frames.append(self._held.pop(self._next))
            self._next = (self._next + 1) % MODULUS
        self._past.came(len(frames))
        return frames

    def _behind(self, sequence: int, frame: bytes, frames_behind: int) -> list[bytes]:
        disorder = self._past.disorder_of(sequence, frames_behind)
        if disorder is not None:
            self.counts[disorder] += 1
            return []
        held = [self._held[key] for key in self._by_age()]
        self._held.clear()
        self._next, self._highest = (sequence + 1) % MODULUS, sequence
        self._past.came(1)
        return [*held, frame]

    def _by_age(self) -> list[int]:
        start = self._next or 0
        return sorted(self._held, key=lambda sequence: (sequence - start) % MODULUS)
