# SPDX-License-Identifier: Apache-2.0
"""Texts of the command line and of the library as strikes, channels, conditions and wires."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeVar

from plexor.base.counts import counted
from plexor.base.meant import MEANT, suggestion
from plexor.base.units import parse_count, parse_duration, parse_part, parse_rate
from plexor.model.codes import Codes, Port, Wires
from plexor.model.settings import (
    Channel,
    Reaction,
    Stall,
    Stimulus,
    on_chip,
    parse_edges,
    parse_reference,
)
from plexor.model.sources import source_name
from plexor.protocol.codes import CLASS_BITS, MOST_BITS, USUAL_BITS, CodeClass
from plexor.protocol.frames import CODE_BITS, SOURCES
from plexor.protocol.registers import Trigger

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class StopCondition:
    """What ends a run early: one of these, or with neither a missed strike."""

    over_s: Fraction | None = None
    """A latency above this."""
    stall: Stall | None = None
    code: int | None = None


def parse_stop(text: str) -> StopCondition:
    """Return the condition of `missed`, `latency>50us`, `stall:code>1ms` or `code=0x43`.

    Raises ValueError for another text.
    """
    wrong = f"condition: {text!r}; must be missed, latency>TIME, stall:SOURCE>TIME or code=NUMBER"
    if text.lower() == "missed":
        return StopCondition()
    name, sign, limit = (part.strip() for part in text.partition(">"))
    kind, colon, source = name.partition(":")
    if kind == "stall" and colon and sign:
        return StopCondition(stall=Stall(parse_source(source), parse_duration(limit)))
    if name == "latency" and sign:
        return StopCondition(parse_duration(limit))
    if (name in _LATENCIES or not sign) and (meant := _latency_meant(limit or name)):
        raise ValueError(f"condition: {text!r}; did you mean {meant}?")
    name, sign, number = (part.strip() for part in text.partition("="))
    try:
        code = int(number, 0)
    except ValueError:
        raise ValueError(wrong) from None
    if name != "code" or not 0 <= code < 1 << CODE_BITS:
        raise ValueError(wrong)
    return StopCondition(code=code)


_LATENCIES = ("max", "max seen", "worst", "lat")
"""What people write for the latency of a response."""


def _latency_meant(limit: str) -> str:
    """Return `latency>50us` for a time, else nothing."""
    try:
        parse_duration(limit)
    except ValueError:
        return ""
    return f"latency>{limit}"


def parse_action(text: str) -> Reaction:
    """Return the action of `latency>50us:notify late` or of `missed:./freeze.sh`.

    Raises ValueError for another condition, and for a command that is not there.
    """
    name, _, words = (part.strip() for part in text.partition(":"))
    right = "must be latency>TIME:COMMAND or missed:COMMAND"
    if not words or not (name == "missed" or re.match(r"latency\s*>", name)):
        raise ValueError(f"on: {text!r}; {right}")
    over_s = parse_stop(name).over_s
    try:
        command = tuple(shlex.split(words))
    except ValueError as error:
        raise ValueError(f"on: {words!r}: {error}; {right}") from error
    if shutil.which(command[0]) is None:
        raise ValueError(f"on: {command[0]!r} is no command here; {right}")
    return Reaction(name, over_s, command)


def parse_source(text: str) -> int:
    """Return the event source of a text such as `code`, `ch1` or `strike0`; raise ValueError."""
    for source in range(SOURCES):
        if source_name(source) == text.lower():
            return source
    raise ValueError(f"source: {text!r}; must be code, chN, strikeN, load or step")


def parse_duty(text: str) -> Fraction:
    """Return 1/5 for `20%`, `0.2` or `1/5`; raise ValueError if it is not between 0 and 1."""
    wrong = f"{text!r}; must lie between 0 and 1"
    try:
        duty = parse_part(text)
    except ValueError as error:
        said = str(error)
        raise ValueError(said if MEANT in said else f"{wrong}, such as 0.2 or 20%") from error
    if not 0 < duty < 1:
        part = f"{MEANT} {text.strip()}%?" if 1 < duty < 100 else ", such as 0.2 or 20%"
        raise ValueError(f"{wrong}{part}")
    return duty


_CHANNEL = re.compile(
    r"\s*(?:(?P<name>[^=:,]+?)\s*=\s*)?(?i:ch)(?P<number>[0-7])\s*(?::(?P<options>.+))?"
)


def parse_channel(text: str) -> Channel:
    """Return the channel of `ISR=ch0` or of `TASK=ch1:after=ch0.fall,deadline=50us,invert`.

    Raises ValueError that says what would be right.
    """
    match = _CHANNEL.fullmatch(text)
    names = {how.option: name for name, how in on_chip() if how.option}
    if match is None:
        timed = (f"{option}=TIME" for option in names)
        right = (
            "; must be NAME=ch0 to NAME=ch7, with options after a colon: after=ch0.fall, "
            f"edge=rise, edge=fall or edge=either, {', '.join(timed)}, invert"
        )
        raise ValueError(f"channel: {text!r}{_channel_meant(text) or right}")
    reference, ways = "strike0", list[str]()
    times = dict[str, Any]()
    for option in (match["options"] or "").split(","):
        key, _, value = (part.strip() for part in option.partition("="))
        key = key.lower()
        if not option and match["options"] is None:
            continue
        if option.strip().lower() == "invert" or key == "edge":
            ways.append(option.replace(" ", "").lower())
        elif key == "after":
            parse_reference(value)
            reference = value.lower()
        elif key in names:
            times[names[key]] = _of_key(key, value, parse_duration)
        else:
            known = ", ".join(f"{option}=" for option in names)
            near = suggestion(key, ("after", "edge", "invert", *names))
            right = near or f"; must be after=, edge=, {known} or invert"
            raise ValueError(f"channel: {text!r}: {option!r} is not an option{right}")
    invert, either = parse_edges(text, ways)
    return Channel(
        number=int(match["number"]),
        name=(match["name"] or "").strip(),
        invert=invert,
        either=either,
        reference=reference,
        **times,
    )


_NAME_ALONE = re.compile(r"[^\W\d]\w*")
_PIN = re.compile(r"(?:(?P<name>[^=:,]+?)\s*=\s*)?[Dd](?P<number>[0-7])")
"""A channel as logic analysers name it, D0."""
_MEANT = re.compile(
    r"(?i:ch)?(?P<swapped>[0-7])\s*=\s*(?P<label>[^=:,]+)"
    r"|(?:(?P<name>[^=:,]+?)\s*[=:]\s*)?(?P<word>ch|)(?P<number>\d+)",
    re.IGNORECASE,
)


def _channel_meant(text: str) -> str:
    """Return which channel a text meant that is none: `ISR=ch0` of `ch0=ISR` or of `ISR:ch0`."""
    parts = [part for part in text.split(",") if _CHANNEL.fullmatch(part)]
    if len(parts) > 1 and len(parts) == text.count(",") + 1:
        return f" are {counted(len(parts), 'channel')}; give each by itself"
    if pin := _PIN.fullmatch(text.strip()):
        prefix = f"{pin['name']}=" if pin["name"] else ""
        return f"{MEANT} {prefix}ch{pin['number']}?"
    match = _MEANT.fullmatch(text.strip())
    if match is None and _NAME_ALONE.fullmatch(text.strip()):
        return f" names no channel; did you mean {text.strip()}=ch0?"
    if match is None:
        return ""
    number, name = match["swapped"] or match["number"], match["label"] or match["name"]
    if int(number[:3]) > 7:
        return f": there is no ch{number}; must be ch0 to ch7"
    return f"; did you mean {f'{name.strip()}=' if name else ''}ch{number}?"


def _of_key(key: str, text: str, parse: Callable[[str], _T]) -> _T:
    """Return what the text of a key says; raise ValueError that names the key."""
    try:
        return parse(text)
    except ValueError as error:
        said = str(error)
        raise ValueError(said if said.startswith(f"{key}: ") else f"{key}: {said}") from error


_WIRES = re.compile(r"ch([0-7]):ch([0-7])(?::(\d{1,2}))?", re.IGNORECASE)


def parse_code_wires(text: str) -> Codes:
    """Return the clock, the data and the bits of `ch4:ch5` or `ch4:ch5:10`; raise ValueError."""
    match = _WIRES.fullmatch(text)
    if match is None:
        raise ValueError(
            f"code wires: {text!r}; must be CLOCK:DATA or CLOCK:DATA:BITS, such as ch4:ch5"
        )
    wires = Wires(int(match[1]), int(match[2]))
    return Codes(wires=wires, bits=int(match[3] or USUAL_BITS))


_PORT = re.compile(r"(?:change|ch([0-7]))(?::(\d{1,2}))?", re.IGNORECASE)


def parse_code_port(text: str) -> Codes:
    """Return how codes come by `change:8,settle=24ns` or `ch4,without=enter+exit`.

    Raises ValueError for another text.
    """
    way, *entries = (part.strip() for part in text.split(","))
    match = _PORT.fullmatch(way)
    if match is None:
        raise ValueError(
            f"code port: {way!r}; must be change or the strobe's channel, with the bits of a code "
            f"if they are not {USUAL_BITS}: change, change:{MOST_BITS}, ch4"
        )
    port = Port(None if match[1] is None else int(match[1]))
    timed = ("settle", "skew") if port.strobe is None else ()
    for entry in entries:
        name, _, value = entry.partition("=")
        if name == "without":
            port = replace(port, without=tuple(map(_code_class, value.split("+"))))
        elif name in timed:
            port = replace(port, **{f"{name}_s": _of_key(name, value, parse_duration)})
        else:
            right = "".join(f"{each}=TIME, " for each in timed)
            raise ValueError(f"code port: {entry!r}; must be {right}without=CLASS+CLASS")
    return Codes(port=port, bits=int(match[2] or USUAL_BITS))


def _code_class(text: str) -> int:
    """Return the number of a class such as `enter` or `13`; raise ValueError."""
    named = {kind.name.lower(): int(kind) for kind in CodeClass}
    found = int(text) if text.isdecimal() else named.get(text.strip(), -1)
    if not 0 < found < 1 << CLASS_BITS:
        names = ", ".join(name for name, number in named.items() if number)
        raise ValueError(f"class: {text!r}; must be {names}, or a number up to 15")
    return found


class Start(NamedTuple):
    """What starts an output's strikes: the run, the gate input, a strike, a code, a decision."""

    trigger: Trigger = Trigger.RUN
    source: int = 0
    code: int = 0
    over_s: Fraction | None = None


