"""What a caller asks of a schedule, in texts or numbers, as what is to be run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypedDict

from plexor.errors import UsageError
from plexor.library.scans.workers import live
from plexor.library.specs.values import (
    Count,
    Naming,
    Reader,
    Time,
    choice,
    count,
    flag,
    plain,
    seconds,
    seed,
    whole,
)
from plexor.units import parse_count, parse_duration, parse_part

if TYPE_CHECKING:
    from plexor.mixed.run import Wanted
    from plexor.mixed.timecode import Timecode

MODES = ("verify", "normal", "mixed", "all")
ORDERS = ("sequential", "random")
TIMECODES = ("seed8751",)
"""Presets; plexor.mixed.timecode, which has them, is imported later."""
BITS = 8
IDS = 8
MOST_IDS = 16
DISTANCES = (0, 1, 2)
MOST_DISTANCE = 127


def parse_rate(text: str) -> int | Fraction:
    """Return the steps of `2`, or the exact seconds of `150ms`; raise ValueError."""
    if text.strip().isdecimal():
        return parse_count(text)
    try:
        value = parse_duration(text)
    except ValueError:
        value = Fraction(0)
    if value <= 0:
        raise ValueError(
            f"rate: {text!r}; must be a number of steps, such as 2, or a time above 0, such as "
            "150ms"
        )
    return value


def parse_distances(text: str) -> tuple[int, ...]:
    """Return the distances of `0,1,2`, each once and in order; raise ValueError."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) <= MOST_DISTANCE for part in parts):
        raise ValueError(f"distance: {text!r}; must be steps from 0 to {MOST_DISTANCE}, as 0,1,2")
    return tuple(sorted({int(part) for part in parts}))


def parse_spikes(text: str) -> Fraction:
    """Return a number of standard deviations, 0 or more; raise ValueError."""
    value = parse_part(text)
    if value < 0:
        raise ValueError(f"spikes: {text!r}; must be 0 or more standard deviations, such as 3")
    return value


