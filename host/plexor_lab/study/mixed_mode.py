# SPDX-License-Identifier: Apache-2.0
"""Latencies that a mixed-mode study prints of one system, by who executes the events.

Mixed-mode study (2004): a scheduler on a personal computer, an executor on a second one and a
profiler on an 8751, on one time base of 14.0625 steps a second. Figures 8 to 12. The study prints
means in milliseconds and variances without a unit; they are square milliseconds here, which the
figures' scatter fits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SOURCE = "Mixed-mode study (2004), Figures 8 to 12"
MS_PS = 10**9
"""Picoseconds in a millisecond."""
SPIKE_EACH = 10
"""In a replay one value in so many is a spike."""


@dataclass(frozen=True, slots=True)
class StudyFigure:
    """A figure of the study: mean in picoseconds, variance in square picoseconds."""

    figure: int
    name: str
    mean_ps: int
    variance_ps2: int


ROWS: tuple[StudyFigure, ...] = (
    StudyFigure(8, "executor, 0 steps ahead", 39_100_000, 4809 * 10**12),
    StudyFigure(9, "scheduler only, 1 step ahead", 14_465_000_000, 3652 * 10**16),
    StudyFigure(11, "mixed, 2 steps ahead", 43_000_000, 378 * 10**12),
    StudyFigure(12, "mixed, 2 steps ahead, heavy load", 47_030_000, 1035 * 10**12),
)
"""Figure 10 has no figures: half of its readings are below a millisecond."""


def replay_ps(row: StudyFigure, count: int) -> tuple[int, ...]:
    """Return `count` latencies, in whole picoseconds, with a row's mean and variance.

    The mean is exact. One latency in ten is a spike and all others are equal, so the variance is
    exact too but for the rounding to 10 ps, below a millionth of it.

    Raises ValueError unless `count` is a multiple of 10 and above 0.
    """
    if count < SPIKE_EACH or count % SPIKE_EACH:
        raise ValueError(f"count: {count}; must be a multiple of {SPIKE_EACH}, above 0")
    # With a part p at a + d and the others at a, the mean is a + p d, the variance p (1 - p) d^2.
    d = math.isqrt(row.variance_ps2 * SPIKE_EACH**2 // (SPIKE_EACH - 1))
    d -= d % SPIKE_EACH
    usual = row.mean_ps - d // SPIKE_EACH
    return tuple(usual + d * (number % SPIKE_EACH == 0) for number in range(count))
