# SPDX-License-Identifier: Apache-2.0
"""Puts seconds beside the ticks of a document, as decimal texts without loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from plexor.base.units import decimal_text, plot_seconds, seconds_of

_TICKS = "_ticks"
_NO_TIMES = ("sum_sq_ticks",)
"""Figures in other units than ticks, whatever their name."""
_MEANING = (
    "The same in seconds: a decimal, or a fraction such as 1/3 where that has no end. Whole ticks "
    "are exact, other figures have 15 digits."
)


def with_seconds(value: Any, tick_fs: int) -> Any:
    """Return a document in which `NAME_s` stands behind each `NAME_ticks`, and `seconds` behind
    `ticks`.

    Whole ticks are exact in seconds. Other figures have 15 digits. What is not known stays None.
    """
    if isinstance(value, list):
        return [with_seconds(entry, tick_fs) for entry in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, entry in cast("dict[str, Any]", value).items():
        found[key] = with_seconds(entry, tick_fs)
        name = _name(key)
        if name and (entry is None or isinstance(entry, int | float)):
            found[name] = None if entry is None else _text(entry, tick_fs)
    return found


def with_seconds_schema(schema: Any) -> Any:
    """Return the schema of a document with seconds, from that of one without."""
    if isinstance(schema, list):
        return [with_seconds_schema(entry) for entry in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    entries = cast("dict[str, Any]", schema)
    made = {key: with_seconds_schema(entry) for key, entry in entries.items()}
    if made.get("type") == "object" and "required" in made:
        own: dict[str, Any] = made["properties"]
        needed: set[str] = set(made["required"])
        needed |= {_name(key) for key in needed}
        properties: dict[str, Any] = {}
        for key, entry in own.items():
            properties[key] = entry
            kinds = {one.get("type") for one in entry.get("anyOf", [entry])}
            if _name(key) and kinds <= {"integer", "number", "null"}:
                seconds = ["string", "null"] if "null" in kinds else "string"
                properties[_name(key)] = {"type": seconds, "description": _MEANING}
        made["properties"] = properties
        made["required"] = [name for name in properties if name in needed]
    return made


def _name(key: str) -> str:
    if key == "ticks":
        return "seconds"
    is_time = key.endswith(_TICKS) and key not in _NO_TIMES
    return f"{key.removesuffix(_TICKS)}_s" if is_time else ""


def _text(ticks: float, tick_fs: int) -> str:
    if isinstance(ticks, int):
        return decimal_text(seconds_of(ticks, tick_fs))
    return decimal_text(Fraction(f"{plot_seconds(ticks, tick_fs):.15g}"))
