"""What a caller asks of a phase scan, in texts or numbers, as what it is to find out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Required, TypedDict

from plexor.errors import UsageError
from plexor.library.pins import described, response_pins
from plexor.library.scans.workers import live
from plexor.library.values import (
    Count,
    Naming,
    Rate,
    Reader,
    Time,
    channels,
    count,
    flag,
    hertz,
    plain,
    seconds,
    seed,
    whole,
)
from plexor.model.settings import Channel, parse_reference
from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE

if TYPE_CHECKING:
    from plexor.phase.run import Wanted

POINTS = 100
MOST_POINTS = 100_000


def parse_against(text: str) -> str:
    """Return the reference of `ch2`, `ch2.fall` or `strike1`; raise ValueError for others."""
    source, _ = parse_reference(text)
    if source in (SOURCE_STRIKE, SOURCE_LOAD):
        raise ValueError(f"against: {text!r}; must be ch0 to ch7 or strike1 to strike7")
    return text


class PhaseOptions(TypedDict, total=False):
    """The options of a phase scan, as texts or numbers."""

    against: Required[str]
    """Reference edge from which phases are measured: `ch2`, `ch2.fall` or `strike1`."""
    rate: Required[Rate]
    """Maximum strikes per second."""
    period: Time | None
    """Period of the output that `against` names."""
    span: Time | None
    """Range of phases for a reference without a period: the time since its last edge."""
    step: Time | None
    """Step of the phase."""
    points: int | None
    """Number of steps in a period, 2 to 100,000, instead of `step`. Default: 100."""
    repeats: Count
    """Number of strikes per step, on average. Default: 8."""
    threshold: Time | None
    """Excess over the base above which a latency is masked. Default: twice the spread of latencies
    at any phase."""
    width: Time | None
    """Width of a strike."""
    channels: str | Channel | Sequence[str | Channel]
    """Response pins, such as `ISR=ch0`. Default: those of a simulated device."""
    timeout: Time | None
    """Age at which an unanswered strike is missed. Default: 5/8 of the period."""
    load: bool
    """Whether the load output is raised during the run."""
    seed: int
    """Seed for the random parts of the strikes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseAsked:
    """PhaseOptions and the device, exact: rates in hertz, times in seconds."""

    link: str = "sim:"
    dut: str | None = None
    against: str
    rate: Fraction
    period: Fraction | None = None
    span: Fraction | None = None
    step: Fraction | None = None
    points: int | None = None
    repeats: int = 8
    threshold: Fraction | None = None
    width: Fraction | None = None
    channels: tuple[Channel, ...] = ()
    timeout: Fraction | None = None
    load: bool = False
    seed: int = 1


READERS: Mapping[str, Reader] = {
    "against": lambda value: parse_against(str(value)),
    "rate": hertz,
    **dict.fromkeys(("period", "span", "step", "threshold", "width", "timeout"), seconds),
    "points": whole(2, MOST_POINTS),
    "repeats": count,
    "channels": channels,
    "load": flag,
    "seed": seed,
}


def check(asked: PhaseAsked, name: Naming = plain) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    against, ours = f"{name('against')} {asked.against}", _is_ours(asked)
    if asked.step is not None and asked.points is not None:
        raise UsageError(
            f"{name('step')} and {name('points')} both set the steps of the phase; give one of them"
        )
    spans = {"step": asked.step, "period": asked.period, "span": asked.span}
    for option, value in spans.items():
        if value is not None and value <= 0:
            raise UsageError(f"{name(option)}: must be above 0")
    if ours and asked.period is None:
        raise UsageError(f"{against}: give its {name('period')} too")
    if not ours and asked.period is not None:
        raise UsageError(
            f"{name('period')} is for another output; the period of {asked.against} is measured"
        )
    if ours and asked.span is not None:
        raise UsageError(
            f"{name('span')} is for a reference without a period; the phases of {asked.against} "
            "cover its period"
        )
    live(asked.link)
    _pins(asked)
    described(asked.link, asked.dut, {})


def _is_ours(asked: PhaseAsked) -> bool:
    """Return whether the reference is another output of the instrument."""
    return parse_reference(asked.against)[0] >= SOURCE_STRIKE


def _pins(asked: PhaseAsked) -> tuple[Channel, ...]:
    but = None if _is_ours(asked) else parse_reference(asked.against)[0]
    return asked.channels or response_pins(asked.link, asked.dut, but)


def wanted_of(asked: PhaseAsked, name: Naming = plain) -> Wanted:
    """Return what a phase scan is to find out. `name` gives an option's name for messages.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, name)
    # Imported here so that wrong options answer at once.
    from plexor.phase.run import Wanted  # noqa: PLC0415

    return Wanted(
        channels=_pins(asked),
        against=asked.against,
        rate_hz=asked.rate,
        repeats=asked.repeats,
        step_s=asked.step,
        points=asked.points or (POINTS if asked.step is None else None),
        period_s=asked.period,
        threshold_s=asked.threshold,
        width_s=asked.width,
        timeout_s=asked.timeout,
        span_s=asked.span,
        load=asked.load,
        seed=asked.seed,
    )
