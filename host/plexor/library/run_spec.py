# SPDX-License-Identifier: Apache-2.0
"""What a run is asked, as the settings of an instrument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from plexor.base.errors import UsageError
from plexor.figures.codes.names import names_of
from plexor.library.specs import values
from plexor.library.specs.options import (
    Coded,
    Described,
    Loaded,
    Matching,
    OfDevice,
    Pins,
    Replaced,
    Seeded,
    Shape,
    check_width,
)
from plexor.library.specs.spec import maybe, option
from plexor.library.specs.texts import Start, StopCondition, parse_start, parse_stop, parse_strike
from plexor.library.specs.values import (
    Count,
    Naming,
    Time,
    choice,
    each,
    flag,
    hertz,
    plain,
    seconds,
)
from plexor.model.codes import Codes
from plexor.model.load import is_raised
from plexor.model.settings import MODES, Channel, Settings, Stimulus
from plexor.protocol.registers import Policy, Trigger

if TYPE_CHECKING:
    from plexor.run.session.follow import Listeners

T = TypeVar("T")
AUTO = "auto"
"""A window of one-tick bins that a first look places."""


def _start(value: str | Start) -> Start:
    return value if isinstance(value, Start) else parse_start(value)


def _zoom(value: Time) -> Fraction | str:
    if value == AUTO:
        return AUTO
    try:
        return seconds(value)
    except ValueError as error:
        raise ValueError(f"{value!r}; must be a time such as 9.9us, or {AUTO}") from error


def _warm_up(value: Count | Time) -> int | Fraction:
    """Return a number of strikes, or a time in seconds, which a number that is not whole is too."""
    if not isinstance(value, float | Fraction):
        with suppress(ValueError):
            return values.count(value)
    with suppress(ValueError):
        if (time_s := seconds(value)) > 0:
            return time_s
    raise ValueError(f"{value!r}; must be a number of strikes such as 500, or a time such as 50ms")


class RunSpec(
    Shape,
    Pins,
    Matching,
    Loaded,
    Coded,
    Seeded,
    topic="Strikes",
):
    """What a run is asked. Rates are in hertz and times in seconds, all exact."""

    rate: Fraction | None = option(
        first=True,
        on_page=True,
        converter=maybe(hertz),
        default=None,
        metavar="RATE",
        help="Strikes (or bursts) per second, such as 20k. Without it the device runs by itself.",
    )
    count: int | None = option(
        first=True,
        on_page=True,
        converter=maybe(values.count),
        default=None,
        metavar="N",
        help="Number of strikes of --rate, such as 10k. The run ends after them.",
    )
    time: Fraction | None = option(
        topic="Course of the run",
        first=True,
        on_page=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Time after which the run stops, such as 2s.",
    )
    warmup: int | Fraction | None = option(
        topic="Course of the run",
        on_page=True,
        converter=maybe(_warm_up),
        default=None,
        metavar="N|TIME",
        help="Strike before the run too, N times or for TIME, such as 500 or 50ms. These strikes "
        "are counted apart, and are in no figure of the run.",
    )
    phase: Fraction = option(
        converter=seconds,
        default="0s",
        metavar="TIME",
        help="Time from the start to the first strike.",
    )
    poisson: bool = option(
        converter=flag, default=False, help="Strike at random times, at --rate on average."
    )
    burst: int = option(
        on_page=True,
        converter=values.count,
        default=1,
        metavar="N",
        help="Number of strikes in a burst.",
    )
    spacing: Fraction | None = option(
        on_page=True,
        converter=maybe(seconds),
        default=None,
        metavar="TIME",
        help="Time between the strikes in a burst.",
    )
    active_low: bool = option(converter=flag, default=False, help="Make strikes active low.")
    start: Start = option(
        converter=_start,
        default="run",
        shows_default=True,
        metavar="WHAT",
        help="What starts the strikes: run (the start of the run), gate (while the gate input is "
        "high), strikeN (a strike of another output), code:NUMBER (a code at the code port), "
        "latency>TIME (each latency above it) or missed (each missed strike).",
    )
    strikes: tuple[Stimulus, ...] = option(
        converter=each(Stimulus, parse_strike),
        default=(),
        many=True,
        flag="--strike",
        metavar="N:KEY=VALUE,...",
        help="Another output N. Repeat it for each output. Its keys are rate, count, width, duty, "
        "phase, dither, poisson, burst, spacing, seed, active-low and start. Without a rate it "
        "strikes once per start. A trigger output for a scope: 1:start=latency>50us or "
        "1:start=missed.",
    )
    zoom: Fraction | str | None = option(
        topic="Course of the run",
        converter=maybe(_zoom),
        default=None,
        metavar="TIME|auto",
        help="Count latencies from TIME on to the tick, in a window of 62 ticks on ECP5 boards: "
        "with --mode dump all others are in bins of 1/32 of their value. auto: latencies of both "
        "edges, on-widths and periods, each where a first look of 500 strikes has most of them.",
    )
    mode: str | None = option(
        topic="Course of the run",
        converter=maybe(choice(MODES)),
        default=None,
        choices=tuple(MODES),
        shows_default="stream; dump, if the instrument sends no events",
        help="stream: send events during the run. dump: collect results on the chip and send them "
        "after the run. deep: send the events after the run too, if the instrument has a deep "
        "memory.",
    )
    edges: str = option(
        topic="Course of the run",
        converter=choice(("all", "active")),
        default="all",
        choices=("all", "active"),
        shows_default=True,
        help="active: trailing edges stay off the link, which so carries twice as many strikes; "
        "there are no on-widths and no fall latencies. For boards whose host matches and counts "
        "(docs/features.md).",
    )
    stop_on: tuple[StopCondition, ...] = option(
        topic="Course of the run",
        on_page=True,
        converter=each(StopCondition, parse_stop),
        default=(),
        many=True,
        metavar="CONDITION",
        help="Stop on latency>50us or missed, and keep the events around that point. On a board "
        "with code pins also on stall:ch0>10ms, when no edge came on that channel for that time; "
        "with a code port on stall:code>1ms and code=0x43. Repeat it for each condition.",
    )
    every: Fraction | None = option(converter=maybe(seconds), default=None, flag=None)
    """Time from snapshot to snapshot. None: no snapshots."""


class MeasureSpec(RunSpec, Replaced, OfDevice):
    """What a run is asked, or its complete settings, and where it is kept."""

    settings: Settings | None = option(default=None, flag=None)
    """Complete ones, in place of the options of RunSpec."""


class TakeSpec(MeasureSpec, Described):
    """What a run is asked, and who is told of it meanwhile."""

    listeners: Listeners | None = option(default=None, flag=None)
    """Are told of its progress, snapshots and events."""


def settings_of(options: RunSpec, name: Naming = plain, *, endless: bool = False) -> Settings:
    """Return the settings that the options ask for, channels as named.

    `name` gives an option's name for messages. `endless`: the run may last until it is stopped.
    Raises UsageError for options that cannot be combined.
    """
    strikes = _strikes_of(options, name)
    ends = any(map(_is_finite, strikes))
    if not (strikes or endless) and options.time is None:
        raise UsageError(
            f"say how often to strike with {name('rate')}, or how long with {name('time')}"
        )
    if not (ends or endless) and options.time is None and not options.stop_on:
        if options.count is not None:
            raise UsageError(
                f"{name('count')} applies to each sequence that {name('start')} begins; say when "
                f"to stop with {name('time')}"
            )
        raise UsageError(
            f"say when to stop with {name('count')}, {name('time')} or {name('stop_on')}"
        )
    warm_up_s = _warm_up_of(options, strikes, name)
    limits = [stop.over_s for stop in options.stop_on if stop.over_s is not None]
    return Settings(
        strikes=strikes,
        channels=given_all(options.channels, options, name),
        policy=Policy[options.policy.upper()],
        timeout_s=options.timeout,
        window_min_s=options.window,
        early_s=options.early,
        time_s=options.time,
        latency_over_s=min(limits, default=None),
        stop_on_missed=StopCondition() in options.stop_on,
        stall=_only([stop.stall for stop in options.stop_on], name),
        stop_code=_only([stop.code for stop in options.stop_on], name),
        stream=None if options.mode is None else MODES[options.mode],
        active_only=options.edges == "active",
        load=is_raised(options.load),
        load_name=options.load or "",
        codes=codes_asked(options.code_wires, options.code_port, options.codes, name),
        report_s=options.every,
        warm_up_s=warm_up_s,
    )


def _warm_up_of(options: RunSpec, strikes: Sequence[Stimulus], name: Naming) -> Fraction | None:
    """Return how long the warm-up lasts; a number of strikes is of the fastest output."""
    asked = options.warmup
    if asked is None or isinstance(asked, Fraction):
        return asked
    spacings_s = [
        each.period_s / each.burst
        for each in strikes
        if each.is_periodic and each.period_s is not None
    ]
    if not spacings_s:
        raise UsageError(
            f"{name('warmup')} {asked}: counts strikes of {name('rate')}, which is not given; give "
            "a time such as 50ms"
        )
    return asked * min(spacings_s)


def _only(candidates: Sequence[T | None], name: Naming) -> T | None:
    """Return what is given once; None if it is not given."""
    values = [value for value in candidates if value is not None]
    if len(values) > 1:
        raise UsageError(f"{name('stop_on')}: one stall and one code can end a run; give one")
    return values[0] if values else None


def codes_asked(
    wires: Codes | None, port: Codes | None, file: Path | None, name: Naming = plain
) -> Codes | None:
    """Return how codes come, with their names; raise UsageError for options that do not fit."""
    if wires is not None and port is not None:
        raise UsageError(f"give {name('code_wires')} or {name('code_port')}, not both")
    codes = wires or port
    if file is None:
        return codes
    if codes is None:
        raise UsageError(
            f"{name('codes')} {file}: gives names to codes; say how they come with "
            f"{name('code_port')}, such as change, or {name('code_wires')}, such as ch4:ch5"
        )
    return replace(codes, names=names_of(file))


def named_by(codes: Codes | None, firmware: Path | None) -> Codes | None:
    """Return codes with the names of a simulated device's firmware, unless they have some."""
    if codes is None or codes.names or firmware is None:
        return codes
    with suppress(UsageError):  # firmware that sends no codes has no names
        return replace(codes, names=names_of(firmware))
    return codes


