"""Code density: where bins end, from how often edges of an asynchronous source fall into each.

An edge that is as likely at any time falls into a bin in proportion to its width: of N edges n[p]
in the bins of phase p, w[p] = T n[p] / N, with T the time after which the phases repeat. (For
converters: J. Doernberg, H.-S. Lee, D. A. Hodges, "Full-speed testing of A/D converters", IEEE
Journal of Solid-State Circuits 19 (1984) 820; for time: J. Kalisz, "Review of methods for time
interval measurements with picosecond resolution", Metrologia 41 (2004) 17.) The instants are sums
of widths, less their mean.

Their standard error: counts of independent edges are multinomial, so that with q = n / N the
covariance of the widths is T**2 (diag(q) - q q') / N, which goes through the same sums. Edges of an
oscillator are not quite independent: where the spread of the instants over 16 batches of edges, one
after the other, over sqrt(16) is greater, that is the error.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plexor.model.calibration import FS_PER_PS, Instants

BATCHES = 16
LEAST_EDGES = 1000


class DensityError(ValueError):
    """Edges from which no bins can be had; the text says why."""


def by_phase(times_ticks: npt.NDArray[np.int64], phases: int) -> npt.NDArray[np.int64]:
    """Return how many events end in each phase, in BATCHES rows, one after the other."""
    return np.array(
        [
            np.bincount(part, minlength=phases)
            for part in np.array_split(times_ticks % phases, BATCHES)
        ]
    )


def instants(batches: npt.NDArray[np.int64], tick_fs: int) -> Instants:
    """Return when the phases sample, from how often edges of one direction ended in each.

    `batches` has a row for each batch. Raises DensityError for fewer than LEAST_EDGES, or a phase
    that ends no edge.
    """
    counts = batches.sum(axis=0)
    phases = len(counts)
    count = int(counts.sum())
    if count < LEAST_EDGES:
        raise DensityError(f"{count} edges; must be at least {LEAST_EDGES}")
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise DensityError(f"none of {count} edges at phase {', '.join(map(str, empty.tolist()))}")
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
    """Return the matrix from widths to instants, whose mean is 0.

    Phase p is the sum of the widths of phases 1 to p behind phase 0.
    """
    lower = np.tril(np.ones((phases, phases)))
    lower[:, 0] = 0
    return lower - lower.mean(axis=0)


def _whole(values: npt.NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(int(value) for value in np.rint(values))
