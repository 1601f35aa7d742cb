"""What a caller asks of a burst scan, in texts or numbers, as what it is to find out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Required, TypedDict

from plexor.burst.model import LONGEST_PART
from plexor.errors import UsageError
from plexor.library.pins import described, response_pins, under
from plexor.library.scans.workers import Opener, executor, workers_of
from plexor.library.values import (
    Count,
    Naming,
    Reader,
    Time,
    channels,
    count,
    plain,
    seconds,
    seed,
    whole,
)
from plexor.model.load import is_raised, parse_load
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.sweep.criterion import Criterion, What, parse_criterion

if TYPE_CHECKING:
    from plexor.burst.scan import Wanted

DEFAULT = parse_criterion("missed<1%@95%")


class BurstOptions(TypedDict, total=False):
    """The options of a burst scan, as texts or numbers."""

    low: Required[Time]
    """Minimum spacing of the strikes in a burst."""
    high: Required[Time]
    """Maximum spacing, at most half of the period."""
    period: Required[Time]
    """Time from burst to burst, long enough that the device is idle in between."""
    points: int
    """Number of spacings, 2 to 1000. Default: 9."""
    most: Count
    """Longest burst to try. Default: 64."""
    criterion: str | Criterion
    """Limit on the missed strikes. For bursts of n strikes it is at most 1/(2n). Default:
    `missed<1%@95%`."""
    width: Time | None
    """Width of a strike. Default: half the spacing, at most 10 µs."""
    channels: str | Channel | Sequence[str | Channel]
    """Response pins, such as `ISR=ch0`. Default: those of a simulated device."""
    load: str | None
    """Load to put on: one of the device's own, `on` for the load output, or `none`. Default: the
    load output stays low, during the runs."""
    seed: int
    """Seed for the random parts of the strikes."""
    executor: str | Opener | None
    """Where simulated instruments run: `local`, `local:2` or `dask://HOST:PORT`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BurstAsked:
    """BurstOptions and the device, exact: times in seconds."""

    link: str = "sim:"
    dut: str | None = None
    low: Fraction
    high: Fraction
    period: Fraction
    points: int = 9
    most: int = 64
    criterion: Criterion = DEFAULT
    width: Fraction | None = None
    channels: tuple[Channel, ...] = ()
    load: str | None = None
    seed: int = 1
    executor: Opener | None = None


def _criterion(value: Any) -> Criterion:
    return value if isinstance(value, Criterion) else parse_criterion(str(value))


READERS: Mapping[str, Reader] = {
    **dict.fromkeys(("low", "high", "period", "width"), seconds),
    "points": whole(2, 1000),
    "most": count,
    "criterion": _criterion,
    "channels": channels,
    "load": parse_load,
    "seed": seed,
    "executor": executor,
}


def check(asked: BurstAsked, name: Naming = plain) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
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
    if asked.criterion.what != What.MISSED:
        raise UsageError(f"{name('criterion')} {asked.criterion.text}: must limit missed")
    if not asked.channels:
        response_pins(asked.link, asked.dut)
    described(asked.link, asked.dut, {})
    workers_of(asked.link, asked.executor, name)


def wanted_of(asked: BurstAsked, name: Naming = plain) -> Wanted:
    """Return what a burst scan is to find out. `name` gives an option's name for messages.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, name)
    # Imported here so that wrong options answer at once.
    from plexor.burst.scan import Wanted  # noqa: PLC0415

    stimulus = Stimulus(period_s=asked.period, width_s=asked.width, seed=asked.seed)
    pins = asked.channels or response_pins(asked.link, asked.dut)
    link, dut = under(asked.link, asked.dut, asked.load)
    settings = Settings(
        strikes=(stimulus,),
        channels=pins,
        load=is_raised(asked.load),
        load_name=asked.load or "",
    )
    return Wanted(
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
