"""Frames of datagrams back into the order in which they were sent, by their sequence.

A network may lose datagrams, bring them twice and let one overtake another. What is missing waits
for a while; what comes after that is counted and left out, because those behind it are gone.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

HELD_FRAMES = 256
"""Frames held back for the sake of one that is missing."""
RECENT_FRAMES = 4096
"""A sequence further back is no late frame: the instrument has begun anew."""
_MODULUS = 1 << 32


class Disorder(StrEnum):
    """What became of a frame that did not come in its turn."""

    REORDERED = "reordered"  # came behind a later one, and was put in its place
    LATE = "late"  # came when those behind it had been given on: lost on the link
    DUPLICATE = "duplicate"  # came twice, was given on once


class FrameOrder:
    """Puts frames in order; `counts` has what was out of it.

    Each frame that is put in comes out once, or is counted as LATE or DUPLICATE. Frames come out
    with ascending sequence, modulo 2**32, but for one that is more than RECENT_FRAMES back. Frames
    behind a missing one are held until it comes, HELD_FRAMES are held, or `release` is called.
    """

    def __init__(self) -> None:
        self.counts: Counter[Disorder] = Counter()
        self._next: int | None = None
        self._highest = 0
        self._held: dict[int, bytes] = {}
        self._skipped: dict[int, None] = {}

    @property
    def waits(self) -> bool:
        """Whether frames are held back."""
        return bool(self._held)

    def put(self, sequence: int, frame: bytes) -> list[bytes]:
        """Take a frame; return those that are now in order."""
        if self._next is None:
            self._next = self._highest = sequence
        ahead = (sequence - self._next) % _MODULUS
        if ahead >= _MODULUS >> 1:
            return self._behind(sequence, frame, _MODULUS - ahead)
        if sequence in self._held:
            self.counts[Disorder.DUPLICATE] += 1
            return []
        if 0 < (self._highest - sequence) % _MODULUS < _MODULUS >> 1:
            self.counts[Disorder.REORDERED] += 1
        else:
            self._highest = sequence
        if ahead == 0:
            self._next = (sequence + 1) % _MODULUS
            return [frame, *self._following()]
        self._held[sequence] = frame
        return self.release() if len(self._held) > HELD_FRAMES else []

    def release(self) -> list[bytes]:
        """Give the first missing frames up; return those held back behind, up to a next gap."""
        if self._next is None or not self._held:
            return []
        start = self._next
        ahead = min((sequence - start) % _MODULUS for sequence in self._held)
        for missing in range(max(0, ahead - RECENT_FRAMES), ahead):
            self._skipped[(start + missing) % _MODULUS] = None
        while len(self._skipped) > RECENT_FRAMES:
            del self._skipped[next(iter(self._skipped))]
        self._next = (start + ahead) % _MODULUS
        return self._following()

    def _following(self) -> list[bytes]:
        """Return the held frames whose turn it is."""
        assert self._next is not None
        found: list[bytes] = []
        while self._next in self._held:
            found.append(self._held.pop(self._next))
            self._next = (self._next + 1) % _MODULUS
        return found

    def _behind(self, sequence: int, frame: bytes, back: int) -> list[bytes]:
        if back > RECENT_FRAMES:
            held = [self._held[key] for key in self._by_age()]
            self._held.clear()
            self._skipped.clear()
            self._next, self._highest = (sequence + 1) % _MODULUS, sequence
            return [*held, frame]
        late = sequence in self._skipped
        self._skipped.pop(sequence, None)
        self.counts[Disorder.LATE if late else Disorder.DUPLICATE] += 1
        return []

    def _by_age(self) -> list[int]:
        start = self._next or 0
        return sorted(self._held, key=lambda sequence: (sequence - start) % _MODULUS)
