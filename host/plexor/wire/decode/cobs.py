# SPDX-License-Identifier: Apache-2.0
"""Decodes COBS for many frames at once, in numpy.

If an encoding has no 255 code, its payload is the encoding without the first byte, with a zero in
place of each further code. The codes form a chain: each one gives the distance to the next.
`unstuff` follows the chains of all frames in lockstep. The cost is a few nanoseconds for each code,
and nothing for the other bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.intp]

_STEPS = 16
"""Number of codes that are followed between two checks for finished frames."""


def unstuff(data: Bytes, starts: Offsets, ends: Offsets) -> tuple[Bytes, NDArray[np.bool_]]:
    """Return a copy of `data`, in which frame n is data[starts[n] + 1 : ends[n]], and flags.

    `ends` are the positions of the frames' delimiters, which must be in `data`. Flag n is False if
    frame n is not a valid encoding or has 255 codes. `unstuff_one` tells the two apart.
    """
    decoded = data.copy()
    fits = np.ones(len(starts), dtype=np.bool_)
    numbers = np.arange(len(starts), dtype=np.intp)
    position = starts.copy()
    end = ends.copy()
    furthest = starts.copy()
    code = np.empty(len(starts), dtype=np.uint8)
    while len(position):
        for _ in range(_STEPS):
            # A delimiter is its own successor, so a finished frame stays where it is.
            data.take(position, out=code, mode="clip")
            position += code
            np.maximum(furthest, position, out=furthest)
            np.minimum(position, end, out=position)
            decoded[position] = 0
        running = position != end
        if not running.all():
            done = ~running
            fits[numbers[done]] = furthest[done] == end[done]
            numbers, position, end = numbers[running], position[running], end[running]
            furthest = furthest[running]
            code = np.empty(len(position), dtype=np.uint8)
    return decoded, fits


def unstuff_one(stretch: bytes) -> bytearray | None:
    """Decode one stretch without a zero, 255 codes included; return None if it is no encoding."""
    decoded = bytearray(stretch)
    cuts: list[int] = []
    position, end = 0, len(stretch)
    while True:
        code = stretch[position]
        position += code
        if position >= end:
            break
        if code == 255:
            cuts.append(position)
        else:
            decoded[position] = 0
    # The encoding may omit the closing code after a full block.
    if position > end:
        return None
    for cut in reversed(cuts):
        del decoded[cut]
    del decoded[0]
    return decoded
