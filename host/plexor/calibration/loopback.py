"""Pad delay: from a strike's tick over its pad and back to the channels' flip-flops.

A strike at tick s that is seen at tick k came between the instants of samples k - 1 and k, so that
the delay lies in the bin of k less s. Strikes at every phase of the sampler put it into as many
bins, and it lies where these meet. Strikes keep to ticks, so that even bins tell no more than
that; but the channels' bins are uneven in their own ways, and edges of the asynchronous source,
which come to all channels together, tell by how much one channel's delay is longer than another's.
So what one channel knows of the delay helps the others, within what they know for certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plexor.model.calibration import FS_PER_PS, Instants

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a delay lies between, in ps; with noise the lower one may be above the upper."""

    low_ps: float
    high_ps: float

    def clipped(self, value_ps: float) -> float:
        """Return what is nearest to a value and lies between the bounds."""
        low, high = sorted((self.low_ps, self.high_ps))
        return min(max(value_ps, low), high)


def bounds(strikes_ticks: Ticks, seen_ticks: Ticks, bins: Instants, tick_fs: int) -> Bounds:
    """Return what the delay lies between, by edges at strikes_ticks that were seen at seen_ticks.

    Raises ValueError for no edges, or not as many as strikes.
    """
    if not len(seen_ticks) or len(seen_ticks) != len(strikes_ticks):
        raise ValueError(f"delay: {len(seen_ticks)} edges from {len(strikes_ticks)} strikes")
    late_ps = np.array(bins.late_ps, np.float64)
    tick_ps = tick_fs / FS_PER_PS
    passed_ps = (seen_ticks - strikes_ticks) * tick_ps
    phase = seen_ticks % len(late_ps)
    low = float(np.max(passed_ps + late_ps[phase - 1])) - tick_ps
    return Bounds(low, float(np.min(passed_ps + late_ps[phase])))


def middles_ps(ticks: Ticks, bins: Instants, tick_fs: int) -> npt.NDArray[np.float64]:
    """Return by how much the middle of each event's bin is later than its tick."""
    late_ps = np.array(bins.late_ps, np.float64)
    phase = ticks % len(late_ps)
    return (late_ps[phase] + late_ps[phase - 1] - tick_fs / FS_PER_PS) / 2


def behind_ps(
    first: tuple[Ticks, Instants], other: tuple[Ticks, Instants], tick_fs: int
) -> float | None:
    """Return how much later edges of the source come to the other channel; None: none in common.

    Of each channel the ticks of its events and its bins. Events are of one edge where they are the
    nearest to each other, and nearer than a quarter of the usual time between two of the first.
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


def delays(own: Sequence[Bounds], behind: Sequence[float | None]) -> list[tuple[int, int]]:
    """Return each channel's delay, and how far at most it lies from that, in whole ps.

    `behind` is by how much each channel is later than the first; None: not known.
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
