# SPDX-License-Identifier: Apache-2.0
"""Runs of one schedule beside each other: by what factor, and from which distance on it is safe.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from plexor_lab.mixed.summary import Moments, Summary


@dataclass(frozen=True, slots=True)
class Ratio:
    """Mean and variance of one run, as multiples of another's; None where that has 0 or none."""

    mean: Fraction | None
    variance: Fraction | None

    @property
    def mean_change(self) -> Fraction | None:
        """Relative change of the mean: 0.1 is 10 % more."""
        return None if self.mean is None else self.mean - 1


def ratio_of(base: Moments | None, other: Moments | None) -> Ratio:
    """Return `other` as multiples of `base`."""
    if base is None or other is None:
        return Ratio(None, None)
    return Ratio(
        _part(other.mean_ticks, base.mean_ticks),
        _part(other.variance_ticks2, base.variance_ticks2),
    )


def least_safe(by_distance: Mapping[int, Summary]) -> int | None:
    """Return the least distance from which on every distance that was tried is safe.

    None: the greatest one that was tried is not safe, or none was tried.
    """
    found = None
    for distance in sorted(by_distance, reverse=True):
        if not by_distance[distance].safe:
            break
        found = distance
    return found


def _part(value: Fraction, base: Fraction) -> Fraction | None:
    return value / base if base else None