def named(
    channels: tuple[Channel, ...], deadline_s: Fraction | None, name: Naming = plain
) -> tuple[Channel, ...]:
    """Return channels with the common deadline; raise UsageError if two are the same."""
    numbers = [f"ch{channel.number}" for channel in channels]
    for names in (numbers, [channel.label for channel in channels]):
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UsageError(f"{name('channel')}: {twice[0]} is given twice")
    return tuple(
        replace(channel, deadline_s=deadline_s) if channel.deadline_s is None else channel
        for channel in channels
    )


def given_all(
    channels: tuple[Channel, ...], options: RunSpec, name: Naming = plain
) -> tuple[Channel, ...]:
    """Return channels with what the options give to all of them, unless one has its own.

    Raises UsageError if two are the same.
    """
    named_channels = named(channels, options.deadline, name)
    if not isinstance(options.zoom, Fraction):
        return named_channels
    zoom_s = options.zoom
    return tuple(
        channel if channel.zoom_rise_s else replace(channel, zoom_rise_s=zoom_s)
        for channel in named_channels
    )


def _strikes_of(options: RunSpec, name: Naming) -> tuple[Stimulus, ...]:
    further = options.strikes
    main = _main(options, name)
    numbers = [stimulus.output for stimulus in further]
    for number in numbers:
        if main is not None and number == main.output:
            raise UsageError(
                f"{name('strike')} {number}: {name('rate')} uses this output; name another one"
            )
        if numbers.count(number) > 1:
            raise UsageError(f"{name('strike')}: {number} is given twice")
    every = further if main is None else (main, *further)
    return every if options.time is not None else _ended(every, name)


