"""Where a latency goes: from the strike to one pin, while that pin is active, and on to a second.

Three figures that are not mixed: strike to the first pin (interrupt latency), the first pin's
on-width (time in the interrupt), its end to the second pin (from interrupt exit to task start).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.analyse.samples import ChannelSamples

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Per strike that both pins answered, in ticks: total = rise + width + gap, if all is well.

    Each is measured between its own two events; `broken` counts strikes that break the identity. A
    base result is taken off rise and total alike, so much of it as the rise is long.
    """

    rise_ticks: Ticks
    width_ticks: Ticks
    gap_ticks: Ticks
    total_ticks: Ticks

    @property
    def broken(self) -> int:
        """Strikes whose parts do not add up to the whole."""
        parts = self.rise_ticks + self.width_ticks + self.gap_ticks
        return int(np.count_nonzero(parts != self.total_ticks))


def shares(first: ChannelSamples, second: ChannelSamples, base_ticks: int = 0) -> Shares:
    """Return the shares of each strike that has a rise and fall of `first` and a rise of `second`.

    Both channels must have the same reference, in the same events.
    """
    struck = np.intersect1d(
        np.intersect1d(first.rise.start_ticks, first.fall.start_ticks),
        second.rise.start_ticks,
    )
    rise, fall, total = (
        _at(samples.start_ticks, struck) for samples in (first.rise, first.fall, second.rise)
    )
    rise_time, fall_time = first.rise.time_ticks[rise], first.fall.time_ticks[fall]
    ended = np.searchsorted(first.width.time_ticks, fall_time)
    width = first.width.value_ticks[ended]
    # The width sample that ends with this fall must be of this very rise.
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
