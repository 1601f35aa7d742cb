"""How the events of a capture are matched: times in ticks, as an instrument's registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plexor.errors import UsageError
from plexor.imports.events import edges_to
from plexor.imports.wanted import Wanted
from plexor.model.results import EventArray
from plexor.model.settings import Echo, RegisterWrite
from plexor.protocol.registers import register
from plexor.units import format_seconds, format_ticks, seconds_of, whole_ticks

MOST_TIMEOUT_S = Fraction(1)
"""Greatest time-out if none is asked for."""
_NAMES: Mapping[str, str] = {
    "timeout_ticks": "timeout",
    "window_min_ticks": "window",
    "early_ticks": "early",
}


@dataclass(frozen=True, slots=True)
class Matching:
    """The matcher's registers, and each time as it was asked for and is applied."""

    registers: tuple[RegisterWrite, ...]
    echo: tuple[Echo, ...]
    timeout_s: Fraction


def matching(wanted: Wanted, events: EventArray, tick_fs: int) -> Matching:
    """Return how all channels are matched. Raises UsageError for a time that no register holds."""
    asked_s = wanted.timeout_s
    if asked_s is None:
        asked_s = _timeout(wanted, events, tick_fs)
    times = {
        "timeout_ticks": asked_s,
        "window_min_ticks": wanted.window_min_s,
        "early_ticks": wanted.early_s,
    }
    ticks = {
        name: in_register("matcher", name, _NAMES[name], time_s, tick_fs)
        for name, time_s in times.items()
    }
    ticks["timeout_ticks"] = max(ticks["timeout_ticks"], 1)
    written = {"policy": int(wanted.policy), **ticks}
    return Matching(
        tuple(RegisterWrite("matcher", 0, *entry) for entry in written.items()),
        tuple(
            Echo(_NAMES[name], time_s, seconds_of(ticks[name], tick_fs))
            for name, time_s in times.items()
        ),
        asked_s,
    )


def in_register(block: str, name: str, label: str, time_s: Fraction, tick_fs: int) -> int:
    """Return a time in ticks. Raises UsageError, with `label`, if its register cannot hold it."""
    ticks = whole_ticks(time_s, tick_fs)
    entry = register(block, name)
    most = (1 << entry.bits - entry.signed) - 1
    if not -most * entry.signed <= ticks <= most:
        raise UsageError(
            f"{label}: {format_seconds(time_s)}; at most {format_ticks(most, tick_fs)} with the "
            f"capture's tick of {format_ticks(1, tick_fs)}"
        )
    return ticks


def _timeout(wanted: Wanted, events: EventArray, tick_fs: int) -> Fraction:
    """Return the middle of the times between strikes, a second at most.

    A time-out of about a period keeps one missing response from shifting all later ones.
    """
    middles = [
        int(np.median(np.diff(times.astype(np.int64))))
        for reference in {entry.reference for entry in wanted.channels}
        if len(times := edges_to(events, reference)) > 1
    ]
    most = (1 << register("matcher", "timeout_ticks").bits) - 1
    ticks = min(max(middles, default=most), most)
    return min(seconds_of(ticks, tick_fs), MOST_TIMEOUT_S)
