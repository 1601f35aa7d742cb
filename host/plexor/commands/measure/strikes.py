"""Strike outputs from command-line texts: what starts them, and outputs besides `--rate`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import click

from plexor.commands.parameters import Parsed, parse_duty
from plexor.model.settings import Stimulus
from plexor.protocol.registers import Trigger
from plexor.units import parse_count, parse_duration, parse_rate


class Start(NamedTuple):
    """What starts an output's strikes: the run, the gate input, or another output's strike."""

    trigger: Trigger = Trigger.RUN
    source: int = 0


def parse_start(text: str) -> Start:
    """Return the start of `run`, `gate` or `strike1`; raise ValueError."""
    if text in ("run", "gate"):
        return Start(Trigger[text.upper()])
    match = re.fullmatch(r"strike([0-7])", text)
    if match is None:
        raise ValueError(f"start: {text!r}; must be run, gate or strike0 to strike7")
    return Start(Trigger.STRIKE, int(match[1]))


def _seed(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:21]) < 1 << 64:
        raise ValueError(f"seed: {text!r}; must be a whole number from 1 to {(1 << 64) - 1}")
    return int(text)


_Set = Callable[[Stimulus, str], Stimulus]
_VALUES: Mapping[str, _Set] = {
    "rate": lambda strike, text: replace(strike, period_s=1 / parse_rate(text)),
    "count": lambda strike, text: replace(strike, count=parse_count(text)),
    "width": lambda strike, text: replace(strike, width_s=parse_duration(text)),
    "duty": lambda strike, text: replace(strike, duty=parse_duty(text)),
    "phase": lambda strike, text: replace(strike, phase_s=parse_duration(text)),
    "dither": lambda strike, text: replace(strike, dither_s=parse_duration(text)),
    "burst": lambda strike, text: replace(strike, burst=parse_count(text)),
    "spacing": lambda strike, text: replace(strike, spacing_s=parse_duration(text)),
    "seed": lambda strike, text: replace(strike, seed=_seed(text)),
    "start": lambda strike, text: _started(strike, parse_start(text)),
}
_FLAGS: Mapping[str, Callable[[Stimulus], Stimulus]] = {
    "poisson": lambda strike: replace(strike, poisson=True),
    "active-low": lambda strike: replace(strike, invert=True),
}
_STRIKE = re.compile(r"(?P<number>[0-7]):(?P<options>.+)")
_KNOWN = f"{', '.join(f'{key}=' for key in _VALUES)}, {' or '.join(_FLAGS)}"


def parse_strike(text: str) -> Stimulus:
    """Return the output of `1:rate=1k,width=2us` or of `1:start=strike0,phase=10us`.

    Raises ValueError that says what would be right.
    """
    match = _STRIKE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"strike: {text!r}; must be an output from 0 to 7 with options after a colon: {_KNOWN}"
        )
    strike = Stimulus(output=int(match["number"]))
    for option in match["options"].split(","):
        key, sign, value = option.partition("=")
        if option in _FLAGS:
            strike = _FLAGS[option](strike)
        elif key in _VALUES and sign:
            strike = _VALUES[key](strike, value)
        else:
            raise ValueError(f"strike: {text!r}: {option!r} is not an option; must be {_KNOWN}")
    if strike.duty is not None and strike.period_s is None and strike.spacing_s is None:
        raise ValueError(
            f"strike: {text!r}: a duty is a part of the period; give rate= too, or width="
        )
    return strike


def _started(strike: Stimulus, start: Start) -> Stimulus:
    return replace(strike, trigger=start.trigger, trigger_source=start.source)


START = Parsed("start", parse_start)
STRIKE = Parsed("strike", parse_strike)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikeOptions:
    """The options of `plexor measure` that say how outputs strike."""

    rate: Fraction | None
    count: int | None
    time_s: Fraction | None
    width: Fraction | None
    duty: Fraction | None
    phase: Fraction
    dither: Fraction
    poisson: bool
    burst: int
    spacing: Fraction | None
    seed: int
    active_low: bool
    start: Start
    strikes: tuple[Stimulus, ...]
    """The options of other outputs."""


def strikes_of(options: StrikeOptions) -> tuple[Stimulus, ...]:
    """Return all outputs that the options of `plexor measure` ask for.

    Raises click.UsageError for options that cannot be combined.
    """
    further = options.strikes
    main = _main(options)
    numbers = [entry.output for entry in further]
    for number in numbers:
        if main is not None and number == main.output:
            raise click.UsageError(f"--strike {number}: --rate uses this output; name another one")
        if numbers.count(number) > 1:
            raise click.UsageError(f"--strike: {number} is given twice")
    every = further if main is None else (main, *further)
    return every if options.time_s is not None else _ended(every)


def _main(options: StrikeOptions) -> Stimulus | None:
    start = options.start
    if options.rate is None:
        wrong = next((name for name, given in _of_strikes(options) if given), None)
        if wrong is not None:
            raise click.UsageError(f"--{wrong} applies to strikes; give --rate too")
        return None
    if options.width is not None and options.duty is not None:
        raise click.UsageError(
            "--width and --duty both set the width of a strike; give one of them"
        )
    if options.burst > 1 and options.spacing is None:
        raise click.UsageError("--burst needs --spacing, the time between its strikes")
    return Stimulus(
        period_s=1 / options.rate,
        width_s=options.width,
        duty=options.duty,
        phase_s=options.phase,
        burst=options.burst,
        spacing_s=options.spacing,
        count=options.count or 0,
        dither_s=options.dither,
        poisson=options.poisson,
        trigger=start.trigger,
        trigger_source=start.source,
        invert=options.active_low,
        seed=options.seed,
    )


def _of_strikes(options: StrikeOptions) -> Iterator[tuple[str, bool]]:
    """Yield the options that have no meaning without a rate, and whether each is given."""
    yield "count", bool(options.count)
    yield "width", bool(options.width)
    yield "duty", bool(options.duty)
    yield "phase", bool(options.phase)
    yield "dither", bool(options.dither)
    yield "poisson", options.poisson
    yield "spacing", bool(options.spacing)
    yield "active-low", options.active_low
    yield "burst", options.burst > 1
    yield "start", options.start.trigger != Trigger.RUN


def _ended(strikes: tuple[Stimulus, ...]) -> tuple[Stimulus, ...]:
    """Return the outputs; those that start with the run strike until counts end it.

    The instrument waits for all of them. Raises click.UsageError for an output without an end.
    """
    longest_s = max(
        (
            (entry.period_s or 0) * ceil(Fraction(entry.count, entry.burst))
            for entry in strikes
            if _is_finite(entry)
        ),
        default=None,
    )
    if longest_s is None:
        return strikes
    found: list[Stimulus] = []
    for entry in strikes:
        if entry.count == 0 and entry.period_s is not None:
            if entry.trigger == Trigger.STRIKE:
                raise click.UsageError(
                    f"--strike {entry.output}: never stops striking once it has started; give it "
                    "a count=, or limit the run with --time"
                )
            if entry.trigger == Trigger.RUN:
                bursts = max(ceil(longest_s / entry.period_s), 1)
                found.append(replace(entry, count=bursts * entry.burst))
                continue
        found.append(entry)
    return tuple(found)


def _is_finite(stimulus: Stimulus) -> bool:
    return stimulus.trigger == Trigger.RUN and (stimulus.count > 0 or stimulus.period_s is None)


def ends_by_itself(strikes: tuple[Stimulus, ...]) -> bool:
    """Return whether strikes that start with the run have an end, which ends the run."""
    return any(_is_finite(entry) for entry in strikes)
