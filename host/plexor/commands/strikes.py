"""Strike outputs from command-line texts: what starts them, and further ones beside `--rate`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

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


_VALUES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "rate": ("period_s", lambda text: 1 / parse_rate(text)),
    "count": ("count", parse_count),
    "width": ("width_s", parse_duration),
    "duty": ("duty", parse_duty),
    "phase": ("phase_s", parse_duration),
    "dither": ("dither_s", parse_duration),
    "burst": ("burst", parse_count),
    "spacing": ("spacing_s", parse_duration),
    "seed": ("seed", _seed),
}
_FLAGS = {"poisson": "poisson", "active-low": "invert"}
_STRIKE = re.compile(r"(?P<number>[0-7]):(?P<options>.+)")
_KNOWN = f"{', '.join(f'{key}=' for key in (*_VALUES, 'start'))}, {' or '.join(_FLAGS)}"


def parse_strike(text: str) -> Stimulus:
    """Return the output of `1:rate=1k,width=2us` or of `1:start=strike0,phase=10us`.

    Raises ValueError, which says what would be right.
    """
    match = _STRIKE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"strike: {text!r}; must be an output from 0 to 7 with options after a colon: {_KNOWN}"
        )
    found: dict[str, Any] = {}
    for option in match["options"].split(","):
        key, sign, value = option.partition("=")
        if option in _FLAGS:
            found[_FLAGS[option]] = True
        elif key in _VALUES and sign:
            name, parse = _VALUES[key]
            found[name] = parse(value)
        elif key == "start" and sign:
            found["trigger"], found["trigger_source"] = parse_start(value)
        else:
            raise ValueError(f"strike: {text!r}: {option!r} is no option; must be {_KNOWN}")
    if "duty" in found and not {"period_s", "spacing_s"} & set(found):
        raise ValueError(f"strike: {text!r}: a duty is of a period; give rate= too, or width=")
    return Stimulus(output=int(match["number"]), **found)


START = Parsed("start", parse_start)
STRIKE = Parsed("strike", parse_strike)


def strikes_of(options: Mapping[str, Any]) -> tuple[Stimulus, ...]:
    """Return all outputs that the options of `plexor measure` ask for.

    Raises click.UsageError for options that do not go together.
    """
    further: tuple[Stimulus, ...] = options["strikes"]
    main = _main(options)
    numbers = [entry.output for entry in further]
    for number in numbers:
        if main is not None and number == main.output:
            raise click.UsageError(f"--strike {number}: is the output of --rate; name another one")
        if numbers.count(number) > 1:
            raise click.UsageError(f"--strike: {number} is given twice")
    every = further if main is None else (main, *further)
    return every if options["time_s"] is not None else _ended(every)


def _main(options: Mapping[str, Any]) -> Stimulus | None:
    start: Start = options["start"]
    if options["rate"] is None:
        given = ["count", "width", "duty", "phase", "dither", "poisson", "spacing", "active_low"]
        wrong = [name.replace("_", "-") for name in given if options[name]]
        wrong += ["burst"] if options["burst"] > 1 else []
        wrong += ["start"] if start.trigger != Trigger.RUN else []
        if wrong:
            raise click.UsageError(f"--{wrong[0]} is of strikes; give --rate too")
        return None
    if options["width"] is not None and options["duty"] is not None:
        raise click.UsageError("--width and --duty both give the strike's width; give one")
    if options["burst"] > 1 and options["spacing"] is None:
        raise click.UsageError("--burst needs --spacing, the time between its strikes")
    return Stimulus(
        period_s=1 / options["rate"],
        width_s=options["width"],
        duty=options["duty"],
        phase_s=options["phase"],
        burst=options["burst"],
        spacing_s=options["spacing"],
        count=options["count"] or 0,
        dither_s=options["dither"],
        poisson=options["poisson"],
        trigger=start.trigger,
        trigger_source=start.source,
        invert=options["active_low"],
        seed=options["seed"],
    )


def _ended(strikes: tuple[Stimulus, ...]) -> tuple[Stimulus, ...]:
    """Return the outputs so that those which start with the run strike until counts end it.

    The instrument waits for all of them. Raises click.UsageError for one that it would wait for
    forever.
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
                    f"--strike {entry.output}: strikes without end once it has started;"
                    " give it a count=, or the run a --time"
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
    """Return whether strikes that start with the run come to an end, and so end it."""
    return any(_is_finite(entry) for entry in strikes)
