# SPDX-License-Identifier: Apache-2.0
"""Pad delay: the time from a strike's tick through its pad and back to the channels' flip-flops.

A strike at tick s that is seen at tick k came between the instants of samples k - 1 and k. So the
delay lies in the bin of k, less s. Strikes at every phase of the sampler give as many bins, and the
delay lies in all of them. Strikes keep to ticks, so with even bins nothing more is known. But each
channel's bins are uneven in a different way. Edges of the asynchronous source, which reach all
channels together, tell how much longer one channel's delay is than another's. So what is known of
one channel's delay narrows the others', within their own bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.model.calibration import FS_PER_PS, Instants

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DelayBounds:
    """Bounds of a delay, in ps. With noise, the lower one may be above the upper one."""

    low_ps: float
    high_ps: float

    def clipped(self, value_ps: float) -> float:
        """Return the value between the bounds that is nearest to `value_ps`."""
        low, high = sorted((self.low_ps, self.high_ps))
        return min(max(value_ps, low), high)


def bounds(strikes_ticks: Ticks, seen_ticks: Ticks, bins: Instants, tick_fs: int) -> DelayBounds:
    """Return the bounds of a delay, by the ticks of strikes and those at which they were seen.

    Raises ValueError if there are no edges, or not as many as strikes.
    """
    if not len(seen_ticks) or len(seen_ticks) != len(strikes_ticks):
        raise ValueError(
            f"delay: {counted(len(seen_ticks), 'edge')} from "
            f"{counted(len(strikes_ticks), 'strike')}"
        )
    late_ps = np.array(bins.late_ps, np.float64)
    tick_ps = tick_fs / FS_PER_PS
    passed_ps = (seen_ticks - strikes_ticks) * tick_ps
    phase = seen_ticks % len(late_ps)
    low = float(np.max(passed_ps + late_ps[phase - 1])) - tick_ps
    return DelayBounds(low, float(np.min(passed_ps + late_ps[phase])))


def middles_ps(ticks: Ticks, bins: Instants, tick_fs: int) -> npt.NDArray[np.float64]:
    """Return how much later than its tick the middle of each event's bin is, in ps."""
    late_ps = np.array(bins.late_ps, np.float64)
    phase = ticks % len(late_ps)
    return (late_ps[phase] + late_ps[phase - 1] - tick_fs / FS_PER_PS) / 2


def behind_ps(
    first: tuple[Ticks, Instants], other: tuple[Ticks, Instants], tick_fs: int
) -> float | None:
    """Return how much later the other channel sees the source's edges, in ps; None if none matches.

    Each argument holds the ticks of a channel's events, and its bins. Two events belong to the same
    edge if they are nearest to each other and closer than a quarter of the median time between two
    events of the first channel.
    """
    ticks, bins = first
    steps = np.diff(ticks)
    steps = steps[steps > 0]
    if not len(steps) or not len(other[0]):
        return None
    place = np.clip(np.searchsorted(ticks, other[0]), 1, len(ticks) - 1)
    before, after = ticks[place - 1], ticks[place]
    nearest = np.where(other[0] - before < after - other[0], before, after)
    same = np.abs(other[0] - nearest) < np.median(steps) / 4
    if not same.any():
        return None
    seen, reference = other[0][same], nearest[same]
    apart_ps = (seen - reference) * (tick_fs / FS_PER_PS)
    apart_ps = apart_ps + middles_ps(seen, other[1], tick_fs) - middles_ps(reference, bins, tick_fs)
    return float(apart_ps.mean())


def delays(own: Sequence[DelayBounds], behind: Sequence[float | None]) -> list[tuple[int, int]]:
    """Return each channel's delay and its maximum error, in whole ps.

    `behind` is how much later than the first each channel sees an edge; None if not known.
    """
    known = [(b, late) for b, late in zip(own, behind, strict=True) if late is not None]
    low = max((b.low_ps - late for b, late in known), default=0.0)
    high = min((b.high_ps - late for b, late in known), default=0.0)
    found: list[tuple[int, int]] = []
    for bound, late in zip(own, behind, strict=True):
        middle = (bound.low_ps + bound.high_ps) / 2
        value = bound.clipped(middle if late is None else (low + high) / 2 + late)
        far = max(abs(value - bound.low_ps), abs(bound.high_ps - value))
        found.append((round(value), round(far)))
    return found
