# SPDX-License-Identifier: Apache-2.0
"""Code density: where bins end, computed from the edges of an asynchronous source in each bin.

Such an edge is equally likely at any time, so a bin's share of edges is proportional to its width.
If n[p] of N edges end in the bins of phase p, w[p] = T n[p] / N, where T is the time after which
the phases repeat. (For converters: J. Doernberg, H.-S. Lee, D. A. Hodges, "Full-speed testing of
A/D converters", IEEE Journal of Solid-State Circuits 19 (1984) 820; for time: J. Kalisz, "Review of
methods for time interval measurements with picosecond resolution", Metrologia 41 (2004) 17.) The
instants are sums of widths, less their mean.

Their standard error: counts of independent edges are multinomial. With q = n / N, the covariance of
the widths is T**2 (diag(q) - q q') / N, which goes through the same sums. Edges of an oscillator
are not quite independent, so the edges are also split into 16 consecutive batches. The spread of
the instants over the batches, divided by sqrt(16), is a second estimate. The larger one is used.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plexor.base.counts import counted
from plexor.model.calibration import FS_PER_PS, LEAST_EDGES, Instants

BATCHES = 16


class DensityError(ValueError):
    """The edges do not determine the bins; the text says why."""


def by_phase(times_ticks: npt.NDArray[np.int64], phases: int) -> npt.NDArray[np.int64]:
    """Return how many events end in each phase, in BATCHES rows of consecutive events."""
    return np.array(
        [
            np.bincount(part, minlength=phases)
            for part in np.array_split(times_ticks % phases, BATCHES)
        ]
    )


def instants(batches: npt.NDArray[np.int64], tick_fs: int) -> Instants:
    """Return when each phase samples, from the edges of one direction that ended in each phase.

    `batches` has one row for each batch and one column for each phase. Raises DensityError if there
    are fewer than LEAST_EDGES edges, or if a phase has none.
    """
    counts = batches.sum(axis=0)
    phases = len(counts)
    count = int(counts.sum())
    if count < LEAST_EDGES:
        raise DensityError(f"{counted(count, 'edge')}; must be at least {LEAST_EDGES}")
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise DensityError(
            f"none of {counted(count, 'edge')} at phase {', '.join(map(str, empty.tolist()))}"
        )
    sums = _sums(phases)
    period_ps = phases * tick_fs / FS_PER_PS
    ticks_ps = np.arange(phases) * tick_fs / FS_PER_PS
    share = counts / count
    late = sums @ (share * period_ps) - (ticks_ps - ticks_ps.mean())
    covariance = period_ps**2 * (np.diag(share) - np.outer(share, share)) / count
    independent = np.sqrt(np.maximum(np.diag(sums @ covariance @ sums.T), 0))
    filled = batches[batches.any(axis=1)]
    found = [sums @ (row / row.sum() * period_ps) for row in filled]
    error = independent
    if len(found) > 1:
        error = np.maximum(independent, np.std(found, axis=0, ddof=1) / np.sqrt(len(found)))
    return Instants(_whole(late), _whole(np.ceil(error)), count)


def _sums(phases: int) -> npt.NDArray[np.float64]:
    """Return the matrix that turns widths into instants with mean 0.

    Relative to phase 0, the instant of phase p is the sum of the widths of phases 1 to p.
    """
    lower = np.tril(np.ones((phases, phases)))
    lower[:, 0] = 0
    return lower - lower.mean(axis=0)


def _whole(values: npt.NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(int(value) for value in np.rint(values))
