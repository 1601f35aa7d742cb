# SPDX-License-Identifier: Apache-2.0
"""Figures of each test of a suite: exact, with the base taken off. Pure.

The base is the median of the samples with nothing between their codes. It is a whole number of
ticks, so each figure is an exact fraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.units import FEMTOSECONDS
from plexor.library.parts.results import CodeClass, least_count
from plexor_lab.bench.operations import Operations, per_operation
from plexor_lab.bench.samples import Announced, PassSamples, Sample
from plexor_lab.bench.suites import USUAL_LOOPED, Suite, Test

PERCENTS = (50, 90, 99)
_MOST_COUNT_APART = 1


@dataclass(frozen=True, slots=True)
class Own:
    """A test's times by the firmware's own counter, per operation and in ticks, less its base.

    An error is the counter's time less the time measured from outside.
    """

    count: int
    base_cycles: int
    mean_ticks: Fraction
    least_error_ticks: Fraction
    mean_error_ticks: Fraction
    most_error_ticks: Fraction


@dataclass(frozen=True, slots=True)
class TestedFigures:
    """One test's figures, per operation and in ticks."""

    test: Test
    samples: tuple[Sample, ...]
    """All samples, a skipped first one included."""
    first_ticks: Fraction
    """The first sample, which also fills caches, less the base."""
    operations: Operations
    percentiles_ticks: Mapping[int, Fraction | None]
    """Percentiles by percent; None: too few samples to bound it."""
    counters: tuple[int, ...]
    """The firmware's own counts; empty if it sent none."""
    own: Own | None

    @property
    def worst(self) -> Sample:
        """The longest sample, the first of several."""
        return max(self.samples, key=lambda sample: sample.ticks)

    @property
    def counted_right(self) -> bool:
        """Whether the firmware counted as many operations, within 1."""
        difference = abs(len(self.samples) - sum(self.counters))
        return not self.counters or difference <= _MOST_COUNT_APART


def figures_of(
    measured: PassSamples, suite: Suite, tick_fs: int, *, skip_first: bool = False
) -> tuple[TestedFigures, ...]:
    """Return the figures of each test of the suite that has samples, in the suite's order.

    `skip_first` leaves the first sample out of all figures but `first_ticks`, if it is not the only
    one.
    """
    bases = {
        test.number: typical([sample.ticks for sample in measured.samples[test.number]])
        for test in suite.tests
        if test.base is None and test.number in measured.samples
    }
    own_bases = {
        number: typical(
            [s.own_cycles for s in measured.samples[number] if s.own_cycles is not None]
        )
        for number in bases
    }
    looped = USUAL_LOOPED if measured.announced is None else measured.announced.looped
    all_figures: list[TestedFigures] = []
    for test in suite.tests:
        samples = measured.samples.get(test.number, ())
        if not samples:
            continue
        base_ticks = 0 if test.base is None else bases.get(test.base, 0)
        iterations = looped if test.looped else 1
        skipped = int(skip_first and len(samples) > 1)
        ticks = [sample.ticks for sample in samples]
        spent = sorted(max(sample_ticks - base_ticks, 0) for sample_ticks in ticks[skipped:])
        own = None
        if measured.announced is not None and test.base is not None:
            scale = _Scale(base_ticks, own_bases.get(test.base, 0), iterations)
            own = _own(samples[skipped:], scale, measured.announced, tick_fs)
        all_figures.append(
            TestedFigures(
                test,
                samples,
                Fraction(max(ticks[0] - base_ticks, 0), iterations),
                per_operation(
                    ticks, iterations=iterations, base_ticks=base_ticks, skip_first=skipped
                ),
                {percent: _percentile(spent, percent, iterations) for percent in PERCENTS},
                measured.counters.get(test.number, ()),
                own,
            )
        )
    return tuple(all_figures)


def _percentile(spent: list[int], percent: int, iterations: int) -> Fraction | None:
    """Return a percentile of sorted times of samples, for one operation."""
    if len(spent) < least_count(Fraction(percent, 100)):
        return None
    return Fraction(spent[-(-percent * len(spent) // 100) - 1], iterations)


def typical(values: list[int]) -> int:
    """Return the median, the lower one of two; 0 without values."""
    return sorted(values)[(len(values) - 1) // 2] if values else 0


@dataclass(frozen=True, slots=True)
class _Scale:
    base_ticks: int
    base_cycles: int
    iterations: int


def _own(
    samples: tuple[Sample, ...], scale: _Scale, announced: Announced, tick_fs: int
) -> Own | None:
    """Return the firmware's own figures; None if it sent none."""
    cycle_ticks = Fraction(FEMTOSECONDS, announced.clock_hz * tick_fs) if announced.clock_hz else 0
    owns: list[Fraction] = []
    errors: list[Fraction] = []
    for sample in samples:
        if sample.own_cycles is None:
            continue
        own = (sample.own_cycles - scale.base_cycles) * Fraction(cycle_ticks) / scale.iterations
        owns.append(own)
        errors.append(own - Fraction(sample.ticks - scale.base_ticks, scale.iterations))
    if not owns:
        return None
    mean = sum(owns, Fraction(0)) / len(owns)
    mean_error = sum(errors, Fraction(0)) / len(errors)
    return Own(len(owns), scale.base_cycles, mean, min(errors), mean_error, max(errors))


BEGINNINGS = (CodeClass.RUN, CodeClass.ISR_ENTER)
"""Classes of codes at which something else starts to run."""


def meanwhile(sample: Sample) -> tuple[tuple[int, int, int], ...]:
    """Return (class, id, count) of what began to run within a sample, in order of first start."""
    counts = Counter(
        (code.code_class, code.number) for code in sample.between if code.code_class in BEGINNINGS
    )
    return tuple((code_class, number, count) for (code_class, number), count in counts.items())
