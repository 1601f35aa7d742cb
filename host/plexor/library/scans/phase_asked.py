"""What a caller asks of a phase scan, in texts or numbers, as what it is to find out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Required, TypedDict

from plexor.errors import UsageError
from plexor.library.asked import CODE_READERS, codes_asked
from plexor.library.pins import described, response_pins, wired
from plexor.library.scans.workers import live
from plexor.library.values import (
    Count,
    Naming,
    Rate,
    Reader,
    Time,
    channels,
    count,
    hertz,
    plain,
    seconds,
    seed,
    whole,
)
from plexor.model.codes import Codes
from plexor.model.load import parse_load
from plexor.model.settings import Channel, Settings
from plexor.model.sources import source_of
from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE

if TYPE_CHECKING:
    from plexor.phase.run import Wanted

POINTS = 100
MOST_POINTS = 100_000


def parse_against(text: str) -> str:
    """Return the reference of `ch2`, `ch2.fall`, `strike1` or `code:NAME`; raise ValueError."""
    source = source_of(text)
    if source in (SOURCE_STRIKE, SOURCE_LOAD):
        raise ValueError(f"against: {text!r}; must be ch0 to ch7 or strike1 to strike7")
    return text


class PhaseOptions(TypedDict, total=False):
    """The options of a phase scan, as texts or numbers."""

    against: Required[str]
    """Reference from which phases are measured: `ch2`, `ch2.fall`, `strike1` or `code:NAME`."""
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
    code_wires: str | Codes | None
    """Channels on which the device sends codes, such as `ch2:ch3`, if the reference is one."""
    code_port: str | Codes | None
    """How the device shows codes on the code pins, such as `change`."""
    codes: str | Path | None
    """The firmware's ELF file, or a TOML file, with the names of codes."""
    load: str | None
    """Load to put on: one of the device's own, `on` for the load output, or `none`. Default: the
    load output stays low, during the run."""
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
    code_wires: Codes | None = None
    code_port: Codes | None = None
    codes: Path | None = None
    load: str | None = None
    seed: int = 1


READERS: Mapping[str, Reader] = {
    "against": lambda value: parse_against(str(value)),
    "rate": hertz,
    **dict.fromkeys(("period", "span", "step", "threshold", "width", "timeout"), seconds),
    "points": whole(2, MOST_POINTS),
    "repeats": count,
    "channels": channels,
    **CODE_READERS,
    "load": parse_load,
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
    if (source_of(asked.against) is None) != (_codes(asked, name) is not None):
        raise UsageError(
            f"{against}: a reference code:NAME and {name('code_port')} or {name('code_wires')} "
            "belong together; give both"
        )
    live(asked.link)
    _pins(asked, name)
    described(asked.link, asked.dut, {})


def _is_ours(asked: PhaseAsked) -> bool:
    """Return whether the reference is another output of the instrument."""
    source = source_of(asked.against)
    return source is not None and source >= SOURCE_STRIKE


def _pins(asked: PhaseAsked, name: Naming = plain) -> tuple[Channel, ...]:
    source, codes = source_of(asked.against), _codes(asked, name)
    carry = () if codes is None else codes.channels
    found = asked.channels or response_pins(asked.link, asked.dut, source)
    return tuple(each for each in found if asked.channels or each.number not in carry)


def _codes(asked: PhaseAsked, name: Naming) -> Codes | None:
    return codes_asked(asked.code_wires, asked.code_port, asked.codes, name)


def wanted_of(asked: PhaseAsked, name: Naming = plain) -> Wanted:
    """Return what a phase scan is to find out. `name` gives an option's name for messages.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, name)
    # Imported here so that wrong options answer at once.
    from plexor.phase.run import Wanted  # noqa: PLC0415

    codes = _codes(asked, name)
    return Wanted(
        channels=wired(Settings(channels=_pins(asked, name), codes=codes)).channels,
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
        codes=codes,
    )
