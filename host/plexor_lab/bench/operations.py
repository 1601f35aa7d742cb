# SPDX-License-Identifier: Apache-2.0
"""Times per operation, from samples that each last for several operations.

A sample lasts base + iterations x operation. The base is what the measuring itself takes: the same
loop with nothing in it. OSBench takes it off and divides in this way: M. Hall, S. Maillet, "Testing
Real-Time Systems in Microsoft Windows CE .NET", 2002. All figures are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.counts import counted


@dataclass(frozen=True, slots=True)
class Operations:
    """Figures of one operation, in ticks: exact, and 0 or more."""

    count: int
    """Samples, without those that were skipped."""
    min_ticks: Fraction
    mean_ticks: Fraction
    max_ticks: Fraction
    variance_ticks2: Fraction
    """Mean square of what each differs from the mean by."""
    iterations: int
    """Operations in each sample."""
    base_ticks: int
    """What was taken off each sample."""
    clamped: int
    """Samples below the base, which are taken as 0."""


def per_operation(
    samples_ticks: Iterable[int], *, iterations: int = 1, base_ticks: int = 0, skip_first: int = 0
) -> Operations:
    """Return the figures of (sample - base) / iterations.

    The first `skip_first` samples are left out: they also fill caches. A sample is in ticks, 0 or
    more, as the base is; iterations are 1 or more.

    Raises ValueError for a number below its range, and if no sample is left.
    """
    for name, value, least in (
        ("iterations", iterations, 1),
        ("base_ticks", base_ticks, 0),
        ("skip_first", skip_first, 0),
    ):
        if value < least:
            raise ValueError(f"{name}: {value}; must be {least} or more")
    samples = [int(sample) for sample in samples_ticks]
    used = samples[skip_first:]
    if not used:
        raise ValueError(
            f"skip_first: {skip_first} of {counted(len(samples), 'sample')}; must leave one"
        )
    if min(samples) < 0:
        raise ValueError(f"samples_ticks: {min(samples)}; must be 0 or more")
    spent = [max(sample - base_ticks, 0) for sample in used]
    mean = Fraction(sum(spent), len(spent))
    square = Fraction(sum(ticks * ticks for ticks in spent), len(spent))
    return Operations(
        count=len(spent),
        min_ticks=Fraction(min(spent), iterations),
        mean_ticks=mean / iterations,
        max_ticks=Fraction(max(spent), iterations),
        variance_ticks2=(square - mean * mean) / iterations**2,
        iterations=iterations,
        base_ticks=base_ticks,
        clamped=sum(sample < base_ticks for sample in used),
    )
