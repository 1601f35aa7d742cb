# SPDX-License-Identifier: Apache-2.0
"""Puts seconds beside the ticks of a document, as decimal texts without loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from plexor.base.units import decimal_text, plot_seconds, seconds_of

_TICKS = "_ticks"
_NO_TIMES = ("sum_sq_ticks",)
"""Figures in other units than ticks, whatever their name."""


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


def _name(key: str) -> str:
    if key == "ticks":
        return "seconds"
    is_time = key.endswith(_TICKS) and key not in _NO_TIMES
    return f"{key.removesuffix(_TICKS)}_s" if is_time else ""


def _text(ticks: float, tick_fs: int) -> str:
    if isinstance(ticks, int):
        return decimal_text(seconds_of(ticks, tick_fs))
    return decimal_text(Fraction(f"{plot_seconds(ticks, tick_fs):.15g}"))