def parse_start(text: str) -> Start:
    """Return the start of `run`, `gate`, `strike1`, `code:0x43`, `latency>50us` or `missed`.

    Raises ValueError for another text.
    """
    if text.lower() in ("run", "gate", "missed"):
        return Start(Trigger[text.upper()])
    name, sign, limit = (part.strip() for part in text.partition(">"))
    if name == "latency" and sign:
        return Start(Trigger.LATENCY, over_s=parse_duration(limit))
    match = re.fullmatch(r"strike([0-7])", text, re.IGNORECASE)
    if match is not None:
        return Start(Trigger.STRIKE, int(match[1]))
    kind, _, number = text.partition(":")
    with suppress(ValueError):
        if kind == "code" and 0 <= (code := int(number, 0)) < 1 << CODE_BITS:
            return Start(Trigger.CODE, code=code)
    raise ValueError(
        f"start: {text!r}; must be run, gate, strike0 to strike7, a code such as code:0x43, "
        "latency>TIME or missed"
    )


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
        key, sign, value = (part.strip() for part in option.partition("="))
        key = key.lower()
        if key in _FLAGS and not sign:
            strike = _FLAGS[key](strike)
        elif key in _VALUES and sign:
            strike = _of_key(key, value, partial(_VALUES[key], strike))
        else:
            near = suggestion(key, (*_VALUES, *_FLAGS))
            raise ValueError(
                f"strike: {text!r}: {option!r} is not an option; must be {_KNOWN}{near}"
            )
    if strike.duty is not None and strike.period_s is None and strike.spacing_s is None:
        raise ValueError(
            f"strike: {text!r}: a duty is a part of the period; give rate= too, or width="
        )
    return strike


