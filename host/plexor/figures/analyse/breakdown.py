# SPDX-License-Identifier: Apache-2.0
"""Splits a latency: from the strike to a first pin, that pin's pulse, and on to a second pin.

The three figures are never mixed: strike to the first pin (interrupt latency), width of the first
pin's pulse (time in the interrupt), end of the pulse to the second pin (interrupt exit to task
start).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.figures.analyse.samples import ChannelSamples

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Shares of each strike that both pins answered, in ticks: total = rise + width + gap.

    Each share is measured between its own two events. `broken` counts strikes whose shares do not
    add up. The base result is subtracted from rise and total alike, but by no more than the rise.
    """

    rise_ticks: Ticks
    width_ticks: Ticks
    gap_ticks: Ticks
    total_ticks: Ticks

    @property
    def broken(self) -> int:
        """Number of strikes whose shares do not add up to the total."""
        sum_ticks = self.rise_ticks + self.width_ticks + self.gap_ticks
        return int(np.count_nonzero(sum_ticks != self.total_ticks))

    @property
    def is_in_order(self) -> bool:
        """Whether most responses of the second pin come when the first pin's pulse has ended."""
        return 2 * int(np.count_nonzero(self.gap_ticks >= 0)) > len(self.gap_ticks)


def shares(first: ChannelSamples, second: ChannelSamples, base_ticks: int = 0) -> Shares:
    """Return the shares of each strike that has a rise and fall of `first` and a rise of `second`.

    Both channels must have the same reference, in the same events.
    """
    struck = second.rise.start_ticks
    for samples in (first.rise, first.fall):
        struck = np.intersect1d(struck, samples.start_ticks, assume_unique=True)
    rise, fall, total = (
        _at(samples.start_ticks, struck) for samples in (first.rise, first.fall, second.rise)
    )
    rise_time, fall_time = first.rise.time_ticks[rise], first.fall.time_ticks[fall]
    ended = np.searchsorted(first.width.time_ticks, fall_time)
    width = first.width.value_ticks[ended]
    # The width sample that ends with this fall must begin with this rise.
    width = np.where(fall_time - width == rise_time, width, -1)
    rises = first.rise.value_ticks[rise]
    taken = np.minimum(np.maximum(rises, 0), base_ticks)
    return Shares(
        rise_ticks=rises - taken,
        width_ticks=width,
        gap_ticks=second.rise.time_ticks[total] - fall_time,
        total_ticks=second.rise.value_ticks[total] - taken,
    )


def _at(start: Ticks, struck: Ticks) -> Ticks:
    order = np.argsort(start, kind="stable")
    return order[np.searchsorted(start[order], struck)]
