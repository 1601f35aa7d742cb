# SPDX-License-Identifier: Apache-2.0
"""What `plexor compare` compares of a suite's run: the times of each test."""

from __future__ import annotations

from fractions import Fraction

from plexor.base.errors import UsageError
from plexor.base.units import seconds_of, square_seconds_of
from plexor.library.parts.results import Figure, Figured, Sums
from plexor.library.run import Run
from plexor_lab.bench.bench import Bench
from plexor_lab.bench.figures import TestedFigures

_USUAL = 50
"""The percentile that is compared, with extremes, mean and variance."""


def compared(run: Run) -> Figured | None:
    """Return the figures of a suite's run, per operation; None for a run of no suite."""
    try:
        found = Bench(run)
    except UsageError:
        return None
    return Figured(
        f"suite {found.suite.name}",
        {
            (figures.test.title, name): figure
            for figures in found.figures
            for name, figure in _of_test(figures, run.tick_fs).items()
        },
        run.device,
        run.simulated,
        found.reasons,
        f"plexor lab bench {found.suite.name}",
    )


def _of_test(figures: TestedFigures, tick_fs: int) -> dict[str, Figure]:
    operations = figures.operations
    mean_s = seconds_of(operations.mean_ticks, tick_fs)
    variance_s2 = square_seconds_of(operations.variance_ticks2, tick_fs)
    usual = figures.percentiles_ticks[_USUAL]
    return {
        "min": Figure(seconds_of(operations.min_ticks, tick_fs)),
        "mean": Figure(mean_s, sums=Sums(operations.count, mean_s, variance_s2)),
        "max": Figure(seconds_of(operations.max_ticks, tick_fs)),
        "variance": Figure(variance_s2, "s²"),
        f"p{_USUAL}": Figure(None if usual is None else seconds_of(Fraction(usual), tick_fs)),
    }