def _main(options: RunSpec, name: Naming) -> Stimulus | None:
    start = options.start
    if options.rate is None:
        wrong = next((word for word, is_given in _of_strikes(options) if is_given), None)
        if wrong is not None:
            raise UsageError(f"{name(wrong)} applies to strikes; give {name('rate')} too")
        return None
    check_width(options, name)
    if options.burst > 1 and options.spacing is None:
        raise UsageError(f"{name('burst')} needs {name('spacing')}, the time between its strikes")
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
        trigger_code=start.code,
        trigger_over_s=start.over_s,
        invert=options.active_low,
        seed=options.seed,
    )


def _of_strikes(options: RunSpec) -> Iterator[tuple[str, bool]]:
    """Yield the options that have no meaning without a rate, and whether each is given."""
    for name in ("count", "width", "duty", "phase", "dither", "poisson", "spacing", "active_low"):
        yield name, bool(getattr(options, name))
    yield "burst", options.burst > 1
    yield "start", options.start.trigger != Trigger.RUN


def _ended(strikes: tuple[Stimulus, ...], name: Naming) -> tuple[Stimulus, ...]:
    """Return the outputs; those that start with the run strike until counts end it.

    The instrument waits for all of them. Raises UsageError for an output without an end.
    """
    longest_s = max(
        (
            (stimulus.period_s or 0) * ceil(Fraction(stimulus.count, stimulus.burst))
            for stimulus in strikes
            if _is_finite(stimulus)
        ),
        default=None,
    )
    if longest_s is None:
        return strikes
    ended: list[Stimulus] = []
    for stimulus in strikes:
        if stimulus.count == 0 and stimulus.period_s is not None:
            if stimulus.trigger in (
                Trigger.STRIKE,
                Trigger.CODE,
                Trigger.LATENCY,
                Trigger.MISSED,
            ):
                raise UsageError(
                    f"{name('strike')} {stimulus.output}: never stops once it has started; "
                    f"give it a count=, or limit the run with {name('time')}"
                )
            if stimulus.trigger == Trigger.RUN:
                ended.append(stimulus.lasting(longest_s))
                continue
        ended.append(stimulus)
    return tuple(ended)


def _is_finite(stimulus: Stimulus) -> bool:
    return stimulus.trigger == Trigger.RUN and (stimulus.count > 0 or stimulus.period_s is None)
