# SPDX-License-Identifier: Apache-2.0
"""Rebuilds the instrument's result memories from the frames of their dumps.

Two banks count alternately, and a dump holds the frozen one. Totals are the sum of the last dump of
both banks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plexor.model.results import Counts, Statistics
from plexor.protocol.frames import SPACE_MASK, Frame, FrameType, MemoryFlag, split_place
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import (
    HISTOGRAM_SPACES,
    STATISTICS,
    STATISTICS_SETS,
    STEP,
    Space,
    banks,
    entries,
    entry_words,
)

Words = NDArray[np.uint32]


@dataclass(slots=True)
class _Image:
    """One space of one bank: the dump in progress, and the last complete one."""

    words: Words
    arrived: NDArray[np.bool_]
    dump: tuple[int, bool] | None = None
    complete: Words | None = None
    complete_dump: tuple[int, bool] | None = None
    final: bool = False


class Memories:
    """Both banks of all spaces of a build. `rejected` counts frames that fit no space."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.rejected = 0
        self.spaces = tuple(space for space in Space if entries(geometry, space))
        self._images = {
            (space, bank): _image(entries(geometry, space) * entry_words(space))
            for space in self.spaces
            for bank in range(banks(geometry, space))
        }

    def add(self, frame: Frame) -> None:
        """Take a HISTOGRAM or STATISTICS frame. Frames may come twice and in any order."""
        number, bank = frame.flags & SPACE_MASK, int(bool(frame.flags & MemoryFlag.BANK))
        image = None
        if number in set(Space):
            image = self._images.get((Space(number), bank))
        words = np.frombuffer(frame.payload, dtype="<u4")
        offset, zeros = split_place(frame.index)
        histogram = frame.type == FrameType.HISTOGRAM
        if (
            image is None
            or offset + len(words) > len(image.words)
            or zeros > offset
            or (Space(number) in HISTOGRAM_SPACES) != histogram
        ):
            self.rejected += 1
            return
        final = bool(frame.flags & MemoryFlag.FINAL)
        dump = (frame.tag, final)
        if image.dump != dump:
            image.dump = dump
            image.arrived[:] = False
        image.words[offset - zeros : offset] = 0
        image.words[offset : offset + len(words)] = words
        image.arrived[offset - zeros : offset + len(words)] = True
        if image.arrived.all():
            image.complete = image.words.copy()
            image.complete_dump = dump
            image.final = final

    def missing(self, final_spaces: int) -> tuple[Space, ...]:
        """Return the spaces in the register `final_spaces` whose final dump is not complete."""
        return tuple(
            space
            for space in self.spaces
            if final_spaces >> space & 1 and not all(image.final for image in self._banks(space))
        )

    def coherent(self, spaces: Iterable[Space]) -> int | None:
        """Return the last snapshot's number if all of `spaces` come from it, else None."""
        # A snapshot dumps one bank of a space with two banks, and the only bank of the others.
        sized: dict[int, list[tuple[int, bool] | None]] = {}
        for size in (1, 2):
            sized_banks = [
                images for images in map(self._banks, self._present(spaces)) if len(images) == size
            ]
            for images in zip(*sized_banks, strict=True):
                dumps = {image.complete_dump for image in images}
                if len(dumps) != 1:
                    return None
                sized.setdefault(size, []).extend(dumps)
        lasts = {
            size: max((dump for dump in dumps if dump is not None), default=None)
            for size, dumps in sized.items()
        }
        if len(set(lasts.values())) != 1:
            return None
        (last,) = set(lasts.values())
        # The dump at the end has the number of the last snapshot, and other counts.
        return None if last is None or last[1] else last[0]

    @property
    def words(self) -> int:
        """Number of words in all dumps."""
        return sum(len(image.words) for image in self._images.values())

    def words_arrived(self) -> int:
        """Return how many words of the final dumps have arrived. It grows during a dump."""
        return sum(
            int(image.arrived.sum())
            for image in self._images.values()
            if image.dump is not None and image.dump[1]
        )

    def _present(self, spaces: Iterable[Space]) -> list[Space]:
        return [space for space in spaces if space in self.spaces]

    def _banks(self, space: Space) -> list[_Image]:
        if space not in self.spaces:
            return []
        return [self._images[space, bank] for bank in range(banks(self.geometry, space))]

    def complete_dumps(self, space: Space) -> list[Words]:
        """Return the last complete dump of each bank. A bank that was never dumped is left out."""
        complete_dumps = [image.complete for image in self._banks(space)]
        return [dump for dump in complete_dumps if dump is not None]

    def known(self, space: Space) -> bool:
        """Return whether the build has the space and at least one of its banks was dumped."""
        return space in self.spaces and bool(self.complete_dumps(space))

    def counts(self, space: Space) -> Counts:
        """Return the totals of a space of counters or bins, one for each entry."""
        total = np.zeros(entries(self.geometry, space), dtype=np.uint64)
        for words in self.complete_dumps(space):
            total += words if entry_words(space) == 1 else words.view("<u8")
        return total

    def statistics(self, space: Space, key: int) -> Statistics:
        """Return the statistics of a key, combined over banks and interleaved sets."""
        size = STATISTICS.size_bytes // 4
        keys = entries(self.geometry, space) // STATISTICS_SETS
        records = [
            STATISTICS.unpack(words[record * size : (record + 1) * size].tobytes())
            for words in self.complete_dumps(space)
            for record in range(key, keys * STATISTICS_SETS, keys)
        ]
        return fold(records, self.geometry.features)

    def steps(self, count: int) -> list[list[dict[str, int]]]:
        """Return the STEP records of the first `count` steps, by channel, or of the whole table."""
        size, keys = STEP.size_bytes, 1 << self.geometry.key_bits
        complete_dumps = self.complete_dumps(Space.STEPS)
        image = complete_dumps[0].tobytes() if complete_dumps else b""
        records = [
            STEP.unpack(image[offset : offset + size])
            for offset in range(0, min(count * keys * size, len(image)), size)
        ]
        return [records[first : first + keys] for first in range(0, len(records), keys)]


def _image(size: int) -> _Image:
    return _Image(np.zeros(size, dtype="<u4"), np.zeros(size, dtype=np.bool_))


def fold(records: list[dict[str, int]], features: Feature) -> Statistics:
    """Combine STATISTICS records: sums add, minimum and maximum keep their first index."""
    filled = [record for record in records if record["count"]]
    squares = Feature.SUM_SQUARES in features
    total_sq = sum(r["sum_sq_high_ticks2"] << 64 | r["sum_sq_low_ticks2"] for r in filled)
    count = sum(record["count"] for record in filled)
    total = sum(record["sum_ticks"] for record in filled)
    if not filled:
        return Statistics(0, 0, 0 if squares else None, None, None)
    least = min(filled, key=lambda record: (record["min_ticks"], record["min_index"]))
    most = min(filled, key=lambda record: (-record["max_ticks"], record["max_index"]))
    extremes = Feature.EXTREMES in features
    return Statistics(
        count,
        total,
        total_sq if squares else None,
        least["min_ticks"],
        most["max_ticks"],
        least["min_index"] if extremes else None,
        most["max_index"] if extremes else None,
        least["min_time_ticks"] if extremes else None,
        most["max_time_ticks"] if extremes else None,
    )
