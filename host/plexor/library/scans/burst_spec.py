# SPDX-License-Identifier: Apache-2.0
"""What a burst scan is asked, and what it is then to find out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.experiments.burst.model import LONGEST_PART
from plexor.experiments.criterion import Criterion, CriterionSubject, parse_criterion
from plexor.library.pins import response_pins, under
from plexor.library.scans.scan_spec import ScanSpec, check_scan
from plexor.library.specs.options import Loaded, Target, Width
from plexor.library.specs.spec import option
from plexor.library.specs.values import count, seconds
from plexor.model.load import is_raised
from plexor.model.settings import Settings, Stimulus

if TYPE_CHECKING:
    from plexor.experiments.burst.scan import BurstGoal
    from plexor.experiments.job import Job
    from plexor.experiments.step import RateStep

    OnStep = Callable[[Job, RateStep, int, int], None]


def _criterion(value: str | Criterion) -> Criterion:
    return value if isinstance(value, Criterion) else parse_criterion(value)


class BurstSpec(Width, Loaded, ScanSpec, told={"points": "They are spacings."}, topic="Bursts"):
    """What a burst scan is asked. Times are in seconds, all exact."""

    low: Fraction = option(
        converter=seconds,
        flag="--from",
        metavar="TIME",
        help="Minimum spacing of the strikes in a burst, such as 2us.",
    )
    high: Fraction = option(
        converter=seconds,
        flag="--to",
        metavar="TIME",
        help="Maximum spacing, such as 50us. At most half of the period.",
    )
    period: Fraction = option(
        converter=seconds,
        metavar="TIME",
        help="Time from burst to burst, long enough that the device is idle in between.",
    )
    most: int = option(
        converter=count,
        default=64,
        shows_default=True,
        metavar="N",
        help="Longest burst to try.",
    )
    criterion: Criterion = option(
        converter=_criterion,
        default="missed<1%@95%",
        shows_default=True,
        metavar="LIMIT",
        help="Limit on the missed strikes. For bursts of n strikes it is at most 1/(2n).",
    )
    on_step: OnStep | None = option(default=None, flag=None)
    """Gets a job, its step, how many steps were taken, and about how many there will be."""


def check(asked: BurstSpec, target: Target) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    name = asked.naming
    low, high = asked.low, asked.high
    if not 0 < low < high:
        raise UsageError(
            f"{name('low')} and {name('high')}: both must be above 0, and {name('high')} above "
            f"{name('low')}"
        )
    if high > asked.period * LONGEST_PART:
        raise UsageError(
            f"{name('high')}: must be at most half of {name('period')}, or no burst fits"
        )
    if asked.criterion.what != CriterionSubject.MISSED:
        raise UsageError(f"{name('criterion')} {asked.criterion.text}: must limit missed")
    check_scan(asked, target)


def wanted_of(asked: BurstSpec, target: Target) -> BurstGoal:
    """Return what a burst scan is to find out.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, target)
    # Imported here so that wrong options answer at once.
    from plexor.experiments.burst.scan import BurstGoal  # noqa: PLC0415

    stimulus = Stimulus(period_s=asked.period, width_s=asked.width, seed=asked.seed)
    pins = asked.channels or response_pins(target.link, target.dut)
    link, dut = under(target.link, target.dut, asked.load)
    settings = Settings(
        strikes=(stimulus,),
        channels=pins,
        load=is_raised(asked.load),
        load_name=asked.load or "",
    )
    return BurstGoal(
        link,
        dut,
        settings,
        asked.low,
        asked.high,
        asked.points,
        asked.period,
        asked.most,
        asked.criterion,
    )
