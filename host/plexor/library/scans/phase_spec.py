# SPDX-License-Identifier: Apache-2.0
"""What a phase scan is asked, and what it is then to find out."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from plexor.base.errors import UsageError
from plexor.library.pins import described, response_pins, wired
from plexor.library.run_spec import codes_asked
from plexor.library.scans.workers import live
from plexor.library.specs.options import (
    Coded,
    Described,
    InFolder,
    Loaded,
    Pins,
    Seeded,
    Target,
    Unanswered,
    Width,
)
from plexor.library.specs.spec import maybe, option
from plexor.library.specs.values import count, hertz, seconds, whole
from plexor.model.codes import Codes
from plexor.model.settings import Channel, Settings
from plexor.model.sources import source_of
from plexor.protocol.frames import SOURCE_LOAD, SOURCE_STRIKE

if TYPE_CHECKING:
    from plexor.experiments.phase.run import PhaseGoal
    from plexor.run.session.follow import OnProgress

POINTS = 100
MOST_POINTS = 100_000


def _against(text: str) -> str:
    source = source_of(text)
    if source in (SOURCE_STRIKE, SOURCE_LOAD):
        raise ValueError(f"against: {text!r}; must be ch0 to ch7 or strike1 to strike7")
    return text


class PhaseSpec(
    Width,
    Pins,
    Coded,
    Loaded,
    Seeded,
    Unanswered,
    InFolder,
    Described,
    told={
        "out": "It is a new one, with the run, the scan and its page.",
    },
    topic="Phases",
):
    """What a phase scan is asked. Rates are in hertz and times in seconds, all exact."""

    against: str = option(
        converter=_against,
        metavar="EDGE",
        help="Reference from which phases are measured: the edge of a channel, such as ch2 or "
        "ch2.fall, or of another output, such as strike1, or a code of the device, by its name or "
        "value, such as code:give, code:function:give or code:0x43.",
    )
    period: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Period of the output that --against names.",
    )
    span: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Range of phases for a reference without a period: the time since its last edge, up "
        "to this.",
    )
    rate: Fraction = option(
        converter=hertz,
        metavar="RATE",
        help="Maximum strikes per second, such as 5k. The actual rate is the next lower one that "
        "steps through the phases; the result names it.",
    )
    step: Fraction | None = option(
        first=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Step of the phase.",
    )
    points: int | None = option(
        converter=maybe(whole(2, MOST_POINTS)),
        default=None,
        metavar="N",
        help=f"Number of steps in a period, 2 to {MOST_POINTS}, instead of --step. "
        f"Default: {POINTS}.",
    )
    repeats: int = option(
        converter=count,
        default=8,
        shows_default=True,
        metavar="N",
        help="Number of strikes per step, on average.",
    )
    threshold: Fraction | None = option(
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Excess over the base above which a latency is masked. Default: twice the spread of "
        "latencies at any phase.",
    )
    on_progress: OnProgress | None = option(default=None, flag=None)
    """Gets the progress of the run."""


def check(asked: PhaseSpec, target: Target) -> None:
    """Raise UsageError for options that cannot be combined, by their names for messages."""
    name = asked.naming
    against, ours = f"{name('against')} {asked.against}", _is_ours(asked)
    if asked.step is not None and asked.points is not None:
        raise UsageError(
            f"{name('step')} and {name('points')} both set the steps of the phase; give one of them"
        )
    spans = {"step": asked.step, "period": asked.period, "span": asked.span}
    for span, value in spans.items():
        if value is not None and value <= 0:
            raise UsageError(f"{name(span)}: must be above 0")
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
    if (source_of(asked.against) is None) != (_codes(asked) is not None):
        raise UsageError(
            f"{against}: a reference code:NAME and {name('code_port')} or {name('code_wires')} "
            "belong together; give both"
        )
    live(target.link)
    _pins(asked, target)
    described(target.link, target.dut, {})


def _is_ours(asked: PhaseSpec) -> bool:
    """Return whether the reference is another output of the instrument."""
    source = source_of(asked.against)
    return source is not None and source >= SOURCE_STRIKE


def _pins(asked: PhaseSpec, target: Target) -> tuple[Channel, ...]:
    source, codes = source_of(asked.against), _codes(asked)
    carry = () if codes is None else codes.channels
    found = asked.channels or response_pins(target.link, target.dut, source)
    return tuple(each for each in found if asked.channels or each.number not in carry)


def _codes(asked: PhaseSpec) -> Codes | None:
    return codes_asked(asked.code_wires, asked.code_port, asked.codes, asked.naming)


def wanted_of(asked: PhaseSpec, target: Target) -> PhaseGoal:
    """Return what a phase scan is to find out.

    Raises UsageError for options that cannot be combined.
    """
    check(asked, target)
    # Imported here so that wrong options answer at once.
    from plexor.experiments.phase.run import PhaseGoal  # noqa: PLC0415

    codes = _codes(asked)
    return PhaseGoal(
        channels=wired(Settings(channels=_pins(asked, target), codes=codes)).channels,
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
