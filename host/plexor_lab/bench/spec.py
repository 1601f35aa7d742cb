# SPDX-License-Identifier: Apache-2.0
"""What a suite of benchmarks is asked."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from plexor.library.specs.options import CodeNames, CodePort, Loaded, Target
from plexor.library.specs.spec import Named, Spec, maybe, option
from plexor.library.specs.values import Count, choice, count, flag, path_of, seconds
from plexor_lab.bench.suites import SUITES

MOST_ITERATIONS = 10**6
USUAL_ITERATIONS = 100


def _iterations(value: Count) -> int:
    """Return a number of samples; raise ValueError for one out of range."""
    number = count(value)
    if number > MOST_ITERATIONS:
        raise ValueError(f"{value!r}; must be from 1 to {MOST_ITERATIONS}")
    return number


class Suited(Spec):
    """The suite that is run, and how long."""

    suite: str = option(converter=choice(SUITES), flag=None)
    """One of SUITES."""
    iterations: int = option(
        first=True,
        converter=_iterations,
        default=USUAL_ITERATIONS,
        shows_default=True,
        metavar="N",
        help="Samples of each test, up to 1M. A simulated device takes so many; of another one, "
        "fewer make the figures invalid.",
    )
    counts_itself: bool = option(
        first=True,
        converter=flag,
        default=False,
        flag="--self",
        help="Have the simulated device's firmware count cycles itself, and show its error.",
    )
    time: Fraction = option(
        first=True,
        converter=seconds,
        default="10s",
        shows_default=True,
        metavar="TIME",
        help="Time after which the run stops in any case.",
    )


class BenchSpec(Target, Suited, CodePort, CodeNames, Loaded, Named):
    """What a suite's run is asked. Without a device it is FreeRTOS with the suite's firmware."""


class BenchShown(Spec):
    """How a suite's figures are shown."""

    skip_first: bool = option(
        first=True,
        converter=flag,
        default=False,
        help="Leave the first sample of each test out of its figures.",
    )
    frames: Path | None = option(
        first=True,
        converter=maybe(path_of),
        default=None,
        metavar="FILE",
        help="Write the figures as a report of OSBench.",
    )
