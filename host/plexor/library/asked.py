"""What a caller asks of a run, in texts or numbers, as the settings of an instrument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

from plexor.codes.names import names_of
from plexor.errors import UsageError
from plexor.library.texts import (
    Start,
    StopCondition,
    parse_code_port,
    parse_code_wires,
    parse_start,
    parse_stop,
    parse_strike,
)
from plexor.library.values import (
    Naming,
    Reader,
    channels,
    choice,
    count,
    duty,
    each,
    flag,
    hertz,
    path_of,
    plain,
    read,
    seconds,
    seed,
)
from plexor.model.codes import Codes
from plexor.model.load import is_raised, parse_load
from plexor.model.settings import MODES, Channel, Settings, Stimulus
from plexor.protocol.registers import Policy, Trigger

_AT_ONCE = Start()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of a run. Rates are in hertz and times in seconds, all exact."""

    rate: Fraction | None = None
    """Strikes or bursts per second. None: output 0 does not strike."""
    count: int | None = None
    time: Fraction | None = None
    width: Fraction | None = None
    duty: Fraction | None = None
    phase: Fraction = Fraction(0)
    dither: Fraction = Fraction(0)
    poisson: bool = False
    burst: int = 1
    spacing: Fraction | None = None
    seed: int = 1
    active_low: bool = False
    start: Start = _AT_ONCE
    strikes: tuple[Stimulus, ...] = ()
    """Outputs other than that of `rate`."""
    channels: tuple[Channel, ...] = ()
    """Empty: the pins of a simulated device, or all channels."""
    policy: str = "oldest"
    window: Fraction = Fraction(0)
    timeout: Fraction | None = None
    deadline: Fraction | None = None
    early: Fraction = Fraction(0)
    load: str | None = None
    """Load by name (plexor.model.load). None: the load output stays low."""
    mode: str | None = None
    stop_on: tuple[StopCondition, ...] = ()
    code_wires: Codes | None = None
    """The two channels on which the device sends codes; None: it sends none."""
    code_port: Codes | None = None
    """How the device shows codes at the code pins; None: it shows none."""
    codes: Path | None = None
    """Names of codes: the firmware's ELF file, or a TOML file."""
    every: Fraction | None = None
    """Time from snapshot to snapshot. None: no snapshots."""


def _start(value: object) -> Start:
    return value if isinstance(value, Start) else parse_start(str(value))


T = TypeVar("T")
CODE_READERS: Mapping[str, Reader] = {
    "code_wires": lambda value: value if isinstance(value, Codes) else parse_code_wires(str(value)),
    "code_port": lambda value: value if isinstance(value, Codes) else parse_code_port(str(value)),
    "codes": lambda value: path_of(str(value)),
}
POLICIES = tuple(policy.name.lower() for policy in Policy)
_READERS: Mapping[str, Reader] = {
    "rate": hertz,
    "count": count,
    **dict.fromkeys(("time", "width", "phase", "dither", "spacing", "window"), seconds),
    **dict.fromkeys(("timeout", "deadline", "early", "every"), seconds),
    "duty": duty,
    "burst": count,
    **dict.fromkeys(("poisson", "active_low"), flag),
    "load": parse_load,
    "seed": seed,
    "start": _start,
    "strikes": each(Stimulus, parse_strike),
    "channels": channels,
    "policy": choice(POLICIES),
    "mode": choice(MODES),
    "stop_on": each(StopCondition, parse_stop),
    **CODE_READERS,
}


def asked(options: Mapping[str, Any]) -> Asked:
    """Return options given as texts or numbers, exactly. None stands for an option's default.

    Raises UsageError for an unknown option or a value that cannot be read.
    """
    return Asked(**read(options, _READERS))


def settings_of(options: Asked, name: Naming = plain, *, endless: bool = False) -> Settings:
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
    limits = [stop.over_s for stop in options.stop_on if stop.over_s is not None]
    return Settings(
        strikes=strikes,
        channels=named(options.channels, options.deadline, name),
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
        load=is_raised(options.load),
        load_name=options.load or "",
        codes=codes_asked(options.code_wires, options.code_port, options.codes, name),
        report_s=options.every,
    )


def _only(found: Sequence[T | None], name: Naming) -> T | None:
    """Return what is given once; None if it is not given."""
    given = [each for each in found if each is not None]
    if len(given) > 1:
        raise UsageError(f"{name('stop_on')}: one stall and one code can end a run; give one")
    return given[0] if given else None


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
    for values in ([f"ch{entry.number}" for entry in channels], [e.label for e in channels]):
        twice = [value for value in values if values.count(value) > 1]
        if twice:
            raise UsageError(f"{name('channel')}: {twice[0]} is given twice")
    return tuple(
        replace(channel, deadline_s=deadline_s) if channel.deadline_s is None else channel
        for channel in channels
    )


def _strikes_of(options: Asked, name: Naming) -> tuple[Stimulus, ...]:
    further = options.strikes
    main = _main(options, name)
    numbers = [entry.output for entry in further]
    for number in numbers:
        if main is not None and number == main.output:
            raise UsageError(
                f"{name('strike')} {number}: {name('rate')} uses this output; name another one"
            )
        if numbers.count(number) > 1:
            raise UsageError(f"{name('strike')}: {number} is given twice")
    every = further if main is None else (main, *further)
    return every if options.time is not None else _ended(every, name)


def _main(options: Asked, name: Naming) -> Stimulus | None:
    start = options.start
    if options.rate is None:
        wrong = next((each for each, given in _of_strikes(options) if given), None)
        if wrong is not None:
            raise UsageError(f"{name(wrong)} applies to strikes; give {name('rate')} too")
        return None
    if options.width is not None and options.duty is not None:
        raise UsageError(
            f"{name('width')} and {name('duty')} both set the width of a strike; give one of them"
        )
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
        invert=options.active_low,
        seed=options.seed,
    )


def _of_strikes(options: Asked) -> Iterator[tuple[str, bool]]:
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
            if entry.trigger in (Trigger.STRIKE, Trigger.CODE):
                raise UsageError(
                    f"{name('strike')} {entry.output}: never stops striking once it has started; "
                    f"give it a count=, or limit the run with {name('time')}"
                )
            if entry.trigger == Trigger.RUN:
                bursts = max(ceil(longest_s / entry.period_s), 1)
                found.append(replace(entry, count=bursts * entry.burst))
                continue
        found.append(entry)
    return tuple(found)


def _is_finite(stimulus: Stimulus) -> bool:
    return stimulus.trigger == Trigger.RUN and (stimulus.count > 0 or stimulus.period_s is None)