class MixedOptions(TypedDict, total=False):
    """The options of a schedule, as texts or numbers."""

    mode: str
    """`verify`, `normal`, `mixed`, or `all` of them. Default: all."""
    distance: str | int | Sequence[int]
    """Steps from issue to due, in mode mixed: `0,1,2`. A run each."""
    rate: str | int
    """From one entry to the next: steps, or a time, which is rounded to steps. Default: 1."""
    ids: str
    """Order of the ids: `sequential` or `random`."""
    id_count: int
    """Number of ids, 1 to 16. Default: 8."""
    seed: int
    """Seed of random ids."""
    count: Count
    """Entries of each run."""
    limit: Time
    """Greatest lateness of a response that is done. Default: 1ms."""
    timeout: Time | None
    """Greatest lateness of a response that belongs to an entry. Default: half the time until its id
    comes again; with random ids, the rate."""
    early: Time | None
    """Greatest time before its due time of a response that belongs to an entry. Default: half the
    rate."""
    spikes: str
    """Standard deviations above the mean from which on a response is a spike. Default: 3."""
    timecode: str | None
    """A preset: `seed8751`."""
    timecode_bits: int | None
    """Bits of the timecode, 1 to 16. Default: 8."""
    period: Time | None
    """Time of a step of the timecode. Default: that of seed8751, 16/225 s."""
    gray: bool
    """Whether the timecode is a Gray code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedAsked:
    """MixedOptions and the device, exact: times in seconds."""

    link: str = "sim:"
    dut: str | None = None
    device_serial: str | None = None
    mode: str = "all"
    distance: tuple[int, ...] = DISTANCES
    rate: int | Fraction = 1
    ids: str = "sequential"
    id_count: int = IDS
    seed: int = 1
    count: int = 100
    limit: Fraction = Fraction(1, 1000)
    timeout: Fraction | None = None
    early: Fraction | None = None
    spikes: Fraction = Fraction(3)
    timecode: str | None = None
    timecode_bits: int | None = None
    period: Fraction | None = None
    gray: bool = False


def _distances(value: object) -> tuple[int, ...]:
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    return parse_distances(str(value))


READERS: Mapping[str, Reader] = {
    "mode": choice(MODES),
    "distance": _distances,
    "rate": lambda value: value if isinstance(value, Fraction) else parse_rate(str(value)),
    "ids": choice(ORDERS),
    "id_count": whole(1, MOST_IDS),
    "seed": seed,
    "count": count,
    **dict.fromkeys(("limit", "timeout", "early", "period"), seconds),
    "spikes": lambda value: parse_spikes(str(value)),
    "timecode": choice(TIMECODES),
    "timecode_bits": whole(1, 16),
    "gray": flag,
}


def check(asked: MixedAsked, name: Naming = plain) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    if asked.timecode is not None:
        for option in ("timecode_bits", "period"):
            if getattr(asked, option) is not None:
                raise UsageError(
                    f"{name('timecode')} {asked.timecode} sets {name(option)} too; give one of them"
                )
    if asked.period is not None and asked.period <= 0:
        raise UsageError(f"{name('period')}: must be above 0")
    if asked.limit < 0:
        raise UsageError(f"{name('limit')}: must be 0 or more")
    if asked.early is not None and asked.early < 0:
        raise UsageError(f"{name('early')}: must be 0 or more")
    if asked.timeout is not None and asked.timeout < asked.limit:
        raise UsageError(
            f"{name('timeout')}: must be {name('limit')} or more, which parts done from late"
        )
    live(asked.link)
    if asked.device_serial is not None and asked.link.startswith("sim:"):
        raise UsageError(
            f"{name('device_serial')} is for a board; a simulated device's line is known"
        )
    if asked.device_serial is None and not asked.link.startswith("sim:") and asked.mode != "normal":
        raise UsageError(
            f"{name('device_serial')}: is missing; name the device's serial line, such as "
            "serial:/dev/ttyUSB1?baud=9600, or use mode normal, which needs no device"
        )


def timecode_of(asked: MixedAsked) -> Timecode:
    """Return the timecode that is asked for."""
    from plexor.mixed.timecode import PRESETS, SEED8751, Timecode  # noqa: PLC0415

    usual = SEED8751 if asked.timecode is None else PRESETS[asked.timecode]
    bits = usual.bits if asked.timecode_bits is None else asked.timecode_bits
    period_s = usual.period_s if asked.period is None else asked.period
    return Timecode(bits, period_s, asked.gray)


def wanted_of(asked: MixedAsked, name: Naming = plain) -> Wanted:
    """Return what is to be run. `name` gives an option's name for messages.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, name)
    # Imported here so that wrong options answer at once.
    from plexor.mixed.model import Mode, Order, Schedule  # noqa: PLC0415
    from plexor.mixed.run import Wanted  # noqa: PLC0415
    from plexor.mixed.schedule import FIRST_STEP  # noqa: PLC0415

    timecode = timecode_of(asked)
    modes = [*Mode] if asked.mode == "all" else [Mode(asked.mode)]
    runs = [
        (mode, distance)
        for mode in modes
        for distance in (asked.distance if mode is Mode.MIXED else (None,))
    ]
    furthest = max(asked.distance) if Mode.MIXED in modes else 0
    return Wanted(
        runs=tuple(runs),
        timecode=timecode,
        schedule=Schedule(
            count=asked.count,
            spacing_steps=_spacing(asked.rate, timecode),
            ids=asked.id_count,
            order=Order(asked.ids),
            seed=asked.seed,
            first_step=max(FIRST_STEP, furthest + 2),
        ),
        limit_s=asked.limit,
        timeout_s=asked.timeout,
        early_s=asked.early,
        spike_sds=asked.spikes,
    )


def _spacing(rate: int | Fraction, timecode: Timecode) -> int:
    """Return a rate in whole steps, at least one."""
    return rate if isinstance(rate, int) else max(round(rate / timecode.period_s), 1)