def _started(strike: Stimulus, start: Start) -> Stimulus:
    return replace(
        strike,
        trigger=start.trigger,
        trigger_source=start.source,
        trigger_code=start.code,
        trigger_over_s=start.over_s,
    )


_JUMPER = re.compile(r"strike([0-7])=ch([0-7])", re.IGNORECASE)


def parse_jumpers(text: str) -> tuple[tuple[int, int], ...]:
    """Return ((0, 2), (0, 3)) for `strike0=ch2,strike0=ch3`; raise ValueError."""
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        match = _JUMPER.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"jumper: {part.strip()!r}; must be strikeN=chM, such as strike0=ch2")
        found.append((int(match[1]), int(match[2])))
    return tuple(found)


_REFERENCE = re.compile(r"ch([0-7])(?:=(.+))?", re.IGNORECASE)


def parse_clock(text: str) -> tuple[int, Fraction]:
    """Return the channel and the frequency in Hz of `ch7`, which is 1 PPS, or of `ch7=10M`.

    Raises ValueError for another text.
    """
    match = _REFERENCE.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"reference: {text!r}; must be ch0 to ch7 for 1 PPS, or with a rate, such as ch7=10M"
        )
    return int(match[1]), Fraction(1) if match[2] is None else parse_rate(match[2])
