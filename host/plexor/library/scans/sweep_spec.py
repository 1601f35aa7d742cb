# SPDX-License-Identifier: Apache-2.0
"""What a sweep is asked, and what it is then to find out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.base.meant import MEANT
from plexor.experiments.criterion import DEFAULT, Criterion, CriterionSubject, parse_criterion
from plexor.library.pins import response_pins, under
from plexor.library.scans.scan_spec import ScanSpec, check_scan
from plexor.library.specs.options import (
    Deadline,
    Shape,
    Target,
    Unanswered,
    check_width,
    duty,
)
from plexor.library.specs.spec import maybe, option
from plexor.library.specs.values import (
    Naming,
    count,
    each,
    flag,
    hertz,
    seconds,
)
from plexor.model.load import IDLE, is_own, is_raised
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import MAX_STEPS
from plexor.wire.link.open import sim_device, without_device

if TYPE_CHECKING:
    from plexor.experiments.step import RateStep
    from plexor.experiments.sweep.sweep import SweepGoal

    OnStep = Callable[[RateStep, int, int], None]

LEAST_WIDTH = Fraction(1, 1000)
MOST_POINTS = (MAX_STEPS - 1) // 2
"""Limit of both ways: every rate but the highest is taken up and down, then two steps at rest."""


def _names(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ",".join(value)


class SweepSpec(
    Shape,
    Deadline,
    Unanswered,
    ScanSpec,
    told={"points": "They are rates, of the first scan."},
    topic="Rates",
):
    """What a sweep is asked. Rates are in hertz and times in seconds, all exact."""

    low: Fraction = option(
        on_page=True,
        converter=hertz,
        flag="--from",
        metavar="RATE",
        help="Lowest rate, such as 1k.",
    )
    high: Fraction = option(
        on_page=True,
        converter=hertz,
        flag="--to",
        metavar="RATE",
        help="Highest rate, such as 200k.",
    )
    criteria: tuple[Criterion, ...] = option(
        first=True,
        on_page=True,
        converter=each(Criterion, parse_criterion),
        default=(),
        many=True,
        flag="--criterion",
        metavar="LIMIT",
        help="A limit that a rate must keep: missed<0.1%@95% (default), late<1%, "
        "latency<50us:0.1%, duplicate<, spurious<, jitter<10us, jitter-rms<. Repeat it for each "
        "limit.",
    )
    resolution: Fraction = option(
        converter=duty,
        default="1%",
        shows_default=True,
        metavar="PART",
        help="Relative width of the bracket around the highest rate, at least 0.1%.",
    )
    both_ways: bool = option(
        converter=flag,
        default=False,
        help="Also scan up and down in one run, which shows hysteresis and recovery.",
    )
    dwell: int = option(
        converter=count,
        default=1,
        metavar="N",
        help="Minimum number of strikes at each rate, if the test needs fewer.",
    )
    longest: Fraction = option(
        converter=seconds,
        default="60s",
        metavar="TIME",
        help="Maximum time at each rate, in the instrument's time.",
    )
    loads: str = option(
        topic="Load",
        on_page=True,
        first=True,
        converter=_names,
        default=IDLE,
        shows_default=True,
        flag="--load",
        metavar="NAME,...",
        help="Loads to put on one after the other: none, those of the simulated device, such as "
        "cpu, or on, which raises the load output; on a board every name but none does.",
    )
    load_on: str | None = option(
        topic="Load",
        converter=maybe(str),
        default=None,
        is_command=True,
        metavar="COMMAND",
        help="Shell command that starts a load, such as 'ssh dut stress-ng …'.",
    )
    load_off: str | None = option(
        topic="Load",
        converter=maybe(str),
        default=None,
        is_command=True,
        metavar="COMMAND",
        help="Shell command that ends the load. Without it, the command of --load-on is "
        "terminated.",
    )
    on_step: OnStep | None = option(default=None, flag=None)
    """Gets each step, how many were taken, and about how many there will be."""


def check(asked: SweepSpec, target: Target) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    name = asked.naming
    low, high = asked.low, asked.high
    if low >= high:
        swapped = f"{MEANT} {name('low')} {high} {name('high')} {low}?" if low > high else ""
        raise UsageError(
            f"{name('low')} {low} {name('high')} {high}: {name('high')} must be above "
            f"{name('low')}{swapped}"
        )
    if asked.resolution < LEAST_WIDTH:
        raise UsageError(f"{name('resolution')}: must be at least 0.1%")
    if asked.both_ways and asked.points > MOST_POINTS:
        raise UsageError(
            f"{name('points')} {asked.points}: must be at most {MOST_POINTS} with "
            f"{name('both_ways')}"
        )
    check_width(asked, name)
    _deadline(asked, name)
    _levels(asked, target, name)
    check_scan(asked, target)


def wanted_of(asked: SweepSpec, target: Target) -> SweepGoal:
    """Return what a sweep is to find out.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, target)
    # Imported here so that wrong options answer at once.
    from plexor.experiments.sweep.sweep import SweepGoal, SweepLoad  # noqa: PLC0415

    deadline = _deadline(asked, asked.naming)
    pins = asked.channels or response_pins(target.link, target.dut)
    stimulus = Stimulus(
        period_s=1 / asked.low,
        width_s=asked.width,
        duty=asked.duty,
        dither_s=asked.dither,
        seed=asked.seed,
    )
    settings = Settings(
        strikes=(stimulus,),
        channels=tuple(_with_deadline(channel, deadline) for channel in pins),
        timeout_s=asked.timeout,
    )
    levels = _levels(asked, target, asked.naming)
    named = any(dut is not None for dut, _ in levels.values())
    return SweepGoal(
        without_device(target.link) if named else target.link,
        {load: SweepLoad(*entry) for load, entry in levels.items()},
        settings,
        asked.low,
        asked.high,
        asked.criteria or (DEFAULT,),
        asked.resolution,
        asked.points,
        asked.dwell,
        asked.longest,
        asked.both_ways,
    )


