# SPDX-License-Identifier: Apache-2.0
"""What options say, as texts: kept beside steps, so that other settings can be named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction

from plexor.base.jsonable import to_json
from plexor.base.units import format_rate, format_seconds, parse_duration, parse_rate
from plexor.library.specs.spec import Option, Spec
from plexor.library.specs.values import Naming

WHERE = ("out", "force", "executor", "fallback", "strict")
"""Options that say where and how work is done, or whether it may begin, and not what."""
_TYPED: Mapping[str, tuple[Callable[[Fraction], str], Callable[[str], Fraction]]] = {
    "TIME": (lambda value: format_seconds(value, 6).replace("µ", "u"), parse_duration),
    "RATE": (lambda value: format_rate(value).removesuffix("Hz"), parse_rate),
}


def said(*specs: Spec) -> dict[str, str]:
    """Return what options ask, by their keywords. Those that have their defaults are left out."""
    return {
        name: _text(option, getattr(spec, name))
        for spec in specs
        for name, option in spec.options().items()
        if option.flag is not None
        and name not in WHERE
        and getattr(spec, name) != type(spec).__dataclass_fields__[name].default
    }


def differing(now: Mapping[str, str], there: Mapping[str, str], name: Naming) -> list[str]:
    """Return which settings of two differ, and what they are."""
    return [
        _difference(name(key), now.get(key), there.get(key))
        for key in dict.fromkeys((*now, *there))
        if now.get(key) != there.get(key)
    ]


def _difference(named: str, now: str | None, there: str | None) -> str:
    if any(text is not None and text.startswith(("[", "{")) for text in (now, there)):
        return f"another {named}"
    ours, theirs = ("not given" if text is None else text for text in (now, there))
    return f"{named} {ours}, there {theirs}"


def _text(option: Option, value: object) -> str:
    if isinstance(value, bool):
        return "given"
    if isinstance(value, Fraction):
        shown, read = _TYPED.get(option.metavar, (str, Fraction))
        text = shown(value).replace(" ", "")
        return text if read(text) == value else str(value)
    return value if isinstance(value, str) else json.dumps(to_json(value), default=str)
