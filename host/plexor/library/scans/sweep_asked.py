"""What a caller asks of a sweep, in texts or numbers, as what a sweep is to find out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Required, TypedDict

from plexor.errors import UsageError
from plexor.library.pins import described, response_pins, under
from plexor.library.scans.workers import Opener, executor, workers_of
from plexor.library.values import (
    Count,
    Naming,
    Part,
    Rate,
    Reader,
    Time,
    channels,
    count,
    duty,
    each,
    flag,
    hertz,
    plain,
    seconds,
    seed,
    whole,
)
from plexor.link.open import sim_device, without_device
from plexor.model.load import IDLE, is_own, is_raised
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import MAX_STEPS
from plexor.sweep.criterion import DEFAULT, Criterion, What, parse_criterion

if TYPE_CHECKING:
    from plexor.sweep.sweep import Wanted

LEAST_WIDTH = Fraction(1, 1000)
MOST_POINTS = (MAX_STEPS - 1) // 2
"""Limit of both ways: every rate but the highest is taken up and down, then two steps at rest."""


class SweepOptions(TypedDict, total=False):
    """The options of a sweep, as texts or numbers."""

    low: Required[Rate]
    """Lowest rate."""
    high: Required[Rate]
    """Highest rate."""
    criteria: str | Criterion | Sequence[str | Criterion]
    """Limits that a rate must keep, such as `late<1%`. Default: `missed<0.1%@95%`."""
    resolution: Part
    """Relative width of the bracket around the highest rate, at least 0.1 %. Default: 1 %."""
    points: int
    """Number of rates in the first scan, 2 to 1000. Default: 9."""
    both_ways: bool
    """Also scan up and down in one run, which shows hysteresis and recovery."""
    dwell: Count
    """Minimum number of strikes at each rate, if the test needs fewer."""
    longest: Time
    """Maximum time at each rate, in the instrument's time. Default: 60 s."""
    loads: str | Sequence[str]
    """Loads to run one after the other: `none`, `on` (the load output), or the device's own."""
    load_on: str | None
    """Shell command that starts a load of a real device."""
    load_off: str | None
    """Shell command that ends it. Without it, the command of `load_on` is terminated."""
    width: Time | None
    """Width of a strike at every rate. Default: half of the period, at most 10 µs."""
    duty: Part | None
    """Width of a strike as a part of the period."""
    dither: Time
    """Range of a random deviation of the period."""
    seed: int
    """Seed for the random parts of the strikes."""
    channels: str | Channel | Sequence[str | Channel]
    """Response pins, such as `ISR=ch0`. Default: those of a simulated device."""
    timeout: Time | None
    """Age at which an unanswered strike is missed. Default: four periods."""
    deadline: Time | None
    """Latency above which a response is late."""
    executor: str | Opener | None
    """Where simulated instruments run: `local`, `local:2` or `dask://HOST:PORT`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAsked:
    """SweepOptions and the device, exact: rates in hertz, times in seconds."""

    link: str = "sim:"
    dut: str | None = None
    low: Fraction
    high: Fraction
    criteria: tuple[Criterion, ...] = ()
    resolution: Fraction = Fraction(1, 100)
    points: int = 9
    both_ways: bool = False
    dwell: int = 1
    longest: Fraction = Fraction(60)
    loads: str = IDLE
    load_on: str | None = None
    load_off: str | None = None
    width: Fraction | None = None
    duty: Fraction | None = None
    dither: Fraction = Fraction(0)
    seed: int = 1
    channels: tuple[Channel, ...] = ()
    timeout: Fraction | None = None
    deadline: Fraction | None = None
    executor: Opener | None = None


def _names(value: Any) -> str:
    return value if isinstance(value, str) else ",".join(map(str, value))


READERS: Mapping[str, Reader] = {
    **dict.fromkeys(("low", "high"), hertz),
    "criteria": each(Criterion, parse_criterion),
    "resolution": duty,
    "points": whole(2, 1000),
    "both_ways": flag,
    "dwell": count,
    "longest": seconds,
    "loads": _names,
    **dict.fromkeys(("load_on", "load_off"), str),
    **dict.fromkeys(("width", "dither", "timeout", "deadline"), seconds),
    "duty": duty,
    "seed": seed,
    "channels": channels,
    "executor": executor,
}


def check(asked: SweepAsked, name: Naming = plain) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    low, high = asked.low, asked.high
    if low >= high:
        raise UsageError(
            f"{name('low')} {low} {name('high')} {high}: {name('high')} must be above {name('low')}"
        )
    if asked.resolution < LEAST_WIDTH:
        raise UsageError(f"{name('resolution')}: must be at least 0.1%")
    if asked.both_ways and asked.points > MOST_POINTS:
        raise UsageError(
            f"{name('points')} {asked.points}: must be at most {MOST_POINTS} with "
            f"{name('both_ways')}"
        )
    if asked.width is not None and asked.duty is not None:
        raise UsageError(
            f"{name('width')} and {name('duty')} both set the width of a strike; give one of them"
        )
    _deadline(asked, name)
    _levels(asked, name)
    if not asked.channels:
        response_pins(asked.link, asked.dut)
    described(asked.link, asked.dut, {})
    workers_of(asked.link, asked.executor, name)


def wanted_of(asked: SweepAsked, name: Naming = plain) -> Wanted:
    """Return what a sweep is to find out. `name` gives an option's name for messages.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, name)
    # Imported here so that wrong options answer at once.
    from plexor.sweep.sweep import Load, Wanted  # noqa: PLC0415

    deadline = _deadline(asked, name)
    pins = asked.channels or response_pins(asked.link, asked.dut)
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
    levels = _levels(asked, name)
    named = any(dut is not None for dut, _ in levels.values())
    return Wanted(
        without_device(asked.link) if named else asked.link,
        {load: Load(*entry) for load, entry in levels.items()},
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


def _deadline(asked: SweepAsked, name: Naming) -> Fraction | None:
    criteria, deadline = asked.criteria, asked.deadline
    limits = [entry.most_s for entry in criteria if entry.what == What.LATENCY]
    if len(limits) > 1 or (limits and deadline is not None):
        raise UsageError(
            f"{name('criteria')} latency< sets a deadline; give only one of them, or "
            f"{name('deadline')}"
        )
    if not limits and deadline is None and any(entry.what == What.LATE for entry in criteria):
        raise UsageError(
            f"{name('criteria')} late< needs {name('deadline')}, after which a response is late"
        )
    return limits[0] if limits else deadline


def _with_deadline(channel: Channel, deadline_s: Fraction | None) -> Channel:
    return channel if channel.deadline_s is not None else replace(channel, deadline_s=deadline_s)


def _levels(asked: SweepAsked, name: Naming) -> dict[str, tuple[str | None, bool]]:
    """Return the loads by name: the device that runs each, and the level of the load output."""
    names = [load.strip() for load in asked.loads.split(",")]
    said = f"{name('loads')} {asked.loads}"
    if not all(names) or len(set(names)) < len(names):
        raise UsageError(f"{said}: must be different names, separated by commas")
    uri = asked.link
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
    idle = (sim_device(uri) or asked.dut) if own else asked.dut
    return {
        load: (under(uri, asked.dut, load)[1] if own and is_own(load) else idle, is_raised(load))
        for load in names
    }