def _deadline(asked: SweepSpec, name: Naming) -> Fraction | None:
    criteria, deadline = asked.criteria, asked.deadline
    limits = [entry.most_s for entry in criteria if entry.what == CriterionSubject.LATENCY]
    if len(limits) > 1 or (limits and deadline is not None):
        raise UsageError(
            f"{name('criteria')} latency< sets a deadline; give only one of them, or "
            f"{name('deadline')}"
        )
    if (
        not limits
        and deadline is None
        and any(entry.what == CriterionSubject.LATE for entry in criteria)
    ):
        raise UsageError(
            f"{name('criteria')} late< needs {name('deadline')}, after which a response is late"
        )
    return limits[0] if limits else deadline


def _with_deadline(channel: Channel, deadline_s: Fraction | None) -> Channel:
    return channel if channel.deadline_s is not None else replace(channel, deadline_s=deadline_s)


def _levels(asked: SweepSpec, target: Target, name: Naming) -> dict[str, tuple[str | None, bool]]:
    """Return the loads by name: the device that runs each, and the level of the load output."""
    names = [load.strip() for load in asked.loads.split(",")]
    said = f"{name('loads')} {asked.loads}"
    if not all(names) or len(set(names)) < len(names):
        raise UsageError(f"{said}: must be different names, separated by commas")
    uri = target.link
    if asked.load_on is not None:
        if uri.startswith("sim:"):
            raise UsageError(
                f"{name('load_on')} is for a real device; name loads of a simulated one with "
                f"{name('loads')}"
            )
        if len(set(names) - {IDLE}) != 1:
            raise UsageError(
                f"{said}: must be one load with {name('load_on')}, or none and one load"
            )
    own = any(is_own(load) for load in names) and uri.startswith("sim:")
    idle = (sim_device(uri) or target.dut) if own else target.dut
    return {
        load: (under(uri, target.dut, load)[1] if own and is_own(load) else idle, is_raised(load))
        for load in names
    }
