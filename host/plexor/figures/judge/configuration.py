# SPDX-License-Identifier: Apache-2.0
"""What a run was taken with, as names and exact texts: runs that share them are comparable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from fractions import Fraction
from typing import Any, cast

from plexor.base.figure_words import imported_word, source_word
from plexor.base.jsonable import to_json
from plexor.model.codes import Codes, Port
from plexor.model.load import load_name
from plexor.model.results import RunResult
from plexor.model.settings import MODES, Channel, Settings, Stimulus, TableStep

SOURCE = "source"
"""Names where figures come from."""
CHANNEL = "channel "
"""Begins the names of what belongs to one channel."""
_REPLICATES = ("seed", "keep_events", "spaces", "report_s", "report_on_chip")
"""Settings that may differ between runs of one configuration."""
_APART = ("strikes", "channels", "load", "load_name", "stream", "table", "codes")
_TIMES = ((Fraction(1), "s"), (Fraction(1, 10**3), "ms"), (Fraction(1, 10**6), "µs"))
_RATES = ((Fraction(10**6), "MHz"), (Fraction(10**3), "kHz"))
_MOST_DIGITS = 13


def source_of(configuration: Mapping[str, str], simulated: bool) -> str:
    """Return where the figures of a kept run come from: simulated, measured or imported."""
    return configuration.get(SOURCE, source_word(simulated))


def configuration(result: RunResult) -> dict[str, str]:
    """Return a run's configuration by name: the instrument, the settings, and the device's keys.

    Times and rates are exact. A key of the device takes the place of a setting of its name. Seeds
    are not part of it: runs that differ in nothing else repeat each other. What another tool
    captured has no instrument and no load of Plexor's.
    """
    identity, settings = result.identity, result.settings
    modes = {stream: name for name, stream in MODES.items()}
    found = {
        "instrument": identity.board,
        "gateware": f"{identity.gateware_hash:016x}",
        "tick": exact_time(Fraction(result.tick_fs, 10**15)),
        SOURCE: source_word(result.simulated),
        "load": load_name(result.device_load, settings.load, settings.load_name),
    }
    if result.imported is not None:
        found = {"tick": found["tick"], SOURCE: imported_word(result.simulated)}
    if settings.stream is not None:
        found["mode"] = modes[settings.stream]
    for place, stimulus in enumerate(settings.strikes):
        prefix = f"strike{stimulus.output} " if place or stimulus.output else ""
        found |= {f"{prefix}{name}": text for name, text in _entries(stimulus, ("output",))}
    found |= dict(_entries(settings, _APART))
    if settings.table:
        found["table"] = _table(settings.table)
    if settings.codes is not None:
        found["codes"] = _codes(settings.codes)
    for channel in settings.channels:
        found[f"{CHANNEL}{channel.label}"] = _channel(channel)
    return found | {str(name): str(text) for name, text in result.device.items()}


NOT_SET = "none"
"""Stands for an entry that one configuration has and another has not."""


def differing(*known: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the entries in which configurations differ, with the value in each."""
    keys = dict.fromkeys(key for each in known for key in each)
    values = {key: tuple(each.get(key, NOT_SET) for each in known) for key in keys}
    return {key: own for key, own in values.items() if len(set(own)) > 1}


def of_channel(found: Mapping[str, str], channel: str) -> dict[str, str]:
    """Return a configuration without what belongs to other channels."""
    own = f"{CHANNEL}{channel}"
    return {
        name: text for name, text in found.items() if name == own or not name.startswith(CHANNEL)
    }


def _codes(codes: Codes) -> str:
    """Return how codes come; their names are not part of it."""
    if codes.wires is not None:
        way = f"ch{codes.wires.clock}:ch{codes.wires.data}"
        return f"{way}, {codes.bits} bits"
    entries = () if codes.port is None else _entries(codes.port)
    return ", ".join(["port", f"{codes.bits} bits", *(f"{name} {text}" for name, text in entries)])


def exact_time(seconds: Fraction) -> str:
    """Return exact seconds with the unit that suits them: `10 µs`, `1/3 s`."""
    return _exact(seconds, _TIMES, (Fraction(1, 10**9), "ns"))


def exact_rate(hertz: Fraction) -> str:
    """Return exact hertz with the unit that suits them: `20 kHz`."""
    return _exact(hertz, _RATES, (Fraction(1), "Hz"))


def _exact(
    value: Fraction, units: tuple[tuple[Fraction, str], ...], last: tuple[Fraction, str]
) -> str:
    scale, unit = next((entry for entry in units if abs(value) >= entry[0]), last)
    if not value:
        scale, unit = units[0] if last[0] < 1 else last
    return f"{_decimal(value / scale)} {unit}"


def _decimal(value: Fraction) -> str:
    """Return an exact number as a decimal, or as a fraction where it has no end."""
    for digits in range(_MOST_DIGITS):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole = str(abs(scaled.numerator)).rjust(digits + 1, "0")
            text = f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
            return f"-{text}" if value < 0 else text
    return str(value)


def _entries(
    one: Settings | Stimulus | Port, but: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the fields that are not as they are by default."""
    for entry in fields(one):
        value = getattr(one, entry.name)
        default = None if entry.default is MISSING else entry.default
        if entry.name in (*but, *_REPLICATES) or value in (default, None):
            continue
        if entry.name == "period_s":
            yield "rate", exact_rate(1 / value)
        else:
            yield entry.name.removesuffix("_s").replace("_", "-"), _text(value)


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        return exact_time(value)
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[object, ...]", value)))
    return str(value)


def _channel(channel: Channel) -> str:
    words = [f"ch{channel.number} after {channel.reference}"]
    for entry in fields(channel):
        value = getattr(channel, entry.name)
        if entry.name in ("number", "name", "reference") or value in (entry.default, None):
            continue
        words.append(f"{entry.name.removesuffix('_s').replace('_', '-')} {_text(value)}")
    return ", ".join(words)


def _table(steps: tuple[TableStep, ...]) -> str:
    digest = hashlib.sha256(json.dumps(to_json(steps)).encode()).hexdigest()
    return f"{len(steps)} steps, {digest[:12]}"
