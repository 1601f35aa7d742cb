# SPDX-License-Identifier: Apache-2.0
"""Figures of results that have no channels, such as a schedule's runs or a suite's tests. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from plexor.figures.judge.change_bounds import FigurePair, MeanLaw, ShareLaw, Sums
from plexor.figures.judge.compare import Difference


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and what bounds its change, if anything does."""

    value: Fraction | None
    """In `unit`; None: not known."""
    unit: str = "s"
    """Or `s²` of a variance, or `share`."""
    sums: Sums | None = None
    """What it is the mean of."""
    share: tuple[int, int] | None = None
    """Of what it is the share: how many, of how many."""


@dataclass(frozen=True, slots=True)
class Figured:
    """What a result has to compare."""

    kind: str
    """What results of one kind have in common, such as `schedule`."""
    figures: Mapping[tuple[str, str], Figure]
    """By the name of a run or a test, and the figure's own."""
    configuration: Mapping[str, str]
    """What it was taken with."""
    simulated: bool
    invalid_reasons: tuple[str, ...] = ()
    command: str = ""
    """What prints a run's figures, such as `plexor lab bench kernel`; the run comes behind it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its runs or tests."""
        return tuple(dict.fromkeys(name for name, _ in self.figures))


def share_of(count: int, total: int) -> Figure:
    """Return the share of so many of a total."""
    return Figure(Fraction(count, total) if total else None, "share", share=(count, total))


def figured_differences(
    before: Figured, after: Figured, wanted: Collection[str] = ()
) -> tuple[Difference, ...]:
    """Return each figure that both have. Shares that are 0 in both are there if they are wanted."""
    return tuple(
        Difference(name, figure, first.value, second.value, _law(first, second), first.unit)
        for (name, figure), first in before.figures.items()
        if (second := after.figures.get((name, figure))) is not None
        and (figure in wanted or first.unit != "share" or first.value or second.value)
    )


def _law(first: Figure, second: Figure) -> FigurePair | None:
    if first.sums is not None and second.sums is not None:
        return MeanLaw(first.sums, second.sums)
    if first.share is not None and second.share is not None:
        return ShareLaw(first.share, second.share)
    return None
