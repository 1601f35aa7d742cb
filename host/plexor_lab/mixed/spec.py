# SPDX-License-Identifier: Apache-2.0
"""What a schedule is asked."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.base.units import parse_count, parse_duration, parse_part
from plexor.library.scans.workers import live
from plexor.library.specs import values
from plexor.library.specs.options import Described, InFolder, Seeded, Unanswered
from plexor.library.specs.spec import maybe, option
from plexor.library.specs.values import choice, flag, seconds, whole

if TYPE_CHECKING:
    from plexor_lab.mixed.run import Callbacks

MODES = ("verify", "normal", "mixed", "all")
ORDERS = ("sequential", "random")
TIMECODES = ("seed8751",)
"""Presets; plexor_lab.mixed.timecode, which has them, is imported later."""
MOST_IDS = 16
MOST_DISTANCE = 127


def _rate(value: str | int | Fraction) -> int | Fraction:
    """Return the steps of `2`, or the exact seconds of `150ms`; raise ValueError."""
    text = str(value)
    if isinstance(value, Fraction):
        return value
    if text.strip().isdecimal():
        return parse_count(text)
    try:
        time_s = parse_duration(text)
    except ValueError:
        time_s = Fraction(0)
    if time_s <= 0:
        raise ValueError(
            f"rate: {text!r}; must be a number of steps, such as 2, or a time above 0, such as "
            "150ms"
        )
    return time_s


def _distances(value: str | int | Sequence[int]) -> tuple[int, ...]:
    """Return the distances of `0,1,2`, each once and in order; raise ValueError."""
    text = str(value) if isinstance(value, str | int) else ",".join(map(str, value))
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) <= MOST_DISTANCE for part in parts):
        raise ValueError(f"distance: {text!r}; must be steps from 0 to {MOST_DISTANCE}, as 0,1,2")
    return tuple(sorted({int(part) for part in parts}))


def _spikes(value: str | float | Fraction) -> Fraction:
    """Return a number of standard deviations, 0 or more; raise ValueError."""
    number = parse_part(str(value))
    if number < 0:
        raise ValueError(f"spikes: '{value}'; must be 0 or more standard deviations, such as 3")
    return number


class MixedSpec(
    Seeded,
    Unanswered,
    InFolder,
    Described,
    told={
        "out": "It is a new one, with the result, its lists and runs.",
        "timeout": "Of a schedule the time between strikes is half of the time until an id comes "
        "again; with random ids, as --rate.",
    },
):
    """What a schedule is asked. Times are in seconds, all exact."""

    device_serial: str | None = option(
        first=True,
        converter=maybe(str),
        default=None,
        metavar="URI",
        help="Link to the device's own serial line, such as serial:/dev/ttyUSB1?baud=9600. That of "
        "a simulated device is known.",
    )
    mode: str = option(
        first=True,
        converter=choice(MODES),
        default="all",
        shows_default=True,
        choices=MODES,
        help="verify: the device schedules its own responses. normal: the host answers, without a "
        "device. mixed: the host schedules, the device answers.",
    )
    distance: tuple[int, ...] = option(
        first=True,
        converter=_distances,
        default="0,1,2",
        shows_default=True,
        metavar="N,...",
        help="Steps of the timecode from issue to due, in mode mixed. There is a run for each.",
    )
    rate: int | Fraction = option(
        first=True,
        converter=_rate,
        default="1",
        shows_default=True,
        metavar="STEPS|TIME",
        help="From one entry to the next: steps of the timecode, or a time, which is rounded to "
        "steps.",
    )
    ids: str = option(
        first=True,
        converter=choice(ORDERS),
        default=ORDERS[0],
        shows_default=True,
        choices=ORDERS,
        help="Order of ids.",
    )
    id_count: int = option(
        converter=whole(1, MOST_IDS),
        default=8,
        shows_default=True,
        metavar="N",
        help=f"Number of ids, from 0 up, 1 to {MOST_IDS}.",
    )
    count: int = option(
        first=True,
        converter=values.count,
        default=100,
        shows_default=True,
        metavar="N",
        help="Number of entries in each run.",
    )
    limit: Fraction = option(
        converter=seconds,
        default="1ms",
        shows_default=True,
        metavar="TIME",
        help="Greatest lateness of a response that is done in time.",
    )
    early: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Greatest time before its due time of a response that belongs to an entry. Default: "
        "half of --rate.",
    )
    spikes: Fraction = option(
        converter=_spikes,
        default="3",
        shows_default=True,
        metavar="K",
        help="A spike exceeds the mean by more than this many standard deviations.",
    )
    timecode: str | None = option(
        converter=maybe(choice(TIMECODES)),
        default=None,
        choices=TIMECODES,
        help="Preset: seed8751 has 8 bits and 14.0625 steps a second, and is the default.",
    )
    timecode_bits: int | None = option(
        converter=maybe(whole(1, 16)),
        default=None,
        metavar="N",
        help="Bits of the timecode that the device reads, 1 to 16.",
    )
    period: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Time of a step of the timecode.",
    )
    gray: bool = option(converter=flag, default=False, help="Send the timecode as a Gray code.")
    told: Callbacks | None = option(default=None, flag=None)
    """Is told of each run, its progress and what is seen of it."""


def check(asked: MixedSpec) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    name = asked.naming
    if asked.timecode is not None:
        for word in ("timecode_bits", "period"):
            if getattr(asked, word) is not None:
                raise UsageError(
                    f"{name('timecode')} {asked.timecode} sets {name(word)} too; give one of them"
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


def check_line(asked: MixedSpec, link: str) -> None:
    """Raise UsageError unless a schedule can reach its device at that link."""
    name = asked.naming
    live(link)
    if asked.device_serial is not None and link.startswith("sim:"):
        raise UsageError(
            f"{name('device_serial')} is for a board; a simulated device's line is known"
        )
    if asked.device_serial is None and not link.startswith("sim:") and asked.mode != "normal":
        raise UsageError(
            f"{name('device_serial')}: is missing; name the device's serial line, such as "
            "serial:/dev/ttyUSB1?baud=9600, or use mode normal, which needs no device"
        )
